"""A host in this process: an ASGI 3 application, driven so that its answer really streams.

The rules of an exchange are ``exchange``'s; a chunk reaches the reader in the moment the
application sends it, and no socket or HTTP library is involved.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from time import perf_counter
from typing import Any, Final, NoReturn, TypeAlias
from urllib.parse import unquote

from ..errors import ExchangeError, UnreachableError, UsageError
from .exchange import (
    Answer,
    Headers,
    is_header,
    read_headers,
    read_whole,
    same_loop,
    wire_headers,
)
from .host import Bounds, Chunk, Request, Response
from .within import within

Message: TypeAlias = MutableMapping[str, Any]
AsgiApp: TypeAlias = Callable[
    [Message, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]],
    Awaitable[None],
]

_AUTHORITY: Final = "localhost"
_ASGI: Final = {"version": "3.0", "spec_version": "2.3"}
_GRACE: Final = 0.05
"""Seconds an application has after ``http.disconnect`` before it is cancelled."""
_STUBBORN: Final = 1.0
"""Seconds to wait for an application that was cancelled or told to shut down."""


class AsgiHost:
    """A host that is an ASGI application. ``name`` is how reports call it.

    The lifespan protocol runs where the application speaks it: startup before the first
    exchange, shutdown in ``close``. An application that raises, or stops before its answer is
    whole, reads as a closed connection: ``ExchangeError("cut-off")``. One that blocks the event
    loop cannot be interrupted. Like ``HttpHost`` it belongs to one event loop.
    """

    def __init__(self, app: AsgiApp, name: str) -> None:
        self.name = name
        self.app = app
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lifespan: _Lifespan | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._closed = False

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Send one request and read its whole answer."""
        return await read_whole(self.stream(request, bounds))

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Answer]:
        """Send one request and read its answer as it arrives.

        Leaving before the end sends ``http.disconnect``, then cancels the application's task. An
        application that has answered in full may go on after that, as on a real server.
        """
        until = asyncio.get_running_loop().time() + bounds.total
        lifespan = self._opened()
        scope = _scope(request, wire_headers(request, _AUTHORITY))
        if not lifespan.ready.is_set():
            async with within(bounds.total, until, f"the startup of {self.name}"):
                await lifespan.ready.wait()
        if self._closed:
            raise ExchangeError("cut-off", f"{self.name} was closed before it had started")
        if lifespan.failure is not None:
            raise UnreachableError(f"{self.name} did not start: {lifespan.failure}")
        scope["state"] = dict(lifespan.state)
        call = _Call(scope, request.body or b"", bounds.read)
        task = self._spawn(call.run(self.app))
        try:
            async with within(bounds.total, until, "the answer"):
                status, headers = await call.begun()
            yield Answer(status, headers, call.pull, bounds, until)
        finally:
            await call.leave(task)

    async def close(self) -> None:
        """Cancel what still runs, and shut the application down. Once closed, it stays so."""
        if self._closed or self._lifespan is None:
            self._closed = True
            return
        same_loop(self._loop, self.name)
        self._closed = True
        for task in list(self._tasks):
            await _end(task, grace=_GRACE)
        await self._lifespan.shut_down()

    def _opened(self) -> _Lifespan:
        if self._closed:
            raise UsageError(f"{self.name} was closed; connect again")
        if self._lifespan is None:
            self._loop = asyncio.get_running_loop()
            self._lifespan = _Lifespan(self.app)
        same_loop(self._loop, self.name)
        return self._lifespan

    def _spawn(self, work: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _scope(request: Request, headers: list[tuple[bytes, bytes]]) -> dict[str, Any]:
    raw_path, _, query = request.target.partition("?")
    return {
        "type": "http",
        "asgi": dict(_ASGI),
        "http_version": "1.1",
        "method": request.method.upper(),
        "scheme": "http",
        "path": unquote(raw_path),
        "raw_path": raw_path.encode("ascii"),
        "query_string": query.encode("ascii"),
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 49152),
        "server": (_AUTHORITY, 80),
    }


async def _end(task: asyncio.Task[None], *, grace: float) -> None:
    """Wait for a task for ``grace`` seconds, then cancel it; never longer than it is worth."""
    try:
        await asyncio.wait({task}, timeout=grace)
    finally:
        task.cancel()
    await asyncio.wait({task}, timeout=_STUBBORN)


def _said(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}" if text else type(error).__name__


