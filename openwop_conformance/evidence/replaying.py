"""Replaying: a host and a clock that give back what a trace holds, in the order it holds it.

Requests, answers and chunks are let through one after the other, as they were recorded, so what is
asked in reply to them is what was asked then. What the trace does not hold is never made up.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Final, NoReturn

from ..adapters.host import Bounds, Chunk, Request, Response, Stream
from ..engine.session import GIVE_UP_AFTER, GONE, SCOPE
from ..engine.verdict import Blocked
from ..errors import ExchangeError, UnreachableError
from ..jsonvalue import JsonValue
from .trace import Record, Trace, data_from_json, data_to_json

_STALLED: Final = 3.0
"""Seconds after which an order that cannot be kept is given up."""
_PASSED: Final = 0.5
"""Seconds that a limit takes to pass again which was passed in the run."""
_UNPASSED: Final = 60.0
"""Seconds within which any other block ends: a forged trace may leave one waiting."""


class ReplayedClock:
    """The readings of the run, and the limits that were passed in it."""

    def __init__(self, trace: Trace) -> None:
        self._readings: defaultdict[str, deque[float]] = defaultdict(deque)
        self._expired: set[tuple[str, int]] = set()
        self._turns: dict[str, int] = {}
        self._last = 0.0
        for record in trace.records:
            if record["record"] == "clock":
                self._readings[record["scope"]].append(record["at"])
            elif record["record"] == "expired":
                self._expired.add((record["scope"], record["turn"]))

    def now(self) -> float:
        """The next reading of whoever asks; where there is none, the last."""
        readings = self._readings[SCOPE.get()]
        if readings:
            self._last = readings.popleft()
        return self._last

    def date(self) -> datetime:
        """The next reading as a date."""
        return datetime.fromtimestamp(self.now(), UTC)

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """A limit that passes where it was passed in the run, and only there."""
        scope = SCOPE.get()
        turn = self._turns[scope] = self._turns.get(scope, 0) + 1
        passed = (scope, turn) in self._expired
        async with asyncio.timeout(_PASSED if passed else _UNPASSED):
            yield


class ReplayedHost:
    """The host that a trace holds. ``unknown`` are requests that the run never made."""

    def __init__(self, trace: Trace) -> None:
        self.name: str = trace.header["subject"]
        self.unknown: list[str] = []
        self.stalls = 0
        self._records, self._died = trace.records, trace.footer is None
        self._asked: defaultdict[str, deque[int]] = defaultdict(deque)
        self._answers: defaultdict[int, deque[int]] = defaultdict(deque)
        self._order: list[int] = []
        self._scopes: dict[int, str] = {}
        self._within: defaultdict[str, list[int]] = defaultdict(list)
        for index, record in enumerate(trace.records):
            if record["record"] == "request":
                self._scopes[record["n"]] = record["scope"]
                self._asked[_key(record)].append(index)
            elif record["record"] in ("reply", "chunk", "end", "fault", "left"):
                self._answers[record["n"]].append(index)
            else:
                continue
            if record["record"] != "left":
                self._order.append(index)
                self._within[self._scopes[record["n"]]].append(index)
        self._order.reverse()
        self._gone = _is_gone(trace)
        self._done: set[int] = set()
        self._waiting: dict[int, asyncio.Future[None]] = {}

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """The answer that the run had."""
        number = await self._found(request)
        record = await self._next(number)
        if record["record"] == "fault":
            if record["error"] == "answer":
                return type(record["kind"], (), {})()  # type: ignore[no-any-return]
            _raise(record)
        body = data_from_json(record["body"])
        return Response(record["status"], _headers(record), body)

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        """The stream that the run had."""
        number = await self._found(request)
        record = await self._next(number)
        if record["record"] == "fault":
            _raise(record)
        yield _Replayed(self, number, record)

    async def close(self) -> None:
        """Nothing is held open."""

    async def next_of(self, number: int) -> Record:
        """The next record of a stream."""
        return await self._next(number)

    async def _found(self, request: Request) -> int:
        headers: list[JsonValue] = [list(pair) for pair in request.headers]
        asked: Record = {
            "scope": SCOPE.get(),
            "method": request.method,
            "target": request.target,
            "headers": headers,
            "body": None if request.body is None else data_to_json(request.body),
        }
        known = self._asked[_key(asked)]
        if not known and self._gave_up(SCOPE.get()):
            raise Blocked(GONE)
        if not known:
            self.unknown.append(f"{asked['scope']}: {request.method} {request.target}")
            self.give_up(SCOPE.get())
            raise Blocked("the trace holds no such exchange")
        index = known.popleft()
        await self._turn(index)
        number: int = self._records[index]["n"]
        return number

    async def _next(self, number: int) -> Record:
        """The next record of an exchange, in its turn; none comes where nobody stayed for one."""
        answers = self._answers[number]
        if not answers and self._died:
            self.give_up(self._scopes[number])
            raise Blocked("the trace ends before this answer")
        if not answers or self._records[answers[0]]["record"] == "left":
            await asyncio.Event().wait()
        index = answers.popleft()
        await self._turn(index)
        return self._records[index]

    async def _turn(self, index: int) -> None:
        """Wait until all that was recorded before has been let through."""
        try:
            if index not in self._done and self._upcoming() != index:
                waiting = self._waiting[index] = asyncio.get_running_loop().create_future()
                async with asyncio.timeout(_STALLED):  # wait_for may swallow a cancellation
                    await waiting
        except TimeoutError:
            self.stalls += 1
            upcoming = self._upcoming()
            if upcoming >= 0:
                self.give_up(self._scopes[self._records[upcoming]["n"]])
        finally:
            self._waiting.pop(index, None)
            self._done.add(index)
            self._wake()

    def _gave_up(self, scope: str) -> bool:
        """Whether the host counted as gone, and a scope has asked all that it asked in the run."""
        left = (index for known in self._asked.values() for index in known)
        return self._gone and all(self._records[index]["scope"] != scope for index in left)

    def give_up(self, scope: str) -> None:
        """A scope that has ended, or asks for something else, is not waited for any more."""
        self._done.update(self._within[scope])
        for index, waiting in self._waiting.items():
            if index in self._done and not waiting.done():
                waiting.set_result(None)
        self._wake()

    def _wake(self) -> None:
        upcoming = self._waiting.get(self._upcoming())
        if upcoming is not None and not upcoming.done():
            upcoming.set_result(None)

    def _upcoming(self) -> int:
        while self._order and self._order[-1] in self._done:
            self._order.pop()
        return self._order[-1] if self._order else -1


class _Replayed:
    """A stream of a trace."""

    def __init__(self, host: ReplayedHost, number: int, record: Record) -> None:
        self.status: int = record["status"]
        self.headers = _headers(record)
        self._host, self._number = host, number

    async def chunks(self) -> AsyncIterator[Chunk]:
        """The body, once."""
        while True:
            record = await self._host.next_of(self._number)
            if record["record"] == "end":
                return
            if record["record"] == "fault":
                _raise(record)
            yield Chunk(data_from_json(record["data"]), record["at"])


def _is_gone(trace: Trace) -> bool:
    """Whether so many exchanges in a row had no answer that the host was not asked again."""
    streak = 0
    for record in trace.records:
        if record["record"] == "reply":
            streak = 0
        elif record["record"] == "fault" and record["error"] in ("exchange", "unreachable"):
            streak += 1
            if streak >= GIVE_UP_AFTER:
                return True
    return False


def _key(record: Record) -> str:
    members = ("scope", "method", "target", "headers", "body")
    return repr([record[member] for member in members])


def _headers(record: Record) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in record["headers"])


def _raise(record: Record) -> NoReturn:
    if record["error"] == "exchange":
        raise ExchangeError(record["kind"], record["message"])
    if record["error"] == "unreachable":
        raise UnreachableError(record["message"])
    raise type(record["kind"], (Exception,), {})(record["message"])
