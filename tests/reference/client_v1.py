"""A caller of major 1 that checks, at every answer, what every answer of it must have."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

import pytest

from openwop_conformance.a2ui import delta
from openwop_conformance.a2ui.delta import apply_frame, check_frame
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.host import Request
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reference.host import Host as Inside
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.v1.app import ACCEPT, EMIT
from openwop_conformance.reference.v1.delta import Base
from openwop_conformance.schemas import problems, validator
from openwop_conformance.wire.envelope import ContentTrust, envelope
from openwop_conformance.wire.sse import SseEvent

from .client import BOUNDS, Answer, Reader, hosted

SURFACE, FRAME = "ui.a2ui-surface", "ui.a2ui-surface.delta"


def tree(*texts: str, title: str = "Schedule", **members: Any) -> dict[str, Any]:
    """A whole payload: a title, a text for each of ``texts``, a field and a button."""
    components: list[Any] = [{"component": "text", "text": text} for text in texts]
    components += [
        {"component": "field.date", "id": "date", "label": "Date", "required": True},
        {"component": "action.button", "id": "go", "label": "Go", "action": {"target": "resume"}},
    ]
    surface = {"title": title, "components": components}
    return {"catalogVersion": "0.9.1", "surface": surface, **members}


A, B, C = tree("Pick a time"), tree("Pick another time"), tree("Pick another time", "It follows")


class Caller:
    """One host, its two keys, and requests of major 1 in short."""

    def __init__(self, host: AsgiHost, inside: Inside, settings: Settings) -> None:
        self.host, self.inside, self.settings = host, inside, settings
        self.open_errors = settings.dialect != "reference"
        self._count = 0

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
        version: str | None = "1.1",
    ) -> Answer:
        data = raw if raw is not None or body is None else json.dumps(body).encode()
        request = Request(method, target, (*self.credentials(tenant), *headers), data)
        response = await self.host.exchange(request, BOUNDS)
        assert response.header("openwop-version") == version
        found = parse(response.body) if response.body else None
        if response.status >= 400 and not self.open_errors:
            assert problems(validator("error-envelope"), found) == [], found
        return Answer(response.status, dict(response.headers), found)

    async def get(self, target: str, **options: Any) -> Answer:
        return await self.send("GET", target, **options)

    async def post(self, target: str, body: Any = None, **options: Any) -> Answer:
        return await self.send("POST", target, body, **options)

    async def run(self, workflow: str = "conformance-approval", *, tenant: str = "acme") -> str:
        body = (await self.post("/v1/runs", {"workflowId": workflow}, tenant=tenant)).ok(201)
        run_id: str = body["runId"]
        return run_id

    async def read(self, run_id: str) -> Any:
        return (await self.get(path_of(run_id))).ok()

    async def log(self, run_id: str, query: str = "") -> list[Any]:
        """The log by polling, which is what it is as JSON."""
        events: list[Any] = (await self.get(f"{path_of(run_id)}/events/poll{query}")).ok()["events"]
        for event in events:
            assert problems(validator("run-event-v1"), event) == []
        return events

    async def log_as_json(self, run_id: str, query: str = "") -> list[Any]:
        headers = (("accept", "application/json"),)
        answer = await self.get(f"{path_of(run_id)}/events{query}", headers=headers)
        events: list[Any] = answer.ok()["events"]
        return events

    async def emit(self, run_id: str, payload: Any, **options: Any) -> Answer:
        return await self.post(EMIT, {"runId": run_id, "surface": payload}, **options)

    def envelope(
        self,
        payload: Any = None,
        *,
        kind: str = SURFACE,
        version: int | None = 1,
        trust: ContentTrust | None = None,
        correlation: str | None = None,
        node: str | None = None,
    ) -> dict[str, Any]:
        self._count += 1
        return envelope(
            A if payload is None else payload,
            envelope_id=f"envelope-{self._count}",
            correlation_id=correlation or f"correlation-{self._count}",
            kind=kind,
            schema_version=version,
            trust=trust,
            node_id=node,
        )

    async def accept(self, sent: Any, **members: Any) -> Any:
        return (await self.post(ACCEPT, {"envelope": sent, **members})).ok(200)

    async def put(
        self, run_id: str, payload: Any, trust: ContentTrust | None = None, node: str = "gate"
    ) -> str:
        """Record a surface with a node and, where there is one, its trust; its event's id."""
        sent = self.envelope(payload, trust=trust)
        found = await self.accept(sent, projectTo={"runId": run_id, "nodeId": node})
        assert found["status"] == "accepted", found
        (event_id,) = found["recordedEventIds"]
        return str(event_id)

    async def resolve(self, run_id: str, action: str = "accept", node: str = "gate") -> Answer:
        body = {"resumeValue": {"action": action}}
        return await self.post(f"{path_of(run_id)}/interrupts/{node}", body)

    async def fork(self, run_id: str, mode: str = "replay", **members: Any) -> Answer:
        return await self.post(f"{path_of(run_id)}:fork", {"mode": mode, **members})

    @asynccontextmanager
    async def stream(
        self, run_id: str, query: str = "?a2uiDelta=1", *, after: int | None = None
    ) -> AsyncIterator[Reader]:
        resumed = () if after is None else (("last-event-id", str(after)),)
        target = f"{path_of(run_id)}/events{query}"
        request = Request("GET", target, (*self.credentials("acme"), *resumed))
        async with self.host.stream(request, BOUNDS) as answer:
            assert answer.status == 200
            sent = dict(answer.headers)
            assert sent["content-type"] == "text/event-stream"
            assert sent["openwop-version"] == "1.1"
            yield Reader(answer)

    async def streamed(self, run_id: str, query: str, **options: Any) -> list[SseEvent]:
        """All that a stream sends; the run is cancelled so that it ends."""
        (await self.post(f"{path_of(run_id)}/cancel")).ok()
        async with self.stream(run_id, query, **options) as reader:
            return await reader.rest()


class Screen:
    """A consumer of deltas, which holds what it was given to the rules of RFC 0114."""

    def __init__(self, base: Base = "payload") -> None:
        self.base = base
        self.given: dict[str, Any] = {}

    def take(self, sent: SseEvent) -> Any:
        """What is shown after a full event or a frame; anything else changes nothing."""
        data = parse(sent.data)
        if sent.event == SURFACE:
            self.given[data["eventId"]] = data["payload"]
            return data["payload"]
        assert sent.event == FRAME, sent
        check_frame(data)
        shown = apply_frame(self.given[data["surfaceRef"]], data, base=self.base)
        self.given[data["surfaceRef"]] = shown
        return shown


def counted_diffs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One item for each diff that is made from now on."""
    made: list[int] = []
    diff = delta.diff

    def counted(old: Any, new: Any, *, base: Any) -> Any:
        made.append(1)
        return diff(old, new, base=base)

    monkeypatch.setattr(delta, "diff", counted)
    return made


async def next_surface(reader: Reader) -> SseEvent:
    """The next event of a stream that is about a surface."""
    while (sent := await reader.next()) is not None:
        if sent.event in (SURFACE, FRAME):
            return sent
    raise AssertionError("the stream ended")


def path_of(run_id: str) -> str:
    return f"/v1/runs/{quote(run_id, safe='')}"


def against_host(
    scenario: Callable[[Caller], Awaitable[None]],
    settings: Settings | None = None,
    policy: Policy | None = None,
) -> None:
    """Run a scenario against a fresh host."""
    asyncio.run(hosted(Caller, scenario, settings, policy))
