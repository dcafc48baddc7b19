"""Messages for a renderer state, and what is held of one that is asked."""

from __future__ import annotations

import copy

import pytest

from openwop_conformance.a2ui.open_catalog import basic, read_catalog
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk import early
from openwop_conformance.reference.sdk.state import RendererState
from tests import messages
from tests.messages import Message, data

BASIC = basic()
BASIC_ID = BASIC.catalog_id
SPLIT = read_catalog(
    {
        "catalogId": "urn:split",
        "components": {
            "SplitView": {
                "type": "object",
                "required": ["id", "component"],
                "properties": {
                    "id": {"type": "string"},
                    "component": {"const": "SplitView"},
                    "leftPane": {
                        "$ref": "https://a2ui.org/specification/v0_9/common_types.json"
                        "#/$defs/ComponentId"
                    },
                    "title": {"type": "string"},
                },
            }
        },
    }
)


def create(surface: str = "s", catalog: str = BASIC_ID, **more: JsonValue) -> Message:
    return messages.create(surface, catalog, **more)


def card(name: str, child: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Card", "child": child}


def column(name: str, *children: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Column", "children": list(children)}


def begun(*messages: Message) -> RendererState:
    state = RendererState([BASIC, SPLIT])
    state.apply([create(), *messages])
    return state


def books(state: RendererState) -> JsonValue:
    """All that a rollback must bring back: what is read, and what the state keeps for itself."""
    kept = {
        name: {
            "changed": list(surface.changed),
            "children": dict(surface.graph.children),
            "referrers": {n: set(above) for n, above in surface.graph.referrers.items()},
            "heights": {n: surface.graph.height(n) for n in surface.components},
            "assumed": surface.assumed,
            "root": surface.root,
        }
        for name, surface in state.surfaces.items()
    }
    lives = {name: state.life(name) for name in "stu"}
    return copy.deepcopy([state.snapshot(), kept, lives, state.waiting])


def refusal(state: RendererState, *messages: JsonValue) -> CallError:
    """The error for messages that must be refused, by themselves and together, without a trace."""
    before = books(state)
    with pytest.raises(CallError) as refused:
        state.apply(list(messages))
    assert books(state) == before
    with pytest.raises(CallError):
        state.apply([data(path="/before", value=1), *messages])
    assert books(state) == before
    return refused.value


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(levels):
        value = [value]
    return value


def fault_of_tree(state: RendererState, *surfaces: str) -> str:
    before = books(state)
    with pytest.raises(CallError) as refused:
        state.check_topology(surfaces or ["s"])
    assert refused.value.kind == "integrity"
    assert books(state) == before
    return str(refused.value)


class GivenUp(Exception):
    """A transaction that its caller leaves."""


OTHER = early.read_catalog({"catalogId": "urn:other", "components": {"Text": {}, "Chart": {}}})


def early_state() -> RendererState:
    return RendererState([early.standard(), OTHER], "v0.8")


def begin(**more: JsonValue) -> Message:
    return {"beginRendering": {"surfaceId": "s", "root": "top", **more}}


def surface_update(*components: JsonValue) -> Message:
    return {"surfaceUpdate": {"surfaceId": "s", "components": list(components)}}


def early_component(name: str, kind: str = "Text", **members: JsonValue) -> JsonValue:
    return {"id": name, "component": {kind: members}}


ENTRIES = [
    {"key": "a", "valueString": "x"},
    {"key": "m", "valueMap": [{"key": "n", "valueNumber": 1}, {"key": "b", "valueBoolean": True}]},
]
EARLY_DATA = {"dataModelUpdate": {"surfaceId": "s", "contents": ENTRIES}}
