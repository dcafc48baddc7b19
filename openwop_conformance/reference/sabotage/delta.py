"""Breaks of the delta projection: who gets frames, over what they patch, and what frames hold."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Final

from ...a2ui.catalog import KIND
from ...jsonvalue import JsonValue, compact
from ..events import Event
from ..host import Host
from ..policy import Policy
from ..redaction import Secrets, redact
from ..store import Run
from ..streaming import Sent
from ..v1.delta import (
    FRAME,
    Base,
    Given,
    Patch,
    Projection,
    Subscriber,
    framed,
    patch,
    patchable,
    sent,
    worth_sending,
)
from .model import Change, Sabotage, mapped, v1_set_to


def projecting(**steps: Any) -> Change:
    """The policy with some steps of the projection replaced."""
    return lambda policy: v1_set_to(delta=replace(policy.v1.delta, **steps))(policy)


def _as_frames(subscriber: Subscriber, events: list[Event]) -> list[Event]:
    """Events as a log would hold them that kept what a subscriber is sent."""
    kept: list[Event] = []
    for event in events:
        for name, _, data in subscriber.deliver(event):
            kept.append({**event, "type": FRAME, "payload": data} if name == FRAME else data)
    return kept


def _projected(events: list[Event]) -> list[Event]:
    return _as_frames(Subscriber(Projection(), "payload"), events)


def _projected_late(events: list[Event]) -> list[Event]:
    surfaces = sum(event["type"] == KIND for event in events)
    return _projected(events) if surfaces > 3 else events


# --------------------------------------------------------------------------------- recording


class _Forwarding(Subscriber):
    """A subscriber that is sent the frames which the log holds."""

    def deliver(self, event: Event) -> list[Sent]:
        """A recorded frame as it is."""
        if event["type"] == FRAME:
            return [(FRAME, event["sequence"], event["payload"])]
        return super().deliver(event)


def _recorded(policy: Policy) -> Policy:
    logs: dict[str, Subscriber] = {}

    def recorded(event: Event) -> Event:
        log = logs.setdefault(event["runId"], Subscriber(Projection(), "payload"))
        return _as_frames(log, [event])[0]

    def subscribed(host: Host, run: Run, cursor: int) -> Subscriber:
        return _Forwarding(host.policy.v1.delta, host.policy.v1.base)

    changed = projecting(new_subscriber=subscribed)(policy)
    return v1_set_to(recorded=recorded)(changed)


def _secret(policy: Policy) -> Policy:
    raw: dict[bytes, JsonValue] = {}

    def remembering(value: JsonValue, secrets: Secrets) -> JsonValue:
        redacted = redact(value, secrets)
        if isinstance(redacted, dict) and "meta" in redacted:
            raw[compact(redacted["payload"])] = value["payload"]
        else:
            raw[compact(redacted)] = value
        return redacted

    def patched(old: JsonValue, new: JsonValue, base: Base) -> Patch:
        return patch(old, raw.get(compact(new), new), base)

    changed = projecting(patch=patched)(policy)
    return v1_set_to(redact=remembering)(changed)


# ---------------------------------------------------------------------------------- patching


def _whatever_the_trust(given: Given, event: Event, base: Base) -> bool:
    return patchable(replace(given, trust=event.get("contentTrust")), event, base)


def _tested(old: JsonValue, new: JsonValue, base: Base) -> Patch:
    place = "/title" if base == "tree" else "/surface/title"
    operations = patch(old, new, base)
    if operations and "title" in old["surface"]:
        test = {"op": "test", "path": place, "value": old["surface"]["title"]}
        return [test, *operations]
    return operations


def _replaced(old: JsonValue, new: JsonValue, base: Base) -> Patch:
    value = new["surface"] if base == "tree" else new
    return [{"op": "replace", "path": "", "value": value}] if patch(old, new, base) else []


def _sloppy(old: JsonValue, new: JsonValue, base: Base) -> Patch:
    return [
        {**operation, "path": re.sub("/([0-9]+)(?=/|$)", r"/0\1", operation["path"])}
        for operation in patch(old, new, base)
    ]


def _without_placeholders(old: JsonValue, new: JsonValue, base: Base) -> Patch:
    def without(value: JsonValue) -> JsonValue:
        if isinstance(value, dict) and "placeholder" in value:
            return {k: v for k, v in value.items() if k != "placeholder"}
        return value

    return patch(mapped(old, without), mapped(new, without), base)


def _framed(**members: JsonValue) -> Change:
    return projecting(framed=lambda *update: {**framed(*update), **members})


def _unknown(given: Given, event: Event, operations: Patch) -> JsonValue:
    frame = framed(given, event, operations)
    return frame if given.trust else {**frame, "surfaceRef": f"none-{event['sequence']}"}


def _even_if_empty(frame: JsonValue, event: Event) -> bool:
    return not frame["patch"] or worth_sending(frame, event)


def _last_of_each_node(events: list[Event]) -> list[Event]:
    last = {e.get("nodeId"): e["sequence"] for e in events if e["type"] == KIND}
    return [e for e in events if e["type"] != KIND or e["sequence"] in last.values()]


SABOTAGES: Final = (
    Sabotage(
        "delta-wrong-base",
        "each patch is over the first full surface",
        projecting(given_after=lambda given, event: given),
    ),
    Sabotage("delta-recorded", "the log holds frames", _recorded),
    Sabotage("delta-in-poll", "polling answers frames", v1_set_to(served_poll=_projected)),
    Sabotage(
        "delta-in-json-read",
        "the log read as JSON holds frames from the fourth surface on",
        v1_set_to(served_log=lambda events, deltas: _projected_late(events)),
    ),
    Sabotage("fork-holds-deltas", "a fork inherits frames", v1_set_to(fork_prefix=_projected)),
    Sabotage(
        "delta-taint-dropped",
        "an update that has become untrusted goes out as a frame",
        projecting(patchable=_whatever_the_trust),
    ),
    Sabotage("delta-test-operation", "patches begin with a test", projecting(patch=_tested)),
    Sabotage(
        "delta-doubled",
        "each frame is sent twice",
        projecting(sent=lambda event, frame: sent(event, frame) * 2),
    ),
    Sabotage(
        "delta-empty-patch",
        "an update that changes nothing is a frame without operations",
        projecting(worth_sending=_even_if_empty),
    ),
    Sabotage(
        "delta-catalog-version-wrong",
        "frames name another catalog version than their surface",
        _framed(catalogVersion="0.9.0"),
    ),
    Sabotage(
        "delta-forgets-placeholder",
        "patches leave placeholders out",
        projecting(patch=_without_placeholders),
    ),
    Sabotage(
        "delta-reference-unknown",
        "frames refer to an event that nobody was sent",
        projecting(framed=_unknown),
    ),
    Sabotage("delta-frame-open", "frames say how the run goes", _framed(status="running")),
    Sabotage("delta-secret", "patches are made before redaction", _secret),
    Sabotage(
        "batch-loses-updates",
        "a batch holds only the last surface of each node",
        v1_set_to(batched=_last_of_each_node),
    ),
    Sabotage(
        "delta-never-smaller",
        "a patch replaces the whole, however large that is",
        projecting(patch=_replaced, worth_sending=lambda frame, event: bool(frame["patch"])),
    ),
    Sabotage("delta-index-sloppy", "array indices have a leading zero", projecting(patch=_sloppy)),
)
