"""Hosts to run scenarios against in this process: the reference, altered, and scripted ones."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeAlias

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.host import Bounds, Host, Request, Response, Stream
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.run import run, run_one
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import (
    Disposition,
    Event,
    Row,
    RunFinished,
    RunStarted,
    ScenarioFinished,
)
from openwop_conformance.evidence.ledger import digest
from openwop_conformance.reference.connect import credentials_for, reference_subject
from openwop_conformance.reference.discovery import document
from openwop_conformance.reference.host import Host as Inside
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.scenario.lint import load_all, select
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.wire.discovery import PATH

SEAM = "/conformance/seams/sample/a2ui/emit-surface"
Answering: TypeAlias = Callable[[Request], "Response | Exception"]


@cache
def scenarios(*patterns: str) -> tuple[Scenario, ...]:
    """The corpus' scenarios whose ids match."""
    return select(_all(), patterns)


@cache
def _all() -> tuple[Scenario, ...]:
    return tuple(s for s in load_all(corpus()) if s.subject == "host")


def scenario(name: str) -> Scenario:
    """The scenario ``host.v2.NAME``."""
    (found,) = scenarios(f"host.v2.{name}")
    return found


@dataclass
class Ran:
    """A run that is over."""

    rows: tuple[Row, ...]
    finished: dict[str, ScenarioFinished]
    inside: Inside

    @property
    def digest(self) -> str:
        return digest(self.rows)

    @property
    def dispositions(self) -> dict[str, Disposition]:
        return {short(row): row.disposition for row in self.rows}

    def reasons(self, disposition: Disposition) -> dict[str, str]:
        return {short(row): row.reason for row in self.rows if row.disposition is disposition}

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if short(row) == name)


def short(row: Row) -> str:
    """A row's scenario without what all of them begin with."""
    return row.scenario.removeprefix("host.v2.")


