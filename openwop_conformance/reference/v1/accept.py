"""The acceptor seam of major 1: what the host makes of one envelope, step by step.

shape → kind → payload → contract → limits → redaction → trust → correlation → record
(ai-envelope.md); the first step that objects is the outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from ...a2ui.catalog import KIND
from ...a2ui.version import Strictness
from ...errors import Violation
from ...jsonvalue import JsonValue
from ...schemas import compiled
from ...wire.envelope import check_envelope
from ...wire.kinds import UNIVERSAL_KINDS
from .. import bodies
from ..store import KeptAnswer, Run
from .discovery import LISTED_KINDS, SCHEMA_VERSION
from .host import MajorOne
from .outcome import Outcome

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_TEXT: Final = {"type": "string", "minLength": 1}
_NAMES: Final = {"type": "array", "items": {"type": "string"}}
_TRUST: Final = {"enum": ["trusted", "untrusted"]}
_COUNTER: Final = bodies.closed(
    ("current", "cap"), current={"type": "integer"}, cap={"type": "integer"}
)
_SHAPE: Final = bodies.closed(
    ("envelope",),
    envelope=True,
    hostSupportedEnvelopes=_NAMES,
    nodeAllowedKinds=_NAMES,
    runTrustBoundary=_TRUST,
    counters=bodies.closed(
        (), envelopesPerTurn=_COUNTER, schemaRounds=_COUNTER, clarificationRounds=_COUNTER
    ),
    schemaVersionFloor={
        "type": ["object", "integer"],
        "minimum": 0,
        "additionalProperties": {"type": "integer", "minimum": 0},
    },
    envelopeStrictness={"enum": ["warn", "strict"]},
    priorCorrelations={
        "type": "array",
        "items": bodies.closed(
            ("correlationId", "envelopeType", "outcome"),
            correlationId=_TEXT,
            envelopeType=_TEXT,
            outcome={"type": "object", "required": ["status"]},
        ),
    },
    byokCanaries={
        "type": "array",
        "items": bodies.closed(("value", "secretId"), value=_TEXT, secretId=_TEXT),
    },
    persistedDedup=bodies.closed(("runId",), runId=_TEXT),
    projectTo=bodies.closed(
        ("runId",),
        runId=_TEXT,
        nodeId=_TEXT,
        refusalMode={"enum": ["fail-node", "discard-and-warn"]},
    ),
    approvalGateContext={"type": "boolean"},
    boundInterruptKind=_TEXT,
)
_COUNTED: Final = {
    "clarification.request": "clarificationRounds",
    "schema.request": "schemaRounds",
}
_KEPT_UNDER: Final = "v1.acceptEnvelope"


def check_body(body: JsonValue) -> None:
    """Refuse a body that is not of the seam's closed shape (``validation_error``)."""
    bodies.hold(_shape(), body)


@cache
def _shape() -> Draft202012Validator:
    return compiled(_SHAPE)


def accept(major_one: MajorOne, tenant: str, body: JsonValue) -> JsonValue:
    """The answer to one envelope. Refused: ``run_not_found`` for a run that is named.

    What is refused is recorded nowhere, whatever ``projectTo.refusalMode`` says.
    """
    target = body.get("projectTo", {}).get("runId")
    dedup = body.get("persistedDedup", {}).get("runId")
    runs = {run_id: major_one.target(run_id, tenant) for run_id in (dedup, target) if run_id}
    policy, envelope = major_one.policy, body["envelope"]
    for step in (_shape_of, _kind, _payload, _contract, _limits):
        objection = step(major_one, body)
        if objection is not None:
            return policy.outcome_body(objection)
    envelope = _redacted(major_one, body)
    trust = envelope["meta"].get("contentTrust") or body.get("runTrustBoundary")
    gate = body.get("approvalGateContext") or body.get("boundInterruptKind") == "approval"
    if gate and policy.acceptor_blocks(trust):
        return policy.outcome_body(
            Outcome(
                "blocked",
                "untrusted_content_blocks_approval",
                path="/meta/contentTrust",
                message="untrusted content does not advance an approval",
            )
        )
    for kind, recorded in _recorded(major_one, tenant, body, envelope, runs):
        if policy.conflicts(kind, envelope["type"]):
            message = f"the correlationId is recorded with type {kind}"
            return policy.outcome_body(
                Outcome("invalid", "envelope_correlation_conflict", "/correlationId", message)
            )
        return recorded
    return _accepted(major_one, tenant, body, envelope, trust, runs)


# ----------------------------------------------------------------------------------- steps


def _shape_of(major_one: MajorOne, body: JsonValue) -> Outcome | None:
    try:
        check_envelope(body["envelope"])
    except Violation as violation:
        return Outcome("invalid", "invalid_envelope_shape", violation.path, str(violation))
    return None


