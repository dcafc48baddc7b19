"""Leaving an application early, closing it, and its lifespan."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from starlette.applications import Starlette
from starlette.background import BackgroundTask
from starlette.requests import Request as StarletteRequest
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from openwop_conformance.adapters.asgi import AsgiApp, AsgiHost, Message
from openwop_conformance.adapters.host import Bounds
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError

from .applications import (
    GET,
    OK,
    PATIENT,
    Receive,
    Send,
    answers_lifespan_as_http,
    body,
    half,
    http_only,
    never,
    returns_on_lifespan,
    sends,
)


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


@pytest.mark.parametrize("app", [answers_lifespan_as_http, returns_on_lifespan])
def test_an_app_without_lifespan_works(app: AsgiApp) -> None:
    async def run() -> bytes:
        host = AsgiHost(app, "app")
        answer = await host.exchange(GET, PATIENT)
        await host.close()
        return answer.body

    assert asyncio.run(run()) == b"{}"
