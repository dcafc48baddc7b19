"""Hosts on real sockets: those that lie, stall, break off and shout, and ASGI ones served whole."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import uvicorn
from starlette.types import ASGIApp

from openwop_conformance.reference.discovery import document
from openwop_conformance.reference.settings import Settings
from openwop_conformance.wire.discovery import PATH


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Respond: TypeAlias = Callable[[Asked, asyncio.StreamWriter], Awaitable[None]]
"""Answers one request; the connection is closed when it returns."""


@contextmanager
def listening(respond: Respond) -> Iterator[str]:
    """Serve with ``respond`` from a thread; the URL."""
    tasks: set[asyncio.Task[Any]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await respond(await _asked(reader), writer)
        writer.close()

    async def serve(started: Callable[[str], None], stop: asyncio.Event) -> None:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        started(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await stop.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    with _in_thread(serve) as url:
        yield url


@contextmanager
def _in_thread(
    serve: Callable[[Callable[[str], None], asyncio.Event], Coroutine[Any, Any, None]],
) -> Iterator[str]:
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()
    ready = threading.Event()
    urls: list[str] = []

    def started(url: str) -> None:
        urls.append(url)
        ready.set()

    def work() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(serve(started, stop))

    thread = threading.Thread(target=work)
    thread.start()
    assert ready.wait(20)
    try:
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join(20)
        assert not thread.is_alive()


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Serve an ASGI application from a thread; the URL."""

    async def serve(started: Callable[[str], None], stop: asyncio.Event) -> None:
        config = uvicorn.Config(
            app, port=0, ws="none", log_config=None, timeout_graceful_shutdown=1
        )
        server = uvicorn.Server(config)
        task = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        started(f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}")
        await stop.wait()
        server.should_exit = True
        await task

    with _in_thread(serve) as url:
        yield url


async def _asked(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, target, _ = head[0].split(" ", 2)
    lines = [line.partition(":") for line in head[1:] if line]
    headers = {name.lower(): value.strip() for name, _, value in lines}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Asked(method, target, headers, body)


# --------------------------------------------------------------------------------- behaviours


def http(status: int, body: bytes, *headers: str) -> bytes:
    """An answer's bytes."""
    lines = [f"HTTP/1.1 {status} Whatever", "Content-Type: application/json", *headers]
    lines += [f"Content-Length: {len(body)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode() + body


def always(raw: bytes) -> Respond:
    """The same bytes, whatever is asked."""

    async def respond(asked: Asked, writer: asyncio.StreamWriter) -> None:
        writer.write(raw)
        await writer.drain()

    return respond


async def never(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Read the request, and say nothing."""
    await asyncio.sleep(3600)


async def for_ever(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """A little more of the answer every few milliseconds, without end."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
    while True:
        writer.write(b": more\n\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def gigabyte(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """One GB of JSON text."""
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\nConnection: close\r\n\r\n[")
    for _ in range(16384):
        writer.write(b" " * 65536)
        await writer.drain()


async def at_once(asked: Asked, writer: asyncio.StreamWriter) -> None:
    """Close without a byte."""


CUT_OFF = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"
GARBAGE = b"\x00\xff\x1b[31m this is no HTTP \r\n\r\n\r\n"


def claiming_all(rest: Respond) -> Respond:
    """The reference's discovery document, and ``rest`` for everything else."""
    discovery = always(http(200, json.dumps(document(Settings())).encode()))

    async def respond(asked: Asked, writer: asyncio.StreamWriter) -> None:
        await (discovery if asked.target == PATH else rest)(asked, writer)

    return respond


BODIES = {
    "deep": b"[" * 100_000 + b"]" * 100_000,
    "huge": b'{"pad": "' + b"x" * (17 * 1024 * 1024) + b'"}',
    "duplicate keys": b'{"runId": "a/b", "runId": "a/c"}',
    "NaN": b'{"runId": NaN}',
    "infinite": b'{"runId": 1e999}',
    "not UTF-8": b'{"runId": "\xff\xfe"}',
    "lone surrogate": b'{"runId": "\\ud800"}',
    "endless integer": b'{"sequence": ' + b"9" * 5000 + b"}",
    "nothing": b"",
}
"""Bodies that no strict reader takes."""
