"""Leaving a stream early, cancelling, closing: nothing stays open."""

from __future__ import annotations

import asyncio

import pytest

from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError

from .sockets import (
    GET,
    PATIENT,
    SHORT,
    Handler,
    answering,
    headers_then_silence,
    plain,
    pour,
    serving,
    silence,
)


def test_leaving_an_endless_stream_closes_its_connection() -> None:
    async def run() -> None:
        handler = pour(b"HTTP/1.1 200 OK\r\n\r\n", b"data: x\n\n")
        async with serving(handler) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                async for chunk in answer.chunks():
                    assert chunk.data.startswith(b"data: x")
                    break
            await served.all_gone()
            await host.close()

    asyncio.run(run())


@pytest.mark.parametrize("handler", [silence, headers_then_silence])
def test_a_cancelled_exchange_leaves_no_connection(handler: Handler) -> None:
    async def run() -> None:
        async with serving(handler) as served:
            host = HttpHost(served.url)
            task = asyncio.create_task(host.exchange(GET, PATIENT))
            while not served.heads:
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await served.all_gone()
            await host.close()

    asyncio.run(run())


def test_no_moment_of_cancelling_leaves_a_connection() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            for turns_of_the_loop in range(40):
                task = asyncio.create_task(host.exchange(GET, PATIENT))
                for _ in range(turns_of_the_loop):
                    await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert served.heads
            await served.all_gone()
            await host.close()

    asyncio.run(run())


def test_a_read_that_was_cancelled_never_looks_like_the_end() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                chunks = answer.chunks()
                assert (await anext(chunks)).data == b"1"
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(anext(chunks), 0.05)
                with pytest.raises(ExchangeError) as refusal:
                    await anext(chunks)
            assert refusal.value.kind == "cut-off"
            await host.close()

    asyncio.run(run())


def test_closing_the_host_ends_a_stream_that_is_being_read() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                chunks = answer.chunks()
                await anext(chunks)
                reading = asyncio.ensure_future(anext(chunks))
                await asyncio.sleep(0)
                await host.close()
                with pytest.raises(ExchangeError):
                    await reading

    asyncio.run(run())


def test_an_error_of_the_reader_passes_through_the_stream() -> None:
    async def run() -> None:
        async with serving(answering(plain(b"{}"))) as served:
            host = HttpHost(served.url)
            with pytest.raises(KeyError):
                async with host.stream(GET, PATIENT):
                    raise KeyError
            await host.close()

    asyncio.run(run())


def test_a_closed_host_and_another_loop_are_refused() -> None:
    host = HttpHost("http://127.0.0.1:1")

    async def ask_once() -> None:
        await host.exchange(GET, SHORT)

    with pytest.raises(UnreachableError):
        asyncio.run(ask_once())
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(ask_once())
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(host.close())
    with pytest.raises(UsageError, match="closed"):
        asyncio.run(ask_once())


def test_many_streams_at_once_do_not_wait_for_each_other() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with asyncio.TaskGroup() as group:
                inside = asyncio.Barrier(30)

                async def one() -> None:
                    async with host.stream(GET, PATIENT):
                        await inside.wait()

                for _ in range(30):
                    group.create_task(one())
            await host.close()

    asyncio.run(run())
