"""Sabotages of how a stream reads its chunks: their tags, their bytes and their end."""

from __future__ import annotations

from typing import Any, Final

from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.reading import CLOSE, NAME, OpenTag, ResponseReader, Tag
from ...sdk.stream import ResponseStream
from .model import SdkSabotage

Parts = list[JsonValue]


def _closed_anyway(self: Any) -> Parts:
    try:
        return ResponseStream.close(self)
    except CallError as error:
        if error.kind != "parse":
            raise
        return []


def _shared_until_read(self: Any, wrapped: bool) -> ResponseReader:
    made = getattr(type(self), "made", None)
    if made is None or made.work:
        made = ResponseReader(wrapped)
        type(self).made = made
    return made


class _ForgetfulTag(OpenTag):
    """Looks in each chunk alone: what could have begun the tag is text."""

    def find(self, text: str, at: int) -> tuple[str, int, bool]:
        passed, at, whole = super().find(text, at)
        if at == len(text) and not whole:
            passed += self.begun()
            self._name, self._after = Tag(NAME), None
        return passed, at, whole


class _LeakyTag(OpenTag):
    """Gives what could have begun the tag as text, and looks on for it."""

    def __init__(self) -> None:
        super().__init__()
        self._leaked = 0

    def find(self, text: str, at: int) -> tuple[str, int, bool]:
        passed, at, whole = super().find(text, at)
        if passed or whole:
            passed, self._leaked = passed[self._leaked :], 0
        if at == len(text) and not whole:
            begun = self.begun()
            passed, self._leaked = passed + begun[self._leaked :], len(begun)
        return passed, at, whole


def _in_chunk(self: Any, wrapped: bool) -> ResponseReader:
    reader = ResponseReader(wrapped)
    reader._opening = _ForgetfulTag()
    return reader


def _leaking(self: Any, wrapped: bool) -> ResponseReader:
    reader = ResponseReader(wrapped)
    reader._opening = _LeakyTag()
    return reader


class _BlindReader(ResponseReader):
    """Ends a block at the first close tag of a chunk, in a string too."""

    def _in_block(self, text: str, at: int) -> int:
        end = text.find(CLOSE, at) if self._wrapped else -1
        if end < 0:
            return super()._in_block(text, at)
        assert self._block is not None
        self._block.read(text[:end], at)
        self._block_ends()
        return end + len(CLOSE)


def _blind(self: Any, wrapped: bool) -> ResponseReader:
    return _BlindReader(wrapped)


def _decoded_alone(self: Any, chunk: str | bytes) -> Parts:
    text = chunk.decode(errors="replace") if isinstance(chunk, bytes) else chunk
    return ResponseStream.feed(self, text)


def _cut_dropped(self: Any, chunk: str | bytes) -> Parts:
    text = chunk.decode(errors="ignore") if isinstance(chunk, bytes) else chunk
    return ResponseStream.feed(self, text)


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-cut-stream-closed",
        "a stream that ends within a block closes without an error",
        stream={"close": _closed_anyway},
    ),
    SdkSabotage(
        "sdk-streams-share-reader",
        "streams that are opened one after the other read into one buffer",
        stream={"_new_reader": _shared_until_read},
    ),
    SdkSabotage(
        "sdk-tag-sought-in-chunk",
        "the open tag is looked for in each chunk alone",
        stream={"_new_reader": _in_chunk},
    ),
    SdkSabotage(
        "sdk-tag-begun-is-text",
        "what a split tag begins with is given as text, too",
        stream={"_new_reader": _leaking},
    ),
    SdkSabotage(
        "sdk-tag-ends-string",
        "a close tag inside a string ends the block",
        stream={"_new_reader": _blind},
    ),
    SdkSabotage(
        "sdk-chunk-decoded-alone",
        "each chunk of bytes is decoded alone, with replacement characters",
        stream={"feed": _decoded_alone},
    ),
    SdkSabotage(
        "sdk-cut-character-dropped",
        "each chunk of bytes is decoded alone, without the bytes that are no character",
        stream={"feed": _cut_dropped},
    ),
)
