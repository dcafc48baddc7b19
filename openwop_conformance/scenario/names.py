"""The ``$names`` of a scenario file, and their values in place of them."""

from __future__ import annotations

from typing import Final

from ..jsonvalue import JsonValue
from .document import Document

CANARY: Final = "$canary"
"""Stays in place until the engine puts the operator's value there."""
ANY_TEXT: Final = "$text"
"""Stands for any text where something is expected."""


def resolved(
    value: JsonValue,
    names: dict[str, JsonValue],
    document: Document,
    at: tuple[str | int, ...],
) -> JsonValue:
    """A value with every ``$name`` and ``$name.member`` replaced; ``$$`` begins a plain ``$``."""
    try:
        return _replaced(value, names)
    except _Undefined as error:
        known = ", ".join(f"${name}" for name in names)
        place = document.at(*at, *reversed(error.way))
        raise place.error(f"{error.name} is not defined; there are {known} and {CANARY}") from None


class _Undefined(Exception):
    """A ``$name`` that is none, and the way to it, from its end."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.way: list[str | int] = []


def _replaced(value: JsonValue, names: dict[str, JsonValue]) -> JsonValue:
    """The value itself where nothing in it is replaced, so that what is shared stays shared."""
    if isinstance(value, str):
        return _named(value, names) if value.startswith("$") else value
    if not isinstance(value, (dict, list)):
        return value
    changed: dict[str | int, JsonValue] = {}
    for key, held in value.items() if isinstance(value, dict) else enumerate(value):
        try:
            new = _replaced(held, names)
        except _Undefined as error:
            error.way.append(key)
            raise
        if new is not held:
            changed[key] = new
    if not changed:
        return value
    if isinstance(value, dict):
        return {**value, **changed}
    return [changed.get(index, held) for index, held in enumerate(value)]


def _named(text: str, names: dict[str, JsonValue]) -> JsonValue:
    if text.startswith(CANARY) or text == ANY_TEXT:
        return text
    if text.startswith("$$"):
        return text[1:]
    node: JsonValue = names
    for token in text[1:].split("."):
        if not isinstance(node, dict) or token not in node:
            raise _Undefined(text)
        node = node[token]
    return node
