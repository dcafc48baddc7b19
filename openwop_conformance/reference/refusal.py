"""How the reference host says no: one exception, with a registered code and closed details."""

from __future__ import annotations

from typing import Final

from ..a2ui.lock import LockViolation
from ..errors import ConformanceError, Violation
from ..jsonvalue import JsonValue
from ..wire.refusal import STATUS_OF

_PAYLOAD_RULES: Final = frozenset(
    {"branch", "surface-id-equality", "catalog-equality", "fold", "lock-policy", "lock"}
)


class Refusal(ConformanceError):
    """A request that the host does not carry out, for a reason with a registered code."""

    def __init__(
        self, code: str, message: str, *, details: dict[str, JsonValue] | None = None
    ) -> None:
        super().__init__(message)
        self.code, self.message, self.details = code, message, details or {}


def error_answer(
    code: str, message: str, details: dict[str, JsonValue]
) -> tuple[int, dict[str, JsonValue]]:
    """The status and the closed body of an error."""
    return STATUS_OF[code], error_body(code, message, details)


def error_body(code: str, message: str, details: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The closed body of an error, the same in both majors."""
    body: dict[str, JsonValue] = {"error": code, "message": message}
    return {**body, "details": details} if details else body


def of_violation(violation: Violation, envelope: JsonValue) -> Refusal:
    """The refusal of an envelope that breaks a rule of admission.

    ``details`` names the rule, the place as a JSON Pointer into the envelope, and what helps to
    find the cause: the message's index, the surface, the version.
    """
    details: dict[str, JsonValue] = {"rule": violation.rule}
    if violation.path:
        in_payload = violation.rule in _PAYLOAD_RULES
        details["path"] = f"/payload{violation.path}" if in_payload else violation.path
    parts = violation.path.split("/")
    if parts[1:2] == ["messages"] and parts[2:3] and parts[2].isdecimal():
        details["index"] = int(parts[2])
    payload = envelope.get("payload") if isinstance(envelope, dict) else None
    if violation.rule in _PAYLOAD_RULES and isinstance(payload, dict):
        surface_id = payload.get("surfaceId")
        if isinstance(surface_id, str) and len(surface_id) <= 128:
            details["surfaceId"] = surface_id
    if isinstance(violation, LockViolation):
        details["violation"] = violation.violation
    if violation.rule == "version":
        details["schemaVersion"] = envelope.get("schemaVersion", 0)
    return Refusal(violation.code, str(violation), details=details)
