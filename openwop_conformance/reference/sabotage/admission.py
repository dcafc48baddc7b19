"""Breaks of admission: versions, the rules between messages, correlations, kinds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ...a2ui.catalog import check_payload
from ...a2ui.fold import Life, next_life
from ...a2ui.message import bodies
from ...errors import Violation
from ...jsonvalue import JsonValue, equal
from .. import rules
from ..comparing import OfRuns
from ..events import Draft
from ..policy import Policy, folds, untrusted
from ..rules import Admission
from .model import Change, Sabotage, set_to, with_rule

# ------------------------------------------------------------------------------ versions


def _above_floor(admission: Admission) -> None:
    if admission.envelope.get("schemaVersion", 0) > admission.floor:
        admission.branch = admission.floor
    else:
        rules.version(admission)


def _payload_first(admission: Admission) -> None:
    if admission.envelope.get("schemaVersion", 0) > admission.floor:
        check_payload(admission.payload, admission.floor)
    rules.version(admission)


def _absent_refused(admission: Admission) -> None:
    if "schemaVersion" not in admission.envelope:
        raise Violation("version", "schemaVersion is missing", code="unknown_schema_version")
    rules.version(admission)


def _emitted_branch(admission: Admission) -> None:
    rules.version(admission)
    if admission.envelope.get("schemaVersion", 0) < 2:
        admission.branch = 1


def _strict_as_warn(admission: Admission) -> None:
    lenient = replace(admission, strictness="warn")
    rules.version(lenient)
    admission.branch = lenient.branch


def _union(admission: Admission) -> None:
    try:
        check_payload(admission.payload, 1)
    except Violation:
        check_payload(admission.payload, 2)


def _stamped_two(envelope: JsonValue) -> bool:
    return bool(envelope.get("schemaVersion", 0) >= 2)


# ------------------------------------------------------------------------------- refusals


def _half_applied(policy: Policy) -> Policy:
    left: dict[tuple[str, str], Life] = {}

    def judge(admission: Admission) -> None:
        key = admission.state.run_id, admission.payload["surfaceId"]
        life = left.get(key) or admission.life(key[1])
        for _, kind, _ in bodies(admission.payload):
            try:
                life = next_life(life, kind)
            except Violation:
                left[key] = life
                raise
        left.pop(key, None)

    return with_rule("fold", judge)(policy)


def _remembering(policy: Policy) -> Policy:
    refused: set[tuple[str, str]] = set()

    def remember(admission: Admission) -> None:
        try:
            rules.envelope_shape(admission)
            rules.surfaces_only(admission)
        except Violation:
            return
        refused.add((admission.state.run_id, admission.envelope["correlationId"]))

    def judge(admission: Admission) -> int | None:
        if (admission.state.run_id, admission.envelope["correlationId"]) in refused:
            raise Violation("correlation", "this correlation was refused")
        return rules.correlation(admission)

    return replace(with_rule("correlation", judge)(policy), left_behind=remember)


def _recorded_anyway(admission: Admission) -> Draft | None:
    """Logs what was refused when it would have deleted a surface."""
    payload = admission.envelope["payload"]
    messages = payload.get("messages") if isinstance(payload, dict) else None
    if not isinstance(messages, list) or not any("deleteSurface" in m for m in messages):
        return None
    return Draft("example.surface-refused", {"payload": admission.redacted["payload"]})


# ---------------------------------------------------------------------- correlation, kind


def _conflict_ignored(admission: Admission) -> int | None:
    recorded = admission.state.correlations.get(admission.redacted["correlationId"])
    return recorded[1] if recorded else None


def _payload_compared(policy: Policy) -> Policy:
    sent: dict[tuple[str, str], JsonValue] = {}

    def judge(admission: Admission) -> int | None:
        recorded = rules.correlation(admission)
        key = admission.state.run_id, admission.envelope["correlationId"]
        first = sent.setdefault(key, admission.payload)
        if recorded is not None and not equal(first, admission.payload):
            raise Violation("correlation", "another payload", code="envelope_correlation_conflict")
        return recorded

    return with_rule("correlation", judge)(policy)


def _but_for_ui(rule: Callable[[Admission], None]) -> Callable[[Admission], None]:
    def judge(admission: Admission) -> None:
        if not admission.envelope["type"].startswith("ui."):
            rule(admission)

    return judge


_KIND_KNOWN: Final = with_rule("kind", _but_for_ui(rules.kind_known))
_SURFACES_ONLY: Final = with_rule("surfaces-only", _but_for_ui(rules.surfaces_only))


def _passing(rule: str) -> Change:
    return with_rule(rule, lambda admission: None)


SABOTAGES: Final = (
    Sabotage(
        "above-floor-admitted",
        "a version above the floor is held to the floor's branch instead of refused",
        with_rule("version", _above_floor),
    ),
    Sabotage(
        "payload-before-floor",
        "a payload above the floor is looked at before its version is refused",
        with_rule("version", _payload_first),
    ),
    Sabotage(
        "absent-stamp-refused",
        "an envelope without schemaVersion is refused instead of counted as 0",
        with_rule("version", _absent_refused),
    ),
    Sabotage(
        "drift-keeps-emitted-branch",
        "under warn the emitted version selects the branch, below the floor too",
        with_rule("version", _emitted_branch),
    ),
    Sabotage(
        "strict-admits-below-floor",
        "strict is advertised, and warn is done",
        with_rule("version", _strict_as_warn),
        settings={"strictness": "strict"},
    ),
    Sabotage(
        "union-validated",
        "a payload that keeps either branch is admitted",
        with_rule("branch", _union),
    ),
    Sabotage(
        "drift-bypasses-fold",
        "an envelope below the floor is no part of the fold",
        set_to(folds=lambda envelope, branch: folds(envelope, branch) and _stamped_two(envelope)),
    ),
    Sabotage(
        "drift-bypasses-taint",
        "an untrusted envelope below the floor taints nothing",
        set_to(untrusted=lambda envelope: untrusted(envelope) and _stamped_two(envelope)),
    ),
    Sabotage(
        "refused-half-applied",
        "the messages before the one that is refused stay applied to the fold",
        OfRuns(_half_applied),
    ),
    Sabotage(
        "refused-remembers-correlation",
        "a correlation that was refused once is refused for ever",
        OfRuns(_remembering),
    ),
    Sabotage(
        "refused-recorded",
        "an envelope that is refused while deleting a surface is logged all the same",
        set_to(left_behind=_recorded_anyway),
    ),
    Sabotage(
        "catalog-equality-unchecked",
        "createSurface may name another catalog than the payload",
        _passing("catalog-equality"),
    ),
    Sabotage(
        "surface-id-unchecked",
        "a message may name another surface than the payload",
        _passing("surface-id-equality"),
    ),
    Sabotage(
        "re-emission-recorded",
        "a re-emission is judged and recorded as if it were new",
        _passing("correlation"),
    ),
    Sabotage(
        "re-emission-compares-payload",
        "a re-emission with another payload is refused instead of answered from the record",
        OfRuns(_payload_compared),
    ),
    Sabotage(
        "conflict-ignored",
        "a recorded correlation answers for every kind",
        with_rule("correlation", _conflict_ignored),
    ),
    Sabotage(
        "unknown-kind-admitted",
        "every kind of the ui family is taken for a surface",
        lambda policy: _SURFACES_ONLY(_KIND_KNOWN(policy)),
    ),
    Sabotage(
        "terminal-run-admits",
        "surfaces are recorded into a run that has ended",
        _passing("run"),
    ),
    Sabotage(
        "admission-unserialised",
        "two admissions of one run may overlap between judging and recording",
        set_to(serialise=False),
    ),
)
