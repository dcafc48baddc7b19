"""Reading a run: its status until it settles, its log by poll, its log by stream."""

from __future__ import annotations

import asyncio
from typing import Final

from ..adapters import operations
from ..errors import JsonError
from ..jsonvalue import JsonValue, first_difference, parse
from ..schemas import problems, validator
from ..wire.sse import SseEvent, SseParser
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
    _, response = await witness.ask(operations.read_run(run.id))
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
    deadline = witness.session.clock() + witness.session.options.seconds(SETTLES_WITHIN)
    events: Events = {}
    while True:
        last = next(reversed(events), None)
        exchange, response = await witness.ask(operations.poll(run.id, last))
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
            _add(events, event, exchange)
        have = _last(events, -1)
        if have >= wanted and (not page or have >= _last_sequence(body)):
            return exchange, events
        if witness.session.clock() > deadline:
            return exchange, events
        if not page:
            await asyncio.sleep(0.05)


def _last_sequence(body: JsonValue) -> int:
    last = body.get("lastSequence")
    return last if isinstance(last, int) else -1


def _add(events: Events, event: JsonValue, exchange: Exchange) -> None:
    for problem in problems(validator("run-event"), event):
        raise CheckFailed(
            "the log holds something that is no run event",
            expected="the closed run event of major 2",
            got=f"{problem.path or '/'}: {problem.message}",
            exchange=exchange,
        )
    sequence = event["sequence"]
    last = _last(events, -1)
    if sequence <= last:
        raise CheckFailed(
            "the log's sequence does not rise",
            expected=f"more than {last}",
            got=str(sequence),
            exchange=exchange,
        )
    _keep(events, sequence, event)


async def stream(
    witness: Witness, run: RunView, *, after: int | None = None
) -> tuple[Exchange, Events]:
    """All that the debug stream of an ended run delivers after a sequence, until it closes.

    Raises ``Blocked`` when it does not close: how long that takes is not judged here.
    """
    request = operations.events(run.id, "debug", after)
    events: Events = {}
    parser = SseParser()
    try:
        async with (
            witness.listen(request) as (exchange, answer),
            asyncio.timeout(witness.session.options.seconds(SETTLES_WITHIN)),
        ):
            kind = dict(answer.headers).get("content-type", "")
            witness.check(
                answer.status == 200 and kind.startswith("text/event-stream"),
                "the event stream is not served",
                expected="200 text/event-stream",
                got=f"{answer.status} {kind}",
                exchange=exchange,
            )
            async for chunk in answer.chunks():
                for item in parser.feed(chunk.data, chunk.at):
                    witness.heard(exchange, item.data, item.event, item.id or "")
                    _take(events, item, after, exchange)
            parser.close()
        witness.heard(exchange, *(comment.text for comment in parser.comments))
    except TimeoutError:
        raise Blocked("the event stream of an ended run does not close") from None
    return exchange, events


def _take(events: Events, item: SseEvent, after: int | None, exchange: Exchange) -> None:
    """Keep an event frame; frames that are no events (snapshots, chunks) have no sequence."""
    if item.event in ("state.snapshot", "ai.message.chunk"):
        return
    try:
        event = parse(item.data)
    except JsonError as error:
        raise CheckFailed(f"a frame's data is not JSON: {error}", exchange=exchange) from None
    sequence = event.get("sequence") if isinstance(event, dict) else None
    if not isinstance(sequence, int):
        raise CheckFailed(
            "a frame holds no run event", expected="an event", got=item.event, exchange=exchange
        )
    if item.id != str(sequence) or item.event != event.get("type"):
        raise CheckFailed(
            "a frame's id and name are not its event's",
            expected=f"id {sequence}, event {event.get('type')}",
            got=f"id {item.id}, event {item.event}",
            exchange=exchange,
        )
    floor = _last(events, -1 if after is None else after)
    if sequence <= floor:
        raise CheckFailed(
            "the stream repeats or reorders events",
            expected=f"a sequence over {floor}",
            got=str(sequence),
            exchange=exchange,
        )
    _keep(events, sequence, event)


def _last(events: Events, before: int) -> int:
    """The last sequence of a log, which is kept in order, or ``before`` without any."""
    return next(reversed(events), before)


def _keep(events: Events, sequence: int, event: JsonValue) -> None:
    if len(events) == MOST_EVENTS:
        raise Blocked(f"the log of a run does not end within {MOST_EVENTS} events")
    events[sequence] = event


def check_same(
    witness: Witness, streamed: Events, polled: Events, sequences: set[int], exchange: Exchange
) -> None:
    """The stream has each of these events as the poll has it, as JSON values."""
    for sequence in sorted(sequences):
        if sequence not in streamed:
            raise CheckFailed(
                "the stream leaves out a recorded surface",
                expected=f"event {sequence}",
                got=f"events {sorted(streamed)}",
                exchange=exchange,
            )
        difference = first_difference(polled[sequence], streamed[sequence])
        witness.check(
            difference is None,
            "the stream and the poll differ",
            expected=f"event {sequence} as the poll has it",
            got=str(difference),
            exchange=exchange,
        )
