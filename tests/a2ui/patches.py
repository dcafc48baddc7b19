"""Payloads, operations, frames and arbitrary documents for the tests of deltas."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from openwop_conformance.a2ui.delta import (
    Base,
    apply_frame,
    check_frame,
    patched,
)
from openwop_conformance.jsonvalue import (
    JsonValue,
)

TEXT: JsonValue = {"component": "text", "text": "Pick a time"}
BUTTON: JsonValue = {
    "component": "action.button",
    "id": "go",
    "label": "Confirm",
    "action": {"target": "resume"},
}
PAYLOAD: JsonValue = {
    "catalogVersion": "0.9.1",
    "reasoning": "It was asked for.",
    "surface": {"title": "Schedule", "components": [TEXT, BUTTON]},
}
BASES: list[Base] = ["payload", "tree"]


def op(kind: str, path: str, *value: JsonValue, **more: JsonValue) -> JsonValue:
    """One operation; a value is given by place, so that ``None`` is one."""
    return {"op": kind, "path": path, **({"value": value[0]} if value else {}), **more}


def move(source: str, path: str) -> JsonValue:
    return op("move", path, **{"from": source})


def copying(source: str, path: str) -> JsonValue:
    return op("copy", path, **{"from": source})


def frame_of(*patch: JsonValue, version: str = "0.9.1") -> JsonValue:
    return {"surfaceRef": "evt-9", "catalogVersion": version, "patch": list(patch)}


def applied(document: JsonValue, patch: list[JsonValue]) -> JsonValue:
    """A patch of any document, checked as in a frame."""
    if patch:
        check_frame(frame_of(*patch))
    return patched(document, patch)


def surface_after(*patch: JsonValue) -> JsonValue:
    return apply_frame(PAYLOAD, frame_of(*patch), base="tree")["surface"]


def nested(depth: int) -> JsonValue:
    value: JsonValue = 0
    for _ in range(depth):
        value = [value]
    return value


KEYS = st.sampled_from(["a", "b", "0", "01", "-", "", "a/b", "m~n", "~1"])
SCALARS = st.sampled_from([None, True, False, 0, 1, -1, 1.0, 0.5, "", "x", "\N{ROCKET}", "12"])
documents: st.SearchStrategy[JsonValue] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def spelled(value: JsonValue) -> str:
    return json.dumps(value, sort_keys=True)
