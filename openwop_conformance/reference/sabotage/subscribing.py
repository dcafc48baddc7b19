"""Breaks of who is sent what: subscribers that come late, return, race, or are told twice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from ...a2ui.catalog import KIND
from ...errors import Violation
from ...jsonvalue import JsonValue, compact, equal
from ..events import Event
from ..host import Host
from ..policy import Policy
from ..store import Run
from ..streaming import Events, Sent, Writer
from ..streaming import follow as follow_log
from ..v1.delta import Base, Projection, Subscriber, given_by, new_subscriber
from ..v1.reading import Reading, follow
from .delta import projecting
from .model import Sabotage, v1_set_to

_GAP_SECONDS: Final = 0.1
"""How long a host is deaf, at most, between reading the log and listening."""
_GAP_EVENTS: Final = 2
"""How many events it misses, at most."""


async def _deaf(host: Host, run: Run, reading: Reading, writer: Writer) -> AsyncIterator[bytes]:
    """Only who takes deltas meets the gap, so that nothing else is broken."""
    if not reading.deltas:
        return await follow(host, run, reading, writer)
    read = host.store.events(run.id, after=reading.view.cursor)
    cursor = host.state(run).last_sequence
    with suppress(TimeoutError), host.bells.listening(run.id) as news:
        async with asyncio.timeout(_GAP_SECONDS):
            while not host.state(run).is_terminal:
                if host.state(run).last_sequence >= cursor + _GAP_EVENTS:
                    break
                news.clear()
                await news.wait()
    missed = host.store.events(run.id, after=max(cursor, reading.view.cursor))
    now = asyncio.get_running_loop().time()
    for event in (*read, *(e for e in missed if e["type"] != KIND)):
        writer.take(event, now)
    return follow_log(host, run, max(host.state(run).last_sequence, reading.view.cursor), writer)


def _stale(policy: Policy) -> Policy:
    listened: set[str] = set()

    def subscribed(host: Host, run: Run, cursor: int) -> Subscriber:
        fresh = new_subscriber(host, run, cursor)
        if run.id in listened:
            for event in host.store.events(run.id, before=cursor + 1):
                if event["type"] == KIND:
                    fresh.given.setdefault(event.get("nodeId"), given_by(event))
        listened.add(run.id)
        return fresh

    return projecting(new_subscriber=subscribed)(policy)


class _LiveAlone(Subscriber):
    """A subscriber that is sent what was there when it came as it is."""

    last: int = -1

    def deliver(self, event: Event) -> list[Sent]:
        """A frame only for what came later."""
        if event["type"] == KIND and event["sequence"] <= self.last:
            self.given[event.get("nodeId")] = given_by(event)
            return [(event["type"], event["sequence"], event)]
        return super().deliver(event)


def _unasked(policy: Policy) -> Policy:
    def subscribed(host: Host, run: Run, cursor: int) -> Subscriber:
        live = _LiveAlone(host.policy.v1.delta, host.policy.v1.base)
        live.last = host.state(run).last_sequence
        return live

    changed = projecting(new_subscriber=subscribed)(policy)
    return v1_set_to(asks_for_deltas=lambda value: True)(changed)


class _Presuming(Subscriber):
    """A subscriber that is taken to have what was recorded before it came."""

    presumed: frozenset[int] = frozenset()

    def presume(self, events: list[Event]) -> None:
        """Take surfaces as given, the last one of each node as what it has."""
        self.given = {event.get("nodeId"): given_by(event) for event in events}
        self.presumed = frozenset(event["sequence"] for event in events)

    def deliver(self, event: Event) -> list[Sent]:
        """Nothing for what is taken as given."""
        return [] if event["sequence"] in self.presumed else super().deliver(event)


def _at_the_end(host: Host, run: Run, cursor: int) -> Subscriber:
    """Who has seen the last surface is taken to have it still."""
    surfaces = [event for event in host.store.events(run.id) if event["type"] == KIND]
    resumed = new_subscriber(host, run, cursor)
    if surfaces and cursor >= surfaces[-1]["sequence"]:
        resumed.given = {event.get("nodeId"): given_by(event) for event in surfaces}
    return resumed


def _late(policy: Policy) -> Policy:
    """Only the first subscriber of a run is late, so that who resumes is another's matter."""
    listened: set[str] = set()

    def subscribed(host: Host, run: Run, cursor: int) -> Subscriber:
        surfaces = [event for event in host.store.events(run.id) if event["type"] == KIND]
        late = _Presuming(host.policy.v1.delta, host.policy.v1.base)
        if run.id not in listened:
            seen = [event for event in surfaces if event["sequence"] <= cursor]
            late.presume(seen or surfaces[:1])
        listened.add(run.id)
        return late

    return projecting(new_subscriber=subscribed)(policy)