def _kind(major_one: MajorOne, body: JsonValue) -> Outcome | None:
    supported = tuple(body.get("hostSupportedEnvelopes", LISTED_KINDS))
    kind = body["envelope"]["type"]
    if major_one.policy.kind_known(kind, supported):
        return None
    message = "the kind is not in supportedEnvelopes"
    return Outcome("gated", "unknown_envelope_kind", "/type", message, supported)


def _payload(major_one: MajorOne, body: JsonValue) -> Outcome | None:
    envelope = body["envelope"]
    floor = body.get("schemaVersionFloor", {})
    if isinstance(floor, dict):
        floor = floor.get(envelope["type"], SCHEMA_VERSION)
    strictness: Strictness = body.get("envelopeStrictness", major_one.host.settings.strictness)
    emitted = envelope.get("schemaVersion", 0)
    if emitted > floor or (emitted < floor and strictness == "strict"):
        message = f"schemaVersion {emitted}, where {floor} is advertised"
        return Outcome("invalid", "unknown_schema_version", "/schemaVersion", message)
    if envelope["type"] == KIND:
        try:
            versions = major_one.host.settings.catalog_versions
            major_one.policy.check_payload(envelope["payload"], versions)
        except Violation as violation:
            path = f"/payload{violation.path}"
            return Outcome("invalid", violation.code, path, str(violation))
    return None


def _contract(major_one: MajorOne, body: JsonValue) -> Outcome | None:
    kind, allowed = body["envelope"]["type"], body.get("nodeAllowedKinds")
    if allowed is None or kind in (*UNIVERSAL_KINDS, *allowed):
        return None
    message = "the node's contract does not allow the kind"
    return Outcome("gated", "envelope_kind_not_allowed", "/type", message, tuple(allowed))


def _limits(major_one: MajorOne, body: JsonValue) -> Outcome | None:
    name = _COUNTED.get(body["envelope"]["type"], "envelopesPerTurn")
    counter = body.get("counters", {}).get(name)
    if counter is None or counter["current"] < counter["cap"]:
        return None
    return Outcome("breached", "cap_breached", message=f"{name}: {counter['cap']} is the cap")


def _redacted(major_one: MajorOne, body: JsonValue) -> JsonValue:
    """The envelope without the host's secrets, and without those the request calls its own."""
    redact = major_one.policy.redact
    envelope = redact(body["envelope"], major_one.host.settings.secrets)
    for canary in body.get("byokCanaries", ()):
        envelope = redact(envelope, {canary["secretId"]: canary["value"]})
    return envelope


# ----------------------------------------------------------------------------- correlation


def _recorded(
    major_one: MajorOne, tenant: str, body: JsonValue, envelope: JsonValue, runs: dict[str, Run]
) -> Iterator[tuple[str, JsonValue]]:
    """The type and the outcome under which a correlationId is known, wherever that is asked for."""
    correlation_id = envelope["correlationId"]
    host = major_one.host
    for scope in _scopes(major_one, runs):
        kept = host.store.kept_answer(tenant, f"{_KEPT_UNDER} {scope}", correlation_id)
        if kept is not None:
            yield kept.digest, kept.body
    for run in runs.values():
        found = host.state(run).correlations.get(correlation_id)
        if found is not None:
            kind, sequence = found
            (event,) = host.store.events(run.id, after=sequence - 1, before=sequence + 1)
            trust = event.get("contentTrust")
            outcome = Outcome("accepted", events=(event["eventId"],), trust=trust)
            yield kind, major_one.policy.outcome_body(outcome)
    for prior in body.get("priorCorrelations", ()):
        if prior["correlationId"] == correlation_id:
            yield prior["envelopeType"], prior["outcome"]


def _scopes(major_one: MajorOne, runs: dict[str, Run]) -> list[str]:
    """Where outcomes are kept: under the runs that are named, and for a host that remembers."""
    return [*runs, *([""] if major_one.policy.remembers else [])]


def _accepted(
    major_one: MajorOne,
    tenant: str,
    body: JsonValue,
    envelope: JsonValue,
    trust: str | None,
    runs: dict[str, Run],
) -> JsonValue:
    """Record the surface where it is to go, and its outcome under the runs that are named."""
    events: tuple[str, ...] = ()
    target = body.get("projectTo")
    if target is not None and envelope["type"] == KIND:
        run = runs[target["runId"]]
        if not major_one.records(run):
            refused = Outcome("refused", "run_terminal", message="the run has ended")
            return major_one.policy.outcome_body(refused)
        recorded = major_one.record(
            run,
            envelope["payload"],
            node_id=target.get("nodeId", envelope.get("nodeId")),
            correlation_id=envelope["correlationId"],
            trust=trust,
        )
        events = (recorded["eventId"],)
    outcome = Outcome("accepted", envelope_id=envelope["envelopeId"], events=events, trust=trust)
    answer = major_one.policy.outcome_body(outcome)
    for scope in _scopes(major_one, runs):
        kept = KeptAnswer(envelope["type"], 200, answer)
        place = f"{_KEPT_UNDER} {scope}"
        major_one.host.store.keep_answer(tenant, place, envelope["correlationId"], kept)
    return answer
