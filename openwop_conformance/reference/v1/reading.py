"""Reading a run of major 1: as JSON, by polling, and as a stream of events, batches or deltas."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ...a2ui.catalog import KIND
from ...jsonvalue import JsonValue
from .. import streaming
from ..events import Event
from ..refusal import Refusal
from ..state import RunState
from ..store import Run
from ..streaming import MODES, Parameters, Receive, Sent, View, Writer

if TYPE_CHECKING:
    from ..host import Host

MOST_SECONDS: Final = 60
"""The longest wait of a poll."""

_CURSOR: Final = re.compile("-1|[0-9]{1,15}", re.ASCII)


def shown(event_type: str, modes: frozenset[str]) -> bool:
    """Whether an event of a type is sent: surfaces and all of a node's events are updates too."""
    update = event_type.startswith((KIND, "node."))
    return streaming.shown(event_type, modes) or ("updates" in modes and update)


# ------------------------------------------------------------------------------ parameters


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader of ``events`` asked for."""

    view: View
    deltas: bool
    """Whether it takes delta frames (RFC 0114)."""
    after: int
    """The cursor of a reading as JSON; -1 for none."""


def asks_for_deltas(value: str | None) -> bool:
    """Whether ``a2uiDelta`` (``None`` when absent) opts in."""
    return value == "1"


def reading_of(
    parameters: Parameters, last_event_id: str | None, opts_in: Callable[[str | None], bool]
) -> Reading:
    """What a query and ``Last-Event-ID`` ask for.

    Refused: ``unsupported_stream_mode`` with ``details.supported`` and ``details.unsupported``,
    ``validation_error``.
    """
    try:
        view = streaming.view_of(parameters, last_event_id)
    except Refusal as refusal:
        if refusal.code == "unsupported_stream_mode":
            asked = streaming.only(parameters, "streamMode", "").split(",")
            refusal.details["unsupported"] = [mode for mode in asked if mode not in MODES] or asked
        raise
    deltas = opts_in(streaming.only(parameters, "a2uiDelta", None))
    return Reading(view, deltas, cursor_of(parameters))


def cursor_of(parameters: Parameters) -> int:
    """The last sequence that a reader has, -1 for none. Refused: ``validation_error``.

    ``lastSequence`` is the name of the book, ``since`` one that hosts take as well.
    """
    for name in ("lastSequence", "since"):
        text: str | None = streaming.only(parameters, name, None)
        if text is not None:
            if not _CURSOR.fullmatch(text):
                raise Refusal("validation_error", f"{name} is an integer of at least -1")
            return int(text)
    return -1


def seconds_of(parameters: Parameters) -> int:
    """The seconds that a poll is ready to wait; none unless it says so."""
    asked = streaming.only(parameters, "timeout", "0")
    return streaming.integer("timeout", asked, 0, MOST_SECONDS)


# ------------------------------------------------------------------------------- as JSON


def log_answer(events: list[Event], state: RunState) -> JsonValue:
    """The log as JSON."""
    return {"events": events, "isComplete": state.is_terminal}


def poll_answer(events: list[Event], state: RunState) -> JsonValue:
    """A page of the log with where it ends and how the run stands."""
    return {
        "events": events,
        "lastEventSeq": state.last_sequence,
        "runStatus": state.status,
        "isTerminal": state.is_terminal,
        "isComplete": state.is_terminal,
    }


def whole(events: list[Event], deltas: bool) -> list[Event]:
    """The log as it is, also for who takes deltas."""
    return events


def log(host: Host, run: Run, reading: Reading) -> JsonValue:
    """The log after the reader's cursor."""
    v1 = host.policy.v1
    events = host.store.events(run.id, after=reading.after)
    return v1.log_answer(v1.served_log(events, reading.deltas), host.state(run))


async def poll(host: Host, run: Run, parameters: Parameters, receive: Receive) -> JsonValue:
    """The events after the cursor; waits for one as long as it was asked to."""
    after, seconds = cursor_of(parameters), seconds_of(parameters)
    if seconds:
        await streaming.news_after(host, run, after, seconds, receive)
    v1 = host.policy.v1
    events = host.store.events(run.id, after=after)
    return v1.poll_answer(v1.served_poll(events), host.state(run))


# ----------------------------------------------------------------------------- as a stream


def as_it_is(event: Event) -> list[Sent]:
    """An event in a frame of its own."""
    return [(event["type"], event["sequence"], event)]


async def frames(
    host: Host, run: Run, reading: Reading, snapshot: Callable[[], JsonValue]
) -> AsyncIterator[bytes]:
    """The frames of a stream. A buffer sends batches of full events, deltas or not."""
    v1, view = host.policy.v1, reading.view
    writer: Writer = streaming.Snapshots(snapshot, lambda: host.state(run).last_sequence)
    if "values" not in view.modes:
        subscriber = v1.delta.new_subscriber(host, run, view.cursor) if reading.deltas else None
        writer = streaming.Events(
            view.buffer_seconds,
            lambda event: v1.shown(event["type"], view.modes),
            as_it_is if subscriber is None else subscriber.deliver,
            v1.batched,
        )
    return await v1.follow(host, run, reading, writer)


async def follow(host: Host, run: Run, reading: Reading, writer: Writer) -> AsyncIterator[bytes]:
    """What a writer makes of the log after the reader's cursor, then of what comes."""
    return streaming.follow(host, run, host.policy.v1.resumes_after(reading.view.cursor), writer)
