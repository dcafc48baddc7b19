"""What the bodies of requests must look like: closed, and read strictly."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from ..errors import JsonError
from ..jsonvalue import JsonValue, parse
from ..schemas import compiled, problems
from .refusal import Refusal

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_TEXT: Final = {"type": "string"}
_OBJECT: Final = {"type": "object"}
OPTIONS: Final = {
    "configurable": _OBJECT,
    "tags": {"type": "array", "maxItems": 100, "items": {"type": "string", "maxLength": 256}},
    "metadata": _OBJECT,
}
UNPROVIDED: Final = ("callbackUrl", "residency", "mode", "evalSuiteRef", "agentId")
"""Members of a create that ask for what this host does not have."""


def closed(required: tuple[str, ...], **members: JsonValue) -> JsonValue:
    """The JSON Schema of an object with these members and no other."""
    return {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": members,
    }


_SHAPES: Final = {
    "createRun": closed(
        ("workflowId",),
        workflowId={"type": "string", "minLength": 1},
        inputs=True,
        tenantId=_TEXT,
        scopeId=_TEXT,
        **OPTIONS,
        **dict.fromkeys(UNPROVIDED, True),
    ),
    "cancelRun": closed((), reason=_TEXT),
    "forkRun": closed(
        ("mode",),
        mode={"enum": ["replay", "branch"]},
        fromSeq={"type": "integer", "minimum": 0},
        runOptionsOverlay=closed((), **OPTIONS),
    ),
    "resolveInterruptByRun": closed(("resumeValue",), resumeValue=_OBJECT),
    "emitA2uiSurface": closed(("runId", "envelope"), runId=_TEXT, envelope=True),
}
"""Each operation's body, as JSON Schema."""


def read(text: bytes, malformed: str = "validation_error") -> JsonValue:
    """The value of a body, ``{}`` when it is empty. Refused with the code ``malformed``."""
    if not text:
        return {}
    try:
        return parse(text)
    except JsonError:  # whose message may quote the text
        raise Refusal(malformed, "the body is not strict JSON") from None


def check(operation: str, body: JsonValue) -> None:
    """Refuse a body that is not of its operation's closed shape (``validation_error``)."""
    hold(_validator(operation), body)


def hold(validator: Draft202012Validator, body: JsonValue) -> None:
    """Refuse a body that is not of a shape (``validation_error``, ``details.path``)."""
    for problem in problems(validator, body):
        details = {"path": problem.path} if problem.path else {}
        raise Refusal("validation_error", f"the body: {problem.message}", details=details)


@cache
def _validator(operation: str) -> Draft202012Validator:
    return compiled(_SHAPES[operation])
