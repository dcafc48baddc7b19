"""YAML read as JSON, every value with its place in the file.

Scenario files are data, not a programming language: no anchors, no tags, no duplicate keys, and
none of YAML 1.1's surprises (``no`` is not false, ``010`` is not 8). Plain scalars are JSON's; what
YAML 1.1 would turn into something else has to be quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import yaml

from ..errors import DocumentError, JsonError
from ..jsonvalue import JsonValue, parse

MAX_BYTES: Final = 1024 * 1024
MAX_DEPTH: Final = 64

_NUMBER: Final = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_BODY: Final = re.compile(rb"^(?:let|steps):", re.MULTILINE)
_NOT_TEXT: Final = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]"
)
"""What YAML 1.1 does not take, or takes for a line break where JSON has a character."""
_WORDS: Final[dict[str, JsonValue]] = {"null": None, "true": True, "false": False}
_STRING_TAG: Final = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a file; lines and columns count from 1."""

    path: str
    line: int
    column: int

    def error(self, message: str) -> DocumentError:
        """A ``DocumentError`` at this place."""
        return DocumentError(self.path, self.line, self.column, message)

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Document:
    """The value of a file, and where each value in it begins, by its reference tokens."""

    path: str
    value: JsonValue
    places: dict[tuple[str | int, ...], Position]

    def at(self, *tokens: str | int) -> Position:
        """The place of a value, or of the nearest one around it."""
        while True:
            place = self.places.get(tokens)
            if place is not None:
                return place
            tokens = tokens[:-1]


def load(path: Path, shown_as: str | None = None) -> Document:
    """Read a YAML (or JSON) file. Raises ``DocumentError`` with its place for all that is wrong."""
    name = shown_as or str(path)
    return read(_bytes(path, name), name)


def load_head(path: Path, shown_as: str | None = None) -> Document:
    """What stands in a file before the line that begins its ``let`` or ``steps``, as ``load``."""
    name = shown_as or str(path)
    data = _bytes(path, name)
    body = _BODY.search(data)
    return read(data if body is None else data[: body.start()], name)


def _bytes(path: Path, name: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(name, 1, 1, error.strerror or str(error)) from None


@lru_cache(maxsize=512)
def read(data: bytes, path: str) -> Document:
    """Read YAML from bytes; ``path`` is what errors call it. Do not change what is read."""
    if len(data) > MAX_BYTES:
        raise DocumentError(path, 1, 1, f"larger than {MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _place_after(path, data[: error.start].decode()).error("not UTF-8") from None
    odd = _NOT_TEXT.search(text)
    if odd is not None:
        raise _place_after(path, text[: odd.start()]).error(
            f"the character U+{ord(odd[0]):04X} is not allowed: escape it, in double quotes"
        )
    return _Reader(path, text).document()


def _place_after(path: str, text: str) -> Position:
    lines = re.split("\r\n|\r|\n", text)
    return Position(path, len(lines), len(lines[-1]) + 1)


class _Reader:
    """Builds one document from libyaml's events."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._places: dict[tuple[str | int, ...], Position] = {}
        self._resolver: Any = yaml.SafeLoader("")
        self._events = iter(yaml.parse(text, Loader=yaml.CSafeLoader))

    def document(self) -> Document:
        try:
            self._next()  # the start of the stream
            first = self._next()
            if isinstance(first, yaml.StreamEndEvent):
                raise self._place(first).error("the file is empty")
            value = self._value(self._next(), ())
            self._next()  # the end of the document
            after = self._next()
            if not isinstance(after, yaml.StreamEndEvent):
                raise self._place(after).error("a file holds one document")
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            message = error.problem or error.context or "not YAML"
            raise DocumentError(self._path, line, column, message) from None
        except yaml.YAMLError as error:
            raise DocumentError(self._path, 1, 1, str(error)) from None
        return Document(self._path, value, self._places)

    def _next(self) -> Any:
        return next(self._events)

    def _place(self, event: Any) -> Position:
        mark: Any = event.start_mark
        return Position(self._path, mark.line + 1, mark.column + 1)

    def _value(self, event: Any, at: tuple[str | int, ...]) -> JsonValue:
        place = self._place(event)
        self._places[at] = place
        if isinstance(event, yaml.AliasEvent) or event.anchor is not None:
            raise place.error("anchors and aliases are not allowed: write the value, or use let:")
        if event.tag is not None:
            raise place.error(f"the tag {event.tag} is not allowed")
        if len(at) > MAX_DEPTH:
            raise place.error(f"nested deeper than {MAX_DEPTH}")
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, place)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[JsonValue] = []
            while not isinstance(event := self._next(), yaml.SequenceEndEvent):
                items.append(self._value(event, (*at, len(items))))
            return items
        members: dict[str, JsonValue] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key = self._key(event)
            if key in members:
                raise self._place(event).error(f"duplicate key {key!r}")
            members[key] = self._value(self._next(), (*at, key))
        return members

    def _key(self, event: Any) -> str:
        place = self._place(event)
        if not isinstance(event, yaml.ScalarEvent):
            raise place.error("a key is text")
        if event.anchor is not None or event.tag is not None:
            raise place.error("anchors and tags are not allowed")
        if event.value == "<<" and not event.style:
            raise place.error("merge keys are not allowed")
        key = self._scalar(event, place)
        if not isinstance(key, str):
            raise place.error(f"a key is text: quote {event.value!r}")
        return key

    def _scalar(self, event: Any, place: Position) -> JsonValue:
        text: str = event.value
        if event.style:  # quoted, or a block
            return text
        if text in _WORDS:
            return _WORDS[text]
        if not text:
            raise place.error("nothing stands here: write a value, or null")
        if _NUMBER.fullmatch(text):
            try:
                return parse(text)
            except JsonError as error:
                raise place.error(str(error)) from None
        tag = self._resolver.resolve(yaml.ScalarNode, text, (True, False))
        if tag != _STRING_TAG:
            kind = tag.rpartition(":")[2]
            raise place.error(f"{text!r} would be read as {kind} by YAML 1.1: quote it")
        return text
