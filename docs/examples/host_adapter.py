"""A worked example of an adapter for a host: where it is, and how one gets in.

    openwop-conformance run py:host_adapter:MyHost
    openwop-conformance run 'py:host_adapter:MyHost?where=http://localhost:8080'

A host at a URL, or an ASGI application, that takes `Authorization: Bearer KEY` needs no adapter:
run it by its URL. Write one where requests have to be signed otherwise, or travel by other means.
It carries, and does nothing else: it repairs nothing and adds nothing.
"""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

from openwop_conformance import Bounds, Request, Response, Stream
from openwop_conformance.adapters.connect import connect_host

WHERE = "asgi:host_adapter:toy"
"""Where your host is: its URL, or asgi:your_package.module:app. The toy stands at the end."""


class MyHost:
    """Your host. What follows a `?` in the string that names it comes here as keyword arguments."""

    def __init__(self, where: str = WHERE) -> None:
        self.name = "py:host_adapter:MyHost" + (f"?where={where}" if where != WHERE else "")
        self._host = connect_host(where)

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Send one request, and give back the whole answer."""
        return await self._host.exchange(authenticated(request), bounds)

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        """Send one request, and give back the answer while it arrives."""
        async with self._host.stream(authenticated(request), bounds) as answer:
            yield answer

    async def close(self) -> None:
        """Let go of connections."""
        await self._host.close()


def authenticated(request: Request) -> Request:
    """The request as your host wants to be asked: the place for authentication.

    The suite puts `Authorization: Bearer KEY` on a request, with the key of OPENWOP_API_KEY, of
    another tenant, or a made-up one; or it puts none, to see a stranger refused. So translate the
    header that is there, as below for a host that wants X-Api-Key, and never add one of your own.
    """
    wants_api_key = False
    if not wants_api_key:
        return request
    headers = tuple(
        ("X-Api-Key", value.removeprefix("Bearer ")) if name == "Authorization" else (name, value)
        for name, value in request.headers
    )
    return replace(request, headers=headers)


# ------------------------------------------------------------------ a toy, until yours is there

DISCOVERY = {"protocolVersions": ["2.0"], "preferredVersion": "2.0", "fixtures": []}
ETAG = '"1"'


async def toy(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """An ASGI application that serves a discovery document, and has nothing else yet."""
    if scope["type"] != "http":
        return
    asked = {name.decode().lower(): value.decode("latin-1") for name, value in scope["headers"]}
    headers = {"content-type": "application/json", "openwop-version": "2.0"}
    body: object
    if scope["path"] != "/.well-known/openwop":
        status, body = 404, {"error": "not_found", "message": "nothing else is here"}
    elif not asked.get("openwop-version", "2.0").startswith("2."):
        status, body = 406, {"error": "protocol_version_unsupported", "message": "2.0 is spoken"}
    elif asked.get("if-none-match") == ETAG:
        status, body = 304, None
    else:
        status, body = 200, DISCOVERY
    lines = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": lines})
    text = b"" if body is None else json.dumps(body).encode()
    await send({"type": "http.response.body", "body": text})
