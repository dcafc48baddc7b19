"""Heads of scenarios, read without what follows them."""

from __future__ import annotations

from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.errors import DocumentError
from openwop_conformance.scenario.document import load, load_head
from openwop_conformance.scenario.outline import _read, outlines

HEAD = """scenario: host.v2.a
title: A rule
source: here
subject: host
major: 2
requirement: row
sabotage: [one]
"""


def test_the_outline_of_each_scenario_is_what_its_whole_file_says() -> None:
    found = corpus()
    for outline in outlines(found):
        whole = load(found.scenarios.parent / outline.file).value
        assert outline.id == whole["scenario"]
        for name in ("title", "source", "subject", "major", "requirement"):
            assert getattr(outline, name) == whole[name]
        assert list(outline.needs) == whole.get("needs", [])
        assert list(outline.sabotage) == whole["sabotage"]


def test_a_head_ends_where_the_steps_or_what_they_use_begin(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    for body in ("let: {a: 1}\nsteps: [", "steps: [not, closed"):
        path.write_text(HEAD + body)
        assert "steps" not in load_head(path).value
        assert _read(path, "a.yaml").id == "host.v2.a"


def test_a_head_behind_its_steps_is_found_too(tmp_path: Path) -> None:
    path, written = tmp_path / "a.yaml", HEAD.splitlines(keepends=True)
    path.write_text("".join([*written[:3], "steps: []\n", *written[3:]]))
    assert _read(path, "a.yaml").requirement == "row"


def test_a_head_that_lacks_something_is_told_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(HEAD.replace("major: 2\n", "") + "steps: []\n")
    with pytest.raises(DocumentError, match=r"a\.yaml:1:1: the head of the scenario lacks 'major'"):
        _read(path, "a.yaml")
