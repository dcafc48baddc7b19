"""An application that does not behave: each ends in its bounds, with the right kind of fault."""

from __future__ import annotations

from time import perf_counter

import pytest

from openwop_conformance.adapters.asgi import AsgiApp, Message
from openwop_conformance.adapters.host import Bounds, Request
from openwop_conformance.errors import ExchangeError

from .applications import (
    OK,
    Receive,
    Send,
    ask,
    body,
    cancels_itself,
    declares,
    dripping,
    exits,
    half,
    idling,
    never,
    raises_at_once,
    raises_in_its_body,
    refused,
    returns_at_once,
    returns_in_its_body,
    sends,
)


@pytest.mark.parametrize("app", [never, half, dripping, idling])
def test_an_app_that_does_not_come_to_an_end_is_ended_in_time(app: AsgiApp) -> None:
    began = perf_counter()
    assert refused(app, Bounds(read=0.1, total=0.3)).kind == "timeout"
    assert perf_counter() - began < 5.0


def test_the_read_bound_is_the_longest_silence() -> None:
    assert "0.05 s" in str(refused(half, Bounds(read=0.05, total=20.0)))


def test_a_body_over_the_bound_is_cut_there() -> None:
    sent = 0

    async def app(_: Message, __: Receive, send: Send) -> None:
        nonlocal sent
        await send(OK)
        while True:
            sent += 1
            await send(body(b"x" * 1000, more=True))

    assert refused(app, Bounds(read=20, total=20, body=10_000)).kind == "too-large"
    assert sent < 20


def test_a_coded_body_is_refused() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send({**OK, "headers": [(b"Content-Encoding", b"gzip")]})
        await send(body(b"bomb"))

    assert refused(app).kind == "transport"


@pytest.mark.parametrize("app", [raises_at_once, raises_in_its_body, exits])
def test_an_exception_of_the_app_is_a_connection_cut_off(app: AsgiApp) -> None:
    error = refused(app)
    assert error.kind == "cut-off"
    assert "no such luck" in str(error)


@pytest.mark.parametrize(
    "app",
    [
        returns_at_once,
        returns_in_its_body,
        cancels_itself,
        declares(4),
        declares(6),
        sends(body(b"x")),
        sends(OK, OK),
        sends({**OK, "status": "200"}),
        sends({**OK, "headers": [(b"x", b"a\r\ny: b")]}),
        sends({**OK, "headers": [("x", "a")]}),
        sends({"type": "http.response.push"}),
    ],
)
def test_an_app_that_breaks_the_protocol_is_a_connection_cut_off(app: AsgiApp) -> None:
    assert refused(app).kind == "cut-off"


def test_an_exception_after_the_whole_answer_changes_nothing() -> None:
    async def app(_: Message, __: Receive, send: Send) -> None:
        await send(OK)
        await send(body(b"{}"))
        raise ValueError

    assert ask(app).body == b"{}"


@pytest.mark.parametrize(
    "request_",
    [Request("GET", "x"), Request("GET", "/", (("x", "hunter2\n"),)), Request("GET", "/é")],
)
def test_a_request_that_http_cannot_carry_is_not_sent(request_: Request) -> None:
    with pytest.raises(ExchangeError, match="not sent") as refusal:
        ask(raises_at_once, request_)
    assert "hunter2" not in str(refusal.value)
