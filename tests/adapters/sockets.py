"""Servers on loopback that do what a test says, and the asking of them through ``HttpHost``."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from time import perf_counter
from typing import TypeAlias

import pytest

from openwop_conformance.adapters.host import Bounds, Request, Response
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError, UnreachableError

Reader: TypeAlias = asyncio.StreamReader


Writer: TypeAlias = asyncio.StreamWriter


Handler: TypeAlias = Callable[[Reader, Writer], Awaitable[None]]


SHORT = Bounds(connect=1.0, read=0.2, total=0.5, body=1_000_000)


PATIENT = Bounds(connect=20.0, read=20.0, total=20.0)


GET = Request("GET", "/")


class Served:
    """A server on loopback: its URL, the request heads it read, and who has gone."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.heads: list[bytes] = []
        self.open = 0

    async def all_gone(self) -> None:
        async with asyncio.timeout(10.0):
            while self.open:
                await asyncio.sleep(0.005)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Served]:
    """Serve with ``handler`` after each request head; at the end, every client must be gone."""
    served: Served

    async def accept(reader: Reader, writer: Writer) -> None:
        served.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    served.heads.append(await reader.readuntil(b"\r\n\r\n"))
                    await handler(reader, writer)
                    await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            served.open -= 1

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    served = Served(server.sockets[0].getsockname()[1])
    try:
        yield served
        await served.all_gone()
    finally:
        server.close()
        await server.wait_closed()


def answering(raw: bytes) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(raw)

    return handler


def plain(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ask(
    handler: Handler, request: Request = GET, bounds: Bounds = PATIENT, prefix: str = ""
) -> tuple[Response, bytes]:
    """The answer to one request, and the head that the server read."""

    async def run() -> tuple[Response, bytes]:
        async with serving(handler) as served:
            host = HttpHost(served.url + prefix)
            response = await host.exchange(request, bounds)
            await host.close()
        return response, served.heads[0]

    return asyncio.run(run())


def refused(handler: Handler, bounds: Bounds = PATIENT) -> ExchangeError:
    """The error of one exchange; it must come within the total bound, and leave nothing open."""

    async def run() -> ExchangeError:
        async with serving(handler) as served:
            host = HttpHost(served.url)
            began = perf_counter()
            with pytest.raises(ExchangeError) as refusal:
                await host.exchange(GET, bounds)
            assert perf_counter() - began < bounds.total + 5.0  # a busy machine, not a hang
            await served.all_gone()  # before close: the exchange itself let go
            await host.close()
        return refusal.value

    return asyncio.run(run())


async def silence(reader: Reader, _: Writer) -> None:
    await reader.read()


async def headers_then_silence(reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1")
    await reader.read()


def drip(first: bytes, again: bytes) -> Handler:
    """One byte at a time, each soon enough for the read bound, for ever."""

    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(first)
        while True:
            for byte in again:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.01)

    return handler


def pour(first: bytes, again: bytes, pause: float = 0.0) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(first)
        while True:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(pause)

    return handler


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


def closing(raw: bytes) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()
        raise ConnectionError

    return handler


async def reset(_: Reader, writer: Writer) -> None:
    writer.transport.abort()
    raise ConnectionError


def unreachable(url: str) -> str:
    async def run() -> None:
        host = HttpHost(url)
        try:
            await host.exchange(GET, PATIENT)
        finally:
            await host.close()

    with pytest.raises(UnreachableError) as refusal:
        asyncio.run(run())
    assert url in str(refusal.value)
    return str(refusal.value)


def unreached(accept: Handler, context: ssl.SSLContext | None) -> str:
    """What is said of an https:// URL whose server answers the handshake as ``accept`` does."""

    async def run() -> str:
        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
        host = HttpHost(f"https://localhost:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(UnreachableError) as refusal:
            await host.exchange(GET, PATIENT)
        await host.close()
        server.close()
        await server.wait_closed()
        return str(refusal.value)

    return asyncio.run(run())
