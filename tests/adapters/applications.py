"""ASGI applications that do what a test says, and the asking of them through ``AsgiHost``."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from openwop_conformance.adapters.asgi import AsgiApp, AsgiHost, Message
from openwop_conformance.adapters.host import Bounds, Host, Request
from openwop_conformance.adapters.host import Response as Answered
from openwop_conformance.errors import ExchangeError

Receive = Callable[[], Awaitable[Message]]


Send = Callable[[Message], Awaitable[None]]


GET = Request("GET", "/")


PATIENT = Bounds(connect=20.0, read=20.0, total=20.0)


OK: Message = {"type": "http.response.start", "status": 200, "headers": []}


def body(data: bytes = b"", more: bool = False) -> Message:
    return {"type": "http.response.body", "body": data, "more_body": more}


def http_only(app: AsgiApp) -> AsgiApp:
    async def wrapped(scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise NotImplementedError
        await app(scope, receive, send)

    return wrapped


def ask(app: AsgiApp, request: Request = GET, bounds: Bounds = PATIENT) -> Answered:
    async def run() -> Answered:
        host = AsgiHost(http_only(app), "app")
        try:
            return await host.exchange(request, bounds)
        finally:
            await host.close()

    return asyncio.run(run())


def refused(app: AsgiApp, bounds: Bounds = PATIENT) -> ExchangeError:
    with pytest.raises(ExchangeError) as refusal:
        ask(app, bounds=bounds)
    return refusal.value


async def never(_: Message, __: Receive, ___: Send) -> None:
    await asyncio.sleep(3600)


async def half(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"x", more=True))
    await asyncio.sleep(3600)


async def dripping(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    while True:
        await asyncio.sleep(0.01)
        await send(body(b"x", more=True))


async def idling(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    while True:
        await send(body(b"", more=True))


async def raises_at_once(_: Message, __: Receive, ___: Send) -> None:
    raise ValueError("no such luck")


async def raises_in_its_body(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"x", more=True))
    raise ValueError("no such luck")


async def exits(_: Message, __: Receive, ___: Send) -> None:
    raise SystemExit("no such luck")


async def returns_at_once(_: Message, __: Receive, ___: Send) -> None: ...


async def returns_in_its_body(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"x", more=True))


async def cancels_itself(_: Message, __: Receive, ___: Send) -> None:
    raise asyncio.CancelledError


def declares(length: int) -> AsgiApp:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send({**OK, "headers": [(b"content-length", str(length).encode())]})
        await send(body(b"12345"))

    return app


def sends(*messages: Message) -> AsgiApp:
    async def app(_: Message, __: Receive, send: Send) -> None:
        for message in messages:
            await send(message)

    return app


async def answers_lifespan_as_http(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"{}"))


async def returns_on_lifespan(scope: Message, _: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send(OK)
        await send(body(b"{}"))


async def _echo(request: StarletteRequest) -> Response:
    mirrored = {
        "method": request.method,
        "path": request.scope["path"],
        "raw_path": request.scope["raw_path"].decode(),
        "query": request.scope["query_string"].decode(),
        "headers": [
            [name.decode(), value.decode("latin-1")]
            for name, value in request.scope["headers"]
            if name != b"host"
        ],
        "body": (await request.body()).decode(),
    }
    return JSONResponse(mirrored, 201, {"X-Twice": "a"})


async def _stream(request: StarletteRequest) -> Response:
    async def parts() -> AsyncIterator[bytes]:
        for number in range(3):
            yield b"data: %d\n\n" % number
        if "break" in request.query_params:
            raise ValueError("broken")

    return StreamingResponse(parts(), media_type="text/event-stream")


async def _empty(_: StarletteRequest) -> Response:
    return Response(status_code=204)


async def _moved(_: StarletteRequest) -> Response:
    return Response(status_code=307, headers={"location": "/elsewhere"})


async def _broken(_: StarletteRequest) -> Response:
    raise ValueError("broken")


METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]


APP = Starlette(
    routes=[
        Route("/stream", _stream),
        Route("/empty", _empty),
        Route("/moved", _moved),
        Route("/broken", _broken),
        Route("/{rest:path}", _echo, methods=METHODS),
    ]
)


REQUESTS = [
    *(Request(method, "/echo") for method in METHODS),
    Request(
        "POST", "/v1/runs?x=1&x=%20&y", (("Accept", "a"), ("ACCEPT", "b")), b'{"a":"\xc3\xa9"}'
    ),
    Request("POST", "/v1/runs", (("Content-Type", "application/json"),), b""),
    Request("GET", "/a%2Fb/%E2%82%AC//./../%ff?q=%2f?"),
    Request("GET", "/", (("last-event-id", "é "), ("authorization", "Bearer s"), ("host", "h:1"))),
    Request("OPTIONS", "/echo"),
    Request("GET", "/stream"),
    Request("GET", "/stream?break"),
    Request("HEAD", "/stream"),
    Request("GET", "/empty"),
    Request("GET", "/moved"),
    Request("GET", "/broken"),
    Request("GET", "/a b"),
]


async def _outcome(host: Host, request: Request) -> tuple[Any, ...]:
    """All of an answer but what only a server adds, or the kind of the error."""
    try:
        answer = await host.exchange(request, PATIENT)
    except ExchangeError as error:
        return ("error", error.kind)
    added = ("date", "server", "connection", "transfer-encoding")
    headers = [header for header in answer.headers if header[0] not in added]
    text = answer.body.decode()
    return (answer.status, headers, json.loads(text) if text[:1] == "{" else text)
