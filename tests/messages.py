"""A2UI messages and components in short, for tests of what takes them."""

from __future__ import annotations

from typing import Any, TypeAlias

from openwop_conformance.jsonvalue import JsonValue

Message: TypeAlias = dict[str, Any]


def create(surface: str = "s", catalog: str = "c", **more: JsonValue) -> Message:
    body = {"surfaceId": surface, "catalogId": catalog, **more}
    return {"version": "v0.9", "createSurface": body}


def update(*components: JsonValue, surface: str = "s") -> Message:
    body = {"surfaceId": surface, "components": list(components)}
    return {"version": "v0.9", "updateComponents": body}


def data(surface: str = "s", **body: JsonValue) -> Message:
    return {"version": "v0.9", "updateDataModel": {"surfaceId": surface, **body}}


def delete(surface: str = "s") -> Message:
    return {"version": "v0.9", "deleteSurface": {"surfaceId": surface}}


def text(name: str, content: str = "hello", **more: JsonValue) -> dict[str, JsonValue]:
    return {"id": name, "component": "Text", "text": content, **more}
