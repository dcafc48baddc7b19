"""Major 1 as openwop-app speaks it: each behaviour in which its recorded answers differ.

A field that was set to something else already, as a sabotage does, stays as it was set.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from ...jsonvalue import JsonValue
from ...wire.kinds import UNIVERSAL_KINDS
from ..events import Event
from ..refusal import Refusal
from ..settings import CATALOG_VERSION, Dialect
from . import refusal
from .outcome import Outcome, accepted_members
from .policy import V1Policy
from .reading import log_answer


def _error_answer(
    code: str, message: str, details: dict[str, JsonValue]
) -> tuple[int, dict[str, JsonValue]]:
    """An invalid surface is told in a validator's words, outside the closed envelope."""
    status, body = refusal.error_answer(code, message, details)
    if code == "a2ui_surface_invalid":
        place = details.get("path", "")
        rule = str(details.get("rule"))
        body = {"error": code, "reason": message, "details": [_problem(place, rule, message)]}
    return status, body


def _problem(path: str, keyword: str, message: str) -> dict[str, JsonValue]:
    return {"instancePath": path, "schemaPath": "#", "keyword": keyword, "message": message}


def _check_fork_point(mode: str, point: int, last_sequence: int) -> None:
    if mode == "replay" and point != 0:
        raise Refusal(
            "fork_from_seq_unsupported",
            "a replay starts from 0 on this host",
            details={"mode": mode, "fromSeq": point},
        )


def _read_emit(body: JsonValue) -> tuple[str, JsonValue]:
    """Takes the inner tree, and the catalog's version beside it."""
    members = body if isinstance(body, dict) else {}
    run_id, surface = members.get("runId"), members.get("surface")
    if not isinstance(run_id, str) or not run_id:
        raise Refusal("invalid_argument", "runId required")
    if surface is None:
        raise Refusal("invalid_argument", "surface required")
    version = members.get("catalogVersion")
    version = version if isinstance(version, str) else CATALOG_VERSION
    return run_id, {"catalogVersion": version, "surface": surface}


def _emit_answer(event: Event) -> tuple[int, JsonValue]:
    return 201, {
        "eventId": event["eventId"],
        "sequence": event["sequence"],
        "surfaceRef": event["eventId"],
        "catalogVersion": event["payload"]["catalogVersion"],
    }


def _outcome_body(outcome: Outcome) -> JsonValue:
    """What is blocked is invalid here, and details are a validator's list."""
    status = "invalid" if outcome.status in ("blocked", "refused") else outcome.status
    body: dict[str, JsonValue] = {"status": status}
    if outcome.reason is not None:
        body["reason"] = outcome.reason
    if status == "invalid":
        problem = _problem(outcome.path or "", str(outcome.reason), outcome.message or "")
        body["details"] = [problem]
    if status == "gated":
        body["allowedKinds"] = [*UNIVERSAL_KINDS, *outcome.allowed]
    return body | accepted_members(outcome)


_OPENWOP_APP: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "error_answer": _error_answer,
        "malformed": "internal_error",
        "first_sequence": 1,
        "resolved_twice": "interrupt_not_found",
        "check_fork_point": _check_fork_point,
        "read_emit": _read_emit,
        "records_unknown": True,
        "records_ended": True,
        "emit_answer": _emit_answer,
        "remembers": True,
        "outcome_body": _outcome_body,
        "poll_answer": log_answer,
        "base": "tree",
    }
)


def spoken(policy: V1Policy, dialect: Dialect) -> V1Policy:
    """The policy in a dialect."""
    if dialect == "reference":
        return policy
    plain = V1Policy()
    changes = {k: v for k, v in _OPENWOP_APP.items() if getattr(policy, k) == getattr(plain, k)}
    return replace(policy, **changes)
