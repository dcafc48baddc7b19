"""How a request that changes something is carried out: its body, its key, one transaction."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response

from ..jsonvalue import JsonValue
from . import bodies
from .edge import HEARD, MAJOR, TENANT, error_body, json_response
from .host import Host
from .refusal import Refusal
from .store import KeptAnswer

Answer: TypeAlias = tuple[int, JsonValue]
Act: TypeAlias = Callable[[], Answer]
"""The half of a mutation that changes something; it never waits."""
Operation: TypeAlias = Callable[[Host, Request, JsonValue], Awaitable[Act]]
"""The half that looks: it may wait, and returns what is to be done."""
Check: TypeAlias = Callable[[JsonValue], None]
"""Refuses a body that is not of its operation's shape."""

_NOT_KEPT: Final = frozenset({400, 401, 403, 429, 500})
"""The statuses whose answers are not kept under an idempotency key."""


def mutation(
    operation: str, look: Operation, check: Check
) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a mutation."""
    in_flight: set[tuple[str, str]] = set()

    async def endpoint(request: Request) -> Response:
        host: Host = request.app.state.host
        tenant: str = request.scope[TENANT]
        text = await _body(request, host.settings.max_body_bytes)
        malformed = host.policy.v1.malformed if request.scope[MAJOR] == 1 else "validation_error"
        body = bodies.read(text, malformed)
        request.scope[HEARD] = body
        check(body)
        key = request.headers.get("idempotency-key")
        if key is None:
            act = await look(host, request, body)
            with host.transaction():
                return json_response(*act())
        if not host.policy.idempotency_key_valid(key):
            raise Refusal("idempotency_key_invalid", "Idempotency-Key breaks its grammar")
        digest = _digest(request.url.path, body)
        kept = host.store.kept_answer(tenant, operation, key)
        if kept is not None:
            if not host.policy.same_request(kept.digest, digest):
                raise Refusal("idempotency_key_mismatch", "the key was used for another request")
            marker = {"OpenWOP-Idempotent-Replay": "true"}
            return json_response(kept.status, kept.body, marker)
        claim = (tenant, key)
        if claim in in_flight:
            raise Refusal("idempotency_in_flight", "a request with the key is being carried out")
        in_flight.add(claim)
        try:
            return await _keeping(host, request, body, (tenant, operation, key), digest)
        finally:
            in_flight.discard(claim)

    async def _keeping(
        host: Host, request: Request, body: JsonValue, place: tuple[str, str, str], digest: str
    ) -> Response:
        try:
            act = await look(host, request, body)
            with host.transaction():
                status, answer = act()
                host.store.keep_answer(*place, KeptAnswer(digest, status, answer))
        except Refusal as refusal:
            status, answer = error_body(refusal, request.scope, host.policy, host.settings)
            if status not in _NOT_KEPT:
                host.store.keep_answer(*place, KeptAnswer(digest, status, answer))
            raise
        return json_response(status, answer)

    return endpoint


async def _body(request: Request, limit: int) -> bytes:
    """The whole body. Refused: ``validation_error`` as soon as it is over the limit."""
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise Refusal(
                "validation_error", "the body is too large", details={"maxRequestBodyBytes": limit}
            )
        parts.append(part)
    return b"".join(parts)


def _digest(path: str, body: JsonValue) -> str:
    """What a request is, for ``Idempotency-Key``: its path and its body's members in any order."""
    text = json.dumps([path, body], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
