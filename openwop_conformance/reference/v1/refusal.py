"""How major 1 says no: its own codes, each with one status, in the same closed envelope."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from ...errors import Violation
from ...jsonvalue import JsonValue
from ..refusal import Refusal, error_body

STATUS_OF: Final = MappingProxyType(
    {
        "idempotency_key_invalid": 400,
        "invalid_argument": 400,
        "protocol_version_mismatch": 400,
        "unsupported_stream_mode": 400,
        "validation_error": 400,
        "unauthenticated": 401,
        "forbidden": 403,
        "untrusted_content_blocks_approval": 403,
        "interrupt_not_found": 404,
        "not_found": 404,
        "run_not_found": 404,
        "workflow_not_found": 404,
        "idempotency_in_flight": 409,
        "idempotency_key_mismatch": 409,
        "run_no_longer_resumable": 409,
        "run_terminal": 409,
        "a2ui_surface_invalid": 422,
        "capability_not_provided": 422,
        "invalid_from_seq": 422,
        "internal_error": 500,
        "fork_from_seq_unsupported": 501,
    }
)


def error_answer(
    code: str, message: str, details: dict[str, JsonValue]
) -> tuple[int, dict[str, JsonValue]]:
    """The status and the closed body of an error."""
    return STATUS_OF[code], error_body(code, message, details)


def of_violation(violation: Violation) -> Refusal:
    """The refusal of a surface, with the rule and the place in its payload."""
    details: dict[str, JsonValue] = {"rule": violation.rule}
    if violation.path:
        details["path"] = violation.path
    return Refusal("a2ui_surface_invalid", str(violation), details=details)
