"""Sabotages of the parser that reads whole responses; those of streams stand beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from ....errors import CallError, JsonError
from ....jsonvalue import JsonValue
from ...sdk.block import Block
from ...sdk.lexing import Token
from ...sdk.operations import ReferenceSdk
from ...sdk.parser import Parser, Section
from ...sdk.reading import CLOSE, OPEN, ResponseReader
from . import chunks, streams
from .model import SdkSabotage

_BLOCK: Final = re.compile(re.escape(OPEN) + "(.*?)" + re.escape(CLOSE), re.DOTALL)


def _applied(self: Any, content: str, *, is_final: bool = False) -> list[JsonValue]:
    messages = Parser.compile(self, content, is_final=is_final)
    state = self.new_state()
    for message in messages:
        state.apply_one(message)
    return messages


def _with_whole_trees(self: Any, content: str, *, is_final: bool = False) -> list[JsonValue]:
    messages = Parser.compile(self, content, is_final=is_final)
    for message in messages:
        components = message.get("updateComponents", {}).get("components", [])
        ids = {component["id"] for component in components}
        for component in components:
            for child in component.get("children", ()):
                if child not in ids:
                    raise CallError("integrity", f"{child!r} is not there")
    return messages


def _healed(content: str) -> str:
    """A JSON text with all that it leaves open closed."""
    open_: list[str] = []
    for piece in re.findall(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[\[\]{}]', content, re.DOTALL):
        if piece[0] == '"':
            if len(piece) == 1 or not re.search(r'(?<!\\)"\Z', piece):
                content += '"'
        elif piece in "[{":
            open_.append("]" if piece == "[" else "}")
        elif open_:
            open_.pop()
    return content.rstrip().removesuffix(",") + "".join(reversed(open_))


def _compiled_as_far(self: Any, content: str, *, is_final: bool = False) -> list[JsonValue]:
    return Parser.compile(self, _healed(content) if is_final else content)


def _read_as_far(self: Any, content: str, wrapped: bool) -> Iterator[Section]:
    before, tag, cut = content.rpartition(OPEN) if wrapped else ("", "", content)
    if CLOSE not in cut and (tag or not wrapped):
        content = before + tag + _healed(cut) + (CLOSE if wrapped else "")
    return Parser._sections(self, content, wrapped)


def _parse_chunk(self: Any, chunk: str) -> list[JsonValue]:
    raise CallError("unsupported", "use open_stream")


def _without_catalogs(self: Any, **given: Any) -> JsonValue:
    told: Any = ReferenceSdk.parser(self, **given)
    return {**told, "catalogs": []}


def _resets_streams(self: Any, content: str, **given: Any) -> JsonValue:
    for stream in self._streams.values():
        stream._reader = stream._new_reader(True)
    return ReferenceSdk.parse_response(self, content, **given)


@contextmanager
def _undoing_trees_alone(self: Any, state: Any) -> Iterator[None]:
    failed: CallError | None = None
    with state.transaction():
        try:
            yield
        except CallError as error:
            if self.has_read:
                raise
            failed = error
    if failed is not None:
        raise failed


def _read_and_noted(self: Any, *given: Any) -> dict[str, None]:
    touched = Parser._read(self, *given)
    self.has_read = True
    return touched


def _touched_by_creation(
    self: Any, content: str, wrapped: bool, state: Any, parts: Any
) -> dict[str, None]:
    before = set(state.surfaces)
    touched = Parser._read(self, content, wrapped, state, parts)
    return {surface: None for surface in touched if surface not in before}


def _touched_last(self: Any, *given: Any) -> dict[str, None]:
    return dict.fromkeys(list(Parser._read(self, *given))[-1:])


def _without_results(self: Any, content: str, **given: Any) -> list[JsonValue]:
    try:
        return Parser.parse_response(self, content, **given)
    except CallError as error:
        error.partial_results = None
        raise


def _text_alone(self: Any, content: str, **given: Any) -> list[JsonValue]:
    try:
        return Parser.parse_response(self, content, **given)
    except CallError as error:
        error.partial_results = [p for p in error.partial_results or () if "text" in p]
        raise


def _escapes(self: Any, content: str, **given: Any) -> list[JsonValue]:
    try:
        return Parser.parse_response(self, content, **given)
    except CallError as error:
        if "not a JSON object" in str(error):
            raise TypeError("argument of type 'NoneType' is not iterable") from None
        raise


class _OneValue(Block):
    """A block whose content is one JSON value."""

    def _take(self, token: Token) -> None:
        if not self._frames and not self._empty and self._fence == "none":
            raise JsonError("unexpected text after the JSON value")
        super()._take(token)


class _OneValueReader(ResponseReader):
    def _new_block(self) -> Block:
        return _OneValue()


def _one_value(self: Any, wrapped: bool) -> ResponseReader:
    return _OneValueReader(wrapped)


def _first_line(self: Any, content: str, wrapped: bool) -> Iterator[Section]:
    for section in Parser._sections(self, content, wrapped):
        lines = not isinstance(section, str) and "\n{" in content
        yield section[:1] if lines else section


def _cut_at_tags(self: Any, content: str, wrapped: bool) -> Iterator[Section]:
    for block in _BLOCK.findall(content) if wrapped else ():
        if len(re.findall(r'(?<!\\)"', block)) % 2:
            raise CallError("parse", "the block ends within a string")
    yield from Parser._sections(self, content, wrapped)


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-compile-applies",
        "compile applies what it reads to a state of its own, and refuses what that refuses",
        parser={"compile": _applied},
    ),
    SdkSabotage(
        "sdk-compile-checks-trees",
        "compile looks for each child within the block",
        parser={"compile": _with_whole_trees},
    ),
    SdkSabotage(
        "sdk-cut-compiled",
        "compile closes the brackets of a block that was cut off",
        parser={"compile": _compiled_as_far},
    ),
    SdkSabotage(
        "sdk-cut-response-read",
        "the brackets of a last block that was cut off are closed",
        parser={"_sections": _read_as_far},
    ),
    SdkSabotage(
        "sdk-parse-chunk-kept",
        "the parser keeps parse_chunk beside open_stream",
        parser={"parse_chunk": _parse_chunk},
    ),
    SdkSabotage(
        "sdk-parser-without-catalogs",
        "the parser does not tell its catalogs",
        sdk={"parser": _without_catalogs},
    ),
    SdkSabotage(
        "sdk-response-resets-streams",
        "the buffer of a response is the parser's, and is emptied for the next response",
        sdk={"parse_response": _resets_streams},
    ),
    SdkSabotage(
        "sdk-response-block-by-block",
        "each message of a response stays applied when a later one fails",
        parser={"_undoing": _undoing_trees_alone, "_read": _read_and_noted, "has_read": False},
    ),
    SdkSabotage(
        "sdk-tree-of-created-alone",
        "only the surfaces that a response created are checked at its end",
        parser={"_read": _touched_by_creation},
    ),
    SdkSabotage(
        "sdk-tree-of-last-touched",
        "only the surface that was touched last is checked at the end of a response",
        parser={"_read": _touched_last},
    ),
    SdkSabotage(
        "sdk-partial-results-dropped",
        "an error of a response carries nothing of what was read",
        parser={"parse_response": _without_results},
    ),
    SdkSabotage(
        "sdk-partial-results-text-alone",
        "an error of a response carries the text that was read, and no messages",
        parser={"parse_response": _text_alone},
    ),
    SdkSabotage(
        "sdk-language-error-escapes",
        "a message that is no object raises the language's own error",
        parser={"parse_response": _escapes},
    ),
    SdkSabotage(
        "sdk-block-one-value",
        "a block is read as one JSON value",
        parser={"_new_reader": _one_value},
        stream={"_new_reader": _one_value},
    ),
    SdkSabotage(
        "sdk-block-first-line",
        "of a block of several lines the first is read",
        parser={"_sections": _first_line},
    ),
    SdkSabotage(
        "sdk-tag-cuts-response",
        "a whole response is cut at the close tags before JSON is read",
        parser={"_sections": _cut_at_tags},
    ),
    *chunks.SABOTAGES,
    *streams.SABOTAGES,
)
