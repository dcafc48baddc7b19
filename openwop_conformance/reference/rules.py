"""Admission: the rules an envelope passes before it is recorded, one small function each.

The rules of A2UI are called here, not restated. A rule returns ``None`` to let the envelope pass
on, the sequence under which it is already recorded, or raises ``Violation``.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from ..a2ui.catalog import KIND, Branch, check_payload
from ..a2ui.fold import Life, next_life
from ..a2ui.lock import sets_lock, without_locks
from ..a2ui.locked_fold import LockedFold, refusal_of
from ..a2ui.message import bodies, check_catalog_ids, check_surface_ids
from ..a2ui.version import Strictness, select_branch
from ..errors import Violation
from ..jsonvalue import JsonValue
from ..wire.envelope import check_envelope
from ..wire.kinds import UNIVERSAL_KINDS
from .state import RunState

LOG: Final = logging.getLogger("openwop_conformance.reference")
LISTED_KINDS: Final = (KIND,)
"""The kinds this host advertises beside the universal ones."""


@dataclass(slots=True)
class Admission:
    """One envelope on its way into one run. Later rules see what earlier ones found out."""

    envelope: JsonValue
    state: RunState
    floor: Branch
    strictness: Strictness
    redact: Callable[[JsonValue], JsonValue]
    life: Callable[[str], Life]
    """The life of a surface of this run, as recorded so far."""
    folds: Callable[[JsonValue, Branch], bool]
    """Whether an envelope belongs to its surface's fold."""
    lockers: Callable[[JsonValue], bool] | None = None
    """Whether the sender of an envelope may lock surfaces; ``None`` where nobody can."""
    fold: Callable[[], LockedFold] = LockedFold
    """The surfaces of the run as recorded so far."""
    branch: Branch = 2
    """The branch that the version selects; meaningful once the ``version`` rule has passed."""
    _redacted: JsonValue = field(default=None, init=False, compare=False)

    @property
    def may_lock(self) -> bool:
        """Whether the sender may lock surfaces; asked once the envelope has its shape."""
        return self.lockers is not None and self.lockers(self.envelope)

    @property
    def payload(self) -> JsonValue:
        """What the envelope carries, as the closed profile knows it: locks are judged apart."""
        payload = self.envelope["payload"]
        return without_locks(payload) if self.locks else payload

    @property
    def messages(self) -> list[JsonValue]:
        """The messages with their locks; empty where there is no list of them."""
        payload = self.envelope["payload"]
        found = payload.get("messages") if isinstance(payload, dict) else None
        return found if isinstance(found, list) else []

    @property
    def locks(self) -> bool:
        """Whether any message asks for a lock, and the sender may ask for one."""
        return any(map(sets_lock, self.messages)) and self.may_lock

    @property
    def redacted(self) -> JsonValue:
        """The envelope without secrets: the form in which it is known to the log."""
        if self._redacted is None:
            self._redacted = self.redact(self.envelope)
        return self._redacted


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of admission by its name."""

    name: str
    judge: Callable[[Admission], int | None]


def run_not_terminal(admission: Admission) -> None:
    """A run that has ended records nothing more (``run_terminal``)."""
    if admission.state.is_terminal:
        raise Violation("run", "the run has ended", code="run_terminal")


def envelope_shape(admission: Admission) -> None:
    """An envelope is closed, and correlationId and meta.source are required."""
    check_envelope(admission.envelope)


def kind_known(admission: Admission) -> None:
    """A kind that is neither universal nor advertised is refused, whatever it carries."""
    if admission.envelope["type"] not in (*UNIVERSAL_KINDS, *LISTED_KINDS):
        raise Violation(
            "kind",
            "the kind is neither universal nor listed in supportedEnvelopes",
            path="/type",
            code="unknown_envelope_kind",
        )


def correlation(admission: Admission) -> int | None:
    """E2: a correlationId already recorded returns its first outcome, whatever else is sent."""
    recorded = admission.state.correlations.get(admission.redacted["correlationId"])
    if recorded is None:
        return None
    kind, sequence = recorded
    if kind != admission.redacted["type"]:
        raise Violation(
            "correlation",
            f"the correlationId is recorded with type {kind}",
            path="/correlationId",
            code="envelope_correlation_conflict",
        )
    return sequence


def surfaces_only(admission: Admission) -> None:
    """This way in is for surfaces: it has no handler for another kind, even a universal one."""
    if admission.envelope["type"] != KIND:
        raise Violation(
            "kind", f"only {KIND} is taken here", path="/type", code="unknown_envelope_kind"
        )


def version(admission: Admission) -> None:
    """The emitted version and the floor select one branch, or none (RFC 0209 §A.3)."""
    emitted = admission.envelope.get("schemaVersion", 0)
    admission.branch = select_branch(emitted, admission.floor, admission.strictness)
    if emitted < admission.floor:
        LOG.warning(
            "envelope_schema_version_drift: %s emitted as %s, validated as the advertised %s",
            KIND,
            emitted,
            admission.floor,
        )


def lock_policy(admission: Admission) -> None:
    """What a host says of locks has its form. An agent's word of them is no message at all."""
    for index, message in enumerate(admission.messages if admission.locks else ()):
        if not sets_lock(message):
            continue
        try:
            admission.fold().locks.check_form(message)
        except Violation as violation:
            path = f"/messages/{index}{violation.path}"
            raise Violation("lock-policy", str(violation), path=path) from None


