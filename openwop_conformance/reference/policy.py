"""Every behaviour of the reference host that a sabotage may replace, as one frozen value.

``Policy()`` is the host that conforms. ``dataclasses.replace(Policy(), field=…)`` is the same host
with one thing wrong; nothing else in this package decides what these fields decide.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..a2ui.catalog import Branch
from ..a2ui.locked_fold import LockedFold
from ..a2ui.trust import Trust
from ..jsonvalue import JsonValue
from ..wire.ids import tenant_of
from . import redaction, refusal, streaming
from .discovery import PROTOCOL_VERSION, document, etag_of, negotiate
from .events import Draft, Event
from .redaction import Secrets
from .rules import RULES, Admission, Rule
from .settings import Settings
from .v1.policy import V1Policy

_BEARER: Final = re.compile(rb"bearer +([!-~]+)", re.IGNORECASE)
_IDEMPOTENCY_KEY: Final = re.compile(r"[A-Za-z0-9._~-]{22,128}", re.ASCII)


def authenticate(authorization: bytes | None, keys: Mapping[str, str], path: str) -> str | None:
    """The tenant whose key an ``Authorization`` header carries, or ``None``, on whatever path.

    Every key is compared, each in constant time.
    """
    found = _BEARER.fullmatch(authorization or b"")
    offered = found[1] if found else b""
    matching = [t for t, key in keys.items() if hmac.compare_digest(key.encode(), offered)]
    return matching[0] if matching else None


def visible(run_id: str, tenant: str) -> bool:
    """Whether a run's id is bound to the caller's tenant; whether it exists is not asked."""
    return tenant_of(run_id) in (None, tenant)


def untrusted(envelope: JsonValue) -> bool:
    """Whether an envelope declares its content untrusted."""
    return bool(envelope["meta"].get("contentTrust") == "untrusted")


def may_lock(envelope: JsonValue) -> bool:
    """Whether the host itself speaks, and not an agent, nor anyone by content it does not trust."""
    return bool(envelope["meta"]["source"] == "system") and not untrusted(envelope)


def observe_trust(trust: Trust, envelope: JsonValue, is_untrusted: bool) -> None:
    """Note a recorded envelope's trust and binding (RFC 0209 §C.12).

    A version 1 payload names no surface: it is one of its own, and taints its node as well.
    """
    payload = envelope["payload"]
    surface_id = payload.get("surfaceId") if isinstance(payload, dict) else None
    trust.observe(
        surface_id if isinstance(surface_id, str) else f"envelope {envelope['envelopeId']}",
        node_id=envelope.get("nodeId"),
        untrusted=is_untrusted,
    )


def approval_blockers(trust: Trust, node_id: str) -> tuple[str, ...]:
    """The surfaces for which an approval at a node must not advance."""
    return trust.blocking(node_id)


def folds(envelope: JsonValue, branch: Branch) -> bool:
    """Whether an envelope belongs to its surface's fold: by the branch, never by the stamp."""
    return branch == 2


def life_key(run_id: str, surface_id: str) -> Hashable:
    """What a surface is: ``(runId, surfaceId)`` (RFC 0209 §C.9)."""
    return run_id, surface_id


def names_an_event(point: int, last_sequence: int) -> bool:
    """Whether a fork point is in the source's log, whose sequences have no gaps."""
    return 0 <= point <= last_sequence


def fork_prefix(events: Iterable[Event], from_seq: int) -> list[Event]:
    """The events a fork inherits: fixed history is ``[0, fromSeq)``."""
    return [event for event in events if event["sequence"] < from_seq]


def unchanged(value: JsonValue) -> JsonValue:
    """The value as it is: recorded as sent, inherited as recorded, served as recorded."""
    return value


def nothing_left_behind(admission: Admission) -> Draft | None:
    """What a refused envelope leaves in the log: nothing."""
    return None


def seam_answer(sequence: int) -> tuple[int, JsonValue]:
    """The answer to an admitted envelope."""
    return 201, {"sequence": sequence}