async def ran(
    chosen: Sequence[Scenario] = (),
    *,
    settings: Settings | None = None,
    policy: Policy | None = None,
    wrap: Callable[[ASGIApp], ASGIApp] = lambda app: app,
    options: Options | None = None,
    host: Callable[[ASGIApp], Host] | None = None,
    credentials: Credentials | None = None,
    tell: Callable[[Event], None] = lambda event: None,
) -> Ran:
    """Run scenarios (all without any) against a reference host of their own."""
    app, settings = reference_subject(settings, policy)
    finished: dict[str, ScenarioFinished] = {}

    def note(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            finished[short(event.row)] = event
        else:
            assert isinstance(event, RunStarted | RunFinished)
        tell(event)

    subject = host(wrap(app)) if host else AsgiHost(wrap(app), "reference")
    session = Session(subject, options or Options(seed=1), credentials or credentials_for(settings))
    try:
        rows = await run(chosen or scenarios(), session, note)
        states = [app.state.host.state(r) for r in _runs(app.state.host)]
        begun = [state for state in states if state.status != "pending"]  # by no scenario
        assert all(state.is_terminal for state in begun), [s.status for s in states]
    finally:
        await subject.close()
    return Ran(rows, finished, app.state.host)


def _runs(inside: Inside) -> list[Any]:
    """Every run that the host's store knows."""
    ids = inside.store._connection.execute("SELECT id FROM runs").fetchall()
    return [inside.store.run(run_id) for (run_id,) in ids]


# --------------------------------------------------------------------------- scripted hosts


@dataclass
class Scripted:
    """A host that answers as a function says, and remembers what it was asked."""

    answer: Answering
    name: str = "scripted"
    asked: list[Request] = field(default_factory=list)

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        self.asked.append(request)
        answer = self.answer(request)
        if isinstance(answer, Exception):
            raise answer
        return answer

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        raise NotImplementedError
        yield

    async def close(self) -> None:
        return None


def json_answer(status: int, value: Any, *headers: tuple[str, str]) -> Response:
    """A JSON answer."""
    lines = (("content-type", "application/json"), *headers)
    return Response(status, lines, json.dumps(value).encode())


def claiming(rest: Answering, **members: Any) -> Scripted:
    """A host whose discovery is the reference's, with some members changed (``None`` drops)."""
    found = {k: v for k, v in {**document(Settings()), **members}.items() if v is not None}

    def answer(request: Request) -> Response | Exception:
        return json_answer(200, found) if request.target == PATH else rest(request)

    return Scripted(answer)


async def one(
    chosen: Scenario,
    host: Host,
    *,
    credentials: Credentials | None = None,
    options: Options | None = None,
) -> ScenarioFinished:
    """One scenario against a host, in a session of its own."""
    session = Session(host, options or Options(seed=1), credentials or Credentials())
    return await run_one(chosen, session)


# ----------------------------------------------------------------------- the reference, altered

Alter: TypeAlias = Callable[[str, str, int, bytes], "tuple[int, bytes] | None"]
"""Method, path, status and body of an answer → what is sent instead, or ``None`` for itself."""


def altered(alter: Alter) -> Callable[[ASGIApp], ASGIApp]:
    """Wrap a host so that its answers, other than streams, pass through ``alter``."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or scope["path"].endswith("/events"):
                await app(scope, receive, send)
                return
            begun: list[Message] = []
            body = b""

            async def keep(message: Message) -> None:
                nonlocal body
                if message["type"] == "http.response.start":
                    begun.append(message)
                    return
                body += message.get("body", b"")
                if message.get("more_body"):
                    return
                status = begun[0]["status"]
                changed = alter(scope["method"], scope["path"], status, body)
                status, body = changed or (status, body)
                headers = [(k, v) for k, v in begun[0]["headers"] if k != b"content-length"]
                headers.append((b"content-length", str(len(body)).encode()))
                await send({"type": "http.response.start", "status": status, "headers": headers})
                await send({"type": "http.response.body", "body": body})

            await app(scope, receive, keep)

        return wrapped

    return wrap


def polls(change: Callable[[Any], Any]) -> Alter:
    """Alter the document of every poll that succeeds."""

    def alter(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        if not path.endswith("/events/poll") or status != 200:
            return None
        changed = change(json.loads(body))
        return status, changed if isinstance(changed, bytes) else json.dumps(changed).encode()

    return alter


def streaming(
    change: Callable[[bytes], bytes], *, status: int = 200, kind: bytes = b"text/event-stream"
) -> Callable[[ASGIApp], ASGIApp]:
    """Wrap a host so that its streams, once they have ended, are sent as ``change`` says."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or not scope["path"].endswith("/events"):
                await app(scope, receive, send)
                return
            body = b""

            async def keep(message: Message) -> None:
                nonlocal body
                body += message.get("body", b"")

            headers = [(b"content-type", kind)]
            await send({"type": "http.response.start", "status": status, "headers": headers})
            await app(scope, receive, keep)
            await send({"type": "http.response.body", "body": change(body)})

        return wrapped

    return wrap


# ------------------------------------------------------------------- the reference, breaking off


class Breaking:
    """A host that breaks when a request says so, and from then on if it is told to."""

    name = "breaking"

    def __init__(
        self,
        app: ASGIApp,
        when: Callable[[Request], bool],
        error: Exception,
        *,
        at: int = 1,
        for_good: bool = False,
    ) -> None:
        self._host = AsgiHost(app, self.name)
        self._when, self._error, self._at, self._for_good = when, error, at, for_good
        self._seen = 0
        self.refused = 0

    def _break(self, request: Request) -> None:
        self._seen += self._when(request)
        due = self._seen >= self._at if self._for_good else self._seen == self._at
        if due and (self._for_good or self._when(request)):
            self.refused += 1
            raise self._error

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        self._break(request)
        return await self._host.exchange(request, bounds)

    def stream(self, request: Request, bounds: Bounds) -> AbstractAsyncContextManager[Stream]:
        self._break(request)
        return self._host.stream(request, bounds)

    async def close(self) -> None:
        await self._host.close()