def branch(admission: Admission) -> None:
    """The payload keeps the selected branch, and the other one is never asked (§A.1)."""
    check_payload(admission.payload, admission.branch)


def surface_id_equality(admission: Admission) -> None:
    """Every message names the payload's surface (§A.2)."""
    if _has_messages(admission):
        check_surface_ids(admission.payload)


def catalog_equality(admission: Admission) -> None:
    """createSurface names the payload's catalog (§A.2)."""
    if _has_messages(admission):
        check_catalog_ids(admission.payload)


def fold(admission: Admission) -> None:
    """The messages, after those already recorded, keep the surface's fold valid (§C.9).

    The selected branch says whether there is a fold, not the version stamped on the envelope.
    """
    if not admission.folds(admission.envelope, admission.branch) or not _has_messages(admission):
        return
    life = admission.life(admission.redacted["payload"]["surfaceId"])
    for index, kind, _ in bodies(admission.payload):
        try:
            life = next_life(life, kind)
        except Violation as violation:
            path = f"/messages/{index}/{kind}"
            raise Violation(violation.rule, str(violation), path=path) from None


def lock(admission: Admission) -> None:
    """No message changes what a lock has frozen, and a lock is set on what is shown."""
    if not _has_messages(admission):
        return
    if admission.state.locked or admission.locks:
        violation = refusal_of(admission.fold(), admission.messages)
        if violation is not None:
            raise violation


def _has_messages(admission: Admission) -> bool:
    """Whether there is anything for the rules between messages to look at."""
    payload = admission.payload
    return admission.branch == 2 and isinstance(payload, dict) and "messages" in payload


RULES: Final = (
    Rule("run", run_not_terminal),
    Rule("envelope", envelope_shape),
    Rule("kind", kind_known),
    Rule("correlation", correlation),
    Rule("surfaces-only", surfaces_only),
    Rule("version", version),
    Rule("lock-policy", lock_policy),
    Rule("branch", branch),
    Rule("surface-id-equality", surface_id_equality),
    Rule("catalog-equality", catalog_equality),
    Rule("fold", fold),
    Rule("lock", lock),
)
"""The rules in their order: the first that objects names the refusal."""


def replacing(
    rules: tuple[Rule, ...], name: str, judge: Callable[[Admission], int | None]
) -> tuple[Rule, ...]:
    """The rules with another judge under the name of one of them."""
    place = [rule.name for rule in rules].index(name)
    return (*rules[:place], replace(rules[place], judge=judge), *rules[place + 1 :])
