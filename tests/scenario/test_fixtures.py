"""Fixtures by their names, and scenarios as long as what they were made of is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from openwop_conformance.errors import DocumentError
from openwop_conformance.scenario.expand import load_scenario
from openwop_conformance.scenario.fixtures import Fixtures

SCENARIO = """\
scenario: host.v2.a
title: A rule
source: here
subject: host
major: 2
requirement: row
sabotage: [one]
given: set/given.json
steps:
- emit: {messages: $case.messages, surface: $given.name}
  each: set/below/*.json
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    put(tmp_path, "set/given.json", '{"name": "s"}')
    put(tmp_path, "set/below/b.json", '{"messages": [2]}')
    put(tmp_path, "set/below/a.json", '{"messages": [1]}')
    put(tmp_path, "set/below/no.txt", "{")
    put(tmp_path, "other/c.json", '{"messages": [3]}')
    put(tmp_path, "top.json", "0")
    return tmp_path


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


@pytest.mark.parametrize(
    ("pattern", "names"),
    [
        ("set/given.json", ["set/given.json"]),
        ("set/below/*.json", ["set/below/a.json", "set/below/b.json"]),
        ("set/*", ["set/below/a.json", "set/below/b.json", "set/given.json"]),
        ("*/c.json", ["other/c.json"]),
        ("t?p.json", ["top.json"]),
        ("set/below/[b-z].json", ["set/below/b.json"]),
        ("set/below/A.json", []),
        ("below/*.json", []),
        ("set/below/no.txt", []),
        ("../*.json", []),
        ("set/../top.json", []),
        ("/etc/*.json", []),
        ("", []),
    ],
)
def test_a_pattern_matches_whole_names_within_the_folder(
    folder: Path, pattern: str, names: list[str]
) -> None:
    assert [fixture.name for fixture in Fixtures(folder).matching(pattern)] == names


def test_what_is_no_json_is_an_error_of_that_fixture(folder: Path) -> None:
    put(folder, "set/below/b.json", "[1,]")

    with pytest.raises(DocumentError, match=r"^fixtures/set/below/b\.json:1:1: "):
        Fixtures(folder).matching("set/*")
    assert Fixtures(folder).matching("set/given.json")


def test_a_scenario_is_made_anew_exactly_when_what_it_is_made_of_has_changed(
    folder: Path,
) -> None:
    path = folder / "a.yaml"
    path.write_text(SCENARIO, "utf-8")

    def loaded() -> object:
        return load_scenario(path, Fixtures(folder), "a.yaml")

    first = loaded()
    put(folder, "other/c.json", "{}")
    assert loaded() is first

    for name, text in (
        ("set/given.json", '{"name": "t"}'),
        ("set/below/a.json", '{"messages": [1.0]}'),
        ("set/below/c.json", '{"messages": [1]}'),
        ("a.yaml", SCENARIO.replace("A rule", "Another")),
    ):
        before = loaded()
        put(folder, name, text)
        assert loaded() is not before
        assert loaded() is loaded()
    (folder / "set/below/c.json").unlink()
    assert [step.case for step in load_scenario(path, Fixtures(folder), "a.yaml").steps] == [
        "set/below/a.json",
        "set/below/b.json",
    ]
    (folder / "set/given.json").unlink()
    with pytest.raises(DocumentError, match=r"^a\.yaml:8:8: no fixture matches 'set/given\.json'$"):
        loaded()


def test_what_all_steps_begin_from_is_one_fixture(folder: Path) -> None:
    path = folder / "a.yaml"
    path.write_text(SCENARIO.replace("set/given.json", "set/below/*.json"), "utf-8")

    with pytest.raises(DocumentError, match=r"8:8: 2 fixtures match .*, not one$"):
        load_scenario(path, Fixtures(folder), "a.yaml")
