"""Reading a run: its status until it settles, and its log by poll."""

from __future__ import annotations

import asyncio
from typing import Final

from ..adapters.operations import V2
from ..errors import JsonError
from ..jsonvalue import JsonValue, brief, integer, parse
from ..schemas import problems, validator
from ..wire.surfaces_v1 import surfaces_in
from .checks.answers import body_of, described
from .checks.carried import Events
from .verdict import Blocked, CheckFailed, Exchange
from .witness import RunView, Witness

TERMINAL: Final = frozenset({"completed", "failed", "cancelled"})
SETTLED: Final = TERMINAL | {"waiting-approval", "waiting-input", "waiting-external", "paused"}
SETTLES_WITHIN: Final = 10.0
"""Seconds for a fixture's run to be suspended or to end, and for a log to be complete."""
MOST_EVENTS: Final = 10_000
"""No run of ours has a log nearly as long."""


async def status_of(witness: Witness, run: RunView) -> str:
    """A run's status. Raises ``Blocked`` when its snapshot cannot be read."""
    _, response = await witness.ask(witness.api.read_run(run.id))
    try:
        body = parse(response.body)
    except JsonError:
        body = None
    status = body.get("status") if isinstance(body, dict) else None
    if response.status != 200 or not isinstance(status, str):
        raise Blocked(f"run {run.name!r} cannot be read: {response.status}")
    return status


async def settled(witness: Witness, run: RunView, *, leaving: str | None = None) -> str:
    """The status of a run once it is suspended or over, and no longer ``leaving``.

    Raises ``Blocked`` when it does not get there in time.
    """
    deadline = witness.session.clock() + witness.session.options.seconds(SETTLES_WITHIN)
    pause = 0.005
    while True:
        status = await status_of(witness, run)
        if status in SETTLED and status != leaving:
            return status
        if witness.session.clock() > deadline:
            raise Blocked(f"run {run.name!r} stayed {status} for too long")
        await asyncio.sleep(pause)
        pause = min(pause * 2, 0.25)


async def poll(witness: Witness, run: RunView) -> tuple[Exchange, Events]:
    """A run's whole log, read until it holds every sequence that the seam has answered.

    Counts no assertion, so that a log that takes more reads makes no other row. Raises ``Blocked``
    for a log that does not end.
    """
    wanted = max((e.sequence for e in run.emissions), default=-1)
    schema = "run-event" if witness.api is V2 else "run-event-v1"
    deadline = witness.session.clock() + witness.session.options.seconds(SETTLES_WITHIN)
    events: Events = {}
    while True:
        last = next(reversed(events), None)
        exchange, response = await witness.ask(witness.api.poll(run.id, last))
        body = body_of(exchange, response)
        page = body.get("events") if isinstance(body, dict) else None
        if response.status != 200 or not isinstance(page, list):
            raise CheckFailed(
                "the log cannot be polled",
                expected="200 and a list of events",
                got=described(response),
                exchange=exchange,
            )
        for event in page:
            _add(events, event, exchange, schema)
        have = last_of(events, -1)
        if (
            have >= wanted
            and _has_shown(run, events)
            and (not page or have >= _last_sequence(body))
        ):
            return exchange, events
        if witness.session.clock() > deadline:
            return exchange, events
        if not page:
            await asyncio.sleep(0.05)


def _has_shown(run: RunView, events: Events) -> bool:
    """Whether a log holds what was shown in major 1: each by its reference, or as many surfaces."""
    log = list(events.values())
    ids = {event["eventId"] for event in log}
    known = all(item.ref in ids for item in run.shown)
    return known or len(list(surfaces_in(log))) >= len(run.shown)


def _last_sequence(body: JsonValue) -> int:
    last = integer(body.get("lastSequence", body.get("lastEventSeq")))
    return -1 if last is None else last


def _add(events: Events, event: JsonValue, exchange: Exchange, schema: str) -> None:
    for problem in problems(validator(schema), event):
        raise CheckFailed(
            "the log holds something that is no run event",
            expected="a run event of its major",
            got=f"{problem.path or '/'}: {problem.message}",
            exchange=exchange,
        )
    keep(events, event, exchange)


def keep(events: Events, event: JsonValue, exchange: Exchange, after: int = -1) -> None:
    """Add an event to a log, which rises from ``after`` and ends some time."""
    sequence = integer(event["sequence"])
    last = last_of(events, after)
    if sequence is None or sequence <= last:
        raise CheckFailed(
            "events are repeated or out of order",
            expected=f"a sequence over {last}",
            got=brief(event["sequence"]),
            exchange=exchange,
        )
    if len(events) == MOST_EVENTS:
        raise Blocked(f"the log of a run does not end within {MOST_EVENTS} events")
    events[sequence] = event


def last_of(events: Events, before: int) -> int:
    """The last sequence of a log, which is kept in order, or ``before`` without any."""
    return next(reversed(events), before)
