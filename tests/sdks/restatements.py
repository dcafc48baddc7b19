"""How a case of an older suite may be said again, so that the reason of a difference shows.

Each takes a case as the suite has it, its catalog being the document, and gives one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from openwop_conformance.jsonvalue import JsonValue

Raw: TypeAlias = dict[str, JsonValue]

COMMON: Final = "https://a2ui.org/specification/v0_9/common_types.json#/$defs/"


def _with_references(raw: Raw) -> Raw:
    """The members child and children are declared as references."""
    catalog = raw["catalog"]
    components = {name: _declared(schema) for name, schema in catalog.get("components", {}).items()}
    return {**raw, "catalog": {**catalog, "components": components}}


def _with_end(raw: Raw) -> Raw:
    """The last chunk closes the block."""
    *before, last = raw["steps"]
    text = last["input"]
    end = "</a2ui-json>" if text.endswith("]") else "]</a2ui-json>"
    return {**raw, "steps": [*before, {**last, "input": text + end}]}


def _with_versions(raw: Raw) -> Raw:
    """Each message has its version."""
    bare, whole = '{"updateComponents"', '{"version": "v0.9", "updateComponents"'
    steps = [{**step, "input": step["input"].replace(bare, whole)} for step in raw["steps"]]
    return {**raw, "steps": steps}


def _with_messages(raw: Raw) -> Raw:
    """The objects that stand for messages are messages to a surface that is there."""

    def message(name: str) -> JsonValue:
        return {"version": "v0.9", "updateDataModel": {"surfaceId": "s", "value": name}}

    content = re.sub(r'{"id": "(\w+)"}', lambda m: json.dumps(message(m[1])), raw["input"])
    expected = [
        {**part, "a2ui": [message(each["id"]) for each in part.get("a2ui", [])]}
        for part in raw["expect"]
    ]
    return {**raw, "input": content, "expect": expected, "state": "s"}


RESTATED: Final[dict[str, Callable[[Raw], Raw]]] = {
    "references": _with_references,
    "end": _with_end,
    "versions": _with_versions,
    "messages": _with_messages,
}
"""How a case may be said again, so that what upstream expects of it can be seen to hold."""


def _declared(schema: JsonValue) -> JsonValue:
    if isinstance(schema, list):
        return [_declared(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _declared(value) for name, value in schema.items()}
    for name, kind in (("child", "ComponentId"), ("children", "ChildList")):
        if isinstance(found.get("properties"), dict) and name in found["properties"]:
            found["properties"] = {**found["properties"], name: {"$ref": COMMON + kind}}
    return found
