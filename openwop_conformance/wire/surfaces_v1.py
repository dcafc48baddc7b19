"""Where surfaces and delta frames of major 1 lie in what a host sends."""

from __future__ import annotations

from collections.abc import Iterator

from ..a2ui.delta import Base
from ..jsonvalue import JsonValue


def surfaces_in(value: JsonValue) -> Iterator[JsonValue]:
    """Every version 1 payload in a value, outermost only; its place in an event is not fixed."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "catalogVersion" in node and "surface" in node:
                yield node
            else:
                stack.extend(reversed(node.values()))
        elif isinstance(node, list):
            stack.extend(reversed(node))


def frames_in(value: JsonValue) -> Iterator[JsonValue]:
    """Every delta frame in a value: an object with a patch, and a reference to what it patches."""
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if "patch" in node and ("surfaceRef" in node or "catalogVersion" in node):
                yield node
            else:
                stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)


def members(value: JsonValue, name: str) -> list[str]:
    """The texts that stand under a name anywhere in a value."""
    found: list[str] = []
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, dict):
            if isinstance(node.get(name), str):
                found.append(node[name])
            stack.extend(node.values())
        elif isinstance(node, list):
            stack.extend(node)
    return found


def base_of(frame: JsonValue) -> Base | None:
    """What a frame's pointers start from, told by their first token; ``None`` when none says.

    The members of a payload and those of its tree have no name in common.
    """
    patch = frame.get("patch") if isinstance(frame, dict) else None
    for operation in patch if isinstance(patch, list) else ():
        if not isinstance(operation, dict):
            continue
        for pointer in (operation.get("path"), operation.get("from")):
            first = pointer.split("/")[1:2] if isinstance(pointer, str) else []
            if first in (["surface"], ["catalogVersion"], ["reasoning"]):
                return "payload"
            if first in (["components"], ["title"]):
                return "tree"
        value = operation.get("value")
        if operation.get("path") == "" and isinstance(value, dict):
            return "payload" if "surface" in value else "tree"
    return None
