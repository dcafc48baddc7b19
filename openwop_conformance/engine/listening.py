"""Listening to a run: a subscriber of its stream, from its connection to the stream's end."""

from __future__ import annotations

import asyncio

from ..adapters.host import Request
from ..errors import JsonError
from ..jsonvalue import JsonValue, first_difference, integer, parse
from ..wire.sse import SseEvent, SseParser
from .checks.carried import Events
from .reading import SETTLES_WITHIN, keep
from .verdict import Blocked, CheckFailed, Exchange
from .witness import RunView, Witness


class Listener:
    """One subscriber of a run's stream: connected, fed what the host sends, ended.

    ``pause`` are seconds between two reads of one that is slow.
    """

    def __init__(self, witness: Witness, request: Request, pause: float = 0) -> None:
        self.heard = 0
        """How many chunks came so far."""
        self._witness, self._request, self._pause = witness, request, pause
        self._connected = asyncio.Event()
        self._exchange: Exchange | None = None
        self._task = asyncio.create_task(self._listen())
        witness.tasks.add(self._task)

    @property
    def exchange(self) -> Exchange | None:
        """The exchange that carries the stream, once the host has begun to answer."""
        return self._exchange

    @property
    def over(self) -> bool:
        """Whether nothing more comes."""
        return self._task.done()

    def take(self, item: SseEvent, exchange: Exchange) -> None:
        """Keep what one frame says; raise ``CheckFailed`` for one that must not be."""
        raise NotImplementedError

    async def connected(self) -> None:
        """Return once the host has begun to answer; raise what went wrong before."""
        opening = asyncio.create_task(self._connected.wait())
        try:
            await asyncio.wait({opening, self._task}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            opening.cancel()
        if self._task.done():
            self._task.result()

    async def ended(self) -> None:
        """Wait until the host has closed the stream of a run that is over.

        Raises ``CheckFailed`` for what was wrong with it, and ``Blocked`` when it does not close:
        how long that takes is not judged here.
        """
        try:
            async with self._witness.session.within(SETTLES_WITHIN):
                await self._task
        except TimeoutError:
            raise Blocked("the event stream of an ended run does not close") from None

    async def _listen(self) -> None:
        witness, parser = self._witness, SseParser()
        async with witness.listen(self._request) as (exchange, answer):
            self._exchange = exchange
            kind = dict(answer.headers).get("content-type", "")
            witness.check(
                answer.status == 200 and kind.startswith("text/event-stream"),
                "the event stream is not served",
                expected="200 text/event-stream",
                got=f"{answer.status} {kind}",
                exchange=exchange,
            )
            self._connected.set()
            async for chunk in answer.chunks():
                self.heard += 1
                for item in parser.feed(chunk.data, chunk.at):
                    witness.heard(exchange, item.data, item.event, item.id or "")
                    self.take(item, exchange)
                if self._pause:
                    await asyncio.sleep(self._pause)
            witness.heard(exchange, *(comment.text for comment in parser.comments))
            parser.close()


def data_of(item: SseEvent, exchange: Exchange) -> JsonValue:
    """What a frame carries. Raises ``CheckFailed`` where that is not JSON."""
    try:
        return parse(item.data)
    except JsonError as error:
        raise CheckFailed(f"a frame's data is not JSON: {error}", exchange=exchange) from None


class Subscription(Listener):
    """A debug stream's subscriber. ``events`` are what it was sent, in order, by sequence."""

    def __init__(self, witness: Witness, run: RunView, after: int | None) -> None:
        self.events: Events = {}
        self._after = after
        super().__init__(witness, witness.api.events(run.id, "streamMode=debug", after))

    def take(self, item: SseEvent, exchange: Exchange) -> None:
        """Keep an event frame; frames that are no events (snapshots, chunks) have no sequence."""
        if item.event in ("state.snapshot", "ai.message.chunk"):
            return
        event = data_of(item, exchange)
        sequence = integer(event.get("sequence")) if isinstance(event, dict) else None
        if sequence is None:
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
        keep(self.events, event, exchange, -1 if self._after is None else self._after)


def check_heard(
    witness: Witness, subscription: Subscription, polled: Events, sequences: set[int]
) -> None:
    """The subscriber was sent each of these events as the poll has it, as JSON values."""
    for sequence in sorted(sequences):
        if sequence not in subscription.events:
            raise CheckFailed(
                "the stream leaves out a recorded surface",
                expected=f"event {sequence}",
                got=f"events {sorted(subscription.events)}",
                exchange=subscription.exchange,
            )
        difference = first_difference(polled[sequence], subscription.events[sequence])
        witness.check(
            difference is None,
            "the stream and the poll differ",
            expected=f"event {sequence} as the poll has it",
            got=str(difference),
            exchange=subscription.exchange,
        )
