"""A host in this process: it streams, keeps its bounds, and answers as a served one does."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from time import perf_counter
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from openwop_conformance.adapters.asgi import AsgiApp, AsgiHost, Message
from openwop_conformance.adapters.host import Bounds, Host, Request
from openwop_conformance.adapters.host import Response as Answered
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError

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


# ------------------------------------------------------------------------- what goes and comes


def test_it_is_a_host() -> None:
    assert isinstance(AsgiHost(http_only(never), "app"), Host)


def test_the_scope_is_complete_and_the_path_is_decoded_beside_the_raw_one() -> None:
    seen: list[Message] = []

    async def app(scope: Message, receive: Receive, send: Send) -> None:
        seen.extend([scope, await receive()])
        await send(OK)
        await send(body())

    request = Request("POST", "/a%2Fb/%C3%A9?q=%20&r", (("X-One", "é"), ("x-one", "2")), b"hello")
    ask(app, request)
    scope, message = seen
    assert (scope["type"], scope["http_version"], scope["scheme"]) == ("http", "1.1", "http")
    assert (scope["method"], scope["root_path"]) == ("POST", "")
    assert (scope["path"], scope["raw_path"]) == ("/a/b/é", b"/a%2Fb/%C3%A9")
    assert scope["query_string"] == b"q=%20&r"
    assert scope["asgi"]["version"] == "3.0"
    assert len(scope["client"]) == len(scope["server"]) == 2
    headers = list(scope["headers"])
    assert headers[-2:] == [(b"x-one", "é".encode()), (b"x-one", b"2")]
    assert {(b"host", b"localhost"), (b"content-length", b"5")} <= {*headers}
    assert message == {"type": "http.request", "body": b"hello", "more_body": False}


def test_an_answer_is_read_as_it_was_sent() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        headers = [(b"X-One", b"a"), (b"x-one", b"\xe9")]
        await send({"type": "http.response.start", "status": 418, "headers": headers})
        await send(body(b"{", more=True))
        await send(body(b"", more=True))
        await send({"type": "http.response.body", "body": b"}"})

    answer = ask(app)
    assert (answer.status, answer.body) == (418, b"{}")
    assert answer.headers == (("x-one", "a"), ("x-one", "é"))
    assert answer.seconds > 0


def test_an_answer_to_head_has_no_body() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send({**OK, "headers": [(b"content-length", b"5")]})
        await send(body(b"12345"))

    assert ask(app, Request("HEAD", "/")).body == b""


def test_events_arrive_one_by_one_as_they_are_sent() -> None:
    sent: list[float] = []

    async def app(_: Message, __: Receive, send: Send) -> None:
        await send({**OK, "headers": [(b"content-type", b"text/event-stream")]})
        for number in range(6):
            await asyncio.sleep(0.05)
            sent.append(perf_counter())
            await send(body(b"data: %d\n\n" % number, more=True))
        await send(body())

    async def run() -> None:
        host = AsgiHost(http_only(app), "app")
        async with host.stream(GET, PATIENT) as answer:
            assert sent == []
            assert answer.headers == (("content-type", "text/event-stream"),)
            chunks = []
            async for chunk in answer.chunks():
                chunks.append(chunk)
                assert len(sent) == len(chunks)
        await host.close()
        assert [chunk.data for chunk in chunks] == [b"data: %d\n\n" % n for n in range(6)]
        assert all(later.at - sooner.at > 0.02 for sooner, later in pairwise(chunks))

    asyncio.run(run())


def test_an_app_cannot_run_ahead_of_its_reader() -> None:
    sent = 0

    async def app(_: Message, __: Receive, send: Send) -> None:
        nonlocal sent
        await send(OK)
        while True:
            await send(body(b"x", more=True))
            sent += 1

    async def run() -> None:
        host = AsgiHost(http_only(app), "app")
        async with host.stream(GET, PATIENT) as answer:
            chunks = answer.chunks()
            for read in range(1, 4):
                await anext(chunks)
                await asyncio.sleep(0.01)
                assert sent <= read + 1
        await host.close()

    asyncio.run(run())


# ----------------------------------------------------------------------------- bounds and faults


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


@pytest.mark.parametrize("app", [never, half, dripping, idling])
def test_an_app_that_does_not_come_to_an_end_is_ended_in_time(app: AsgiApp) -> None:
    began = perf_counter()
    assert refused(app, Bounds(read=0.1, total=0.3)).kind == "timeout"
    assert perf_counter() - began < 5.0


def test_the_read_bound_is_the_longest_silence() -> None:
    assert "0.05 s" in str(refused(half, Bounds(read=0.05, total=20.0)))


def test_a_body_over_the_bound_is_cut_there() -> None:
    sent = 0

    async def app(_: Message, __: Receive, send: Send) -> None:
        nonlocal sent
        await send(OK)
        while True:
            sent += 1
            await send(body(b"x" * 1000, more=True))

    assert refused(app, Bounds(read=20, total=20, body=10_000)).kind == "too-large"
    assert sent < 20


def test_a_coded_body_is_refused() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send({**OK, "headers": [(b"Content-Encoding", b"gzip")]})
        await send(body(b"bomb"))

    assert refused(app).kind == "transport"


async def raises_at_once(_: Message, __: Receive, ___: Send) -> None:
    raise ValueError("no such luck")


async def raises_in_its_body(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"x", more=True))
    raise ValueError("no such luck")


async def exits(_: Message, __: Receive, ___: Send) -> None:
    raise SystemExit("no such luck")


@pytest.mark.parametrize("app", [raises_at_once, raises_in_its_body, exits])
def test_an_exception_of_the_app_is_a_connection_cut_off(app: AsgiApp) -> None:
    error = refused(app)
    assert error.kind == "cut-off"
    assert "no such luck" in str(error)


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


@pytest.mark.parametrize(
    "app",
    [
        returns_at_once,
        returns_in_its_body,
        cancels_itself,
        declares(4),
        declares(6),
        sends(body(b"x")),
        sends(OK, OK),
        sends({**OK, "status": "200"}),
        sends({**OK, "headers": [(b"x", b"a\r\ny: b")]}),
        sends({**OK, "headers": [("x", "a")]}),
        sends({"type": "http.response.push"}),
    ],
)
def test_an_app_that_breaks_the_protocol_is_a_connection_cut_off(app: AsgiApp) -> None:
    assert refused(app).kind == "cut-off"


def test_an_exception_after_the_whole_answer_changes_nothing() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send(OK)
        await send(body(b"{}"))
        raise ValueError

    assert ask(app).body == b"{}"


@pytest.mark.parametrize(
    "request_",
    [Request("GET", "x"), Request("GET", "/", (("x", "hunter2\n"),)), Request("GET", "/é")],
)
def test_a_request_that_http_cannot_carry_is_not_sent(request_: Request) -> None:
    with pytest.raises(ExchangeError, match="not sent") as refusal:
        ask(raises_at_once, request_)
    assert "hunter2" not in str(refusal.value)


# ---------------------------------------------------------------------------- leaving and ending


def test_leaving_an_endless_stream_tells_the_app() -> None:
    told: list[str] = []

    async def app(_: Message, receive: Receive, send: Send) -> None:
        await receive()
        await send(OK)
        await send(body(b"x", more=True))
        told.append((await receive())["type"])
        with pytest.raises(OSError, match="disconnected"):
            await send(body(b"y", more=True))
        told.append("and send failed")

    async def run() -> None:
        host = AsgiHost(http_only(app), "app")
        async with host.stream(GET, PATIENT) as answer:
            await anext(answer.chunks())
        assert told == ["http.disconnect", "and send failed"]
        await host.close()

    asyncio.run(run())


@pytest.mark.parametrize("deaf", [False, True])
def test_an_app_that_does_not_listen_is_cancelled(deaf: bool) -> None:
    ended = False

    async def app(_: Message, __: Receive, send: Send) -> None:
        nonlocal ended
        try:
            await send(OK)
            while True:
                try:
                    await send(body(b"x", more=True))
                except OSError:
                    if not deaf:
                        await asyncio.sleep(3600)
        finally:
            ended = True

    async def run() -> None:
        host = AsgiHost(http_only(app), "app")
        async with host.stream(GET, PATIENT) as answer:
            await anext(answer.chunks())
        assert ended
        await host.close()

    asyncio.run(run())


def test_a_cancelled_exchange_ends_the_app() -> None:
    ended = False

    async def app(_: Message, __: Receive, ___: Send) -> None:
        nonlocal ended
        try:
            await asyncio.sleep(3600)
        finally:
            ended = True

    async def run() -> None:
        host = AsgiHost(http_only(app), "app")
        task = asyncio.create_task(host.exchange(GET, PATIENT))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert ended
        await host.close()

    asyncio.run(run())


def test_a_read_that_was_cancelled_never_looks_like_the_end() -> None:
    async def run() -> None:
        host = AsgiHost(http_only(half), "app")
        async with host.stream(GET, PATIENT) as answer:
            chunks = answer.chunks()
            assert (await anext(chunks)).data == b"x"
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(anext(chunks), 0.02)
            with pytest.raises(ExchangeError) as refusal:
                await anext(chunks)
        assert refusal.value.kind == "cut-off"
        await host.close()

    asyncio.run(run())


def test_an_app_may_go_on_after_its_answer() -> None:
    done = asyncio.Event()

    async def later() -> None:
        await asyncio.sleep(0.02)
        done.set()

    async def page(_: StarletteRequest) -> Response:
        return JSONResponse({}, background=BackgroundTask(later))

    async def run() -> None:
        host = AsgiHost(Starlette(routes=[Route("/", page)]), "app")
        assert (await host.exchange(GET, PATIENT)).status == 200
        async with asyncio.timeout(10.0):
            await done.wait()
        await host.close()

    asyncio.run(run())


def test_a_closed_host_and_another_loop_are_refused() -> None:
    host = AsgiHost(http_only(sends(OK, body())), "app")

    async def ask_once() -> None:
        await host.exchange(GET, PATIENT)

    asyncio.run(ask_once())
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(ask_once())

    async def closed() -> None:
        other = AsgiHost(http_only(sends(OK, body())), "app")
        await other.close()
        await other.close()
        await other.exchange(GET, PATIENT)

    with pytest.raises(UsageError, match="closed"):
        asyncio.run(closed())


def test_closing_the_host_cuts_off_what_is_being_read() -> None:
    async def run() -> None:
        host = AsgiHost(http_only(half), "app")
        async with host.stream(GET, PATIENT) as answer:
            chunks = answer.chunks()
            await anext(chunks)
            await host.close()
            with pytest.raises(ExchangeError) as refusal:
                await anext(chunks)
        assert refusal.value.kind == "cut-off"

    asyncio.run(run())


# -------------------------------------------------------------------------------------- lifespan


def test_the_lifespan_encloses_all_exchanges_and_its_state_reaches_them() -> None:
    log: list[str] = []

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[dict[str, str]]:
        await asyncio.sleep(0.02)
        log.append("up")
        yield {"store": "opened"}
        log.append("down")

    async def page(request: StarletteRequest) -> Response:
        log.append("asked")
        return JSONResponse(request.state.store)

    async def run() -> None:
        host = AsgiHost(Starlette(routes=[Route("/", page)], lifespan=lifespan), "app")
        answers = await asyncio.gather(*(host.exchange(GET, PATIENT) for _ in range(3)))
        assert [answer.body for answer in answers] == [b'"opened"'] * 3
        assert log == ["up", "asked", "asked", "asked"]
        await host.close()
        assert log[-1] == "down"

    asyncio.run(run())


def test_an_app_that_refuses_to_start_is_unreachable() -> None:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        raise ValueError("no database")
        yield

    async def run() -> None:
        host = AsgiHost(Starlette(lifespan=lifespan), "app")
        try:
            await host.exchange(GET, PATIENT)
        finally:
            await host.close()

    with pytest.raises(UnreachableError, match="no database"):
        asyncio.run(run())


def test_an_app_that_takes_for_ever_to_start_is_given_up() -> None:
    async def run() -> None:
        host = AsgiHost(never, "app")
        try:
            await host.exchange(GET, Bounds(total=0.1))
        finally:
            await host.close()

    with pytest.raises(ExchangeError) as refusal:
        asyncio.run(run())
    assert refusal.value.kind == "timeout"


async def answers_lifespan_as_http(_: Message, __: Receive, send: Send) -> None:
    await send(OK)
    await send(body(b"{}"))


async def returns_on_lifespan(scope: Message, _: Receive, send: Send) -> None:
    if scope["type"] == "http":
        await send(OK)
        await send(body(b"{}"))


@pytest.mark.parametrize("app", [answers_lifespan_as_http, returns_on_lifespan])
def test_an_app_without_lifespan_works(app: AsgiApp) -> None:
    async def run() -> bytes:
        host = AsgiHost(app, "app")
        answer = await host.exchange(GET, PATIENT)
        await host.close()
        return answer.body

    assert asyncio.run(run()) == b"{}"


# ----------------------------------------------------- the same app, in process and over a socket


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


def test_an_app_answers_alike_in_process_and_over_a_socket() -> None:
    async def run() -> None:
        config = uvicorn.Config(APP, port=0, log_config=None, lifespan="off")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        over_a_socket = HttpHost(f"http://127.0.0.1:{port}")
        in_process = AsgiHost(APP, "app")
        outcomes = [
            (await _outcome(over_a_socket, request), await _outcome(in_process, request))
            for request in REQUESTS
        ]
        await over_a_socket.close()
        await in_process.close()
        server.should_exit = True
        await serving
        for request, (socketed, direct) in zip(REQUESTS, outcomes, strict=True):
            assert direct == socketed, request
        statuses = [socketed[0] for socketed, _ in outcomes]
        assert {201, 200, 204, 307, 405, 500, "error"} == {*statuses}

    asyncio.run(run())
