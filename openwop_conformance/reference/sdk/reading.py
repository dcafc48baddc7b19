"""A response as it arrives: text for people, and blocks between tags. Each character is read once.

A block is ``<a2ui-json>…</a2ui-json>``; what may stand in it is in ``block``. The open tag may have
attributes, as in upstream's SDKs; they mean nothing. A close tag outside a block is text; one
inside a JSON string is a part of the string, unless the block was unreadable before it.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from ...errors import CallError
from .block import Block
from .pieces import Component, Member, MessageClosed

NAME: Final = "<a2ui-json"
OPEN: Final = NAME + ">"
CLOSE: Final = "</a2ui-json>"
_ENDS_NAME: Final = "> \t\n\r"


@dataclass(frozen=True, slots=True)
class Text:
    """Text outside blocks, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class BlockClosed:
    """A block has ended; ``problem`` is why it could not be read."""

    problem: CallError | None


Event: TypeAlias = Text | Component | Member | MessageClosed | BlockClosed


class Tag:
    """One tag to look for, and how much of it the chunks so far end with."""

    def __init__(self, tag: str) -> None:
        self._tag, self._seen = tag, 0

    def begun(self) -> str:
        """What has been seen of the tag."""
        return self._tag[: self._seen]

    def find(self, text: str, at: int) -> tuple[str, int, bool]:
        """Look for the tag: what certainly stands before it, where reading stopped, and whether
        the tag ends there."""
        before = self.begun()
        if before:
            at, whole = self.expect(text, at)
            if whole or self._seen:
                return "", at, whole
        found = text.find(self._tag, at)
        if found >= 0:
            return before + text[at:found], found + len(self._tag), True
        cut = text.rfind("<", max(at, len(text) - len(self._tag) + 1))
        if cut < 0 or not self._tag.startswith(text[cut:]):
            cut = len(text)
        self._seen = len(text) - cut
        return before + text[at:cut], len(text), False

    def expect(self, text: str, at: int) -> tuple[int, bool]:
        """The tag goes on here: where reading stopped, and whether it is whole.

        When it is not, ``begun`` tells whether it still may be; if not, nothing was read.
        """
        piece = text[at : at + len(self._tag) - self._seen]
        if not self._tag.startswith(piece, self._seen):
            self._seen = 0
            return at, False
        self._seen += len(piece)
        whole = self._seen == len(self._tag)
        if whole:
            self._seen = 0
        return at + len(piece), whole


class OpenTag:
    """The open tag to look for: its name, then ``>``, or whitespace and what comes up to ``>``."""

    def __init__(self) -> None:
        self._name = Tag(NAME)
        self._after: list[str] | None = None
        """What followed the name, in pieces; ``None`` until the name is whole."""

    def begun(self) -> str:
        """What has been seen of the tag."""
        return self._name.begun() if self._after is None else NAME + "".join(self._after)

    def find(self, text: str, at: int) -> tuple[str, int, bool]:
        """As ``Tag.find``, but it may stop before the end, to be asked again from there."""
        if self._after is None:
            before, at, named = self._name.find(text, at)
            if named:
                self._after = []
            return before, at, False
        if not self._after and text[at] not in _ENDS_NAME:
            self._after = None
            return NAME, at, False
        end = text.find(">", at)
        if end < 0:
            self._after.append(text[at:])
            return "", len(text), False
        self._after = None
        return "", end + 1, True


class ResponseReader:
    """Turns the chunks of one response into events, the same ones wherever the chunks are cut.

    Without ``wrapped`` the whole response is the content of one block. ``work`` counts the
    characters read.
    """

    def __init__(self, wrapped: bool = True) -> None:
        self.work = 0
        self._wrapped = wrapped
        self._decoder = codecs.getincrementaldecoder("utf-8")("strict")
        self._opening, self._closing = OpenTag(), Tag(CLOSE)
        self._block: Block | None = None if wrapped else self._new_block()
        self._events: list[Event] = []
        self._read: Callable[[str, int], int] = self._in_text if wrapped else self._in_block

    def feed(self, chunk: str | bytes) -> list[Event]:
        """The events of the next chunk. Bytes may be cut within a character.

        Raises ``CallError`` (``parse``) for bytes that are no UTF-8.
        """
        self._scan(self._decoded(chunk))
        return self._taken()

    def close(self) -> list[Event]:
        """The events of the end. A block between tags that is still open has a problem.

        Raises ``CallError`` (``parse``) within a character.
        """
        self._decoded("")
        if begun := self._opening.begun():
            self._events.append(Text(begun))
        if self._block is not None:
            if self._wrapped:
                self._fail("the response ends within a block")
            self._block_ends()
        return self._taken()

    def open_component(self, cuttable: frozenset[str]) -> Component | None:
        """The component that is open, as ``Block.open_component`` shows it."""
        block = self._readable()
        return None if block is None else block.open_component(cuttable)

    def open_member(self, cuttable: frozenset[str]) -> Member | None:
        """The text of an ``updateDataModel`` that is open, as ``Block.open_member`` shows it."""
        block = self._readable()
        return None if block is None else block.open_member(cuttable)

    def _readable(self) -> Block | None:
        return self._block if self._block is not None and self._block.problem is None else None

    def _new_block(self) -> Block:
        return Block()

    def _decoded(self, chunk: str | bytes) -> str:
        if isinstance(chunk, str):
            if self._decoder.getstate()[0]:
                raise CallError("parse", "the bytes end within a character")
            return chunk
        try:
            return self._decoder.decode(chunk)
        except UnicodeDecodeError as error:
            raise CallError("parse", f"not UTF-8: {error.reason}") from None

    def _taken(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    # ------------------------------------------------------------------------- scanning

    def _scan(self, text: str) -> None:
        self.work += len(text)
        at = 0
        while at < len(text):
            at = self._read(text, at)

    def _in_text(self, text: str, at: int) -> int:
        passed, at, whole = self._opening.find(text, at)
        if passed:
            self._events.append(Text(passed))
        if whole:
            self._block, self._read = self._new_block(), self._in_block
        return at

    def _in_block(self, text: str, at: int) -> int:
        assert self._block is not None
        at = self._block.read(text, at)
        self._take_events()
        if self._block.problem is not None:
            self._read = self._past_problem
        elif at < len(text):
            self._read = self._at_tag
        return at

    def _at_tag(self, text: str, at: int) -> int:
        """After a ``<`` where JSON has none: the close tag, or a fault."""
        whole = False
        if self._wrapped:
            at, whole = self._closing.expect(text, at)
        if whole:
            self._block_ends()
        elif not self._closing.begun():
            self._fail("'<' is not expected here")
            self._read = self._past_problem
        return at

    def _past_problem(self, text: str, at: int) -> int:
        """What follows a fault, up to the next close tag, wherever it stands."""
        if not self._wrapped:
            return len(text)
        _, at, whole = self._closing.find(text, at)
        if whole:
            self._block_ends()
        return at

    def _block_ends(self) -> None:
        assert self._block is not None
        self._block.finish()
        self._take_events()
        self._events.append(BlockClosed(self._block.problem))
        self._block, self._read = None, self._in_text

    def _take_events(self) -> None:
        assert self._block is not None
        self._events += self._block.events
        self._block.events.clear()

    def _fail(self, message: str) -> None:
        assert self._block is not None
        if self._block.problem is None:
            self._block.problem = CallError("parse", message)
