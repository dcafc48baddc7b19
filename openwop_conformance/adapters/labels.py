"""How a person finds a field among what is shown: by its name, or by the words that precede it.

A field without an accessible name is still found by somebody who sees the screen. That it has none
is a fault of its own, and is not to hide whatever else there is to see of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from ..jsonvalue import JsonValue

FIELDS: Final = frozenset(
    {"textbox", "password", "checkbox", "radio", "combobox", "listbox", "slider", "date"}
)
_WORDS: Final = frozenset({"text", "heading"})


def nodes_of(surface: Sequence[JsonValue]) -> Iterator[JsonValue]:
    """All nodes of a surface in reading order, without recursion."""
    waiting = list(reversed(surface))
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.get("children", ())))


def labelled(surface: Sequence[JsonValue], label: str) -> list[JsonValue]:
    """The fields that have a label as their name; where none has it, those that stand behind it."""
    wanted = _plain(label)
    fields = (node for node in nodes_of(surface) if node["role"] in FIELDS)
    named = [node for node in fields if _plain(node.get("name", "")) == wanted]
    return named or [one for one in map(_field, _behind(surface, wanted)) if one is not None]


def boxes_behind(surface: Sequence[JsonValue], label: str) -> list[JsonValue]:
    """The check boxes that follow a label one upon the other: a choice of several with no name."""
    for after in _behind(surface, _plain(label)):
        if boxes := _boxes(after):
            return boxes
    return []


def _behind(surface: Sequence[JsonValue], label: str) -> Iterator[list[JsonValue]]:
    """What follows each text that is a label, in reading order; groups and options aside."""
    read = [node for node in nodes_of(surface) if node["role"] not in ("group", "option")]
    for at, node in enumerate(read):
        if node["role"] in _WORDS and _plain(node.get("text", "")) == label:
            yield read[at + 1 :]


def _field(after: list[JsonValue]) -> JsonValue | None:
    """The nameless field that comes next, or the choice that check boxes are, by their names."""
    if after and after[0]["role"] in FIELDS and not after[0].get("name"):
        return after[0]
    boxes = _boxes(after)
    chosen = [box["name"] for box in boxes if box.get("value") is True]
    return {"role": "listbox", "name": "", "value": chosen} if boxes else None


def _boxes(after: list[JsonValue]) -> list[JsonValue]:
    return list(takewhile(lambda node: node["role"] == "checkbox" and node.get("name"), after))


def _plain(text: JsonValue) -> str:
    return " ".join(str(text).split())
