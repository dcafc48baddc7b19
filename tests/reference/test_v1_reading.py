"""Reading a run of major 1: the log as JSON, by polling, and as a stream."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from openwop_conformance.reference.settings import Settings
from openwop_conformance.schemas import problems, validator

from .client import types_of
from .client_v1 import FRAME, SURFACE, A, B, C, Caller, against_host, next_surface, path_of

OPENING = [
    "run.started",
    "node.started",
    "interrupt.requested",
    "approval.requested",
    "node.suspended",
]


@pytest.mark.parametrize("name", ["lastSequence", "since"])
def test_a_poll_answers_what_is_after_its_cursor(name: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/events/poll?{name}="
        whole = (await caller.get(f"{path_of(run)}/events/poll")).ok()
        assert whole.keys() == {
            "events", "lastEventSeq", "runStatus", "isTerminal", "isComplete",
        }  # fmt: skip
        assert (whole["lastEventSeq"], whole["runStatus"]) == (4, "waiting-approval")
        assert (whole["isTerminal"], whole["isComplete"]) == (False, False)
        assert types_of(whole["events"]) == OPENING
        for cursor in range(-1, 7):
            page = (await caller.get(f"{target}{cursor}")).ok()
            assert page["events"] == whole["events"][cursor + 1 :]
        for wrong in ("-2", "x", "", "1.0", "01x", "%D9%A1", "1&" + name + "=2"):
            (await caller.get(f"{target}{wrong}")).refused(400, "validation_error")

    against_host(scenario)


def test_a_poll_waits_only_as_long_as_it_was_asked_to() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/events/poll?lastSequence=4"
        began = time.perf_counter()
        assert (await caller.get(target)).ok()["events"] == []
        assert time.perf_counter() - began < 4
        waiting = asyncio.create_task(caller.get(f"{target}&timeout=20"))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        (await caller.emit(run, A)).ok()
        (event,) = (await waiting).ok()["events"]
        assert event["payload"] == A
        for wrong in ("61", "-1", "x"):
            answer = await caller.get(f"{target}&timeout={wrong}")
            answer.refused(400, "validation_error")
        (await caller.post(f"{path_of(run)}/cancel")).ok()
        ended = (await caller.get(f"{target}&timeout=20")).ok()
        assert (ended["isTerminal"], ended["isComplete"]) == (True, True)

    against_host(scenario)


def test_who_takes_json_gets_the_log_and_who_takes_both_a_stream() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run("conformance-noop")
        target = f"{path_of(run)}/events"
        log = await caller.log(run)
        for accept in ("application/json", "text/html, Application/JSON;q=0.9"):
            found = (await caller.get(target, headers=(("accept", accept),))).ok()
            assert found == {"events": log, "isComplete": True}
        assert await caller.log_as_json(run, "?a2uiDelta=1&lastSequence=1") == log[2:]
        answer = await caller.get(
            f"{target}?streamMode=nope", headers=(("accept", "application/json"),)
        )
        body = answer.refused(400, "unsupported_stream_mode")
        assert body["details"] == {
            "supported": ["values", "updates", "messages", "debug"],
            "unsupported": ["nope"],
        }
        live = await caller.run()
        headers = (("accept", "application/json"),)
        assert (await caller.get(f"{path_of(live)}/events", headers=headers)).ok()[
            "isComplete"
        ] is False
        async with caller.stream(run, "") as reader:
            assert len(await reader.rest()) == 4

    against_host(scenario)


def test_a_surface_is_an_update_and_the_stream_ends_after_the_last_event() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run, "") as reader:
            await reader.until("node.suspended")
            (await caller.emit(run, A)).ok()
            sent = (await reader.until(SURFACE))[-1]
            assert (sent.id, json.loads(sent.data)["payload"]) == ("5", A)
            (await caller.resolve(run)).ok()
            assert [s.event for s in await reader.rest()][-1] == "run.completed"
        log = await caller.log(run)
        for query in ("", "?streamMode=updates", "?streamMode=debug", "?streamMode=messages,debug"):
            async with caller.stream(run, query) as reader:
                found = await reader.rest()
            assert [json.loads(s.data) for s in found] == log
            assert [s.event for s in found] == types_of(log)
            assert [s.id for s in found] == [str(event["sequence"]) for event in log]
        async with caller.stream(run, "?streamMode=messages") as reader:
            assert await reader.rest() == []
        async with caller.stream(run, "?streamMode=values") as reader:
            (snapshot,) = await reader.rest()
            assert snapshot.event == "state.snapshot"
            assert json.loads(snapshot.data) == await caller.read(run)

    against_host(scenario)


def test_a_stream_resumes_after_the_event_it_names() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run("conformance-noop")
        for last, left in ((0, ["1", "2", "3"]), (2, ["3"]), (3, []), (99, [])):
            async with caller.stream(run, "", after=last) as reader:
                assert [sent.id for sent in await reader.rest()] == left
        for wrong in ("-1", "x", "1.0", ""):
            answer = await caller.get(f"{path_of(run)}/events", headers=(("last-event-id", wrong),))
            answer.refused(400, "validation_error")

    against_host(scenario)


@pytest.mark.parametrize("query", ["", "&a2uiDelta=1"])
def test_a_buffer_gathers_full_events_and_is_flushed_by_the_end(query: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run, f"?bufferMs=400{query}") as reader:
            first = await reader.next()
            assert first is not None
            assert (first.event, first.id) == ("batch", "4")
            assert types_of(json.loads(first.data)) == OPENING
            for payload in (A, B, C):
                (await caller.emit(run, payload)).ok()
            second = await reader.next()
            assert second is not None
            assert (second.event, second.id) == ("batch", "7")
            assert [event["payload"] for event in json.loads(second.data)] == [A, B, C]
            (await caller.resolve(run)).ok()
            (last,) = await reader.rest()
            assert types_of(json.loads(last.data))[-1] == "run.completed"
        for wrong in ("-1", "5001", "x"):
            answer = await caller.get(f"{path_of(run)}/events?bufferMs={wrong}")
            answer.refused(400, "validation_error")

    against_host(scenario)


def test_a_silence_is_broken_by_comments() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            await asyncio.sleep(0.2)
            (await caller.post(f"{path_of(run)}/cancel")).ok()
            await reader.rest()
            assert b":keepalive\n\n" in reader.text

    against_host(scenario, Settings(keep_alive_seconds=0.05))


def test_a_reader_that_leaves_is_forgotten() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
        async with asyncio.timeout(4):
            while caller.inside.bells._listeners:
                await asyncio.sleep(0.02)

    against_host(scenario)


def test_every_event_and_every_frame_has_the_shape_that_is_written_down() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            await caller.put(run, A, "trusted")
            await caller.put(run, B, "trusted")
            full, frame = await next_surface(reader), await next_surface(reader)
        assert (full.event, frame.event) == (SURFACE, FRAME)
        assert problems(validator("run-event-v1"), json.loads(full.data)) == []
        assert problems(validator("a2ui-surface-delta-frame"), json.loads(frame.data)) == []
        assert json.loads(full.data)["contentTrust"] == "trusted"

    against_host(scenario)
