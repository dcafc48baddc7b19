"""The parser of responses, which holds nothing of any response, and reads whole ones.

A response in chunks is read by ``stream``; what a state makes of messages is the state's affair.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, TypeAlias

from ...errors import CallError
from ...jsonvalue import JsonValue
from .parts import Parts
from .pieces import MessageClosed
from .reading import BlockClosed, ResponseReader, Text
from .stream import ResponseStream, State

if TYPE_CHECKING:
    from .surface import Catalog

Section: TypeAlias = str | list[JsonValue]
"""Text for people, or the messages of a block."""


class Parser:
    """Reads Direct JSON for the catalogs of one protocol version."""

    def __init__(self, catalogs: Sequence[Catalog], version: str) -> None:
        self.catalogs, self.version = tuple(catalogs), version

    def compile(self, content: str, *, is_final: bool = False) -> list[JsonValue]:
        """The messages of one block's content, whether or not any state would take them.

        Raises ``CallError``: ``parse`` for what is no strict JSON, or is cut, also with
        ``is_final`` (which says that the response ended there); ``validation`` for a message that
        is no object.
        """
        (messages,) = self._sections(content, wrapped=False)
        assert isinstance(messages, list)
        return messages

    def parse_response(
        self, content: str, *, wrapped: bool = True, state: State | None = None
    ) -> list[JsonValue]:
        """Read a whole response into a state: its parts, one a block and one a text between.

        All of it is applied, or none. Raises ``CallError`` with the parts that were read before as
        ``partial_results``; any other error in reading becomes one of kind ``parse``.
        """
        state = self.new_state() if state is None else state
        parts = Parts()
        try:
            with self._undoing(state):
                touched = self._read(content, wrapped, state, parts)
                state.check_topology(list(touched))
                state.check_finished()
        except CallError as error:
            error.partial_results = parts.made()
            raise
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise CallError("parse", text, partial_results=parts.made()) from error
        return parts.made()

    def open_stream(
        self,
        *,
        wrapped: bool = True,
        state: State | None = None,
        progressive_keys: Iterable[str] = (),
    ) -> ResponseStream:
        """Begin to read a response into a state, a new one unless given."""
        state = self.new_state() if state is None else state
        return ResponseStream(state, wrapped=wrapped, progressive_keys=progressive_keys)

    def new_state(self) -> State:
        """An empty state for the same catalogs and version."""
        from .state import RendererState

        return RendererState(self.catalogs, self.version)

    def _new_reader(self, wrapped: bool) -> ResponseReader:
        return ResponseReader(wrapped)

    def _undoing(self, state: State) -> AbstractContextManager[object]:
        return state.transaction()

    def _read(self, content: str, wrapped: bool, state: State, parts: Parts) -> dict[str, None]:
        """Apply each block as it comes: the surfaces that were touched, in that order."""
        touched: dict[str, None] = {}
        for section in self._sections(content, wrapped):
            if isinstance(section, str):
                parts.text(section)
                continue
            for message in section:
                state.apply_one(message)
                surface = state.surface_of(message)
                if surface is not None:
                    touched[surface] = None
            parts.messages(section)
        return touched

    def _sections(self, content: str, wrapped: bool) -> Iterator[Section]:
        """The texts and blocks of a response, in order. Raises ``CallError`` at the first block
        that cannot be read."""
        reader = self._new_reader(wrapped)
        messages: list[JsonValue] = []
        for event in reader.feed(content) + reader.close():
            match event:
                case Text(text):
                    yield text
                case MessageClosed(message):
                    messages.append(message)
                case BlockClosed(None):
                    yield messages
                    messages = []
                case BlockClosed(CallError() as problem):
                    raise problem
