"""Expected against got, with what differs marked: by structure if both are JSON, else by words."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from ...errors import JsonError
from ...jsonvalue import JsonValue, first_difference, parse

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|\s+|[^\w\s]')
"""A word of JSON: a string is one."""
_ALIKE: Final = 0.6
"""Texts that are less alike than this have nothing to mark: all of it is different."""
_SHORT: Final = 44
"""JSON of no more characters stays on one line."""
_MOST: Final = 400
"""Words, or lines, beyond which nothing is compared."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some text of one side, and whether the other side lacks it."""

    text: str
    differs: bool = False


@dataclass(frozen=True, slots=True)
class Sides:
    """Both texts in pieces, and the pointer at which two JSON values part."""

    expected: tuple[Piece, ...]
    got: tuple[Piece, ...]
    pointer: str | None = None


def sides(expected: str, got: str) -> Sides:
    """What was expected and what came, with the difference marked."""
    left, right = _structure(expected), _structure(got)
    if left is None or right is None:
        return Sides(*_joined(_by_words(expected, got)))
    where = first_difference(left[0], right[0])
    pairs = _by_lines(_lines(left[0]), _lines(right[0]))
    return Sides(*_joined(pairs), None if where is None else where.pointer or "/")


def _structure(text: str) -> tuple[JsonValue] | None:
    """A JSON array or object, in a tuple of its own; ``None`` for any other text."""
    try:
        value = parse(text)
    except JsonError:
        return None
    return (value,) if isinstance(value, (dict, list)) else None


def _lines(value: JsonValue) -> list[str]:
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(text) > _SHORT:
        text = json.dumps(value, ensure_ascii=False, sort_keys=True, indent=2)
    return text.splitlines(keepends=True)


_Pair = tuple[str, str, bool]
"""A piece of the left, the piece of the right in its place, and whether they differ."""


def _by_lines(left: Sequence[str], right: Sequence[str]) -> Iterator[_Pair]:
    for same, one, other in _parts(left, right):
        if len(left) == len(right) == 1 and not same:
            yield from _by_words(left[0], right[0], _TOKEN)
        elif same or len(one) != len(other):
            yield "".join(one), "".join(other), not same
        else:
            for a, b in zip(one, other, strict=True):
                yield from _by_words(a, b)


def _by_words(left: str, right: str, word: re.Pattern[str] = _WORD) -> Iterator[_Pair]:
    one, other = word.findall(left), word.findall(right)
    small = max(len(one), len(other)) <= _MOST
    if not small or difflib.SequenceMatcher(None, one, other).ratio() < _ALIKE:
        yield left, right, False
        return
    for same, a, b in _parts(one, other):
        yield "".join(a), "".join(b), not same


def _parts(
    left: Sequence[str], right: Sequence[str]
) -> Iterator[tuple[bool, Sequence[str], Sequence[str]]]:
    if max(len(left), len(right)) > _MOST:
        yield False, left, right
        return
    matcher = difflib.SequenceMatcher(None, left, right)
    for tag, a, b, c, d in matcher.get_opcodes():
        yield tag == "equal", left[a:b], right[c:d]


def _joined(pairs: Iterator[_Pair]) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    found = list(pairs)
    left = tuple(Piece(a, differs) for a, _, differs in found if a)
    right = tuple(Piece(b, differs) for _, b, differs in found if b)
    return left, right
