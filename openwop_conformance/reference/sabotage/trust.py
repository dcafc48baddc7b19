"""Breaks of sticky trust: what taints, for how long, and which approvals it blocks."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from ...a2ui.trust import Trust
from ...jsonvalue import JsonValue
from ..events import SURFACE_RECORDED, Event
from ..policy import Policy, approval_blockers, observe_trust
from .model import Sabotage, set_to


class _Forgiving(Trust):
    """Trust that can be won back."""

    __slots__ = ()

    def forgive(self, surface_id: str) -> None:
        """Forget a surface's taint."""
        self._tainted.discard(surface_id)


def _latest(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
    if envelope["meta"].get("contentTrust") == "trusted" and isinstance(trust, _Forgiving):
        trust.forgive(envelope["payload"]["surfaceId"])
    observe_trust(trust, envelope, is_untrusted)


def _cleared_by_deletion(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
    observe_trust(trust, envelope, is_untrusted)
    deletes = any("deleteSurface" in message for message in envelope["payload"]["messages"])
    if deletes and isinstance(trust, _Forgiving):
        trust.forgive(envelope["payload"]["surfaceId"])


def _first_only(policy: Policy) -> Policy:
    seen: set[tuple[int, str]] = set()

    def observe(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
        key = id(trust), envelope["payload"]["surfaceId"]
        observe_trust(trust, envelope, is_untrusted and key not in seen)
        seen.add(key)

    return replace(policy, observe_trust=observe)


def _bound_only(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
    observe_trust(trust, envelope, is_untrusted and "nodeId" in envelope)


def _whole_run(policy: Policy) -> Policy:
    tainted: list[Trust] = []

    def observe(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
        observe_trust(trust, envelope, is_untrusted)
        if is_untrusted:
            tainted.append(trust)

    def blockers(trust: Trust, node_id: str) -> tuple[str, ...]:
        return ("any",) if any(trust is other for other in tainted) else ()

    return replace(policy, observe_trust=observe, approval_blockers=blockers)


def _across_runs(policy: Policy) -> Policy:
    tainted: set[str] = set()
    shown: list[tuple[Trust, str]] = []

    def recorded(envelope: JsonValue) -> JsonValue:
        if policy.untrusted(envelope) and envelope.get("nodeId") in (None, "gate"):
            tainted.add(envelope["payload"]["surfaceId"])
        return envelope

    def observe(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
        observe_trust(trust, envelope, is_untrusted)
        shown.append((trust, envelope["payload"]["surfaceId"]))

    def blockers(trust: Trust, node_id: str) -> tuple[str, ...]:
        own = {surface for other, surface in shown if other is trust}
        return approval_blockers(trust, node_id) or tuple(sorted(own & tainted))

    return replace(policy, recorded=recorded, observe_trust=observe, approval_blockers=blockers)


def _trusted_copy(event: Event) -> Event:
    if event["type"] != SURFACE_RECORDED:
        return event
    envelope = event["payload"]["envelope"]
    meta = {key: value for key, value in envelope["meta"].items() if key != "contentTrust"}
    return {**event, "payload": {**event["payload"], "envelope": {**envelope, "meta": meta}}}


SABOTAGES: Final = (
    Sabotage(
        "latest-trust-wins",
        "an envelope marked trusted launders its surface",
        set_to(new_trust=_Forgiving, observe_trust=_latest),
    ),
    Sabotage("first-trust-wins", "only a surface's first envelope can taint it", _first_only),
    Sabotage(
        "taint-needs-node",
        "an untrusted envelope that names no node taints nothing",
        set_to(observe_trust=_bound_only),
    ),
    Sabotage(
        "deletion-clears-taint",
        "deleting a surface launders it",
        set_to(new_trust=_Forgiving, observe_trust=_cleared_by_deletion),
    ),
    Sabotage(
        "fork-forgets-taint",
        "a fork copies envelopes without their trust",
        set_to(fork_event=_trusted_copy),
    ),
    Sabotage(
        "taint-blocks-every-approval",
        "one tainted surface blocks every approval of its run",
        _whole_run,
    ),
    Sabotage(
        "taint-crosses-runs",
        "a surface tainted in one run is tainted in every run",
        _across_runs,
    ),
)
