"""A caller of the reference host that checks, at every answer, what every answer must have."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import quote

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.host import Bounds, Host, Request
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reference.app import SEAM
from openwop_conformance.reference.connect import reference_subject
from openwop_conformance.reference.host import Host as Inside
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.schemas import problems, validator
from openwop_conformance.wire.envelope import ContentTrust, envelope, surface_payload
from openwop_conformance.wire.ids import project
from openwop_conformance.wire.refusal import problem_of
from openwop_conformance.wire.sse import SseEvent, SseParser

T = TypeVar("T")

CREATE: dict[str, Any] = {"createSurface": {}}
ROOT = {"updateComponents": {"components": [{"id": "root", "component": "Text", "text": "Hello"}]}}
DATA = {"updateDataModel": {"value": {"name": "Ada"}}}
DELETE: dict[str, Any] = {"deleteSurface": {}}
V1 = {"catalogVersion": "0.9.1", "surface": {"components": [{"component": "text", "text": "Hi"}]}}

DISCOVERY = "/.well-known/openwop"
BOUNDS = Bounds(connect=5, read=5, total=20)


@dataclass(frozen=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: Any

    @property
    def code(self) -> str | None:
        return self.body.get("error") if isinstance(self.body, dict) else None

    @property
    def rule(self) -> str | None:
        return self.body.get("details", {}).get("rule")  # type: ignore[no-any-return]

    def ok(self, status: int = 200) -> Any:
        assert self.status == status, (self.status, self.body)
        return self.body

    def refused(self, status: int, code: str, rule: str | None = None) -> Any:
        assert (self.status, self.code) == (status, code), (self.status, self.body)
        assert rule is None or self.rule == rule, self.body
        return self.body


class Caller:
    """One host, its two keys, and requests in short."""

    def __init__(self, host: Host, inside: Inside, settings: Settings) -> None:
        self.host, self.inside, self.settings = host, inside, settings
        self._ids = itertools.count()

    def credentials(self, tenant: str | None) -> tuple[tuple[str, str], ...]:
        return (
            () if tenant is None else (("authorization", f"Bearer {self.settings.keys[tenant]}"),)
        )

    async def send(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        raw: bytes | None = None,
        tenant: str | None = "acme",
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Answer:
        data = raw if raw is not None or body is None else json.dumps(body).encode()
        if target == DISCOVERY and "openwop-version" not in dict(headers):
            headers = (*headers, ("openwop-version", "2.0"))
        request = Request(method, target, (*self.credentials(tenant), *headers), data)
        response = await self.host.exchange(request, BOUNDS)
        assert response.header("openwop-version") == "2.0"
        found = parse(response.body) if response.body else None
        if response.status >= 400 and method != "HEAD":
            assert problem_of(response.status, found) is None, (response.status, found)
        if response.status == 401:
            assert response.header("www-authenticate") == "Bearer"
        return Answer(response.status, dict(response.headers), found)

    async def get(self, target: str, **options: Any) -> Answer:
        return await self.send("GET", target, **options)

    async def post(self, target: str, body: Any = None, **options: Any) -> Answer:
        return await self.send("POST", target, body, **options)

    async def run(self, workflow: str = "conformance-approval", *, tenant: str = "acme") -> str:
        body = (await self.post("/runs", {"workflowId": workflow}, tenant=tenant)).ok(201)
        run_id: str = body["runId"]
        return run_id

    async def read(self, run_id: str, **options: Any) -> Any:
        return (await self.get(path_of(run_id), **options)).ok()

    async def events(self, run_id: str, after: int | None = None) -> list[Any]:
        cursor = "" if after is None else f"&afterSequence={after}"
        target = f"{path_of(run_id)}/events/poll?timeout=1{cursor}"
        body = (await self.get(target)).ok()
        for event in body["events"]:
            assert problems(validator("run-event"), event) == []
        events: list[Any] = body["events"]
        return events

    def envelope(
        self,
        surface: str | None = "s",
        messages: list[Any] | None = None,
        *,
        payload: Any = None,
        version: int | None = 2,
        trust: ContentTrust | None = None,
        node: str | None = None,
        correlation: str | None = None,
        kind: str = "ui.a2ui-surface",
    ) -> dict[str, Any]:
        number = next(self._ids)
        if payload is None:
            payload = surface_payload(surface or "s", messages or [])
        return envelope(
            payload,
            envelope_id=f"envelope-{number}",
            correlation_id=correlation or f"correlation-{number:08}",
            kind=kind,
            schema_version=version,
            trust=trust,
            node_id=node,
        )

    async def emit(self, run_id: str, sent: Any, **options: Any) -> Answer:
        return await self.post(SEAM, {"runId": run_id, "envelope": sent}, **options)

    async def surface(
        self, run_id: str, surface: str, messages: list[Any], **options: Any
    ) -> Answer:
        return await self.emit(run_id, self.envelope(surface, messages, **options))

    async def fork(self, run_id: str, mode: str = "replay", **members: Any) -> Answer:
        return await self.post(f"{path_of(run_id)}:fork", {"mode": mode, **members})

    async def resolve(self, run_id: str, action: str = "accept", node: str = "gate") -> Answer:
        body = {"resumeValue": {"action": action}}
        return await self.post(f"{path_of(run_id)}/interrupts/{node}", body)

    @asynccontextmanager
    async def stream(
        self, run_id: str, query: str = "", *, headers: tuple[tuple[str, str], ...] = ()
    ) -> AsyncIterator[Reader]:
        target = f"{path_of(run_id)}/events{query}"
        request = Request("GET", target, (*self.credentials("acme"), *headers))
        async with self.host.stream(request, BOUNDS) as answer:
            assert answer.status == 200
            sent = dict(answer.headers)
            assert sent["content-type"] == "text/event-stream"
            assert sent["openwop-version"] == "2.0"
            yield Reader(answer)


class Reader:
    """The events of an open stream, one after the other."""

    def __init__(self, answer: Any) -> None:
        self._chunks = answer.chunks()
        self.parser = SseParser()
        self.text = b""
        self._waiting: list[SseEvent] = []

    async def next(self) -> SseEvent | None:
        """The next event, or ``None`` when the host has closed the stream."""
        while not self._waiting:
            chunk = await anext(self._chunks, None)
            if chunk is None:
                return None
            self.text += chunk.data
            self._waiting += self.parser.feed(chunk.data, chunk.at)
        return self._waiting.pop(0)

    async def until(self, name: str) -> list[SseEvent]:
        found: list[SseEvent] = []
        while not found or found[-1].event != name:
            event = await self.next()
            assert event is not None, f"closed before {name}"
            found.append(event)
        return found

    async def rest(self) -> list[SseEvent]:
        found: list[SseEvent] = []
        while (event := await self.next()) is not None:
            found.append(event)
        return found


def path_of(run_id: str) -> str:
    return f"/runs/{project(run_id)}"


def encoded(run_id: str) -> str:
    return f"/runs/{quote(run_id, safe='')}"


def against_host(
    scenario: Callable[[Caller], Awaitable[None]],
    settings: Settings | None = None,
    policy: Policy | None = None,
) -> None:
    """Run a scenario against a fresh host."""
    asyncio.run(hosted(Caller, scenario, settings, policy))


async def hosted(
    caller: Callable[[AsgiHost, Inside, Settings], T],
    scenario: Callable[[T], Awaitable[None]],
    settings: Settings | None,
    policy: Policy | None,
) -> None:
    """Run a scenario of a caller against a fresh host."""
    app, known = reference_subject(settings, policy)
    host = AsgiHost(app, "reference")
    try:
        await scenario(caller(host, app.state.host, known))
    finally:
        await host.close()


def surfaces_in(events: list[Any]) -> list[Any]:
    """The recorded envelopes."""
    return [e["payload"]["envelope"] for e in events if e["type"].startswith("example.")]


def types_of(events: list[Any]) -> list[str]:
    return [event["type"] for event in events]
