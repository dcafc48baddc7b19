"""How deep a value may nest: levels, function calls within function calls, and bound paths."""

from __future__ import annotations

import re
from typing import Final

from ..errors import CallError
from ..jsonvalue import JsonValue, brief, pointer_of

MOST_LEVELS: Final = 50
MOST_CALLS: Final = 5
_BAD_ESCAPE: Final = re.compile("~(?![01])")
_BOUND: Final = ({"path"}, {"componentId", "path"})


def check_depth(value: JsonValue, limit: int = MOST_LEVELS, path: str = "") -> None:
    """Refuse arrays and objects in more than ``limit`` levels; a scalar has none.

    Raises ``CallError`` of kind recursion; its place is ``path``.
    """
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, (list, dict))]:
        depth += 1
        if depth > limit:
            raise too_deep(f"nested deeper than {limit} levels", path)
        level = [
            item
            for holder in level
            for item in (holder if isinstance(holder, list) else holder.values())
        ]


def check_nesting(value: JsonValue, path: str = "") -> None:
    """Refuse what is nested too deep, and a bound path that is no JSON Pointer.

    An object with a text in ``call`` is a function call, one that holds ``path`` alone or with
    ``componentId`` binds data, wherever they stand: a catalog need not say so for a renderer to
    follow them. A relative path is one too. Raises ``CallError``: recursion for more than 50 levels
    or 5 calls one within the other, validation for a ``~`` that is neither ``~0`` nor ``~1``.
    """
    stack: list[tuple[JsonValue, tuple[str | int, ...], int]] = [(value, (), 0)]
    while stack:
        node, at, calls = stack.pop()
        if len(at) >= MOST_LEVELS:
            raise too_deep(f"{_whose(value)}nested deeper than {MOST_LEVELS} levels", path)
        if isinstance(node, dict):
            if isinstance(node.get("call"), str):
                calls += 1
                if calls > MOST_CALLS:
                    place = path + pointer_of(at)
                    message = f"{_whose(value)}more than {MOST_CALLS} function calls in each other"
                    raise too_deep(message, place)
            bound = node.get("path")
            if isinstance(bound, str) and _BAD_ESCAPE.search(bound) and node.keys() in _BOUND:
                fault = f"path {brief(bound)} is no JSON Pointer: '~' is neither ~0 nor ~1"
                message = _whose(value) + fault
                place = path + pointer_of((*at, "path"))
                detail = {"path": place, "code": "VALIDATION_FAILED", "message": message}
                raise CallError("validation", message, details=[detail])
            for key, item in node.items():
                if isinstance(item, (list, dict)):
                    stack.append((item, (*at, key), calls))
        elif isinstance(node, list):
            for index, item in enumerate(node):
                if isinstance(item, (list, dict)):
                    stack.append((item, (*at, index), calls))


def too_deep(message: str, path: str) -> CallError:
    """The error for what nests deeper than it may, at a place."""
    detail = {"path": path, "code": "VALIDATION_FAILED", "message": message}
    return CallError("recursion", f"{path or '/'}: {message}", details=[detail])


def _whose(value: JsonValue) -> str:
    """How a message begins that is about a component."""
    return f"component {brief(value['id'])}: " if isinstance(value, dict) and "id" in value else ""
