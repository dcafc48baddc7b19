"""What holds for every request, whatever it asks: version, credential, and how it is refused.

The application behind it may assume a caller it knows, and simply raises what it refuses with.
"""

from __future__ import annotations

import traceback
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..jsonvalue import JsonValue, compact
from ..wire import discovery
from .events import Major
from .policy import Policy
from .refusal import Refusal
from .rules import LOG
from .settings import Settings

TENANT: Final = "openwop.tenant"
"""Where a scope holds the caller's tenant."""
HEARD: Final = "openwop.heard"
"""Where a scope holds the body that was read, for the redaction of errors."""
MAJOR: Final = "openwop.major"
"""Where a scope holds the major that is spoken: 1 or 2."""


def json_response(
    status: int, body: JsonValue, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer."""
    return Response(compact(body), status, headers, media_type="application/json")


def error_body(
    refusal: Refusal, scope: Scope, policy: Policy, settings: Settings
) -> tuple[int, JsonValue]:
    """The status and the body of a refusal, in the major that the request speaks."""
    answer = policy.v1.error_answer if scope[MAJOR] == 1 else policy.error_answer
    status, body = answer(refusal.code, refusal.message, refusal.details)
    return status, policy.redact_error(body, scope.get(HEARD), settings.secrets)


class Edge:
    """The outermost layer of the application, as ASGI middleware."""

    def __init__(self, app: ASGIApp, settings: Settings, policy: Policy) -> None:
        self.app, self.settings, self.policy = app, settings, policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        scope = {**scope, "path": _undecoded_path(scope)}
        scope[MAJOR] = self._major_of(scope)
        started = False

        async def versioned(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                policy = self.policy.v1 if scope[MAJOR] == 1 else self.policy
                version = policy.version_header
                if version is not None:
                    header = (b"openwop-version", version.encode())
                    message = {**message, "headers": [*message.get("headers", ()), header]}
            try:
                await send(message)
            except OSError as error:  # how a server says that the reader has gone
                raise ClientDisconnect from error

        try:
            self._admit(scope)
            await self.app(scope, receive, versioned)
        except ClientDisconnect:
            return
        except Refusal as refusal:
            await self._refused(refusal, scope)(scope, receive, versioned)
        except Exception as error:
            # the message of an error may hold what a caller sent, so only its place is logged
            where = "".join(traceback.format_tb(error.__traceback__))
            LOG.error("internal error, %s at\n%s", type(error).__name__, where)
            if started:
                raise
            failure = Refusal("internal_error", "the host failed; its log says where")
            await self._refused(failure, scope)(scope, receive, versioned)

    def _major_of(self, scope: Scope) -> Major:
        if scope["path"] == discovery.PATH:
            asked = Request(scope).headers.get("openwop-version")
            return 1 if self.policy.v1.negotiate(asked) else 2
        return 1 if f"{scope['path']}/".startswith("/v1/") else 2

    def _admit(self, scope: Scope) -> None:
        """Who asks is settled first, so that nothing else is told to a stranger."""
        request = Request(scope)
        if scope["path"] != discovery.PATH:
            authorization = request.headers.get("authorization")
            offered = None if authorization is None else authorization.encode("latin-1")
            tenant = self.policy.authenticate(offered, self.settings.keys, scope["path"])
            if tenant is None:
                raise Refusal("unauthenticated", "a bearer key of this host is required")
            scope[TENANT] = tenant
        self._negotiate(request, scope)

    def _negotiate(self, request: Request, scope: Scope) -> None:
        """Discovery is served in the version that is asked for; elsewhere the path says which."""
        asked = request.headers.get("openwop-version")
        first, second = self.policy.v1.negotiate(asked), self.policy.negotiate(asked)
        if first if scope[MAJOR] == 1 else second:
            return
        if scope["path"] != discovery.PATH and (scope[MAJOR] == 1 or first):
            raise Refusal("protocol_version_mismatch", "the path is of another major")
        raise Refusal(
            "protocol_version_unsupported",
            "the host does not list that version",
            details={"protocolVersions": self.policy.discovery(self.settings)["protocolVersions"]},
        )

    def _refused(self, refusal: Refusal, scope: Scope) -> Response:
        status, body = error_body(refusal, scope, self.policy, self.settings)
        challenge = {"WWW-Authenticate": "Bearer"} if status == 401 else None
        return json_response(status, body, challenge)


def _undecoded_path(scope: Scope) -> str:
    """The path as it was sent: an encoded slash stays inside its segment."""
    raw: bytes | None = scope.get("raw_path")
    return quote(scope["path"]) if raw is None else raw.partition(b"?")[0].decode("latin-1")
