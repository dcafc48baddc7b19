"""Sabotages of locked surfaces (experimental): the common ones, and what only a consumer does."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final

from ....a2ui.locked_fold import LockedFold
from ....jsonvalue import JsonValue
from ...consumer.operations import ReferenceConsumer
from ...consumer.rendering import Node
from ...consumer.surface import Envelope
from ..locks import AT_ONCE, COMMON, NULLS_OPEN, BrokenLocks
from .model import ConsumerSabotage


def _untrusted_may(self: Any, envelope: JsonValue) -> bool:
    return bool(envelope.get("source") == "system")


def _agent_may(self: Any, envelope: JsonValue) -> bool:
    trusted = envelope.get("trust") != "untrusted"
    return envelope.get("source") in ("system", "ai-generation") and trusted


def _late_taken(self: Any, envelope: Envelope) -> None:
    self._log.put(envelope.sequence, envelope)


def _silent(self: Any) -> list[JsonValue]:
    return []


def _worded(self: Any, protocol: int) -> JsonValue:
    claims = {"surfacePolicies": True, "lockedSurfacePolicy": "enforced"}
    return {**ReferenceConsumer.hello(self, protocol), "capabilities": claims}


def _no_digest(self: Any) -> Node:
    return {}


def _digest_of_all(self: Any) -> Node:
    content = self.surface.frozen()
    if content is None:
        return {}
    return _confirmed(json.dumps({**content, "data": self.view.data.root}, sort_keys=True))


def _digest_of_text(self: Any) -> Node:
    content = self.surface.frozen()
    return {} if content is None else _confirmed(json.dumps(content))


def _confirmed(text: str) -> Node:
    return {"confirmation": {"digest": f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"}}


_UNSEEN: Final = ("equal-values-open",)
"""What shows nowhere on a screen."""


def _consumer(broken: BrokenLocks) -> ConsumerSabotage:
    return ConsumerSabotage(
        f"consumer-lock-{broken.name}",
        broken.breaks,
        surface={"make_fold": staticmethod(lambda: LockedFold(broken.make()))},
    )


SABOTAGES: Final = (
    *(_consumer(broken) for broken in (*COMMON, AT_ONCE, NULLS_OPEN) if broken.name not in _UNSEEN),
    ConsumerSabotage(
        "consumer-lock-untrusted-locks",
        "Untrusted content may lock.",
        client={"may_lock": _untrusted_may},
    ),
    ConsumerSabotage(
        "consumer-lock-agent-locks", "An agent may lock.", client={"may_lock": _agent_may}
    ),
    ConsumerSabotage(
        "consumer-lock-violation-silent",
        "What a lock refuses is not reported.",
        client={"violations": _silent},
    ),
    ConsumerSabotage(
        "consumer-lock-late-taken",
        "What comes late is folded before the lock that was seen.",
        surface={"refuse_late": _late_taken},
    ),
    ConsumerSabotage(
        "consumer-lock-claim-worded",
        "The claim is a text, which a host cannot rely on.",
        consumer={"hello": _worded},
    ),
    ConsumerSabotage(
        "consumer-lock-digest-missing",
        "A submission does not say what was seen.",
        acting={"confirmation": _no_digest},
    ),
    ConsumerSabotage(
        "consumer-lock-digest-of-all",
        "The digest is taken of all data, with what may change.",
        acting={"confirmation": _digest_of_all},
    ),
    ConsumerSabotage(
        "consumer-lock-digest-of-text",
        "The digest is taken of some JSON text, and not of its RFC 8785 form.",
        acting={"confirmation": _digest_of_text},
    ),
)
