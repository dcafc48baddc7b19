"""Programs over standard streams: honest ones, and all that can be wrong with the others."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.host import Bounds, Response
from openwop_conformance.adapters.stdio import Stdio
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError
from openwop_conformance.jsonvalue import JsonValue, parse

Found = TypeVar("Found")
PROGRAM = Path(__file__).with_name("program.py")
AMPLE = Bounds()
QUICK = Bounds(total=0.3)


def asked(mode: str, ask: Callable[[Stdio], Awaitable[Found]]) -> Found:
    """What comes of some calls to a program, which is ended then."""

    async def whole() -> Found:
        subject = Stdio(f"{sys.executable} {PROGRAM} '{mode}'")
        try:
            return await ask(subject)
        finally:
            await subject.close()

    return asyncio.run(whole())


async def twice(subject: Stdio, bounds: Bounds = AMPLE) -> Response:
    await subject.exchange(call("hello", {"protocol": 1}), Bounds())
    return await subject.exchange(call("read", {"state": "s", "é": ["\n"]}), bounds)


def result(response: Response) -> JsonValue:
    return parse(response.body)["result"]


def test_a_call_and_its_answer_are_a_line_each() -> None:
    response = asked("honest", twice)
    assert response.status == 200
    assert result(response)["echo"] == {"state": "s", "é": ["\n"]}
    assert result(response)["call"] == "read"
    assert response.seconds > 0


def test_a_refusal_is_an_answer() -> None:
    response = asked("refuses", twice)
    assert response.status == 422
    assert parse(response.body) == {"error": {"kind": "integrity", "message": "no root"}}


@pytest.mark.parametrize(
    ("mode", "kind", "why"),
    [
        ("crashes", "crashed", "ended with exit code 3: one | two | the last words"),
        ("dies by signal", "crashed", "ended with signal SIGSEGV"),
        ("half a line", "crashed", "exit code 0"),
        ("garbage", "garbage", "a line that is no JSON"),
        ("not utf-8", "garbage", "not UTF-8"),
        ("duplicate key", "garbage", "duplicate key 'result'"),
        ("array", "garbage", "no answer"),
        ("both", "garbage", "no answer"),
        ("unknown kind", "garbage", "no answer"),
        ("other id", "garbage", "an answer to another call"),
    ],
)
def test_what_is_no_answer_is_named(mode: str, kind: str, why: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        asked(mode, twice)
    assert caught.value.kind == kind
    assert why in str(caught.value)


@pytest.mark.parametrize("mode", ["hangs"])
def test_a_program_that_is_silent_is_ended(mode: str) -> None:
    with pytest.raises(ExchangeError) as caught:
        asked(mode, lambda subject: twice(subject, QUICK))
    assert caught.value.kind == "timeout"


def test_an_answer_that_is_too_long_is_not_read() -> None:
    small = Bounds(body=2000)

    async def ask(subject: Stdio) -> None:
        await subject.exchange(call("hello", {}), small)
        await subject.exchange(call("read", {}), small)

    with pytest.raises(ExchangeError) as caught:
        asked("too long", ask)
    assert caught.value.kind == "too-large"


def test_after_a_crash_the_program_is_started_afresh() -> None:
    async def ask(subject: Stdio) -> tuple[int, int]:
        first = result(await subject.exchange(call("hello", {}), Bounds()))["pid"]
        with pytest.raises(ExchangeError):
            await subject.exchange(call("read", {}), Bounds())
        again = result(await subject.exchange(call("hello", {}), Bounds()))["pid"]
        return first, again

    first, again = asked("crashes", ask)
    assert first != again


def test_much_on_standard_error_stops_nothing() -> None:
    assert asked("chatters", twice).status == 200


def test_the_operators_keys_are_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENWOP_API_KEY", "hunter2-hunter2")
    monkeypatch.setenv("OTHER", "1")
    names = result(asked("tells environment", twice))["names"]
    assert "OTHER" in names
    assert not [name for name in names if name.startswith("OPENWOP_")]


def test_what_a_program_started_ends_with_it() -> None:
    async def ask(subject: Stdio) -> int:
        pid: int = result(await subject.exchange(call("hello", {}), Bounds()))["pid"]
        return pid

    pid = asked("starts a child", ask)
    deadline = time.monotonic() + 5
    while _lives(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not _lives(pid)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


def test_a_program_that_ends_at_once_says_why() -> None:
    with pytest.raises(ExchangeError) as caught:
        asked("ends at once", twice)
    assert "exit code 1: no such library" in str(caught.value)


def test_what_a_program_says_is_read_though_it_ends_before_it_was_asked() -> None:
    async def whole() -> None:
        subject = Stdio(f"{sys.executable} -c 'print(\"loading\")'")
        longer_than_a_pipe = call("hello", {"text": "x" * 1_000_000})
        with pytest.raises(ExchangeError, match="a line that is no JSON"):
            await subject.exchange(longer_than_a_pipe, AMPLE)
        await subject.close()

    asyncio.run(whole())


def test_a_command_that_is_not_there_cannot_be_reached() -> None:
    async def ask() -> None:
        await Stdio("/no/such/program --flag").exchange(call("hello", {}), Bounds())

    with pytest.raises(UnreachableError, match=r"/no/such/program cannot be started: No such file"):
        asyncio.run(ask())


@pytest.mark.parametrize(
    ("command", "why"), [("", "followed by a command"), ("node 'a", "No closing quotation")]
)
def test_a_command_that_is_none_is_a_mistake(command: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        Stdio(command)


def test_a_program_that_does_not_end_with_its_input_is_ended() -> None:
    began = time.monotonic()
    assert asked("ignores its end", twice).status == 200
    assert time.monotonic() - began < 10
