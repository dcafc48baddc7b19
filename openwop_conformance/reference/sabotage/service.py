"""Breaks of what every request meets: keys, tenants, errors, discovery, secrets, the seam."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...jsonvalue import JsonValue
from ..discovery import document
from ..policy import authenticate
from ..redaction import Secrets, redact
from ..refusal import error_answer
from ..settings import Settings
from .model import Change, Sabotage, set_to


def _any_key(authorization: bytes | None, keys: Mapping[str, str], path: str) -> str | None:
    """Every bearer key that is no tenant's is the first tenant's."""
    if not authorization:
        return None
    named = [t for t, key in keys.items() if authorization == f"Bearer {key}".encode()]
    return (named or list(keys))[0]


def _existence_first(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Looks for the run before it looks at the key."""
    key = next(iter(settings.keys.values()))

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/runs/"):
            await app(scope, receive, send)
            return
        answer: list[Message] = []

        async def keep(message: Message) -> None:
            answer.append(message)

        snapshot = b"/".join(scope["raw_path"].split(b"/")[:3]).partition(b":")[0]
        probe = {
            **scope,
            "method": "GET",
            "path": snapshot.decode(),
            "raw_path": snapshot,
            "query_string": b"",
            "headers": [(b"authorization", f"Bearer {key}".encode())],
        }
        await app(probe, receive, keep)
        if answer[0]["status"] == 404:
            for message in answer:
                await send(message)
        else:
            await app(scope, receive, send)

    return wrapped


def _without_key(place: str) -> Change:
    """Takes a caller without a key, on paths that hold ``place``, for the first tenant."""

    def opened(offered: bytes | None, keys: Mapping[str, str], path: str) -> str | None:
        if offered is None and place in path:
            return next(iter(keys))
        return authenticate(offered, keys, path)

    return set_to(authenticate=opened)


def _open_body(code: str, message: str, details: dict[str, JsonValue]) -> tuple[int, JsonValue]:
    status, body = error_answer(code, message, details)
    return status, {**body, "stack": "at admit (host.py)"}


def _other_status(code: str, message: str, details: dict[str, JsonValue]) -> tuple[int, JsonValue]:
    status, body = error_answer(code, message, details)
    return 422 if status == 400 else status, body


def _other_code(code: str, message: str, details: dict[str, JsonValue]) -> tuple[int, JsonValue]:
    status, body = error_answer(code, message, details)
    return status, {**body, "error": "bad_mode"} if code == "unsupported_stream_mode" else body


def _advertising(**members: Any) -> Callable[[Settings], dict[str, JsonValue]]:
    return lambda settings: {**document(settings), **members}


def _with_facet(settings: Settings) -> dict[str, JsonValue]:
    found = document(settings)
    facet = {"example.a2ui-surface": {"deltaTransport": True}}
    return {**found, "extensions": {**found.get("extensions", {}), **facet}}


def _test_flag(settings: Settings) -> dict[str, JsonValue]:
    found = document(settings)
    return {**found, "conformance": {**found["conformance"], "testSeams": True}}


def _values_only(value: JsonValue, secrets: Secrets) -> JsonValue:
    """Redacts values and forgets that a member's name can be a secret."""
    if isinstance(value, dict):
        return {key: _values_only(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_values_only(item, secrets) for item in value]
    return redact(value, secrets)


SABOTAGES: Final = (
    Sabotage("existence-before-auth", "a missing run is told to a stranger", wrap=_existence_first),
    Sabotage("any-key-accepted", "any bearer key will do", set_to(authenticate=_any_key)),
    Sabotage(
        "tenants-mixed",
        "a key opens the runs of every tenant",
        set_to(visible=lambda run_id, tenant: True),
    ),
    Sabotage("error-body-open", "errors carry a stack", set_to(error_answer=_open_body)),
    Sabotage(
        "error-status-wrong", "what is registered as 400 is 422", set_to(error_answer=_other_status)
    ),
    Sabotage(
        "error-code-unregistered",
        "an unsupported stream mode has a code of the host's own",
        set_to(error_answer=_other_code),
    ),
    Sabotage(
        "discovery-root-open",
        "discovery has the profiles of major 1",
        set_to(discovery=_advertising(profiles=["openwop-core"])),
    ),
    Sabotage(
        "test-flag-advertised", "discovery has a testSeams flag", set_to(discovery=_test_flag)
    ),
    Sabotage(
        "deprecated-facet-advertised",
        "discovery advertises deltaTransport in major 2",
        set_to(discovery=_with_facet),
    ),
    Sabotage("etag-missing", "discovery has no ETag", set_to(etag=lambda document: None)),
    Sabotage(
        "version-header-missing",
        "answers do not say their version",
        set_to(version_header=None),
    ),
    Sabotage(
        "seam-answers-200",
        "the seam answers 200",
        set_to(seam_answer=lambda sequence: (200, {"sequence": sequence})),
    ),
    Sabotage(
        "seam-answers-more",
        "the seam answers more than the sequence",
        set_to(seam_answer=lambda sequence: (201, {"sequence": sequence, "debug": True})),
    ),
    Sabotage("seam-without-key", "the seam needs no key", _without_key("/seams/")),
    Sabotage("approval-without-key", "an approval needs no key", _without_key("/interrupts/")),
    Sabotage(
        "secret-in-log",
        "surfaces are recorded without redaction",
        set_to(redact=lambda value, secrets: value),
    ),
    Sabotage(
        "secret-in-error",
        "errors repeat what they were sent",
        set_to(redact_error=lambda body, heard, secrets: body),
    ),
    Sabotage(
        "secret-in-names",
        "the names of members are not redacted",
        set_to(redact=_values_only),
    ),
)
