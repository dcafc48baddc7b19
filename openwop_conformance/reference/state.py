"""What a run's log adds up to, kept up with one event at a time.

The log is the only truth: nothing here is stored, and a state that is lost is folded again. What
an envelope counts for (its fold, its trust) is asked of ``policy``.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..a2ui.catalog import KIND
from ..a2ui.fold import Life
from ..a2ui.lock import sets_lock
from ..a2ui.locked_fold import LockedFold
from ..a2ui.message import kind_of
from ..a2ui.trust import Trust
from ..errors import Violation
from ..jsonvalue import JsonValue
from .events import SURFACE_RECORDED, TERMINAL, Event

if TYPE_CHECKING:
    from .policy import Policy

Lives = dict[Hashable, Life]
"""Surfaces by ``Policy.life_key``, those of all runs together."""


@dataclass(slots=True)
class RunState:
    """The projection of one log. A cost of O(event) keeps it current, however long the log is."""

    run_id: str
    status: str = "pending"
    node_id: str | None = None
    """The node that holds the open interrupt, while there is one."""
    last_sequence: int = -1
    engine_events: int = 0
    """How many events the workflow itself has written."""
    reached: str | None = None
    """The node that the workflow came to last."""
    ended: str | None = None
    """When the run ended."""
    decision: Event | None = None
    """The ``interrupt.resolved`` event, once there is one."""
    interrupts: set[str] = field(default_factory=set)
    """The nodes that ever held an interrupt."""
    locked: bool = False
    """Whether any surface of the run was ever locked."""
    fold: LockedFold | None = None
    """The surfaces, where somebody had to know of more than their lives."""
    trust: Trust | None = None
    """What is tainted, once an approval asked for it."""
    correlations: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Each recorded correlationId → the envelope's type and the event's sequence."""

    @property
    def is_terminal(self) -> bool:
        """Whether the run has ended."""
        return self.status in TERMINAL.values()

    def observe(self, event: Event, lives: Lives, policy: Policy) -> None:
        """Take in the next event of the log."""
        self.last_sequence = event["sequence"]
        kind, node_id = event["type"], event.get("nodeId")
        if self.trust is not None:
            trust_recorded(self.trust, event, policy)
        if kind == SURFACE_RECORDED:
            self._observe_surface(event, lives, policy)
            return
        if kind.startswith(KIND):
            if "causationId" in event:
                self.correlations[event["causationId"]] = (KIND, event["sequence"])
            return
        self.engine_events += 1
        self.reached = node_id or self.reached
        if kind in TERMINAL:
            self.status, self.node_id, self.ended = TERMINAL[kind], None, event["timestamp"]
        elif kind in ("run.started", "node.resumed"):
            self.status = "running"
        elif kind == "interrupt.requested":
            self.interrupts.add(event["nodeId"])
        elif kind == "node.suspended":
            self.status, self.node_id = "waiting-approval", node_id
        elif kind == "interrupt.resolved":
            self.decision, self.node_id = event, None

    def _observe_surface(self, event: Event, lives: Lives, policy: Policy) -> None:
        envelope, branch = event["payload"]["envelope"], event["payload"]["version"]
        self.correlations[envelope["correlationId"]] = (envelope["type"], event["sequence"])
        payload = envelope["payload"]
        if not policy.folds(envelope, branch) or not isinstance(payload, dict):
            return
        surface_id, messages = payload.get("surfaceId"), payload.get("messages")
        if isinstance(surface_id, str) and isinstance(messages, list):
            key = policy.life_key(self.run_id, surface_id)
            for message in messages:
                lives[key] = _life_after(message)
            self.locked = self.locked or (
                any(map(sets_lock, messages)) and policy.may_lock(envelope)
            )
            if self.fold is not None:
                fold_recorded(self.fold, messages)


def trust_recorded(trust: Trust, event: Event, policy: Policy) -> None:
    """Take in what one recorded event says of trust.

    The event of a surface of major 1 is one of its own, and taints its node for ever.
    """
    if event["type"] == SURFACE_RECORDED:
        envelope = event["payload"]["envelope"]
        policy.observe_trust(trust, envelope, policy.untrusted(envelope))
    elif event["type"].startswith(KIND):
        trust.observe(
            event["eventId"],
            node_id=event.get("nodeId"),
            untrusted=policy.v1.blocks_approval(event.get("contentTrust")),
        )


def fold_recorded(fold: LockedFold, messages: list[JsonValue]) -> None:
    """Fold the messages of one recorded envelope, each that can be."""
    with fold.transaction():
        for message in messages:
            with suppress(Violation):
                fold.apply(message)


def _life_after(message: JsonValue) -> Life:
    """What a recorded message leaves behind; whether it may follow was asked before recording."""
    try:
        return "deleted" if kind_of(message) == "deleteSurface" else "live"
    except Violation:
        return "live"
