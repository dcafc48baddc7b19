"""The delta projection (RFC 0114): what one subscriber is sent in place of full surfaces.

The log holds full surfaces alone; a patch is made for each subscriber when an event is sent, over
what that subscriber was last given of the node's surface.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from ...a2ui.catalog import KIND
from ...jsonvalue import JsonValue, compact, equal
from ..events import Event
from ..store import Run
from ..streaming import Sent

if TYPE_CHECKING:
    from ..host import Host

Base = Literal["payload", "tree"]
Patch = list[JsonValue]

FRAME: Final = f"{KIND}.delta"
"""The name of a frame on a stream; no event has this type."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a subscriber has of one node's surface."""

    ref: str
    """The ``eventId`` of the full event that it was given last."""
    payload: JsonValue
    """That event's payload with all later patches applied."""
    trust: str | None


def given_by(event: Event) -> Given:
    """What a full event leaves a subscriber with."""
    return Given(event["eventId"], event["payload"], event.get("contentTrust"))


def patchable(given: Given, event: Event, base: Base) -> bool:
    """Whether a patch can say all that an event changes: of the catalog and of trust it cannot."""
    old, new = given.payload, event["payload"]
    if given.trust != event.get("contentTrust") or old["catalogVersion"] != new["catalogVersion"]:
        return False
    return base == "payload" or equal({**old, "surface": None}, {**new, "surface": None})


def patch(old: JsonValue, new: JsonValue, base: Base) -> Patch:
    """The operations that make one payload of another; none when they are equal."""
    from ...a2ui.delta import diff

    operations: Patch = diff(old, new, base=base)
    return operations


def framed(given: Given, event: Event, operations: Patch) -> JsonValue:
    """The frame of a patch."""
    return {
        "surfaceRef": given.ref,
        "catalogVersion": event["payload"]["catalogVersion"],
        "patch": operations,
    }


def worth_sending(frame: JsonValue, event: Event) -> bool:
    """Whether a frame is neither empty nor as large as the full event."""
    return bool(frame["patch"]) and len(compact(frame)) < len(compact(event))


def given_after(given: Given, event: Event) -> Given:
    """What a subscriber has once it has applied a patch."""
    return replace(given, payload=event["payload"])


def sent(event: Event, frame: JsonValue) -> list[Sent]:
    """A frame as it goes out, in its event's place."""
    return [(FRAME, event["sequence"], frame)]


def new_subscriber(host: Host, run: Run, cursor: int) -> Subscriber:
    """A subscriber that has been given nothing, whatever it may have from elsewhere."""
    return Subscriber(host.policy.v1.delta, host.policy.v1.base)


@dataclass(frozen=True, slots=True)
class Projection:
    """The steps from a full surface to a frame, each of which can be broken alone."""

    patchable: Callable[[Given, Event, Base], bool] = patchable
    patch: Callable[[JsonValue, JsonValue, Base], Patch] = patch
    framed: Callable[[Given, Event, Patch], JsonValue] = framed
    worth_sending: Callable[[JsonValue, Event], bool] = worth_sending
    given_after: Callable[[Given, Event], Given] = given_after
    sent: Callable[[Event, JsonValue], list[Sent]] = sent
    new_subscriber: Callable[[Host, Run, int], Subscriber] = new_subscriber


class Subscriber:
    """One connection's state: what it has been given, by node."""

    def __init__(self, steps: Projection, base: Base) -> None:
        self.steps, self.base = steps, base
        self.given: dict[str | None, Given] = {}

    def deliver(self, event: Event) -> list[Sent]:
        """What goes out for an event: itself, or the frame that says as much."""
        if event["type"] != KIND:
            return [(event["type"], event["sequence"], event)]
        node_id, steps = event.get("nodeId"), self.steps
        given = self.given.get(node_id)
        if given is not None and steps.patchable(given, event, self.base):
            operations = steps.patch(given.payload, event["payload"], self.base)
            frame = steps.framed(given, event, operations)
            if steps.worth_sending(frame, event):
                self.given[node_id] = steps.given_after(given, event)
                return steps.sent(event, frame)
        self.given[node_id] = given_by(event)
        return [(event["type"], event["sequence"], event)]
