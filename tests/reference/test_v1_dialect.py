"""The dialect ``openwop-app`` beside the exchanges that were recorded from that host.

Ids, times and texts are others'; the status, the members, their types and the names of streamed
events have to be the same.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.v1.app import ACCEPT, EMIT
from openwop_conformance.wire.sse import SseParser

from ..shared_data import shared
from .client import Answer, types_of
from .client_v1 import (
    FRAME,
    SURFACE,
    A,
    Caller,
    Screen,
    against_host,
    next_surface,
    path_of,
)

APP = Settings(dialect="openwop-app")
WORKFLOW = {"openwop-app.uppercase": "conformance-noop"}
"""Their workflow that ends at once, and ours."""
THEIRS = {"interruptToken", "callbackUrl"}
"""Members about what this host does not have: interrupts by token."""
DISCOVERY = {"discovery (v1 document)", "discovery asked for major 2"}
"""Theirs has fifty families and no second major; what both claim is compared."""


def _recorded() -> list[Any]:
    lines = shared("wire/real-host-v1.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def _shape(value: Any) -> Any:
    """A JSON value as its members and types; a list as the shapes in it."""
    if isinstance(value, dict):
        return {k: _shape(v) for k, v in value.items() if k not in THEIRS}
    if isinstance(value, list):
        shapes: list[Any] = []
        for item in value:
            if (shape := _shape(item)) not in shapes:
                shapes.append(shape)
        return shapes
    return "number" if isinstance(value, (int, float)) and value is not True else type(value)


def _error_shape(body: Any) -> Any:
    """The shape of an answer, of a list of problems that of one of them."""
    if isinstance(body.get("details"), list):
        body = {**body, "details": body["details"][:1]}
    return _shape(body)


def _of_surfaces(events: list[Any]) -> list[Any]:
    return [event for event in events if event["type"] == SURFACE]


class Replay:
    """Sends recorded requests again, with our ids in the place of theirs."""

    def __init__(self, caller: Caller) -> None:
        self.caller, self.ids = caller, {"no-such-run": "no-such-run"}

    def _ours(self, text: str) -> str:
        for theirs, ours in {**self.ids, **WORKFLOW}.items():
            text = text.replace(theirs, ours)
        return text

    async def answer(self, request: Any) -> Answer:
        body = request.get("body")
        raw = self._ours(body if isinstance(body, str) else json.dumps(body)).encode()
        return await self.caller.send(
            request["method"],
            self._ours(request["path"]),
            raw=None if body is None else raw,
            tenant="acme" if request["headers"]["Authorization"] else None,
            headers=(("accept", request["headers"]["Accept"]),),
        )

    async def take(self, exchange: Any) -> tuple[Answer, Any]:
        answer = await self.answer(exchange["request"])
        theirs = json.loads(exchange["response"]["body"])
        if exchange["note"].startswith(("create", "fork from")):
            self.ids[theirs["runId"]] = answer.body["runId"]
        return answer, theirs


def test_each_recorded_answer_has_the_shape_of_ours() -> None:
    async def scenario(caller: Caller) -> None:
        replay = Replay(caller)
        compared = 0
        for exchange in _recorded():
            note, response = exchange["note"], exchange["response"]
            if "body" not in response or note in DISCOVERY:
                continue
            answer, theirs = await replay.take(exchange)
            assert answer.status == response["status"], (note, answer.body)
            if "events" in theirs:
                assert answer.body.keys() == theirs.keys(), note
                ours = _of_surfaces(answer.body["events"])
                assert _shape(ours) == _shape(_of_surfaces(theirs["events"])), note
                assert answer.body["events"][0]["sequence"] == 1
                assert {"run.started", "run.completed"} <= set(types_of(answer.body["events"]))
            elif "interrupt" in theirs:
                run, interrupt = dict(answer.body), theirs.pop("interrupt")
                found = run.pop("interrupt")
                assert _shape(run) == _shape(theirs), note
                assert found.keys() == interrupt.keys() - THEIRS, note
                assert found["data"]["actions"] == interrupt["data"]["actions"], note
            else:
                assert _error_shape(answer.body) == _error_shape(theirs), note
                assert answer.body.get("error") == theirs.get("error"), note
            compared += 1
        assert compared == 33

    against_host(scenario, APP)


def test_what_both_claim_in_discovery_is_claimed_in_the_same_seats() -> None:
    async def scenario(caller: Caller) -> None:
        ours = (await caller.get("/.well-known/openwop")).ok()
        (theirs,) = [
            json.loads(exchange["response"]["body"])
            for exchange in _recorded()
            if exchange["note"] == "discovery (v1 document)"
        ]
        assert ours["a2uiSurface"] == theirs["a2uiSurface"] == {"deltaTransport": True}
        assert theirs["protocolVersion"] == ours["protocolVersion"]
        assert theirs["schemaVersions"][SURFACE] == ours["schemaVersions"][SURFACE]
        assert set(ours["supportedEnvelopes"]) <= set(theirs["supportedEnvelopes"])
        assert ours["limits"].keys() <= theirs["limits"].keys()
        alone = {"protocolVersions", "preferredVersion", "envelopeStrictness"}
        assert ours.keys() - theirs.keys() == alone
        for name in ours.keys() - alone:
            assert type(ours[name]) is type(theirs[name]), name

    against_host(scenario, APP)


def _their_stream(exchange: Any) -> list[Any]:
    """The events of a recorded stream, out of its chunks."""
    raw = "".join(text for _, text in exchange["response"]["raw_chunks_with_arrival_s"]).encode()
    body, parser = raw.partition(b"\r\n\r\n")[2], SseParser()
    events: list[Any] = []
    while body:
        size, _, body = body.partition(b"\r\n")
        events += parser.feed(body[: int(size, 16)], 0.0)
        body = body[int(size, 16) + 2 :]
    return events


OURS_ALONE = {"interrupt.requested", "approval.requested"}
THEIRS_ALONE = {"memory.written"}


def test_each_recorded_stream_has_the_names_of_ours() -> None:
    async def scenario(caller: Caller) -> None:
        recorded = _recorded()
        payloads = [
            exchange["request"]["body"]["surface"]
            for exchange in recorded
            if exchange["note"] in ("emit surface A", "emit surface B", "emit surface C")
        ]
        ended = await caller.run("conformance-noop")
        for payload in payloads:
            (await caller.emit(ended, payload)).ok(201)
        last = (await caller.log(ended))[-1]["sequence"]
        compared = 0
        for exchange in recorded:
            if "raw_chunks_with_arrival_s" not in exchange["response"]:
                continue
            theirs, request = _their_stream(exchange), exchange["request"]
            query = "?" + request["path"].partition("?")[2]
            if "live" in exchange["note"]:
                run = await caller.run()
                async with caller.stream(run, query) as reader:
                    await reader.until("node.suspended")
                    ours = []
                    for payload in payloads:
                        (await caller.emit(run, payload)).ok(201)
                        ours.append(await next_surface(reader))
                theirs = theirs[3:]
            else:
                after = last - 1 if "Last-Event-ID" in request["headers"] else None
                async with caller.stream(ended, query, after=after) as reader:
                    ours = await reader.rest()
            assert [s.event for s in ours if s.event not in OURS_ALONE] == [
                s.event for s in theirs if s.event not in THEIRS_ALONE
            ], exchange["note"]
            for mine, other in zip(
                [s for s in ours if s.event in (SURFACE, FRAME)],
                [s for s in theirs if s.event in (SURFACE, FRAME)],
                strict=True,
            ):
                mine_data, other_data = json.loads(mine.data), json.loads(other.data)
                assert mine_data.keys() == other_data.keys()
            compared += 1
        assert compared == 5

    against_host(scenario, APP)


def test_frames_patch_the_tree_and_are_on_the_stream_alone() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen("tree")
            for number in range(4):
                shown = {"title": "t", "components": [{"component": "text", "text": f"{number}"}]}
                (await caller.emit(run, shown)).ok(201)
                sent = await next_surface(reader)
                assert screen.take(sent)["surface"] == shown
            assert json.loads(sent.data)["patch"] == [
                {"op": "replace", "path": "/components/0/text", "value": "3"}
            ]
        log = await caller.log(run)
        assert types_of(log)[-4:] == [SURFACE] * 4
        assert await caller.log_as_json(run, "?a2uiDelta=1") == log

    against_host(scenario, APP)


@pytest.mark.parametrize("dialect", ["reference", "openwop-app"])
def test_what_the_dialects_do_apart(dialect: Any) -> None:
    app = dialect == "openwop-app"

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        assert (await caller.log(run))[0]["sequence"] == (1 if app else 0)
        (await caller.emit(run, A["surface"])).ok(201) if app else (await caller.emit(run, A)).ok(
            200
        )
        wrong = A if app else A["surface"]
        assert (await caller.emit(run, wrong)).status == 422
        unknown = await caller.emit("no-such-run", A["surface"] if app else A)
        assert unknown.status == (201 if app else 404)
        (await caller.get(path_of("no-such-run"))).refused(404, "run_not_found")
        malformed = await caller.post(EMIT, raw=b'{"runId":')
        assert malformed.code == ("internal_error" if app else "validation_error")
        fork = await caller.fork(run, fromSeq=2)
        assert fork.status == (501 if app else 201)
        (await caller.fork(run, fromSeq=0)).ok(201)
        (await caller.resolve(run)).ok()
        again = (await caller.resolve(run)).code
        assert again == ("interrupt_not_found" if app else "run_no_longer_resumable")

    against_host(scenario, Settings(dialect=dialect))


def test_the_acceptor_remembers_across_calls_and_calls_what_is_blocked_invalid() -> None:
    async def scenario(caller: Caller) -> None:
        sent = caller.envelope(trust="untrusted")
        first = await caller.accept(sent)
        assert await caller.accept(sent) == first
        other = caller.envelope({}, kind="error", correlation=sent["correlationId"])
        found = await caller.accept(other)
        assert (found["status"], found["reason"]) == ("invalid", "envelope_correlation_conflict")
        found = await caller.accept(
            caller.envelope(trust="untrusted"), boundInterruptKind="approval"
        )
        assert found["status"] == "invalid"
        assert found["reason"] == "untrusted_content_blocks_approval"
        found = await caller.accept(caller.envelope(), hostSupportedEnvelopes=[])
        assert found["status"] == "gated"
        assert "allowedKinds" in found

    against_host(scenario, APP)


def test_a_log_of_what_is_no_run_is_its_tenant_s_alone() -> None:
    async def scenario(caller: Caller) -> None:
        body = {"runId": "invented", "surface": A["surface"]}
        assert (await caller.post(EMIT, body)).ok(201)["sequence"] == 1
        assert (await caller.post(EMIT, body)).ok(201)["sequence"] == 2
        (await caller.post(EMIT, body, tenant="globex")).refused(404, "run_not_found")
        theirs = await caller.run(tenant="globex")
        (await caller.post(EMIT, body | {"runId": theirs})).refused(404, "run_not_found")
        (await caller.post(EMIT, body | {"runId": "globex/x"})).refused(404, "run_not_found")
        projected = {"envelope": caller.envelope(), "projectTo": {"runId": "another"}}
        assert (await caller.post(ACCEPT, projected)).ok()["status"] == "accepted"

    against_host(scenario, APP)


def test_a_refused_emission_leaves_no_log_behind() -> None:
    async def scenario(caller: Caller) -> None:
        body = {"runId": "invented", "surface": {}}
        assert (await caller.post(EMIT, body)).status == 422
        assert caller.inside.store.run("invented") is None

    against_host(scenario, APP)
