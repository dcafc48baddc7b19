"""The renderer state of v0.8: updates that wait until their surface begins."""

from __future__ import annotations

import pytest

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk import early

from .states import (
    EARLY_DATA,
    GivenUp,
    begin,
    books,
    create,
    early_component,
    early_state,
    fault_of_tree,
    nested,
    surface_update,
)


def test_early_updates_wait_until_their_surface_begins() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top", "Card", child="a")), EARLY_DATA])
    assert state.snapshot() == {"surfaces": {}}
    with pytest.raises(CallError, match="'s'"):
        state.check_finished()
    state.apply([begin(), surface_update(early_component("a"))])
    state.check_finished()
    state.check_topology(["s"])

    surface = state.snapshot()["surfaces"]["s"]
    assert list(surface["components"]) == ["top", "a"]
    assert surface["data"] == {"a": "x", "m": {"n": 1, "b": True}}


def test_what_waited_is_judged_again_by_the_catalog_that_the_surface_names() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top", "Card", child="a"))])
    before = books(state)
    with pytest.raises(CallError, match="Card"):
        state.apply([begin(catalogId="urn:other")])

    assert books(state) == before
    with pytest.raises(CallError) as refused:
        state.apply([begin(catalogId="urn:unknown")])
    assert refused.value.kind == "catalog"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("validation", surface_update(early_component("a", "Marquee"))),
        ("validation", surface_update({"id": "a", "component": "Text"})),
        ("integrity", surface_update(early_component("a"), early_component("a"))),
        ("validation", {"dataModelUpdate": {"surfaceId": "s", "contents": [{"key": "a"}]}}),
        ("data", {"dataModelUpdate": {"surfaceId": "s", "path": "a", "contents": []}}),
        ("integrity", {"deleteSurface": {"surfaceId": "s"}}),
        ("validation", {**begin(), "deleteSurface": {"surfaceId": "s"}}),
        ("validation", {"beginRendering": {"surfaceId": "s"}}),
        ("validation", create()),
    ],
)
def test_an_early_message_with_a_fault_is_refused_when_it_comes(
    kind: str, message: JsonValue
) -> None:
    state = early_state()
    with pytest.raises(CallError) as refused:
        state.apply([message])

    assert refused.value.kind == kind
    assert books(state) == books(early_state())


PICTURES = early.read_catalog(
    {
        "catalogId": "urn:pictures",
        "$defs": {"size": {"enum": ["small", "large"]}},
        "components": {
            "Picture/100%": {
                "type": "object",
                "properties": {"size": {"$ref": "#/$defs/size"}},
                "required": ["size"],
            }
        },
    }
)


@pytest.mark.parametrize(
    ("members", "place"),
    [({}, ""), ({"size": 1}, "/size"), ({"size": "huge"}, "/size")],
)
def test_early_members_are_checked_by_their_catalog(
    members: dict[str, JsonValue], place: str
) -> None:
    component = early_component("a", "Picture/100%", **members)
    with pytest.raises(CallError) as refused:
        PICTURES.check_component(component, "/c/0")

    assert refused.value.kind == "validation"
    path = refused.value.details[0]["path"]
    assert path.startswith(f"/c/0/component/Picture~1100%{place}")
    PICTURES.check_component(early_component("a", "Picture/100%", size="small"))


def test_early_members_are_not_nested_too_deep() -> None:
    calls: JsonValue = {}
    for _ in range(6):
        calls = {"call": "f", "args": calls}
    for value in (nested(60), calls):
        with pytest.raises(CallError) as refused:
            early.standard().check_component(early_component("a", action=value))
        assert refused.value.kind == "recursion"


@pytest.mark.parametrize(
    "components",
    [
        7,
        {"A": 7},
        {"A": {"type": "colour"}},
        {"A": {"$ref": "#/$defs/none"}},
        {"A": {"default": nested(200)}},
    ],
)
def test_an_early_catalog_with_a_fault_is_refused(components: JsonValue) -> None:
    with pytest.raises(CallError) as refused:
        early.read_catalog({"catalogId": "urn:x", "components": components})

    assert refused.value.kind == "catalog"


def test_a_rollback_brings_back_what_waited() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top"))])
    before = books(state)
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([EARLY_DATA, begin(), {"deleteSurface": {"surfaceId": "s"}}])
        raise GivenUp
    assert books(state) == before
    state.apply([begin()])
    before = books(state)
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([begin(root="other")])
        assert "'other'" in fault_of_tree(state)
        raise GivenUp
    assert books(state) == before


def test_an_early_circle_is_found_across_messages() -> None:
    state = early_state()
    state.apply([begin(), surface_update(early_component("top", "Card", child="a"))])
    for component in (
        early_component("a", "Row", children={"explicitList": ["top"]}),
        early_component("a", "List", children={"template": {"componentId": "top"}}),
        early_component("a", "Tabs", tabItems=[{"title": {}, "child": "top"}]),
    ):
        with pytest.raises(CallError) as refused:
            state.apply([surface_update(component)])
        assert refused.value.kind == "recursion"
