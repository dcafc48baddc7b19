"""JSON as a value: strict text, the RFC 8785 form, pointers, and the first difference of two.

Everything above compares and digests JSON through here, never by text or by bytes.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import rfc8785

from .errors import JsonError

JsonValue: TypeAlias = Any
"""``None``, ``bool``, ``int``, ``float``, ``str``, ``list`` of these, or ``dict`` from ``str``."""

MAX_DEPTH: Final = 128
_ESCAPED_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class _Missing:
    """The type of ``MISSING``: nothing is there, not even ``null``."""

    def __repr__(self) -> str:
        return "nothing"


MISSING: Final = _Missing()


# --------------------------------------------------------------------------------- text


def parse(text: str | bytes, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Read one JSON text strictly.

    Refuses what ``json`` lets through: duplicate keys, ``NaN`` and infinities (also ``1e999``),
    lone surrogates, a byte order mark, bytes that are not UTF-8, and arrays and objects in more
    than ``max_depth`` levels. Raises ``JsonError``.
    """
    try:
        if isinstance(text, bytes):
            text = text.decode("utf-8")
        elif not text.isascii():
            _refuse_surrogate(text)
        if text.startswith("\ufeff"):
            raise JsonError("begins with a byte order mark (BOM)")
        value = _STRICT.decode(text)
    except JsonError:
        raise
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8 at byte {error.start}") from None
    except RecursionError:
        raise JsonError(f"nested deeper than {max_depth}") from None
    except ValueError as error:  # json.JSONDecodeError, and integers beyond 4,300 digits
        raise JsonError(str(error)) from None
    if text.count("[") + text.count("{") > max_depth or _ESCAPED_SURROGATE.search(text):
        _walk(value, max_depth)
    return value


def _unique(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise JsonError(f"duplicate key {key!r}")
            seen.add(key)
    return members


def _refuse_constant(name: str) -> None:
    raise JsonError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise JsonError(f"{text} is not a finite number")
    return number


_STRICT: Final = json.JSONDecoder(
    object_pairs_hook=_unique, parse_constant=_refuse_constant, parse_float=_finite
)


def _walk(value: JsonValue, max_depth: int) -> None:
    """Refuse depth beyond the cap and strings that no UTF-8 text can hold, without recursion."""
    level = [value]
    depth = 0
    while level:
        below: list[JsonValue] = []
        for item in level:
            if isinstance(item, str):
                _refuse_surrogate(item)
            elif not isinstance(item, (list, dict)):
                continue
            elif depth >= max_depth:
                raise JsonError(f"nested deeper than {max_depth}")
            elif isinstance(item, list):
                below.extend(item)
            else:
                for key in item:
                    _refuse_surrogate(key)
                below.extend(item.values())
        level, depth = below, depth + 1


def _refuse_surrogate(text: str) -> None:
    if not text.isascii() and _LONE_SURROGATE.search(text):
        raise JsonError("a string holds a lone surrogate")


def canonical(value: JsonValue) -> bytes:
    """The RFC 8785 form. Raises ``JsonError`` for what I-JSON excludes, as integers over 2^53-1."""
    try:
        text = _SORTED.encode(value)
        if not _OTHER_NUMBER.search(f",{text}") and (text.isascii() or not _WIDE_NAME.search(text)):
            return text.encode()
    except (TypeError, ValueError, RecursionError):
        pass  # it is not JSON, and the next says why
    try:
        return rfc8785.dumps(value)
    except (rfc8785.CanonicalizationError, UnicodeError) as error:
        raise JsonError(str(error)) from None


_SORTED: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True, allow_nan=False
)
"""Writes the RFC 8785 form many times as fast as ``rfc8785``, but for what the next two find."""
_OTHER_NUMBER: Final = re.compile(
    r'[:,\[](?=[-0-9])(?:(?<!:)|(?<=":))-?[0-9.]*(?:\.0(?![0-9])|[0-9]e|[0-9]{16})'
)
"""A number that is spelled otherwise there, or that I-JSON may not hold; and rarely text alike.

It begins with what stands before a number, one of three characters: these are found five times as
fast as one of several texts.
"""
_WIDE_NAME: Final = re.compile(r'[\U00010000-\U0010ffff](?:[^"\\]|\\.)*":')
"""A name with a character that sorts after U+FFFF here, and by its surrogates there."""


def compact(value: JsonValue) -> bytes:
    """The bytes we send: UTF-8, no spaces, members in the order given."""
    return _COMPACT.encode(value).encode()


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
"""Made once: so that each text costs a third less."""


# ----------------------------------------------------------------------------- pointers


