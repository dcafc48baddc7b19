"""A response read chunk by chunk into a state, and what a renderer is sent of it meanwhile.

The rules are the agent SDK blueprint's for Direct JSON, its undo and its cost included; how a chunk
is read is in ``reading``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import Final, Protocol

from ...errors import CallError
from ...jsonvalue import JsonValue
from .growing_data import GrowingData
from .parts import Parts
from .pieces import Component, Member, MessageClosed, update
from .reading import BlockClosed, Event, ResponseReader, Text

NEVER_CUT: Final = frozenset(
    ("id", "component", "path", "call", "child", "children", "componentId", "trigger", "content")
)
"""Ids, paths, names and the basic catalog's references: a progressive key of these is ignored."""


class State(Protocol):
    """What a response needs of the state it is read into."""

    def apply_one(self, message: JsonValue, /) -> object:
        """Apply a message, or raise ``CallError`` and change nothing."""

    def transaction(self) -> AbstractContextManager[object]:
        """What an error within undoes; they nest."""

    def check_topology(self, surfaces: list[str], /) -> object:
        """Check the trees of surfaces. Raises ``CallError``."""

    def mark_checked(self, surfaces: list[str], /) -> object:
        """Let what the surfaces hold count as checked."""

    def check_finished(self) -> object:
        """Raise ``CallError`` when something is left that waits for a later message."""

    def surface_of(self, message: JsonValue, /) -> str | None:
        """The surface that a message is about."""


