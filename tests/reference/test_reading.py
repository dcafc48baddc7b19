"""Polling and streaming: what is sent, when, and when it ends."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from openwop_conformance.reference.settings import Settings
from openwop_conformance.schemas import problems, validator

from .client import CREATE, DATA, Caller, against_host, path_of, types_of

FINISHED = ["interrupt.resolved", "approval.granted", "node.completed", "run.completed"]


def test_a_poll_answers_at_once_when_there_is_news() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        body = (await caller.get(f"{path_of(run)}/events/poll")).ok()
        assert body.keys() == {"runId", "events", "lastSequence", "status", "isTerminal"}
        assert body["lastSequence"] == 4
        assert (body["status"], body["isTerminal"]) == ("waiting-approval", False)
        newer = (await caller.get(f"{path_of(run)}/events/poll?afterSequence=2")).ok()
        assert [event["sequence"] for event in newer["events"]] == [3, 4]

    against_host(scenario)


def test_a_poll_without_news_waits_until_there_is_some() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/events/poll?afterSequence=4&timeout=20"
        waiting = asyncio.create_task(caller.get(target))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        began = time.perf_counter()
        (await caller.surface(run, "s", [CREATE])).ok(201)
        body = (await waiting).ok()
        assert time.perf_counter() - began < 4
        assert types_of(body["events"]) == ["example.a2ui-surface-recorded"]

    against_host(scenario)


def test_a_poll_past_the_end_is_empty_after_its_time_and_at_once_when_the_run_has_ended() -> None:
    async def scenario(caller: Caller) -> None:
        live, ended = await caller.run(), await caller.run("conformance-noop")
        began = time.perf_counter()
        body = (await caller.get(f"{path_of(live)}/events/poll?afterSequence=99&timeout=1")).ok()
        assert time.perf_counter() - began >= 0.9
        assert (body["events"], body["lastSequence"]) == ([], 4)
        began = time.perf_counter()
        body = (await caller.get(f"{path_of(ended)}/events/poll?afterSequence=99")).ok()
        assert time.perf_counter() - began < 4
        assert (body["events"], body["isTerminal"]) == ([], True)

    against_host(scenario)


@pytest.mark.parametrize(
    "query",
    [
        "afterSequence=-1",
        "afterSequence=x",
        "afterSequence=",
        "afterSequence=1.0",
        "afterSequence=1&afterSequence=2",
        "afterSequence=9999999999999999999999",
        "afterSequence=%D9%A1",
        "timeout=0",
        "timeout=61",
        "timeout=1.5",
        "timeout=-1",
        "timeout=soon",
    ],
)
def test_a_bad_poll_parameter_is_a_validation_error(query: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.get(f"{path_of(run)}/events/poll?{query}")).refused(400, "validation_error")

    against_host(scenario)


def test_a_stream_of_an_ended_run_sends_all_and_closes() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run("conformance-noop")
        log = await caller.events(run)
        async with caller.stream(run, "?streamMode=debug") as reader:
            frames = await reader.rest()
        assert [json.loads(frame.data) for frame in frames] == log
        assert [frame.event for frame in frames] == types_of(log)
        assert [frame.id for frame in frames] == [str(event["sequence"]) for event in log]

    against_host(scenario)


def test_surfaces_are_streamed_in_debug_alone() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE, DATA])
        (await caller.emit(run, sent)).ok(201)
        (await caller.resolve(run)).ok()
        log = await caller.events(run)
        seen: dict[str, list[str]] = {}
        for query in ("", "updates", "messages", "debug", "updates,messages", "messages,debug"):
            async with caller.stream(run, query and f"?streamMode={query}") as reader:
                frames = await reader.rest()
            seen[query] = [frame.event for frame in frames]
            for frame in frames:
                assert json.loads(frame.data) == log[int(frame.id or "")]
        suspended = ["run.started", "interrupt.requested", "approval.requested", "node.suspended"]
        assert seen["updates"] == seen[""] == seen["updates,messages"] == suspended + FINISHED
        assert seen["messages"] == []
        assert seen["debug"] == seen["messages,debug"] == types_of(log)

    against_host(scenario)


def test_events_are_streamed_as_they_come_and_the_stream_closes_after_the_last() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run, "?streamMode=debug") as reader:
            await reader.until("node.suspended")
            (await caller.surface(run, "s", [CREATE])).ok(201)
            assert (await reader.until("example.a2ui-surface-recorded"))[-1].id == "5"
            (await caller.resolve(run)).ok()
            assert [frame.event for frame in await reader.rest()][-1] == "run.completed"

    against_host(scenario)


@pytest.mark.parametrize("end", ["cancel", "resolve"])
def test_each_end_of_a_run_closes_its_streams(end: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader, caller.stream(run, "?streamMode=messages") as mute:
            await reader.until("node.suspended")
            if end == "cancel":
                (await caller.post(f"{path_of(run)}/cancel")).ok()
            else:
                (await caller.resolve(run)).ok()
            last = (await reader.rest())[-1]
            assert last.event == ("run.cancelled" if end == "cancel" else "run.completed")
            assert await mute.rest() == []

    against_host(scenario)


def test_a_stream_resumes_after_the_event_it_names() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run("conformance-noop")
        for last, left in (("0", ["1", "2", "3"]), ("2", ["3"]), ("3", []), ("99", [])):
            headers = (("last-event-id", last),)
            async with caller.stream(run, "?streamMode=debug", headers=headers) as reader:
                assert [frame.id for frame in await reader.rest()] == left
        for wrong in ("-1", "x", "1.0", ""):
            answer = await caller.get(f"{path_of(run)}/events", headers=(("last-event-id", wrong),))
            answer.refused(400, "validation_error")

    against_host(scenario)


def test_values_sends_a_snapshot_at_the_start_and_after_transitions_only() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run, "?streamMode=values") as reader:
            first = await reader.next()
            assert first is not None
            assert first.event == "state.snapshot"
            assert json.loads(first.data) == await caller.read(run)
            (await caller.surface(run, "s", [CREATE])).ok(201)
            (await caller.resolve(run)).ok()
            rest = await reader.rest()
            assert [json.loads(frame.data)["status"] for frame in rest] == ["completed"]
        headers = (("last-event-id", "99"),)
        async with caller.stream(run, "?streamMode=values", headers=headers) as reader:
            assert [frame.event for frame in await reader.rest()] == ["state.snapshot"]

    against_host(scenario)


def test_a_buffer_gathers_events_into_batches_and_is_flushed_by_the_end() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run, "?streamMode=debug&bufferMs=600") as reader:
            first = await reader.next()
            assert first is not None
            assert (first.event, first.id) == ("batch", "4")
            assert types_of(json.loads(first.data))[-1] == "node.suspended"
            for surface in ("a", "b", "c"):
                (await caller.surface(run, surface, [CREATE])).ok(201)
            second = await reader.next()
            assert second is not None
            assert second.id == "7"
            assert len(json.loads(second.data)) == 3
        async with caller.stream(run, "?bufferMs=5000") as reader:
            await reader.next()
            began = time.perf_counter()
            (await caller.resolve(run)).ok()
            (last,) = await reader.rest()
            assert time.perf_counter() - began < 4
            assert types_of(json.loads(last.data)) == FINISHED
            for event in json.loads(last.data):
                assert problems(validator("run-event"), event) == []

    against_host(scenario)


@pytest.mark.parametrize(
    "mode",
    ["nope", "values,updates", "updates,", ",updates", "Updates", "updates%20", "updates%0A", ""],
)
def test_an_unsupported_stream_mode_says_what_is_supported(mode: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        answer = await caller.get(f"{path_of(run)}/events?streamMode={mode}")
        body = answer.refused(400, "unsupported_stream_mode")
        assert body["details"]["supported"] == ["values", "updates", "messages", "debug"]

    against_host(scenario)


@pytest.mark.parametrize("buffer", ["-1", "5001", "x", "1.5"])
def test_a_bad_buffer_is_a_validation_error(buffer: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/events?bufferMs={buffer}"
        (await caller.get(target)).refused(400, "validation_error")

    against_host(scenario)


def test_a_silence_is_broken_by_comments_also_while_events_pass_unseen() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            began = time.perf_counter()
            await reader.until("node.suspended")
            for number in range(10):
                (await caller.surface(run, f"s{number}", [CREATE])).ok(201)
                await asyncio.sleep(0.02)
            (await caller.resolve(run)).ok()
            await reader.rest()
            most = (time.perf_counter() - began) / 0.05
            assert 2 <= reader.text.count(b":keepalive\n\n") <= most

    against_host(scenario, Settings(keep_alive_seconds=0.05))


def test_a_reader_that_leaves_is_forgotten() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
        poll = asyncio.create_task(
            caller.get(f"{path_of(run)}/events/poll?afterSequence=9&timeout=5")
        )
        await asyncio.sleep(0.05)
        poll.cancel()
        await asyncio.gather(poll, return_exceptions=True)
        async with asyncio.timeout(4):
            while caller.inside.bells._listeners:
                await asyncio.sleep(0.02)

    against_host(scenario)
