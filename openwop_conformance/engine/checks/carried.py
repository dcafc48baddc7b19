"""Does a run's log carry what was admitted, as it was sent, and nothing of what was refused?

Where a recorded surface sits in an event is not standardised, so a payload counts as carried when
some part of an event's ``payload`` is that JSON value. The log is walked once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable

from ...jsonvalue import JsonValue, equal, first_difference
from ..verdict import CheckFailed, Exchange
from ..witness import Emission, RunView, Witness

Events = dict[int, JsonValue]
"""A log: each event document by its sequence."""

_Parts = dict[Hashable, list[tuple[int, JsonValue]]]
"""The parts of a log that look like payloads, each with its event's sequence, by surface."""


def check_carried(
    witness: Witness, run: RunView, events: Events, exchange: Exchange, carries: int | None = None
) -> set[int]:
    """Hold a log to what this scenario sent into its run; the sequences of the carrying events."""
    parts = _parts_of(events)
    recorded: set[int] = set()
    carrying: set[int] = set()
    for emission in run.emissions:
        _check_emission(witness, emission, events, parts, exchange)
        recorded.add(emission.sequence)
        carrying |= {emission.sequence, *_carriers(parts, emission.payload)}
    witness.check(
        carrying == recorded,
        "the log carries a surface that was not recorded there",
        expected=f"events {sorted(recorded)}",
        got=f"events {sorted(carrying)}",
        exchange=exchange,
    )
    for payload in run.refused:
        traces = [s for s in _carriers(parts, payload) if s not in recorded]
        witness.check(
            not traces,
            "the log carries a surface that was refused",
            expected="no trace of it",
            got=f"carried by event {traces[0] if traces else ''}",
            exchange=exchange,
        )
    if carries is not None:
        witness.check(
            len(carrying) == carries,
            "the log carries another number of surfaces",
            expected=str(carries),
            got=str(len(carrying)),
            exchange=exchange,
        )
    return carrying


def _check_emission(
    witness: Witness, emission: Emission, events: Events, parts: _Parts, exchange: Exchange
) -> None:
    if emission.sequence not in events:
        raise CheckFailed(
            "the log has no event at the sequence that the seam answered",
            expected=f"an event {emission.sequence}",
            got=f"events {sorted(events)}",
            exchange=exchange,
        )
    if emission.has_canary:  # redaction changes what is recorded; that it is recorded is enough
        return
    found = [p for s, p in parts[_surface(emission.payload)] if s == emission.sequence]
    same = any(equal(emission.payload, part) for part in found)
    nearest = first_difference(emission.payload, found[0]) if found and not same else None
    witness.check(
        same,
        "a recorded surface is not what was sent"
        if found
        else "the recording event carries no such surface",
        expected="the payload, as a JSON value, in the event at its sequence",
        got=str(nearest) if nearest else "nothing of that shape in the event",
        exchange=exchange,
    )


def _carriers(parts: _Parts, payload: JsonValue) -> list[int]:
    """The sequences of the events that carry a payload."""
    return [s for s, part in parts[_surface(payload)] if equal(payload, part)]


def _parts_of(events: Events) -> _Parts:
    """Every object of a log that has a payload's list of messages, or its tree."""
    parts: _Parts = defaultdict(list)
    for sequence, event in events.items():
        stack = [event["payload"]]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                if "messages" in node or "catalogVersion" in node:
                    parts[_surface(node)].append((sequence, node))
                else:
                    stack.extend(node.values())
            elif isinstance(node, list):
                stack.extend(node)
    return parts


def _surface(payload: JsonValue) -> Hashable:
    """What a payload can be found by: its surface's id, which a version 1 tree has not."""
    surface_id = payload.get("surfaceId") if isinstance(payload, dict) else None
    return surface_id if isinstance(surface_id, str) else None
