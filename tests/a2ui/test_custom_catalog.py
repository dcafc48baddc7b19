"""A custom catalog decides as it says: its references, its functions, its patterns."""

from __future__ import annotations

import random
import time
from itertools import islice

import pytest

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.a2ui.open_catalog import basic, read_catalog
from openwop_conformance.jsonvalue import JsonValue, parse

from ..shared_data import shared
from .open_catalogs import (
    COMMON,
    INSTANCES,
    TEXT,
    component_refusal,
    lists,
    mutants,
    refusal,
    refused,
)

# ----------------------------------------------------------------------------------- references


@pytest.mark.parametrize(
    ("component", "expected"),
    [
        (TEXT, []),
        ({"id": "c", "component": "Row", "children": ["b", "a", "b"]}, ["b", "a", "b"]),
        ({"id": "c", "component": "Row", "children": {"path": "/l", "componentId": "a"}}, ["a"]),
        ({"id": "c", "component": "Modal", "content": "b", "trigger": "a"}, ["b", "a"]),
        ({"component": "Card", "child": "c", "id": "c"}, ["c"]),
        (INSTANCES[10], ["a", "a"]),
        (INSTANCES[13], ["a"]),
    ],
)
def test_children_come_from_the_schema_in_the_component_s_order(
    component: dict[str, JsonValue], expected: list[str]
) -> None:
    assert component_refusal(component) is None
    assert list(basic().children(component)) == expected


def catalog(component: JsonValue, **members: JsonValue) -> dict[str, JsonValue]:
    return {"catalogId": "https://c.example/c.json", "components": {"A": component}, **members}


def test_a_reference_is_found_wherever_a_custom_catalog_puts_it() -> None:
    document = catalog(
        {
            "type": "object",
            "allOf": [{"$ref": COMMON + "ComponentCommon"}],
            "properties": {
                "header": {"type": "string", "title": "ComponentId"},
                "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                "slots": {"additionalProperties": {"$ref": "../../v0_9/common_types.json"
                                                   "#/$defs/ComponentId"}},
                "own": {"$ref": "#/$defs/ComponentId"},
                "either": {"oneOf": [{"$ref": "common_types.json#/$defs/ChildList"}, False]},
                "child": {"type": "string"},
            },
        },
        **{
            "$defs": {
                "ComponentId": {"type": "string"},
                "Row": {
                    "properties": {
                        "cell": {"$ref": "common_types.json#/$defs/ComponentId"},
                        "below": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
                    }
                },
            }
        },
    )  # fmt: skip
    made = read_catalog(document)
    component = {
        **{"id": "i", "component": "A", "header": "h", "child": "no", "own": "o"},
        "rows": [{"cell": "1", "below": [{"cell": "2"}, {"below": [{"cell": "3"}], "cell": "4"}]}],
        **{"slots": {"x": "s", "id": "t"}, "either": ["e", "f"]},
    }

    made.check_component(component)
    assert list(made.children(component)) == ["h", "o", "1", "2", "3", "4", "s", "t", "e", "f"]


def test_upstream_s_custom_catalogs_are_read_and_found_to_refer() -> None:
    yaml = pytest.importorskip("yaml")
    suite = yaml.safe_load(shared("a2ui/suites/suites/validator.yaml").read_text())
    documents = [
        case["catalog"]["catalog_schema"] for case in suite if case["catalog"]["version"] == "0.9"
    ]
    assert len(documents) == 20
    made = [read_catalog(document) for document in documents if isinstance(document, dict)]
    custom = next(one for one in made if "Canvas" in one.component_types)
    canvas = {"id": "root", "component": "Canvas", "children": ["c1", "c2"]}
    custom.check_component(canvas)
    assert list(custom.children(canvas)) == ["c1", "c2"]
    simple = parse(shared("a2ui/suites/test_data/simplified_catalog_v09.json").read_bytes())
    card = {"id": "c", "component": "Card", "child": "a"}
    assert list(read_catalog(simple).children(card)) == ["a"]


# -------------------------------------------------------------------------------- custom catalogs


def test_the_basic_catalog_read_as_a_document_decides_as_the_built_in_one() -> None:
    chance, made = random.Random(5), read_catalog(basic().document)
    for instance in INSTANCES:
        for mutant in islice(mutants(instance, chance), 5):
            ours, theirs = component_refusal(mutant), component_refusal(mutant, made)
            assert (ours and ours.as_json()) == (theirs and theirs.as_json())


