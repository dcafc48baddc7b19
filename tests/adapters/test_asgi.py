"""A host in this process: it streams, and answers as a served one does."""

from __future__ import annotations

import asyncio
from itertools import pairwise
from time import perf_counter

import uvicorn

from openwop_conformance.adapters.asgi import AsgiHost, Message
from openwop_conformance.adapters.host import Host, Request
from openwop_conformance.adapters.http import HttpHost

from .applications import (
    APP,
    GET,
    OK,
    PATIENT,
    REQUESTS,
    Receive,
    Send,
    _outcome,
    ask,
    body,
    http_only,
    never,
)


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