def tokens_of(pointer: str) -> tuple[str, ...]:
    """The reference tokens of an RFC 6901 pointer, unescaped. Raises ``JsonError``."""
    if pointer == "":
        return ()
    if not pointer.startswith("/"):
        raise JsonError(f"{pointer!r} is no JSON Pointer: it does not begin with '/'")
    return tuple(unescape(token) for token in pointer[1:].split("/"))


def unescape(token: str) -> str:
    """One reference token with ``~1`` and ``~0`` undone, in that order. Raises ``JsonError``."""
    if "~" not in token:
        return token
    if re.search("~(?![01])", token):
        raise JsonError(f"{token!r} holds a '~' that is neither ~0 nor ~1")
    return token.replace("~1", "/").replace("~0", "~")


def pointer_of(tokens: tuple[str | int, ...]) -> str:
    """The RFC 6901 pointer for reference tokens."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in tokens)


# --------------------------------------------------------------------------- comparison


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two JSON values part: a pointer, and what each holds there (or ``MISSING``)."""

    pointer: str
    expected: JsonValue
    got: JsonValue

    def __str__(self) -> str:
        return f"at {self.pointer or '/'!r}: expected {brief(self.expected)}, got {brief(self.got)}"


def first_difference(expected: JsonValue, got: JsonValue) -> Difference | None:
    """The first place, in document order of ``expected``, where two values differ; else ``None``.

    Values are equal as RFC 8785 has it: numbers by value (``1`` is ``1.0``, never ``true``),
    members in any order, arrays in order.
    """
    stack: list[tuple[tuple[str | int, ...], JsonValue, JsonValue]] = [((), expected, got)]
    while stack:
        at, left, right = stack.pop()
        if left is right:
            continue
        if isinstance(left, dict) and isinstance(right, dict):
            keys = [*left, *(key for key in right if key not in left)]
            children: list[tuple[tuple[str | int, ...], JsonValue, JsonValue]] = [
                ((*at, key), left.get(key, MISSING), right.get(key, MISSING)) for key in keys
            ]
        elif isinstance(left, list) and isinstance(right, list):
            children = [
                (
                    (*at, index),
                    left[index] if index < len(left) else MISSING,
                    right[index] if index < len(right) else MISSING,
                )
                for index in range(max(len(left), len(right)))
            ]
        elif _same_scalar(left, right):
            continue
        else:
            return Difference(pointer_of(at), left, right)
        stack.extend(reversed(children))
    return None


def _same_scalar(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(left, str):
        return bool(left == right)
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, (int, float)) and isinstance(right, (int, float)):
        return left == right or (type(left) is not type(right) and _double(left) == _double(right))
    return left is right  # ``None``, or nothing


def _double(number: int | float) -> float:
    """The double that a number's text stands for: a long integer is often one, written out."""
    try:
        return float(number)
    except OverflowError:
        return math.inf


def equal(left: JsonValue, right: JsonValue) -> bool:
    """Whether two values are one JSON value."""
    pairs = [(left, right)]
    while pairs:
        one, other = pairs.pop()
        if one is other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            pairs.extend((value, other[key]) for key, value in one.items())
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            pairs.extend(zip(one, other, strict=True))
        elif not _same_scalar(one, other):
            return False
    return True


def one_edit(one: JsonValue, other: JsonValue, *, whole_from: int = 1) -> bool:
    """Whether two different values are one added, removed or replaced value apart.

    An object is replaced as a whole only where it lies at least ``whole_from`` levels deep.
    """
    if isinstance(one, dict) and isinstance(other, dict):
        keys = [
            k for k in {**one, **other} if not equal(one.get(k, MISSING), other.get(k, MISSING))
        ]
        if len(keys) == 1:
            (key,) = keys
            within = key in one and key in other
            return not within or one_edit(one[key], other[key], whole_from=whole_from - 1)
        return whole_from <= 0
    if isinstance(one, list) and isinstance(other, list):
        shorter = min(len(one), len(other))
        start = next((i for i in range(shorter) if not equal(one[i], other[i])), shorter)
        rest = shorter - start
        end = next((i for i in range(rest) if not equal(one[-1 - i], other[-1 - i])), rest)
        left, right = one[start : len(one) - end], other[start : len(other) - end]
        if len(left) == len(right) == 1:
            return one_edit(left[0], right[0], whole_from=whole_from - 1)
        return len(left) + len(right) == 1
    return True


def integer(value: JsonValue) -> int | None:
    """The integer that a JSON value is, also when it is spelled ``1.0``; else ``None``."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if value == int(value) else None


def brief(value: JsonValue, limit: int = 120) -> str:
    """A value on one line for a person, cut at ``limit`` characters."""
    text = repr(value) if value is MISSING else json.dumps(value, ensure_ascii=False, default=repr)
    return text if len(text) <= limit else text[: limit - 1] + "…"
