"""Where a refusal by a catalog points, and how deep a component may nest."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.frame import check_frame
from openwop_conformance.a2ui.nesting import check_depth
from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.jsonvalue import JsonValue

from .open_catalogs import (
    FUNCTIONS,
    TEXT,
    VERSIONS,
    component_refusal,
    lists,
    refusal,
    refused,
)

# --------------------------------------------------------------------------- where a refusal points


@pytest.mark.parametrize(
    ("component", "path", "words"),
    [
        ({**TEXT, "text": 5}, "/text", "5"),
        ({"id": "t", "component": "Text"}, "/text", "missing"),
        ({"component": "Text", "text": "x"}, "/id", "missing"),
        ({**TEXT, "size": 1}, "/size", "size"),
        ({**TEXT, "variant": "h9"}, "/variant", "h9"),
        ({**TEXT, "component": "Canvas"}, "/component", "Canvas"),
        ({**TEXT, "component": ["Text"]}, "/component", "Text"),
        ({"id": "t"}, "/component", "missing"),
        ([], "", "object"),
        ({**TEXT, "text": {"call": "nope", "args": {}}}, "/text/call", "nope"),
        ({**TEXT, "text": {"path": 5}}, "/text/path", "5"),
        ({**TEXT, "text": {"path": "/a", "or": 1}}, "/text/or", "or"),
        ({**TEXT, "text": {"path": "/a/~2"}}, "/text/path", "~2"),
        ({**TEXT, "accessibility": {"label": {"path": "~"}}}, "/accessibility/label/path", "~"),
        (
            {"id": "c", "component": "List", "children": {"componentId": "a", "path": "~"}},
            "/children/path",
            "~",
        ),
        (
            {"id": "c", "component": "Tabs", "tabs": [{"title": "1", "child": 5}]},
            "/tabs/0/child",
            "5",
        ),
        (
            {
                **{"id": "c", "component": "CheckBox", "label": "l"},
                "value": {"call": "not", "args": {"value": {"call": "no/pe", "args": {}}}},
            },
            "/value/args/value/call",
            "no/pe",
        ),
        (
            {"id": "c", "component": "CheckBox", "label": "l", "value": {"call": "not"}},
            "/value/args",
            "missing",
        ),
        (
            {
                **{"id": "c", "component": "Button", "child": "a"},
                "action": {"event": {"name": "n"}, "functionCall": FUNCTIONS[10]},
            },
            "/action/functionCall",
            "functionCall",
        ),
    ],
)
def test_a_refusal_names_the_component_the_place_and_the_reason(
    component: JsonValue, path: str, words: str
) -> None:
    error = refusal(lambda: basic().check_component(component, "/here"))

    assert error is not None
    assert error.kind == "validation"
    first = error.details[0]
    assert first["path"] == "/here" + path
    assert first["code"] == "VALIDATION_FAILED"
    assert words in first["message"]
    if isinstance(component, dict) and "id" in component:
        assert f'component "{component["id"]}"' in str(error)


def test_two_unknown_properties_are_two_details() -> None:
    error = component_refusal({**TEXT, "a": 1, "b": 2})

    assert refused(error) == ("validation", ["/a", "/b"])


@pytest.mark.parametrize("value", [10**400, float("inf"), float("nan"), "\ud800", {1: 2}])
def test_no_value_raises_anything_but_a_refusal(value: JsonValue) -> None:
    for name in ("text", "weight", "id", "component", "accessibility"):
        component_refusal({**TEXT, name: value})
        refusal(lambda name=name: check_frame({name: value}, VERSIONS))  # type: ignore[misc]
        refusal(lambda: basic().check_theme({"primaryColor": value}))


def test_a_refusal_of_nested_calls_is_told_quickly() -> None:
    value: JsonValue = {"call": "nope", "args": {}}
    for _ in range(4):
        value = {"call": "and", "args": {"values": [value] * 4}}
    began = time.perf_counter()
    error = component_refusal({"id": "c", "component": "CheckBox", "label": "l", "value": value})

    assert error is not None
    assert time.perf_counter() - began < 1.0


# ------------------------------------------------------------------------------------- nesting


def calls(depth: int) -> JsonValue:
    value: JsonValue = True
    for _ in range(depth):
        value = {"call": "not", "args": {"value": value}}
    return value


def test_five_calls_may_stand_in_each_other_and_six_may_not() -> None:
    box = {"id": "c", "component": "CheckBox", "label": "l"}

    assert component_refusal({**box, "value": calls(5)}) is None
    error = component_refusal({**box, "value": calls(6)})
    assert refused(error) == ("recursion", ["/value" + "/args/value" * 5])


@given(st.integers(1, 60), st.integers(1, 60))
def test_a_depth_is_refused_exactly_when_it_is_beyond_the_limit(depth: int, limit: int) -> None:
    error = refusal(lambda: check_depth(lists(depth), limit, "/v"))

    assert (error is None) is (depth <= limit)
    if error is not None:
        assert refused(error) == ("recursion", ["/v"])


def test_a_component_nested_beyond_any_stack_is_refused() -> None:
    for foreign in (lists(100_000), {"a": lists(60)}):
        error = component_refusal({**TEXT, "text": foreign})
        assert error is not None
        assert error.kind == "recursion"
    assert refusal(lambda: check_depth("scalar", 0)) is None
