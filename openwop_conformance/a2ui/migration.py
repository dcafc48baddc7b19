"""A version 1 surface as a version 2 payload: the mechanical map that RFC 0209 describes.

Its only loss is ``placeholder``, which A2UI v0.9 has no member for. What the text leaves open: a
heading without a level is an ``h2``, below the title; every field begins with an empty value, so
that the data model is an object from the start.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from ..errors import Violation
from ..jsonvalue import JsonValue, pointer_of
from .catalog import BASIC_CATALOG
from .data_model import segments_of

MOST_MESSAGES: Final = 64
MOST_COMPONENTS: Final = 512
"""How many components one update holds."""

_EMPTY: Final = {
    "field.text": "",
    "field.date": "",
    "field.select": [],
    "field.checkbox": False,
}


def migrate(payload: JsonValue, surface_id: str) -> JsonValue:
    """The version 2 payload of a valid version 1 payload.

    Raises ``Violation`` (``limits``) for one with more components than 64 messages can carry.
    """
    surface = payload["surface"]
    keys = _keys(surface["components"])
    components: list[JsonValue] = []
    children: list[str] = []
    model: dict[str, JsonValue] = {}
    for made in _converted(surface, keys):
        components += made
        children.append(made[0]["id"])
    for component in surface["components"]:
        if component["component"] in _EMPTY:
            key = keys[component["id"]]
            model[key] = component.get("default", _EMPTY[component["component"]])
    root = {"id": "root", "component": "Column", "children": children}
    bodies: list[JsonValue] = [
        {"createSurface": {"surfaceId": surface_id, "catalogId": BASIC_CATALOG}},
        {"updateDataModel": {"surfaceId": surface_id, "value": model}},
        *(
            {"updateComponents": {"surfaceId": surface_id, "components": part}}
            for part in _parts([root, *components])
        ),
    ]
    if len(bodies) > MOST_MESSAGES:
        raise Violation("limits", f"{len(components)} components do not fit into one payload")
    return {
        **({"reasoning": payload["reasoning"]} if "reasoning" in payload else {}),
        "version": "v0.9",
        "catalogId": BASIC_CATALOG,
        "surfaceId": surface_id,
        "messages": [{"version": "v0.9", **body} for body in bodies],
    }


def _parts(components: list[JsonValue]) -> Iterator[list[JsonValue]]:
    for start in range(0, len(components), MOST_COMPONENTS):
        yield components[start : start + MOST_COMPONENTS]


def _keys(components: list[JsonValue]) -> dict[str, str]:
    """Each field's id → the member of the data model that it is bound to.

    An id that no path can name (it is empty, or would reach into a prototype) gets another one.
    """
    ids = dict.fromkeys(c["id"] for c in components if c["component"] in _EMPTY)
    keys: dict[str, str] = {}
    for number, name in enumerate(ids):
        key = name
        while not _nameable(key) or (key != name and key in ids):
            key = f"field-{number}" if key == name else f"{key}-"
        keys[name] = key
    return keys


def _nameable(key: str) -> bool:
    try:
        return segments_of(pointer_of((key,))) == (key,)
    except Violation:
        return False


def _converted(surface: JsonValue, keys: dict[str, str]) -> Iterator[list[JsonValue]]:
    """What each part of a version 1 surface becomes: a component, and what it refers to."""
    if "title" in surface:
        yield [{"id": "title", "component": "Text", "text": surface["title"], "variant": "h1"}]
    for number, component in enumerate(surface["components"]):
        kind, name = component["component"], f"c{number}"
        if kind == "heading":
            variant = f"h{min(component.get('level', 2), 5)}"
            text = component["text"]
            yield [{"id": name, "component": "Text", "text": text, "variant": variant}]
        elif kind == "text":
            text = component["text"]
            yield [{"id": name, "component": "Text", "text": text, "variant": "body"}]
        elif kind == "action.button":
            label = {"id": f"{name}-label", "component": "Text", "text": component["label"]}
            event = {"name": component["action"]["target"]}
            button = {"id": name, "component": "Button", "child": label["id"]}
            yield [{**button, "action": {"event": event}}, label]
        else:
            yield [_field(component, name, {"path": pointer_of((keys[component["id"]],))})]


def _field(component: JsonValue, name: str, binding: JsonValue) -> JsonValue:
    label = component["label"]
    checks: dict[str, JsonValue] = {}
    if component.get("required"):
        condition = {"call": "required", "args": {"value": binding}, "returnType": "boolean"}
        checks["checks"] = [{"condition": condition, "message": f"{label}: required"}]
    bound = {"id": name, "label": label, "value": binding}
    if component["component"] == "field.text":
        return {**bound, "component": "TextField", **checks}
    if component["component"] == "field.date":
        return {**bound, "component": "DateTimeInput", "enableDate": True, **checks}
    if component["component"] == "field.checkbox":
        return {**bound, "component": "CheckBox"}
    return {
        **bound,
        "component": "ChoicePicker",
        "variant": "mutuallyExclusive",
        "options": component["options"],
        **checks,
    }
