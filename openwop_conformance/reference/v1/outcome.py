"""What the acceptor of major 1 makes of an envelope, as a value and as its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ...jsonvalue import JsonValue
from ...wire.kinds import UNIVERSAL_KINDS

Status = Literal["accepted", "gated", "invalid", "breached", "refused", "blocked"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """One outcome. What is ``None`` or empty is not said, but for an accepted envelope's events."""

    status: Status
    reason: str | None = None
    path: str | None = None
    """Where in the envelope."""
    message: str | None = None
    allowed: tuple[str, ...] = ()
    """The kinds that would have been let through, beside the universal ones."""
    envelope_id: str | None = None
    events: tuple[str, ...] = ()
    """The ids of the events that record it."""
    trust: str | None = None


def outcome_body(outcome: Outcome) -> JsonValue:
    """The answer: the closed set of members, of those that apply."""
    body: dict[str, JsonValue] = {"status": outcome.status}
    if outcome.reason is not None:
        body["reason"] = outcome.reason
    details: dict[str, JsonValue] = {}
    if outcome.path is not None:
        details["path"] = outcome.path
    if outcome.message is not None:
        details["message"] = outcome.message
    if outcome.status == "gated":
        details["allowedKinds"] = list(dict.fromkeys((*UNIVERSAL_KINDS, *outcome.allowed)))
    if details:
        body["details"] = details
    return body | accepted_members(outcome)


def accepted_members(outcome: Outcome) -> dict[str, JsonValue]:
    """What only an accepted envelope has; a run's log does not know what it was called."""
    if outcome.status != "accepted":
        return {}
    named = {} if outcome.envelope_id is None else {"envelopeId": outcome.envelope_id}
    return named | {
        "recordedEventIds": list(outcome.events),
        "normalizedMeta": {"contentTrust": outcome.trust or "trusted"},
    }