def test_a_custom_catalog_may_take_a_basic_component_with_functions_of_its_own() -> None:
    shout = {
        "properties": {"call": {"const": "shout"}, "args": {"maxProperties": 0}},
        "required": ["call"],
    }
    made = read_catalog(
        {
            "catalogId": "c",
            "components": {"Text": {"$ref": BASIC_CATALOG + "#/components/Text"}},
            "functions": {"shout": shout},
        }
    )

    assert component_refusal({**TEXT, "text": {"call": "shout", "args": {}}}, made) is None
    error = component_refusal({**TEXT, "text": {"call": "formatString", "args": {}}}, made)
    assert refused(error) == ("validation", ["/text/call"])


def test_a_catalog_without_functions_admits_no_call() -> None:
    made = read_catalog(catalog({"properties": {"text": {"$ref": COMMON + "DynamicString"}}}))
    component = {"id": "a", "component": "A", "text": {"path": "/x"}}

    assert component_refusal(component, made) is None
    assert component_refusal({**component, "text": {"call": "f", "args": {}}}, made) is not None
    assert refusal(lambda: made.check_theme({"any": 1})) is None
    assert refusal(lambda: made.check_theme(1)) is not None


@pytest.mark.parametrize(
    "document",
    [
        *(None, [], "basic", {}, {"catalogId": "c"}, {"components": {}}),
        {"catalogId": 1, "components": {}},
        {"catalogId": "c", "components": []},
        {"catalogId": "c", "components": {"A": True}},
        {"catalogId": "c", "components": {}, "functions": []},
        {"catalogId": "c", "components": {}, "$defs": 1},
        {"catalogId": "c", "components": {}, "$defs": {"theme": 1}},
        catalog({"$ref": "#/$defs/Gone"}),
        catalog({"$ref": "https://elsewhere.example/common_types.json#/$defs/ComponentId"}),
        catalog({"$ref": "file:///etc/passwd"}),
        catalog({"$ref": "other.json#/x"}),
        catalog({"$ref": COMMON + "Gone"}),
        catalog({"$ref": "#no-pointer"}),
        catalog({"$ref": 1}),
        catalog({"$dynamicRef": "#x"}),
        catalog({"properties": []}),
        catalog({"allOf": {}}),
        catalog({"properties": {"a": 1}}),
        catalog({"type": "strng"}),
        catalog({"pattern": "("}),
        catalog({"properties": {"a": {"const": lists(200)}}}),
    ],
)
def test_what_is_no_catalog_is_refused(document: JsonValue) -> None:
    error = refusal(lambda: read_catalog(document))

    assert error is not None
    assert error.kind == "catalog"


def test_references_in_a_circle_end() -> None:
    made = read_catalog(
        catalog(
            {"$ref": "#/$defs/B"},
            **{"$defs": {"B": {"allOf": [{"$ref": "#/$defs/C"}]}, "C": {"$ref": "#/components/A"}}},
        )
    )

    assert list(made.children({"id": "a", "component": "A"})) == []
    assert component_refusal({"id": "a", "component": "A"}, made) is None


def test_a_catalog_is_unmoved_when_the_document_is_changed() -> None:
    document = catalog({"type": "object"})
    made = read_catalog(document)
    document["components"]["A"]["required"] = ["x"]
    document["components"]["B"] = {}

    assert component_refusal({"id": "a", "component": "A"}, made) is None
    assert component_refusal({"id": "a", "component": "B"}, made) is not None


def test_a_pattern_cannot_hang() -> None:
    made = read_catalog(catalog({"properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}))
    component = {"id": "a", "component": "A"}
    began = time.perf_counter()

    assert component_refusal({**component, "a": "a" * 100_000}, made) is None
    assert component_refusal({**component, "a": "a" * 100_000 + "!"}, made) is not None
    assert time.perf_counter() - began < 2.0


@pytest.mark.parametrize("pattern", ["^(?=a)a", "(?<!b)a", r"(a)\1", "((a{100}){100}){100}", "("])
def test_a_pattern_that_cannot_be_matched_in_linear_time_makes_no_catalog(pattern: str) -> None:
    error = refusal(lambda: read_catalog(catalog({"properties": {"a": {"pattern": pattern}}})))

    assert refused(error)[0] == "catalog"
    assert pattern.replace("\\", "\\\\") in str(error)
