"""Recording: a host and a clock that do as the ones they stand for, and write it down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from datetime import datetime
from time import perf_counter

from ..adapters.host import Bounds, Chunk, Host, Request, Response, Stream, Subject
from ..engine.session import SCOPE, Clock
from ..errors import ExchangeError, UnreachableError
from ..jsonvalue import JsonValue
from .redaction import Redaction
from .trace import Record, TraceWriter, data_to_json


class RecordingClock:
    """A clock whose readings, and limits that were passed, are written down."""

    def __init__(self, clock: Clock, trace: TraceWriter) -> None:
        self._clock, self._trace = clock, trace
        self._turns: dict[str, int] = {}

    def now(self) -> float:
        """The clock's reading."""
        at = self._clock.now()
        self._trace.write({"record": "clock", "scope": SCOPE.get(), "at": at})
        return at

    def date(self) -> datetime:
        """The clock's date."""
        date = self._clock.date()
        self._trace.write({"record": "clock", "scope": SCOPE.get(), "at": date.timestamp()})
        return date

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """The clock's limit; which of a scope's limits it was is written where it is passed."""
        scope = SCOPE.get()
        turn = self._turns[scope] = self._turns.get(scope, 0) + 1
        inside: BaseException | None = None
        try:
            async with self._clock.within(seconds):
                try:
                    yield
                except Exception as error:
                    inside = error
                    raise
        except TimeoutError as error:
            if error is not inside:
                self._trace.write({"record": "expired", "scope": scope, "turn": turn})
            raise


class RecordingHost:
    """A subject whose exchanges are written down, without the operator's secrets."""

    def __init__(self, host: Subject, trace: TraceWriter, redaction: Redaction) -> None:
        self.name = host.name
        self._host, self._trace, self._redaction = host, trace, redaction
        self._began, self._count = perf_counter(), 0

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """The host's exchange."""
        number = self._asked(request)
        with self._faults(number):
            response = await self._host.exchange(request, bounds)
            if isinstance(response, Response):
                self._answered(number, response.status, response.headers, response.body)
            else:
                self._note("fault", number, error="answer", kind=type(response).__name__)
        return response

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        """The host's stream."""
        assert isinstance(self._host, Host)
        number = self._asked(request)
        async with AsyncExitStack() as stack:
            with self._faults(number):
                stream = await stack.enter_async_context(self._host.stream(request, bounds))
                self._answered(number, stream.status, stream.headers, None)
            yield _Recorded(stream, self, number)

    async def close(self) -> None:
        """Close the host."""
        await self._host.close()

    def heard(self, number: int, data: bytes) -> bytes:
        """Write a chunk down; what may begin a secret is given back, for the next one."""
        held = self._redaction.held_back(data)
        said = self._redaction.hidden(data[: len(data) - held])
        self._note("chunk", number, data=data_to_json(said))
        return data[len(data) - held :]

    def ended(self, number: int, rest: bytes) -> None:
        """Write the end of a stream down, after what was still held back."""
        self._rest(number, rest)
        self._note("end", number)

    @contextmanager
    def faults(self, number: int, rest: bytes) -> Iterator[None]:
        """Write down what a stream breaks off with, after what was still held back."""
        with self._faults(number):
            try:
                yield
            except BaseException:
                self._rest(number, rest)
                raise

    def _rest(self, number: int, rest: bytes) -> None:
        if rest:
            self._note("chunk", number, data=data_to_json(self._redaction.hidden(rest)))

    def _asked(self, request: Request) -> int:
        self._count += 1
        hidden = self._redaction
        self._note(
            "request",
            self._count,
            scope=SCOPE.get(),
            method=request.method,
            target=hidden.text(request.target),
            headers=[[name, hidden.header(value)] for name, value in request.headers],
            body=None if request.body is None else data_to_json(hidden.hidden(request.body)),
        )
        return self._count

    def _answered(
        self, number: int, status: int, headers: tuple[tuple[str, str], ...], body: bytes | None
    ) -> None:
        hidden = self._redaction
        said: Record = {} if body is None else {"body": data_to_json(hidden.hidden(body))}
        lines = [[name, hidden.header(value)] for name, value in headers]
        self._note("reply", number, status=status, headers=lines, **said)

    @contextmanager
    def _faults(self, number: int) -> Iterator[None]:
        try:
            yield
        except ExchangeError as error:
            said = self._redaction.text(str(error))
            self._note("fault", number, error="exchange", kind=error.kind, message=said)
            raise
        except UnreachableError as error:
            message = self._redaction.text(str(error))
            self._note("fault", number, error="unreachable", kind="", message=message)
            raise
        except (asyncio.CancelledError, GeneratorExit):
            self._note("left", number)
            raise
        except StopAsyncIteration:
            raise
        except Exception as error:
            message = self._redaction.text(str(error))
            kind = type(error).__name__
            self._note("fault", number, error="adapter", kind=kind, message=message)
            raise

    def _note(self, record: str, number: int, **members: JsonValue) -> None:
        at = round(perf_counter() - self._began, 6)
        self._trace.write({"record": record, "n": number, "at": at, **members})


class _Recorded:
    """A stream whose chunks are written down as they are read."""

    def __init__(self, stream: Stream, host: RecordingHost, number: int) -> None:
        self.status, self.headers = stream.status, stream.headers
        self._stream, self._host, self._number = stream, host, number

    async def chunks(self) -> AsyncIterator[Chunk]:
        """The body, once."""
        held, chunks = b"", self._stream.chunks()
        while True:
            with self._host.faults(self._number, held):
                chunk = await anext(chunks, None)
            if chunk is None:
                break
            held = self._host.heard(self._number, held + chunk.data)
            yield chunk
        self._host.ended(self._number, held)
