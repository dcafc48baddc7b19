"""Whether a scenario binds this subject at all, decided before its first step.

Facts about the subject come first: what it does not claim makes a row inapplicable, whatever else
is missing. What the operator did not give, or what is claimed and not served, comes after.
"""

from __future__ import annotations

from typing import Final

from ..a2ui.catalog import KIND
from ..adapters.operations import EMIT_SURFACE, V2
from ..jsonvalue import brief
from ..scenario.model import Scenario
from ..wire.discovery import SEAMS_PROFILE, Claims
from ..wire.discovery_v1 import ClaimsV1
from .credentials import CANARY, OTHER_KEY
from .offers import LOCKED, NO_LOCKS, missing
from .session import Session
from .verdict import Blocked, Inapplicable, Skipped

_OPERATOR: Final = {
    "second-tenant": f"no second tenant's key was given ({OTHER_KEY})",
    "canary": f"no canary was given: the value of a secret that the host holds ({CANARY})",
}


async def decide(session: Session, scenario: Scenario) -> None:
    """Return when the scenario may run; else raise ``Inapplicable``, ``Blocked`` or ``Skipped``."""
    if scenario.subject != "host":
        fact = missing(scenario, await session.offer())
        if fact is not None:
            raise Inapplicable(fact)
        return
    if scenario.major == 1:
        await _decide_v1(session, scenario)
        return
    try:
        claims = await session.claims()
    except Blocked:
        if scenario.needs:
            raise
        return
    for need in scenario.needs:
        fact = _missing_claim(need, claims)
        if fact is not None:
            raise Inapplicable(fact)
    _require_operator(session, scenario)
    if "seam.emit-surface" in scenario.needs:
        await require_seam(session)


def _require_operator(session: Session, scenario: Scenario) -> None:
    for need in scenario.needs:
        if need in session.options.opted_out:
            raise Skipped(f"the operator opted out of {need}")
    for need in scenario.needs:
        if need in _OPERATOR and need not in session.credentials.given():
            raise Blocked(_OPERATOR[need])


async def _decide_v1(session: Session, scenario: Scenario) -> None:
    """The same for major 1, where what the seams take is found out by asking them."""
    claims = await session.claims_v1()
    for need in scenario.needs:
        fact = _missing_claim_v1(need, claims)
        if fact is not None:
            raise Inapplicable(fact)
    _require_operator(session, scenario)
    if not any(need.startswith(("seam.", "fork.")) for need in scenario.needs):
        return
    dialect = await session.dialect()
    if "seam.show" in scenario.needs and dialect.seam == "unserved":
        raise Inapplicable("the emit-surface seam of major 1, which is optional, is not served")
    if "seam.accept" in scenario.needs and not dialect.accepts:
        raise Inapplicable("the acceptor seam of major 1, which is optional, is not served")
    if "fork.point" in scenario.needs and dialect.fork != "point":
        raise Inapplicable("a run can be forked from its start alone, not at a recorded event")


def _missing_claim_v1(need: str, claims: ClaimsV1) -> str | None:
    kind, _, value = need.partition(".")
    if kind in ("kind", "delta", "seam") and KIND not in claims.kinds:
        return f"supportedEnvelopes does not list {KIND}"
    if kind in ("kind", "delta") and claims.version < 1:
        return f"schemaVersions advertises no version of {KIND}"
    if kind == "delta" and not claims.delta:
        return "a2uiSurface.deltaTransport is not claimed"
    if kind == "fixture" and value not in claims.fixtures:
        return f"fixtures does not list {value}"
    return None


def _missing_claim(need: str, claims: Claims) -> str | None:
    """The fact about the host that makes a need unmet, or ``None``."""
    kind, _, value = need.partition(".")
    if kind in ("seams", "seam"):
        if not claims.seams:
            return f"conformance.seamsProfile is not {SEAMS_PROFILE}"
        if kind == "seam" and KIND not in claims.kinds:
            return f"supportedEnvelopes.kinds does not list {KIND}"
        if kind == "seam" and claims.floor < 1:
            return f"schemaVersions.kinds advertises no version of {KIND}"
    elif kind == "floor" and claims.floor != int(value):
        return f"schemaVersions.kinds advertises {claims.floor} for {KIND}, not {value}"
    elif need == LOCKED and not claims.locks:
        return NO_LOCKS
    elif kind == "strictness" and claims.strictness != value:
        return f"envelopeStrictness.mode is {claims.strictness}, not {value}"
    elif kind == "fixture" and value not in claims.fixtures:
        return f"fixtures does not list {value}"
    elif kind in ("replay", "branch") and kind not in claims.fork_modes:
        modes = brief(sorted(claims.fork_modes))
        return f"replay.modes is {modes}: {kind} is not offered"
    return None


async def require_seam(session: Session) -> None:
    """Raise ``Blocked`` when the seam that discovery declares does not answer; asked once a run.

    The probe is a body that every host has to refuse, so only a path that is not there answers
    404 or 405.
    """
    async with session.seam_lock:
        if not session.seam_probed:
            session.seam_probed = True
            request = V2.post(EMIT_SURFACE, {})
            response = await session.send(request, "owner")
            if response.status in (404, 405):
                session.seam_fault = (
                    f"the seams profile is declared, but the seam answers {response.status}"
                )
    if session.seam_fault is not None:
        raise Blocked(session.seam_fault)