_SPARED: Final = 40
"""So many events come before what each takes has doubled; the share grows with their square."""


class _Slowing(Subscriber):
    """A subscriber for whom each event takes longer, the more came before it.

    It waits for a share of the time since the last one, so that a slow machine shows it as a quick
    one does, and the wait is nobody's work.
    """

    def __init__(self, steps: Projection, base: Base) -> None:
        super().__init__(steps, base)
        self.past = 0
        self.since = time.perf_counter()

    def deliver(self, event: Event) -> list[Sent]:
        """What goes out for an event, late."""
        self.past += 1
        time.sleep((time.perf_counter() - self.since) * (self.past / _SPARED) ** 2)
        self.since = time.perf_counter()
        return super().deliver(event)


def _costly(host: Host, run: Run, cursor: int) -> Subscriber:
    return _Slowing(host.policy.v1.delta, host.policy.v1.base)


class _OrderBlind(Subscriber):
    """A subscriber that is not told of components which only change places."""

    def deliver(self, event: Event) -> list[Sent]:
        """Nothing for what holds the same components in another order."""
        given = self.given.get(event.get("nodeId"))
        if event["type"] == KIND and given is not None:
            old, new = given.payload, event["payload"]
            if _sorted(old) == _sorted(new) and not equal(old, new):
                return []
        return super().deliver(event)


def _sorted(payload: JsonValue) -> JsonValue:
    surface = payload["surface"]
    components = sorted(compact(component) for component in surface["components"])
    return {**payload, "surface": {**surface, "components": components}}


def _order_blind(host: Host, run: Run, cursor: int) -> Subscriber:
    return _OrderBlind(host.policy.v1.delta, host.policy.v1.base)


async def _twice(host: Host, run: Run, reading: Reading, writer: Writer) -> AsyncIterator[bytes]:
    """Doubles what is written of surfaces for who takes no deltas."""
    if not reading.deltas and isinstance(writer, Events):
        alone = writer.alone
        writer.alone = lambda event: alone(event) * (2 if event["type"] == KIND else 1)
    return await follow(host, run, reading, writer)


class _Leaking(Subscriber):
    """A subscriber that is sent what was refused, before what is recorded next."""

    refused: dict[str, list[JsonValue]]

    def deliver(self, event: Event) -> list[Sent]:
        """What goes out for an event, after what was refused in its run until then."""
        held = self.refused.pop(event["runId"], []) if event["type"] == KIND else []
        leaks = [(KIND, event["sequence"], {**event, "payload": payload}) for payload in held]
        return [*leaks, *super().deliver(event)]


def _leaking(policy: Policy) -> Policy:
    runs: dict[bytes, str] = {}
    refused: dict[str, list[JsonValue]] = {}

    def read(body: JsonValue) -> tuple[str, JsonValue]:
        run_id, payload = policy.v1.read_emit(body)
        runs[compact(payload)] = run_id
        return run_id, payload

    def check(payload: JsonValue, versions: tuple[str, ...]) -> None:
        try:
            policy.v1.check_payload(payload, versions)
        except Violation:
            refused.setdefault(runs.get(compact(payload), ""), []).append(payload)
            raise

    def subscribed(host: Host, run: Run, cursor: int) -> Subscriber:
        leaking = _Leaking(host.policy.v1.delta, host.policy.v1.base)
        leaking.refused = refused
        return leaking

    changed = projecting(new_subscriber=subscribed)(policy)
    return v1_set_to(read_emit=read, check_payload=check)(changed)


SABOTAGES: Final = (
    Sabotage(
        "delta-without-asking",
        "every subscriber gets frames of what comes while it listens",
        _unasked,
    ),
    Sabotage(
        "delta-lost-at-subscribe",
        "an update between the reading of the log and the listening is lost",
        v1_set_to(follow=_deaf),
    ),
    Sabotage(
        "delta-stale-base",
        "who resumes gets a patch over what an earlier connection began with",
        _stale,
    ),
    Sabotage(
        "delta-resumed-without-full",
        "who resumes behind the last surface gets a patch of it",
        projecting(new_subscriber=_at_the_end),
    ),
    Sabotage(
        "delta-late-without-full",
        "who comes late is taken to have what was recorded before",
        _late,
    ),
    Sabotage(
        "delta-reordering-unseen",
        "components in another order are taken for the same",
        projecting(new_subscriber=_order_blind),
    ),
    Sabotage(
        "surface-sent-twice",
        "who takes no deltas is sent each surface twice",
        v1_set_to(follow=_twice),
    ),
    Sabotage(
        "delta-cost-grows",
        "an update costs the more, the more came before it",
        projecting(new_subscriber=_costly),
        of_time=True,
    ),
    Sabotage("refused-delivered", "what was refused is sent to who takes deltas", _leaking),
)
