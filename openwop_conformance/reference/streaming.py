"""Reading a run as it goes on: the stream's parameters, its frames, and the long poll.

Readers sleep until the run's bell rings or a moment of their own comes; none looks again in vain.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from ..jsonvalue import JsonValue, compact
from .events import TERMINAL, Event
from .refusal import Refusal
from .store import Run

if TYPE_CHECKING:
    from .host import Host

MODES: Final = ("values", "updates", "messages", "debug")
MAX_BUFFER_MS: Final = 5000
POLL_SECONDS: Final = (1, 60, 30)
"""The least, the most and the default wait of a poll."""

_COMBINATION: Final = re.compile("values|(updates|messages|debug)(,(updates|messages|debug))*")
_INTEGER: Final = re.compile("[0-9]{1,15}", re.ASCII)
_UPDATES: Final = re.compile(
    r"(run|interrupt|approval|clarification|eval|deployment)\..*"
    r"|node\.(completed|failed|skipped|cancelled|suspended|dispatched)"
    r"|artifact\.created|workspace\.updated"
)
_FLUSHING: Final = frozenset({*TERMINAL, "node.suspended"})
"""The types with which a buffer is sent at once."""

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Parameters = Sequence[tuple[str, str]]


def shown(event_type: str, modes: frozenset[str]) -> bool:
    """Whether an event of a type is sent in any of the modes: a vendor's only in ``debug``.

    ``updates`` has transitions; ``messages`` has chunks of model output, of which this host has
    none.
    """
    return "debug" in modes or ("updates" in modes and bool(_UPDATES.fullmatch(event_type)))


# ------------------------------------------------------------------------------ parameters


@dataclass(frozen=True, slots=True)
class View:
    """What a stream's reader asked for."""

    modes: frozenset[str]
    cursor: int
    """The last sequence the reader has; -1 for none."""
    buffer_seconds: float


def view_of(parameters: Parameters, last_event_id: str | None) -> View:
    """The view that a query and ``Last-Event-ID`` ask for.

    Refused: ``unsupported_stream_mode`` with ``details.supported``, ``validation_error``.
    """
    mode = only(parameters, "streamMode", "updates")
    if not _COMBINATION.fullmatch(mode):
        raise Refusal(
            "unsupported_stream_mode",
            "streamMode is values, or a combination of updates, messages and debug",
            details={"supported": list(MODES)},
        )
    buffer_ms = integer("bufferMs", only(parameters, "bufferMs", "0"), 0, MAX_BUFFER_MS)
    cursor = -1
    if last_event_id is not None:
        cursor = integer("Last-Event-ID", last_event_id.strip(), 0, None)
    return View(frozenset(mode.split(",")), cursor, buffer_ms / 1000)


def poll_of(parameters: Parameters) -> tuple[int, int]:
    """The cursor and the seconds to wait that a poll asks for. Refused: ``validation_error``."""
    after = only(parameters, "afterSequence", None)
    least, most, default = POLL_SECONDS
    timeout = integer("timeout", only(parameters, "timeout", str(default)), least, most)
    return -1 if after is None else integer("afterSequence", after, 0, None), timeout


def only(parameters: Parameters, name: str, default: Any) -> Any:
    """The one value of a parameter. Refused: ``validation_error`` when there are more."""
    values = [value for key, value in parameters if key == name]
    if len(values) > 1:
        raise Refusal("validation_error", f"{name} is given more than once")
    return values[0] if values else default


def integer(name: str, text: str, least: int, most: int | None) -> int:
    """A parameter's integer. Refused: ``validation_error``."""
    if _INTEGER.fullmatch(text):
        number = int(text)
        if number >= least and (most is None or number <= most):
            return number
    upper = "" if most is None else f" and at most {most}"
    raise Refusal("validation_error", f"{name} is an integer of at least {least}{upper}")


# ------------------------------------------------------------------------------------ poll


async def poll(host: Host, run: Run, after: int, seconds: float, receive: Receive) -> JsonValue:
    """The events after a sequence, as soon as there are any, the run has ended, or time is up."""
    await news_after(host, run, after, seconds, receive)
    state = host.state(run)
    return {
        "runId": run.id,
        "events": [host.policy.served_poll(e) for e in host.store.events(run.id, after=after)],
        "lastSequence": state.last_sequence,
        "status": state.status,
        "isTerminal": state.is_terminal,
    }


