"""Waiting for a host: on a clock of the tests' own, and for a port that opens late."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence

import pytest

from openwop_conformance.adapters.host import Bounds, Request, Response
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.adapters.waiting import PAUSE, until_it_answers
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError
from openwop_conformance.wire.discovery import PATH

REFUSED = UnreachableError("cannot reach it: connection refused.")


class Starting:
    """A host that meets each request with the next of what it is given, and a clock beside it."""

    name = "starting"

    def __init__(self, answers: Sequence[Response | Exception], takes: float = 0.0) -> None:
        self.answers, self.takes = list(answers), takes
        self.asked: list[tuple[Request, Bounds]] = []
        self.time = 100.0

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        self.asked.append((request, bounds))
        self.time += min(self.takes, bounds.total)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    async def close(self) -> None: ...

    async def sleep(self, seconds: float) -> None:
        self.time += seconds

    def wait(self, seconds: float) -> None:
        waiting = until_it_answers(self, seconds, now=lambda: self.time, sleep=self.sleep)
        asyncio.run(waiting)


@pytest.mark.parametrize("status", [200, 301, 404, 406, 500, 503])
def test_an_answer_of_any_status_ends_the_waiting(status: int) -> None:
    host = Starting([Response(status, (), b"not yet")])
    host.wait(5)

    assert [request.target for request, _ in host.asked] == [PATH]
    assert host.time == 100.0, "nobody slept"


def test_what_is_no_whole_answer_counts_as_none() -> None:
    faults = [REFUSED, ExchangeError("cut-off", "broken off"), ExchangeError("timeout", "silence")]
    host = Starting([*faults, Response(200, (), b"")])
    host.wait(5)

    assert len(host.asked) == 4
    assert host.time == 100.0 + 3 * PAUSE


@pytest.mark.parametrize("takes", [0.0, 0.1, 40.0])
@pytest.mark.parametrize("seconds", [0.01, 1.0, 20.0])
def test_the_waiting_ends_in_time_and_with_the_last_reason(seconds: float, takes: float) -> None:
    host = Starting([ExchangeError("cut-off", "an early one"), REFUSED], takes)
    with pytest.raises(UnreachableError) as caught:
        host.wait(seconds)

    last = REFUSED if len(host.asked) > 1 else "an early one"
    assert str(caught.value) == f"waited {seconds:g} s for an answer, and none came: {last}"
    assert host.time <= 100.0 + seconds + PAUSE


def test_one_question_takes_no_longer_than_what_is_left_or_than_any_exchange() -> None:
    host = Starting([REFUSED], takes=6.0)
    with pytest.raises(UnreachableError):
        host.wait(20)

    usual = Bounds()
    assert host.asked[0][1] == Bounds(usual.connect, usual.read, 20, usual.body)
    for _, bounds in host.asked:
        assert max(bounds.connect, bounds.read) <= bounds.total <= 20
    assert host.asked[-1][1].total < 2


def test_a_mistake_of_the_caller_is_no_reason_to_wait() -> None:
    host = Starting([UsageError("it was closed")])
    with pytest.raises(UsageError):
        host.wait(5)

    assert len(host.asked) == 1


def test_a_host_whose_port_opens_late_is_met() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    heard: list[bytes] = []

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.append(await reader.readuntil(b"\r\n"))
        writer.write(b"HTTP/1.1 503 Not Yet\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def meet() -> None:
        refused = asyncio.Event()
        host = HttpHost(f"http://127.0.0.1:{port}")

        async def told(_: float) -> None:
            refused.set()
            await asyncio.sleep(0.01)

        waiting = asyncio.create_task(until_it_answers(host, 60, sleep=told))
        await refused.wait()
        server = await asyncio.start_server(served, "127.0.0.1", port)
        await waiting
        await host.close()
        server.close()
        await server.wait_closed()

    asyncio.run(meet())
    assert heard == [f"GET {PATH} HTTP/1.1\r\n".encode()]