class ResponseStream:
    """One response, read once. What earlier chunks emitted is not taken back when one fails.

    A failing chunk returns nothing, undoes only what it applied, and ends the stream; the surfaces
    emitted to before it then count as checked. ``progressive_keys`` are members of components and
    of data whose text is shown while it grows.
    """

    def __init__(
        self, state: State, *, wrapped: bool = True, progressive_keys: Iterable[str] = ()
    ) -> None:
        self.state = state
        self._reader = self._new_reader(wrapped)
        self._cuttable = frozenset(progressive_keys) - NEVER_CUT
        self._ended = False
        self._parts = Parts()
        self._emitted: dict[str, None] = {}
        """The surfaces that the chunks before this one emitted to."""
        self._emitted_now: dict[str, None] = {}
        """The surfaces that this chunk emitted to."""
        self._touched: dict[str, None] = {}
        """The surfaces that the open block touched."""
        self._refused: CallError | None = None
        """Why a message of the open block was refused; it and what follows it is held."""
        self._stuck = False
        """Whether the open message waits for its end, as the state refused what it gained."""
        self._grown: list[Component] = []
        """The components of the open message that closed in this chunk."""
        self._shown = 0
        """How many components of the open message are applied and emitted."""
        self._ids: set[str] = set()
        """Their ids."""
        self._healed: Component | None = None
        """The component of the open message that was last shown in part."""
        self._data = self._new_data()
        """The open message, if it is an ``updateDataModel``."""

    @property
    def work(self) -> int:
        """How many characters were read."""
        return self._reader.work

    def feed(self, chunk: str | bytes) -> list[JsonValue]:
        """The parts that a chunk adds. Raises ``CallError``, of kind ``ended`` after an end.

        A message is emitted once the state accepts it; an ``updateComponents`` as its components
        close, each time with those that are new, an ``updateDataModel`` likewise.
        """
        return self._step(lambda: self._reader.feed(chunk), self._show_growth)

    def close(self) -> list[JsonValue]:
        """The response has ended: the parts that this adds. Raises ``CallError`` within a block."""
        parts = self._step(self._reader.close, self.state.check_finished)
        self._ended = True
        return parts

    def _new_reader(self, wrapped: bool) -> ResponseReader:
        return ResponseReader(wrapped)

    def _new_data(self) -> GrowingData:
        return GrowingData(self._emit, self.state.apply_one)

    # ------------------------------------------------------------------------------ steps

    def _step(
        self, read: Callable[[], list[Event]], finish: Callable[[], object]
    ) -> list[JsonValue]:
        """One chunk, or the end, within a transaction."""
        if self._ended:
            raise CallError("ended", "the stream has ended")
        self._parts, self._emitted_now = Parts(), {}
        try:
            with self._undoing():
                for event in read():
                    self._take(event)
                finish()
        except BaseException:
            self._fail()
            raise
        self._emitted |= self._emitted_now
        return self._parts.made()

    def _undoing(self) -> AbstractContextManager[object]:
        return self.state.transaction()

    def _fail(self) -> None:
        """After a rollback: nothing more is read, and what stays counts as checked."""
        self._ended = True
        self.state.mark_checked(list(self._emitted))

    def _take(self, event: Event) -> None:
        match event:
            case Text(text):
                self._parts.text(text)
            case Component():
                self._grown.append(event)
            case Member():
                self._data.gain(event)
            case MessageClosed(message):
                self._message_closed(message)
            case BlockClosed(problem):
                self._block_closed(problem)

    def _block_closed(self, problem: CallError | None) -> None:
        problem = problem or self._refused
        if problem is not None:
            raise problem
        self.state.check_topology(list(self._touched))
        self._touched = {}
        self._parts.end_block()

    def _message_closed(self, message: dict[str, JsonValue]) -> None:
        try:
            if self._refused is None and self._data.begun:
                self._data.close(message)
            elif self._refused is None:
                self._emit_rest(message) if self._shown or self._healed else self._emit(message)
        except CallError as error:
            self._refused = error
        self._data = self._new_data()
        self._grown, self._shown, self._ids = [], 0, set()
        self._healed, self._stuck = None, False

    # ----------------------------------------------------------------------------- growth

    def _show_growth(self) -> None:
        """At the end of a chunk: what the open message gained.

        What is refused now may be accepted as a part of the whole, so it is only held.
        """
        grown, self._grown = self._grown, []
        try:
            if grown and self._may_grow():
                first = grown[0]
                gained = self._gain([each.component for each in grown])
                self._emit_piece(first.version, first.surface, gained)
        except CallError:
            self._stuck = True
        if self._may_grow():
            self._data.show()
            if self._cuttable:
                self._show_open()
                self._data.show_text(self._reader.open_member(self._cuttable))

    def _may_grow(self) -> bool:
        return self._refused is None and not self._stuck

    def _emit_rest(self, message: dict[str, JsonValue]) -> None:
        """A message that was shown in part has closed: check and emit only what is new of it."""
        body = message["updateComponents"]
        gained = self._gain(body["components"][self._shown :])
        if message.keys() == {"version", "updateComponents"} and len(body) == 2:
            self._emit_piece(message["version"], body["surfaceId"], gained)
        else:
            self._emit_unchecked(message, gained)

    def _emit_unchecked(self, message: dict[str, JsonValue], gained: list[JsonValue]) -> None:
        """The rest of a message with members that nothing checked while it grew."""
        body = message["updateComponents"]
        again = self._repeated(gained)
        components = again + gained or body["components"][-1:]
        offset = len(body["components"]) - len(components)
        self._emit({**message, "updateComponents": {**body, "components": components}}, offset)

    def _gain(self, closed: list[JsonValue]) -> list[JsonValue]:
        """Of components that have closed, those that were not shown as they are."""
        healed = self._healed
        if healed is None or not closed or self._shown != healed.index:
            return closed
        self._healed = None
        if closed[0] != healed.component:
            return closed
        self._count(closed[:1])
        return closed[1:]

    def _emit_piece(self, version: str, surface: str, components: list[JsonValue]) -> None:
        """Emit components of the open message."""
        if components:
            again = self._repeated(components)
            self._emit(update(version, surface, again + components), self._shown - len(again))
            self._count(components)

    def _repeated(self, components: list[JsonValue]) -> list[JsonValue]:
        """Components whose id the open message had before. Twice in a piece, a state refuses it."""
        return [each for each in components if self._is_repeated(each)]

    def _is_repeated(self, component: JsonValue) -> bool:
        name = component.get("id") if isinstance(component, dict) else None
        return isinstance(name, str) and name in self._ids

    def _count(self, components: list[JsonValue]) -> None:
        self._shown += len(components)
        self._ids.update(each["id"] for each in components)

    def _show_open(self) -> None:
        """Show the open component as far as it goes, when the state accepts that and it is news."""
        opened = self._reader.open_component(self._cuttable)
        if opened is None or opened == self._healed or self._is_repeated(opened.component):
            return
        try:
            self._emit(opened.message())
        except CallError:
            return  # not all that it needs is there
        self._healed = opened

    # ---------------------------------------------------------------------------- emitting

    def _emit(self, message: JsonValue, offset: int = 0) -> None:
        """Apply and emit a message. Raises the state's ``CallError``, with paths moved by as many
        components as the whole message has before it."""
        try:
            self.state.apply_one(message)
        except CallError as error:
            raise _moved(error, offset) from None
        surface = self.state.surface_of(message)
        if surface is not None:
            self._touched[surface] = self._emitted_now[surface] = None
        self._parts.message(message)


def _moved(error: CallError, offset: int) -> CallError:
    """An error in a piece of a message, with its paths into the whole message."""
    if offset == 0:
        return error
    prefix = "/updateComponents/components/"
    details = []
    for detail in error.details:
        head, _, rest = detail.get("path", "").removeprefix(prefix).partition("/")
        if detail.get("path", "").startswith(prefix) and head.isdecimal():
            path = f"{prefix}{max(int(head) + offset, 0)}" + (f"/{rest}" if rest else "")
            details.append({**detail, "path": path})
        else:
            details.append(detail)
    return CallError(error.kind, str(error), details=details)