def idempotency_key_valid(key: str) -> bool:
    """Whether a key keeps the grammar of ``Idempotency-Key``."""
    return _IDEMPOTENCY_KEY.fullmatch(key) is not None


def same_request(kept: str, digest: str) -> bool:
    """Whether two requests with one key, by their digests, are one request."""
    return kept == digest


@dataclass(frozen=True, slots=True)
class Policy:
    """The behaviours, in the order in which a request meets them."""

    # --- every request
    version_header: str | None = PROTOCOL_VERSION
    """The ``OpenWOP-Version`` of every response; ``None`` sends none."""
    authenticate: Callable[[bytes | None, Mapping[str, str], str], str | None] = authenticate
    visible: Callable[[str, str], bool] = visible
    error_answer: Callable[[str, str, dict[str, JsonValue]], tuple[int, JsonValue]] = (
        refusal.error_answer
    )
    redact_error: Callable[[JsonValue, JsonValue, Secrets], JsonValue] = redaction.redact_error
    """Body, what the caller sent, the secrets → the body that is sent."""
    idempotency_key_valid: Callable[[str], bool] = idempotency_key_valid
    same_request: Callable[[str, str], bool] = same_request

    # --- discovery
    discovery: Callable[[Settings], dict[str, JsonValue]] = document
    etag: Callable[[JsonValue], str | None] = etag_of
    """The document → its tag; ``None`` sends none."""
    negotiate: Callable[[str | None], bool] = negotiate

    # --- admission
    rules: tuple[Rule, ...] = RULES
    serialise: bool = True
    """Whether nothing comes between the judging of an envelope and its recording."""
    redact: Callable[[JsonValue, Secrets], JsonValue] = redaction.redact
    recorded: Callable[[JsonValue], JsonValue] = unchanged
    """The redacted envelope → what is recorded of it."""
    left_behind: Callable[[Admission], Draft | None] = nothing_left_behind
    seam_answer: Callable[[int], tuple[int, JsonValue]] = seam_answer
    life_key: Callable[[str, str], Hashable] = life_key
    folds: Callable[[JsonValue, Branch], bool] = folds

    # --- trust
    may_lock: Callable[[JsonValue], bool] = may_lock
    """Whether the sender of an envelope may lock a surface (experimental)."""
    new_fold: Callable[[], LockedFold] = LockedFold
    """Makes what the surfaces of a run, once one of them is locked, are folded with."""
    untrusted: Callable[[JsonValue], bool] = untrusted
    new_trust: Callable[[], Trust] = Trust
    """Makes the trust of one run."""
    observe_trust: Callable[[Trust, JsonValue, bool], None] = observe_trust
    approval_blockers: Callable[[Trust, str], tuple[str, ...]] = approval_blockers
    resolves_once: bool = True
    """Whether an interrupt that is resolved stays so."""

    # --- reading
    resumes_after: Callable[[int], int] = unchanged
    """A stream's cursor → the sequence after which it is served: itself, so exclusive."""
    served_poll: Callable[[Event], Event] = unchanged
    served_sse: Callable[[Event], Event] = unchanged
    served_snapshot: Callable[[dict[str, JsonValue]], dict[str, JsonValue]] = unchanged
    shown: Callable[[str, frozenset[str]], bool] = streaming.shown
    """A type and the stream modes asked for → whether an event of it is sent."""
    closes: bool = True
    """Whether a stream ends after the run's terminal event."""

    # --- forks
    fork_point_valid: Callable[[int, int], bool] = names_an_event
    """The point and the source's last sequence → whether a fork may begin there."""
    fork_prefix: Callable[[Iterable[Event], int], list[Event]] = fork_prefix
    fork_event: Callable[[Event], Event] = unchanged
    """An inherited event → what the fork has of it, before it gets its new ids and time."""

    # --- major 1
    v1: V1Policy = field(default_factory=V1Policy)
    """What is done otherwise, or only, under ``/v1``."""