async def news_after(host: Host, run: Run, after: int, seconds: float, receive: Receive) -> None:
    """Wait for an event after a sequence, the run's end, ``seconds``, or the reader's going."""
    with host.bells.listening(run.id) as news:
        state = host.state(run)
        if state.last_sequence <= after and not state.is_terminal:
            await _first_of(seconds, news.wait(), _gone(receive))


async def _first_of(seconds: float, *waits: Awaitable[Any]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


# ---------------------------------------------------------------------------------- stream


class Writer(Protocol):
    """What a reader is sent of the events that a stream meets."""

    until: float
    """When what is held back must be sent."""

    def take(self, event: Event, at: float) -> None:
        """Take in the next event of the log."""

    def due(self, at: float, *, everything: bool) -> list[bytes]:
        """The frames to be sent now."""


def frame(name: str, sequence: int, data: JsonValue) -> bytes:
    """One frame. JSON in one line has no line break, so ``data`` is one field."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (sequence, name.encode(), compact(data))


def frames(host: Host, run: Run, view: View) -> AsyncIterator[bytes]:
    """The frames of a stream of major 2."""
    policy = host.policy
    writer: Writer = Snapshots(lambda: host.snapshot(run), lambda: host.state(run).last_sequence)
    if "values" not in view.modes:
        writer = Events(
            view.buffer_seconds,
            lambda event: policy.shown(event["type"], view.modes),
            lambda event: [(event["type"], event["sequence"], policy.served_sse(event))],
            lambda events: [policy.served_sse(event) for event in events],
        )
    return follow(host, run, policy.resumes_after(view.cursor), writer)


async def follow(host: Host, run: Run, cursor: int, writer: Writer) -> AsyncIterator[bytes]:
    """What a writer makes of the log after a cursor, then of what comes.

    Ends after the run's terminal event. A comment breaks each silence of
    ``Settings.keep_alive_seconds``.
    """
    clock = asyncio.get_running_loop().time
    pace = host.settings.keep_alive_seconds
    spoken = clock()
    with host.bells.listening(run.id) as news:
        while True:
            news.clear()
            for event in host.store.events(run.id, after=cursor):
                cursor = event["sequence"]
                writer.take(event, clock())
            state = host.state(run)
            ended = state.is_terminal and cursor >= state.last_sequence
            for text in writer.due(clock(), everything=ended):
                yield text
                spoken = clock()
            if ended and host.policy.closes:
                return
            if news.is_set():
                continue
            until = min(spoken + pace, writer.until)
            with suppress(TimeoutError):
                await asyncio.wait_for(news.wait(), max(0.0, until - clock()))
            if clock() >= spoken + pace:
                yield b":keepalive\n\n"
                spoken = clock()


Sent = tuple[str, int, JsonValue]
"""A frame's name, its sequence and its data."""


@dataclass(slots=True)
class Events:
    """Frames of the events that are shown, in batches where a buffer was asked for."""

    buffer_seconds: float
    shown: Callable[[Event], bool]
    alone: Callable[[Event], list[Sent]]
    """What is sent of an event where there is no buffer."""
    together: Callable[[list[Event]], list[Event]]
    """What a batch holds of the events that the buffer gathered."""
    until: float = float("inf")
    _held: list[Event] = field(default_factory=list)
    _started: bool = False

    def take(self, event: Event, at: float) -> None:
        """Hold an event that is shown, until its buffer is full of time."""
        if not self.shown(event):
            return
        self._held.append(event)
        held_back = self._started and event["type"] not in _FLUSHING
        self.until = min(self.until, at + self.buffer_seconds * held_back)

    def due(self, at: float, *, everything: bool) -> list[bytes]:
        """The frames to be sent now."""
        self._started = True
        if not self._held or (at < self.until and not everything):
            return []
        events, self._held, self.until = self._held, [], float("inf")
        if self.buffer_seconds:
            return [frame("batch", events[-1]["sequence"], self.together(events))]
        return [frame(*sent) for event in events for sent in self.alone(event)]


@dataclass(slots=True)
class Snapshots:
    """A frame of the run's snapshot at the start, and one after transitions."""

    snapshot: Callable[[], JsonValue]
    last_sequence: Callable[[], int]
    until: float = float("inf")
    _stale: bool = True

    def take(self, event: Event, at: float) -> None:
        """Note whether an event is a transition."""
        self._stale = self._stale or bool(_UPDATES.fullmatch(event["type"]))

    def due(self, at: float, *, everything: bool) -> list[bytes]:
        """The snapshot, if there was a transition."""
        if not self._stale:
            return []
        self._stale = False
        return [frame("state.snapshot", max(0, self.last_sequence()), self.snapshot())]
