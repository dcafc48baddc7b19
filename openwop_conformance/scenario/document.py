"""YAML read as JSON, every value with its place in the file.

Scenario files are data, not a programming language: no anchors, no tags, no duplicate keys, and
none of YAML 1.1's surprises (``no`` is not false, ``010`` is not 8). Plain scalars are JSON's; what
YAML 1.1 would turn into something else has to be quoted.
"""

from __future__ import annotations

import re
from collections.abc import Callable
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
    "[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff\u2028\u2029]"
)
"""What YAML 1.1 does not take, or takes for a line break where JSON has a character."""
_WORDS: Final[dict[str, JsonValue]] = {"null": None, "true": True, "false": False}
_STRING_TAG: Final = "tag:yaml.org,2002:str"
_RESOLVER: Final[Any] = yaml.SafeLoader("")


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
    """The value of a file, and libyaml's mark where each value in it begins, by its tokens."""

    path: str
    value: JsonValue
    marks: dict[tuple[str | int, ...], Any]

    def at(self, *tokens: str | int) -> Position:
        """The place of a value, or of the nearest one around it."""
        while tokens not in self.marks:
            tokens = tokens[:-1]
        return _position(self.path, self.marks[tokens])


def load(path: Path, shown_as: str | None = None) -> Document:
    """Read a YAML (or JSON) file. Raises ``DocumentError`` with its place for all that is wrong."""
    name = shown_as or str(path)
    return read(bytes_of(path, name), name)


def load_head(path: Path, shown_as: str | None = None) -> Document:
    """What stands in a file before the line that begins its ``let`` or ``steps``, as ``load``."""
    name = shown_as or str(path)
    data = bytes_of(path, name)
    body = _BODY.search(data)
    return read(data if body is None else data[: body.start()], name)


def bytes_of(path: Path, name: str) -> bytes:
    """The bytes of a file. Raises ``DocumentError`` under the name that errors have for it."""
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


def _position(path: str, mark: Any) -> Position:
    return Position(path, mark.line + 1, mark.column + 1)


def _place_after(path: str, text: str) -> Position:
    lines = re.split("\r\n|\r|\n", text)
    return Position(path, len(lines), len(lines[-1]) + 1)


class _Reader:
    """Builds one document from libyaml's events."""

    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._marks: dict[tuple[str | int, ...], Any] = {}
        self._next: Callable[[], Any] = yaml.CSafeLoader(text).get_event

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
        return Document(self._path, value, self._marks)

    def _place(self, event: Any) -> Position:
        return _position(self._path, event.start_mark)

    def _value(self, event: Any, at: tuple[str | int, ...]) -> JsonValue:
        self._marks[at] = event.start_mark
        kind = type(event)
        if kind is yaml.AliasEvent or event.anchor is not None:
            raise self._place(event).error(
                "anchors and aliases are not allowed: write the value, or use let:"
            )
        if event.tag is not None:
            raise self._place(event).error(f"the tag {event.tag} is not allowed")
        if len(at) > MAX_DEPTH:
            raise self._place(event).error(f"nested deeper than {MAX_DEPTH}")
        if kind is yaml.ScalarEvent:
            return self._scalar(event)
        if kind is yaml.SequenceStartEvent:
            items: list[JsonValue] = []
            while type(event := self._next()) is not yaml.SequenceEndEvent:
                items.append(self._value(event, (*at, len(items))))
            return items
        members: dict[str, JsonValue] = {}
        while type(event := self._next()) is not yaml.MappingEndEvent:
            key = self._key(event)
            if key in members:
                raise self._place(event).error(f"duplicate key {key!r}")
            members[key] = self._value(self._next(), (*at, key))
        return members

    def _key(self, event: Any) -> str:
        if type(event) is not yaml.ScalarEvent:
            raise self._place(event).error("a key is text")
        if event.anchor is not None or event.tag is not None:
            raise self._place(event).error("anchors and tags are not allowed")
        if event.value == "<<" and not event.style:
            raise self._place(event).error("merge keys are not allowed")
        key = self._scalar(event)
        if not isinstance(key, str):
            raise self._place(event).error(f"a key is text: quote {event.value!r}")
        return key

    def _scalar(self, event: Any) -> JsonValue:
        if event.style:  # quoted, or a block
            return event.value
        try:
            return _plain(event.value)
        except JsonError as error:
            raise self._place(event).error(str(error)) from None


@lru_cache(maxsize=4096)
def _plain(text: str) -> JsonValue:
    """What a plain scalar is in JSON. Raises ``JsonError`` for what it is in YAML 1.1 alone."""
    if text in _WORDS:
        return _WORDS[text]
    if not text:
        raise JsonError("nothing stands here: write a value, or null")
    if _NUMBER.fullmatch(text):
        return parse(text)
    tag = _RESOLVER.resolve(yaml.ScalarNode, text, (True, False))
    if tag != _STRING_TAG:
        kind = tag.rpartition(":")[2]
        raise JsonError(f"{text!r} would be read as {kind} by YAML 1.1: quote it")
    return text