class _Call:
    """One request under way: what the application receives, and what it sends.

    At most one chunk waits to be read; the application's next ``send`` waits with it.
    """

    def __init__(self, scope: dict[str, Any], body: bytes, read: float) -> None:
        self._scope, self._body, self._read = scope, body, read
        self._asked = False
        self._status: int | None = None
        self._headers: Headers = ()
        self._length: int | None = None
        self._bodiless = False
        self._sent = 0
        self._complete = False
        self._gone = False
        self._begun = asyncio.Event()
        self._over = asyncio.Event()
        self._room = asyncio.Semaphore(1)
        self._chunks: asyncio.Queue[Chunk | None] = asyncio.Queue()
        self._failure: ExchangeError | None = None

    # ------------------------------------------------------------------ the reader's side

    async def begun(self) -> tuple[int, Headers]:
        """The status and the headers, as soon as the application has sent them."""
        until = asyncio.get_running_loop().time() + self._read
        async with within(self._read, until, "the wait for an answer's headers"):
            await self._begun.wait()
        if self._status is None:
            raise self._failure or ExchangeError("cut-off", "the app sent nothing")
        return self._status, self._headers

    async def pull(self) -> Chunk | None:
        """The next chunk, or ``None`` at the end of the body."""
        if self._chunks.empty():
            until = asyncio.get_running_loop().time() + self._read
            async with within(self._read, until, "the wait for more of the body"):
                chunk = await self._chunks.get()
        else:
            chunk = self._chunks.get_nowait()
        if chunk is not None:
            self._room.release()
        elif self._failure is not None:
            raise self._failure
        return chunk

    async def leave(self, task: asyncio.Task[None]) -> None:
        """Let the application know that nobody reads any more, and end it if need be."""
        self._gone = True
        self._over.set()
        self._room.release()
        if not self._complete:
            await _end(task, grace=_GRACE)

    # ------------------------------------------------------------- the application's side

    async def run(self, app: AsgiApp) -> None:
        why = "the app returned before its answer was whole"
        try:
            await app(self._scope, self.receive, self.send)
        except asyncio.CancelledError:
            if self._gone:
                raise
            why = "the app was cancelled"
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            why = f"the app raised {_said(error)}"
        if not self._complete:
            self._failure = ExchangeError("cut-off", why)
            self._begun.set()
            self._chunks.put_nowait(None)

    async def receive(self) -> Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": self._body, "more_body": False}
        await self._over.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        if self._gone and not self._complete:
            await self._refuse()
        kind = message["type"]
        wanted = "http.response.start" if self._status is None else "http.response.body"
        if self._complete or kind != wanted:
            raise RuntimeError(f"ASGI message {kind!r} out of turn")
        if self._status is None:
            self._start(message)
        else:
            await self._send_body(message.get("body", b""), message.get("more_body", False))

    def _start(self, message: Message) -> None:
        status, lines = message["status"], list(message.get("headers", ()))
        if not isinstance(status, int) or not all(is_header(*line) for line in lines):
            raise RuntimeError("a status that is no number, or a header that HTTP cannot carry")
        self._headers = read_headers(lines)
        declared = dict(self._headers).get("content-length", "")
        self._length = int(declared) if declared.isdecimal() else None
        self._bodiless = self._scope["method"] == "HEAD" or status in (204, 304)
        self._status = status
        self._begun.set()

    async def _send_body(self, data: bytes, more: bool) -> None:
        if not self._bodiless:
            self._sent += len(data)
            if self._length is not None and (
                self._sent > self._length or (self._sent < self._length and not more)
            ):
                declared = f"Content-Length is {self._length}"
                raise RuntimeError(f"{declared}, the body {self._sent} bytes{' so far' * more}")
            if data:
                arrived = Chunk(bytes(data), perf_counter())
                await self._room.acquire()
                if self._gone:
                    self._room.release()
                    await self._refuse()
                self._chunks.put_nowait(arrived)
        if not more:
            self._complete = True
            self._over.set()
            self._chunks.put_nowait(None)
        elif not data:
            await asyncio.sleep(0)

    async def _refuse(self) -> NoReturn:
        """Nobody reads any more. Suspends first, so that a task deaf to this can be cancelled."""
        await asyncio.sleep(0)
        raise ConnectionResetError("the client has disconnected")


class _Lifespan:
    """The lifespan protocol of one application, as far as it speaks it.

    ``ready`` is set when startup is over; ``failure`` then tells whether the application refused
    to start. One that raises or returns instead of answering does not speak the protocol.
    """

    def __init__(self, app: AsgiApp) -> None:
        self.ready = asyncio.Event()
        self.failure: str | None = None
        self.state: dict[str, Any] = {}
        self._inbox: asyncio.Queue[Message] = asyncio.Queue()
        self._inbox.put_nowait({"type": "lifespan.startup"})
        self._started = False
        self._stopped = asyncio.Event()
        self._task = asyncio.create_task(self._run(app))

    async def shut_down(self) -> None:
        if self._started:
            self._inbox.put_nowait({"type": "lifespan.shutdown"})
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_STUBBORN):
                    await self._stopped.wait()
        await _end(self._task, grace=_GRACE if self._started else 0)

    async def _run(self, app: AsgiApp) -> None:
        scope: dict[str, Any] = {"type": "lifespan", "asgi": dict(_ASGI), "state": self.state}
        try:
            await app(scope, self._inbox.get, self._send)
        except (Exception, SystemExit):
            return
        finally:
            self.ready.set()
            self._stopped.set()

    async def _send(self, message: Message) -> None:
        kind = message["type"]
        if kind == "lifespan.startup.complete":
            self._started = True
            self.ready.set()
        elif kind == "lifespan.startup.failed":
            lines = str(message.get("message", "")).strip().splitlines() or ["it gave no reason"]
            self.failure = lines[-1][:200]
            self.ready.set()
        elif kind in ("lifespan.shutdown.complete", "lifespan.shutdown.failed"):
            self._stopped.set()
        else:
            raise RuntimeError(f"{kind!r} is no message of the lifespan protocol")
