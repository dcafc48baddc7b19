"""The scenario schema that editors use: made from the verbs, committed, and held to the corpus."""

from __future__ import annotations

import copy
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import jsonschema_rs
import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.steps import STEPS
from openwop_conformance.scenario.document import load
from openwop_conformance.scenario.grammar import scenario_schema
from openwop_conformance.scenario.verbs import MAY_BE_REFUSED, NEEDS, VERBS
from openwop_conformance.schemas import compiled, schema
from tests.every import every

FILES = sorted(corpus().scenarios.rglob("*.yaml"))
OWN = "openwop_conformance/schemas/scenario.schema.json"
COMMITTED = Path(__file__).resolve().parents[2] / OWN


@cache
def validator() -> Any:
    return compiled(scenario_schema())


@cache
def second_opinion() -> Any:
    return jsonschema.Draft202012Validator(scenario_schema())


def valid(instance: Any) -> bool:
    fast: bool = validator().is_valid(instance)
    assert fast == second_opinion().is_valid(instance), "the two validators do not agree"
    return fast


def test_the_committed_schema_is_the_one_that_the_verbs_make() -> None:
    assert schema("scenario") == scenario_schema(), (
        f"write it anew: openwop-conformance schema scenario > {OWN}"
    )


def test_the_schema_is_a_valid_one_of_draft_2020_12() -> None:
    assert scenario_schema()["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    jsonschema.Draft202012Validator.check_schema(scenario_schema())
    assert jsonschema_rs.meta.is_valid(scenario_schema())


def test_every_object_in_the_schema_is_closed_but_those_that_hold_names_of_the_authors() -> None:
    open_ones = {"twin", "headers", "let", "with", "leaves", "shows"} | {
        "violation",
        "buttons",
        "fields",
        "describes",
        "roles",
    }

    def walk(node: Any, name: str) -> None:
        if isinstance(node, dict):
            if node.get("type") == "object":
                assert node.get("additionalProperties") is False or name in open_ones, name
            for key, value in node.items():
                walk(value, key)
        elif isinstance(node, list):
            for item in node:
                walk(item, name)

    walk(scenario_schema(), "")


def test_the_schema_accepts_every_scenario_of_the_corpus() -> None:
    def accepted(path: Path) -> None:
        assert valid(load(path).value)

    every(FILES, str, accepted)


def test_every_scenario_names_the_schema_for_editors() -> None:
    prefix = "# yaml-language-server: $schema="

    def names_it(path: Path) -> None:
        first = path.read_text("utf-8").splitlines()[0]
        assert first.startswith(prefix)
        assert (path.parent / first.removeprefix(prefix)).resolve() == COMMITTED

    every(FILES, str, names_it)


WELL: dict[str, Any] = {
    "scenario": "a.b",
    "title": "t",
    "source": "s",
    "subject": "host",
    "major": 2,
    "requirement": "r",
    "sabotage": ["x"],
    "needs": ["floor.2"],
    "let": {"a": 1},
    "steps": [
        {
            "emit": {"messages": ["$a"], "stamp": 1},
            "refused": {"code": "c"},
            "because": "b",
            "twin": {"stamp": 2},
        }
    ],
}
EMIT = WELL["steps"][0]
WRONG: dict[str, dict[str, Any]] = {
    "an unknown member": {"extra": 1},
    "no steps": {"steps": []},
    "no sabotage": {"sabotage": []},
    "a sabotage twice": {"sabotage": ["x", "x"]},
    "an unknown need": {"needs": ["floor.9"]},
    "an unknown subject": {"subject": "browser"},
    "a major as text": {"major": "2"},
    "an id in capitals": {"scenario": "A.b"},
    "an id of one part": {"scenario": "a"},
    "a name with a capital": {"let": {"Name": 1}},
    "an unknown verb": {"steps": [{"walk": "x"}]},
    "two verbs": {"steps": [{"run": "w", "cancel": "run"}]},
    "an unknown argument": {"steps": [{"emit": {"messages": [], "surfac": "a"}}]},
    "a missing argument": {"steps": [{"run": {"name": "r"}}]},
    "an argument of the wrong type": {"steps": [{"emit": {"messages": [], "surface": 5}}]},
    "a number that is a boolean": {"steps": [{"emit": {"messages": [], "stamp": True}}]},
    "an argument out of its words": {"steps": [{"log": {"via": "email"}}]},
    "a list that is no name": {"steps": [{"emit": {"messages": "a"}}]},
    "a refusal of run": {"steps": [{"run": "w", "refused": {"code": "x"}}]},
    "an unknown word of a refusal": {"steps": [{**EMIT, "refused": {"kode": "x"}}]},
    "an empty twin": {"steps": [{**EMIT, "twin": {}}]},
    "a twin without a refusal": {"steps": [{"emit": ["$a"], "twin": {"stamp": 2}}]},
    "an empty because": {"steps": [{**EMIT, "because": ""}]},
    "an each that is no text": {"steps": [{**EMIT, "each": ["a"]}]},
    "a twin of race": {"steps": [{"race": ["$a"], "refused": {"code": "c"}, "twin": {"times": 2}}]},
}


@pytest.mark.parametrize("name", WRONG)
def test_the_schema_rejects_the_mistakes_that_a_schema_can_see(name: str) -> None:
    assert valid(WELL)

    assert not valid({**copy.deepcopy(WELL), **WRONG[name]})


@pytest.mark.parametrize("word", scenario_schema()["required"])
def test_the_schema_requires_each_word_of_the_head(word: str) -> None:
    assert not valid({key: value for key, value in WELL.items() if key != word})


def test_the_engine_takes_exactly_the_verbs_that_there_are() -> None:
    assert STEPS.keys() == VERBS.keys() == scenario_schema()["$defs"].keys()
    assert VERBS.keys() >= MAY_BE_REFUSED


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_and_each_of_its_words_says_what_it_is(verb: str) -> None:
    step = scenario_schema()["$defs"][verb]["properties"][verb]
    alone, spelled_out = step["anyOf"]

    assert step["description"] == (VERBS[verb].__doc__ or "").split("\n\n")[0] != ""
    assert not step["description"].startswith(f"{VERBS[verb].__name__}("), "made by dataclass"
    assert (STEPS[verb].__doc__ or "").strip()
    assert alone == next(iter(spelled_out["properties"].values()))
    for name, argument in spelled_out["properties"].items():
        assert argument["description"], name


def test_every_need_says_what_it_means_in_the_schema() -> None:
    kinds = scenario_schema()["properties"]["needs"]["items"]["anyOf"]

    assert {kind["const"]: kind["description"] for kind in kinds} == NEEDS
    assert all(NEEDS.values())


def test_the_committed_file_is_written_as_the_command_prints_it() -> None:
    text = COMMITTED.read_text("utf-8")

    assert text == json.dumps(scenario_schema(), indent=2, ensure_ascii=False) + "\n"
