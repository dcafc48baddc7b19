"""Upstream's suites, run through the reference SDK; each difference stands with its reasons.

Left out are suites of other things: schema_manager (prompts), adk_extensions and a2a_integration
(frameworks). A suite of ``../shared`` that is not there is skipped; our own two fixtures never are.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from jsonschema_rs import Draft202012Validator

from openwop_conformance.adapters.connect import connect_sdk

from ..every import every
from ..shared_data import shared
from .restatements import RESTATED
from .upstream import Case, components_after, differences
from .upstream_suites import data_model_suite, own_suite, yaml_suite

HERE: Final = Path(__file__).parent
SCHEMA: Final = files("openwop_conformance") / "schemas" / "sdk-line.schema.json"
SAID: Final[dict[str, Any]] = yaml.safe_load((HERE / "differences.yaml").read_bytes())
REASONS: Final = SAID["reasons"]
DIFFERENT: Final = {entry["case"]: entry for entry in SAID["cases"]}
SUITES: Final = {
    "validator": "a2ui/suites/suites/validator.yaml",
    "streaming_parser": "a2ui/suites/suites/streaming_parser.yaml",
    "parser": "a2ui/suites/suites/parser.yaml",
    "catalog": "a2ui/suites/suites/catalog.yaml",
    "data_model": "a2ui/suites_newer/data_model.compact.json",
}
OWN: Final = ("message_processor", "response_streaming")
COUNTS: Final = {
    "validator": (38, 7, 0),
    "streaming_parser": (11, 31, 38),
    "parser": (4, 10, 3),
    "catalog": (0, 0, 23),
    "data_model": (26, 0, 9),
    "message_processor": (45, 0, 0),
    "response_streaming": (26, 3, 0),
}
"""Of each suite: how many agree, differ, and are not ours."""


@cache
def cases_of(suite: str) -> list[Case]:
    """The cases of a suite; skips when the suite is not there."""
    if suite in OWN:
        return own_suite(HERE / f"{suite}_cases.json")
    path = shared(SUITES[suite])
    return data_model_suite(path) if path.suffix == ".json" else yaml_suite(path)


def excuses(case: Case) -> list[str]:
    """The patterns by which a case is not ours."""
    return [p for p in SAID["not_ours"] if fnmatchcase(f"{case.kind}/{case.name}", p)]


def disagreement(case: Case) -> dict[int, str]:
    return asyncio.run(differences(connect_sdk("reference"), case))


@pytest.mark.parametrize("suite", [*SUITES, *OWN])
def test_each_case_gives_what_upstream_expects_or_what_its_reasons_say(suite: str) -> None:
    every(cases_of(suite), attrgetter("called"), as_upstream_expects)


def as_upstream_expects(case: Case) -> None:
    if excuses(case):
        assert case.called not in DIFFERENT
        return
    assert case.asks, f"{case.kind} is neither run nor excused"
    entry = DIFFERENT.get(case.called, {"instead": {}})

    assert disagreement(case) == entry["instead"]

    if "agrees_with" in entry:
        assert case.again is not None
        assert disagreement(case.again(entry["agrees_with"])) == {}
    if entry.get("ends") == "alike":
        subject = connect_sdk("reference")
        ours = asyncio.run(components_after(subject, case, as_upstream=False))
        assert ours == asyncio.run(components_after(subject, case, as_upstream=True))


@pytest.mark.parametrize("suite", [*SUITES, *OWN])
def test_every_call_is_one_of_the_line(suite: str) -> None:
    line = json.loads(SCHEMA.read_text("utf-8"))
    check = Draft202012Validator({**line, "oneOf": [{"$ref": "#/$defs/call"}]})
    asks = [ask for case in cases_of(suite) for ask in case.asks]

    assert [
        (ask.call, ask.given)
        for ask in asks
        if not check.is_valid({"id": 1, "call": ask.call, "with": ask.given})
    ] == []


def test_every_difference_has_known_reasons_and_every_reason_a_case() -> None:
    used = {reason for entry in DIFFERENT.values() for reason in entry["reasons"]}

    assert len(DIFFERENT) == len(SAID["cases"])
    assert used == set(REASONS)
    assert all(entry["instead"] and entry["reasons"] for entry in DIFFERENT.values())
    assert all({"because", "source"} <= reason.keys() for reason in REASONS.values())
    assert {name for e in DIFFERENT.values() for name in e.get("agrees_with", ())} <= set(RESTATED)


def test_as_many_cases_are_run_as_are_said() -> None:
    counted: dict[str, tuple[int, int, int]] = {}
    names: set[str] = set()
    matched: Counter[str] = Counter()
    for suite in COUNTS:
        cases = cases_of(suite)
        names |= {case.called for case in cases}
        matched.update(pattern for case in cases for pattern in excuses(case))
        ours = [case for case in cases if not excuses(case)]
        differ = sum(case.called in DIFFERENT for case in ours)
        counted[suite] = len(ours) - differ, differ, len(cases) - len(ours)
        sys.stdout.write(f"{suite}: {counted[suite]}\n")

    assert counted == COUNTS
    assert set(DIFFERENT) <= names, "a case is named that no suite has"
    assert set(matched) == set(SAID["not_ours"]), "a pattern matches no case"
