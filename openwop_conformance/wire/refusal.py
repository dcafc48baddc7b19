"""The closed error envelope, and the registered codes with the one status each of them has."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import Final

from ..jsonvalue import JsonValue
from ..schemas import problems, validator

STATUS_OF: Final = MappingProxyType(
    {
        "validation_error": 400,
        "unsupported_stream_mode": 400,
        "protocol_version_mismatch": 400,
        "idempotency_key_invalid": 400,
        "unauthenticated": 401,
        "credential_revoked": 401,
        "interrupt_token_invalid": 401,
        "forbidden": 403,
        "id_tenant_mismatch": 403,
        "run_forbidden": 403,
        "not_found": 404,
        "interrupt_not_found": 404,
        "replay_source_missing": 404,
        "protocol_version_unsupported": 406,
        "envelope_correlation_conflict": 409,
        "idempotency_in_flight": 409,
        "idempotency_key_mismatch": 409,
        "interrupt_already_resolved": 409,
        "replay_memory_snapshot_unavailable": 409,
        "run_already_active": 409,
        "run_terminal": 409,
        "interrupt_expired": 410,
        "capability_not_provided": 422,
        "capability_required": 422,
        "envelope_invalid": 422,
        "envelope_refusal": 422,
        "fork_point_invalid": 422,
        "unknown_envelope_kind": 422,
        "unknown_schema_version": 422,
        "client_version_unsupported": 426,
        "rate_limited": 429,
        "event_type_unmapped": 500,
        "internal_error": 500,
        "payload_unprojectable": 500,
    }
)
"""The registered codes that a host meets here. Major 2 gives each one status."""

_VENDOR: Final = re.compile(r"(?!openwop\.)[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z][a-z0-9_]*", re.ASCII)


def code_of(body: JsonValue) -> str | None:
    """The code of an error body, or ``None`` when it has none at its root."""
    code = body.get("error") if isinstance(body, dict) else None
    return code if isinstance(code, str) else None


def rule_of(body: JsonValue) -> str | None:
    """The rule that the host says was broken (``details.rule``), where it says one."""
    details = body.get("details") if isinstance(body, dict) else None
    rule = details.get("rule") if isinstance(details, dict) else None
    return rule if isinstance(rule, str) else None


def problem_of(status: int, body: JsonValue) -> str | None:
    """What is wrong with an error answer of major 2 as such, or ``None``."""
    for problem in problems(validator("error-envelope"), body):
        return f"the error body is not the closed envelope: {problem.message}"
    code = body["error"]
    if code in STATUS_OF:
        if STATUS_OF[code] != status:
            return f"{code} is registered with status {STATUS_OF[code]}, not {status}"
    elif not _VENDOR.fullmatch(code):
        return f"{code!r} is neither a registered code nor a vendor's (org.name)"
    return None
