"""Components and functions of the basic catalog, and what is refused of one."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from openwop_conformance.a2ui.open_catalog import Catalog, basic
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue

VERSIONS = frozenset({"v0.9", "v0.9.1"})
COMMON = "https://a2ui.org/specification/v0_9/common_types.json#/$defs/"
TEXT = {"id": "t", "component": "Text", "text": "x"}
CALL = {"call": "length", "args": {"value": {"path": "/x"}, "min": 1}, "returnType": "boolean"}
CHECKS = [
    {"condition": CALL, "message": "m"},
    {"condition": {"call": "and", "args": {"values": [True, CALL]}}, "message": "m"},
]
SPOKEN = {
    "call": "formatDate",
    "args": {"value": {"call": "required", "args": {"value": 1}}, "format": "yyyy"},
    "returnType": "string",
}
INSTANCES: list[dict[str, JsonValue]] = [
    {**TEXT, "text": SPOKEN, "variant": "h1", "weight": 1, "accessibility": {"label": "a"}},
    {"id": "c", "component": "Image", "url": "u", "description": {"path": "d"}, "fit": "cover"},
    {"id": "c", "component": "Icon", "name": "add", "accessibility": {"description": SPOKEN}},
    {"id": "c", "component": "Icon", "name": {"svgPath": "M0"}},
    {"id": "c", "component": "Video", "url": {"path": "/u"}},
    {"id": "c", "component": "AudioPlayer", "url": "u", "description": "d"},
    {"id": "c", "component": "Row", "children": ["a", "b", "a"], "justify": "end"},
    {"id": "c", "component": "Column", "children": {"componentId": "a", "path": "/l"}},
    {"id": "c", "component": "List", "children": [], "direction": "vertical", "align": "end"},
    {"id": "c", "component": "Card", "child": "a"},
    {"id": "c", "component": "Tabs", "tabs": [{"title": "1", "child": "a"}] * 2},
    {"id": "c", "component": "Modal", "trigger": "a", "content": "b"},
    {"id": "c", "component": "Divider", "axis": "vertical"},
    {
        **{"id": "c", "component": "Button", "child": "a", "variant": "primary", "checks": CHECKS},
        "action": {"event": {"name": "n", "context": {"a": 1, "b": {"path": "/b"}, "c": SPOKEN}}},
    },
    {
        **{"id": "c", "component": "Button", "child": "a"},
        "action": {"functionCall": {"call": "openUrl", "args": {"url": "https://a.example/"}}},
    },
    {
        **{"id": "c", "component": "TextField", "label": "l", "value": "v", "checks": CHECKS},
        **{"variant": "number", "validationRegexp": "a+"},
    },
    {"id": "c", "component": "CheckBox", "label": "l", "value": CALL, "checks": CHECKS},
    {
        **{"id": "c", "component": "ChoicePicker", "label": "l", "value": ["a"]},
        **{"options": [{"label": "A", "value": "a"}], "filterable": True, "checks": CHECKS},
        **{"variant": "multipleSelection", "displayStyle": "chips"},
    },
    {"id": "c", "component": "Slider", "label": "l", "min": 0, "max": 9, "value": {"path": "v"}},
    {
        **{"id": "c", "component": "DateTimeInput", "value": "2026-01-01", "enableDate": True},
        **{"enableTime": False, "min": "2026-01-01", "max": "2026-01-01T00:00:00Z", "label": "l"},
    },
]
FUNCTIONS = [
    {"call": "required", "args": {"value": {"any": [None]}}},
    {"call": "regex", "args": {"value": "v", "pattern": "p"}},
    {"call": "length", "args": {"value": "v", "min": 0, "max": 2}},
    {"call": "numeric", "args": {"value": 1, "max": 2.5}},
    {"call": "email", "args": {"value": "v"}},
    {"call": "formatString", "args": {"value": "v"}},
    {"call": "formatNumber", "args": {"value": 1, "decimals": 2, "grouping": True}},
    {"call": "formatCurrency", "args": {"value": 1, "currency": "EUR", "decimals": 2}},
    {"call": "formatDate", "args": {"value": [1], "format": "yyyy"}},
    {"call": "pluralize", "args": {"value": 1, "zero": "0", "one": "1", "other": "n"}},
    {"call": "openUrl", "args": {"url": "https://a.example/"}, "returnType": "void"},
    {"call": "and", "args": {"values": [True, False]}},
    {"call": "or", "args": {"values": [{"path": "/a"}, {"call": "not", "args": {"value": True}}]}},
    {"call": "not", "args": {"value": True}, "returnType": "boolean"},
]
INSTANCES += [
    {**TEXT, "id": "f", "component": "Button", "child": "a", "action": {"functionCall": call}}
    for call in FUNCTIONS
]
for one in INSTANCES:
    if one["id"] == "f":
        del one["text"]
FOREIGN: list[JsonValue] = [
    *(None, True, 7, -0.5, "", "h9", "required", "Text", [], {}, ["a"], [[1]], {"path": "/p"}),
    *({"path": "/p", "componentId": "a"}, {"call": "nope"}, {"call": "nope", "args": {}}),
    *(CALL, SPOKEN, {"event": {"name": "n"}}, "2026-01-01T00:00:00Z", "a b", "https://b.example"),
]


def refusal(work: Callable[[], object]) -> CallError | None:
    try:
        work()
    except CallError as error:
        return error
    return None


def refused(error: CallError | None) -> tuple[str, list[str]]:
    assert error is not None
    return error.kind, [detail["path"] for detail in error.details]


def component_refusal(component: JsonValue, catalog: Catalog | None = None) -> CallError | None:
    return refusal(lambda: (catalog or basic()).check_component(component))


def places(value: JsonValue, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield at
    below = value.items() if isinstance(value, dict) else ()
    for key, item in enumerate(value) if isinstance(value, list) else below:
        yield from places(item, (*at, key))


def mutants(instance: dict[str, JsonValue], chance: random.Random) -> Iterator[dict[str, Any]]:
    """The instance with every place replaced, removed, added to, and moved to another type."""
    for at in places(instance):
        if not at:
            continue
        for foreign in [*chance.sample(FOREIGN, 6), chance.choice(INSTANCES).get("value", 1)]:
            mutant = copy.deepcopy(instance)
            holder: Any = mutant
            for key in at[:-1]:
                holder = holder[key]
            held = holder[at[-1]]
            holder[at[-1]] = copy.deepcopy(foreign)
            yield mutant
            if isinstance(held, dict):
                added = copy.deepcopy(held)
                added[chance.choice(["extra", "path", "call", "args", "label", "min"])] = foreign
                holder[at[-1]] = added
                yield copy.deepcopy(mutant)
        del holder[at[-1]]
        yield mutant
    for key in ("extra", "checks", "child", "children", "weight", "accessibility", "value"):
        yield {**instance, key: chance.choice(FOREIGN)}


def lists(depth: int) -> JsonValue:
    value: JsonValue = []
    for _ in range(depth - 1):
        value = [value]
    return value
