"""The delta projection: each subscriber can rebuild what was recorded, and only from frames."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from typing import Any

import pytest

from openwop_conformance.jsonvalue import compact
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.v1.policy import V1Policy

from .client import Reader
from .client_v1 import (
    FRAME,
    SURFACE,
    A,
    B,
    C,
    Caller,
    Screen,
    against_host,
    next_surface,
    path_of,
    tree,
)


async def _shown(caller: Caller, run: str, reader: Reader, screen: Screen, payload: Any) -> str:
    """Emit a payload and see it shown; the name of what brought it."""
    (await caller.emit(run, payload)).ok()
    sent = await next_surface(reader)
    assert screen.take(sent) == payload
    return sent.event


def test_the_first_surface_comes_whole_and_each_later_one_as_a_frame_over_the_last() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            reference = (await caller.emit(run, A)).ok()["surfaceRef"]
            full = await next_surface(reader)
            assert (full.event, json.loads(full.data)["eventId"]) == (SURFACE, reference)
            (await caller.emit(run, B)).ok()
            first = await next_surface(reader)
            assert (first.event, first.id) == (FRAME, "6")
            assert json.loads(first.data) == {
                "surfaceRef": reference,
                "catalogVersion": "0.9.1",
                "patch": [
                    {
                        "op": "replace",
                        "path": "/surface/components/0/text",
                        "value": "Pick another time",
                    }
                ],
            }
            (await caller.emit(run, C)).ok()
            second = await next_surface(reader)
            assert json.loads(second.data)["surfaceRef"] == reference
            screen = Screen()
            assert [screen.take(sent) for sent in (full, first, second)] == [A, B, C]

    against_host(scenario)


def test_who_does_not_ask_and_who_asks_otherwise_gets_full_surfaces() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for payload in (A, B, C):
            (await caller.emit(run, payload)).ok()
        log = await caller.log(run)
        for query in ("", "?a2uiDelta=0", "?a2uiDelta=true", "?a2uiDelta=", "?a2uidelta=1"):
            async with caller.stream(run, query) as reader:
                for event in log:
                    sent = await reader.next()
                    assert sent is not None
                    assert (sent.event, json.loads(sent.data)) == (event["type"], event)
        answer = await caller.get(f"{path_of(run)}/events?a2uiDelta=1&a2uiDelta=1")
        answer.refused(400, "validation_error")

    against_host(scenario)


def test_the_log_the_poll_the_json_and_the_fork_hold_full_surfaces() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            names = [await _shown(caller, run, reader, screen, p) for p in (A, B, C)]
        assert names == [SURFACE, FRAME, FRAME]
        log = await caller.log(run)
        assert [e["payload"] for e in log if e["type"] == SURFACE] == [A, B, C]
        assert await caller.log_as_json(run, "?a2uiDelta=1") == log
        fork = (await caller.fork(run, fromSeq=len(log))).ok(201)["runId"]
        assert [e["payload"] for e in await caller.log(fork)][5:] == [A, B, C]
        async with caller.stream(fork) as reader:
            names = [(await next_surface(reader)).event for _ in range(3)]
        assert names == [SURFACE, FRAME, FRAME]

    against_host(scenario)


def test_an_update_that_changes_nothing_comes_whole_and_is_the_next_reference() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            (await caller.emit(run, A)).ok()
            await next_surface(reader)
            again = (await caller.emit(run, dict(reversed(A.items())))).ok()["surfaceRef"]
            sent = await next_surface(reader)
            assert (sent.event, json.loads(sent.data)["eventId"]) == (SURFACE, again)
            (await caller.emit(run, B)).ok()
            frame = await next_surface(reader)
            assert json.loads(frame.data)["surfaceRef"] == again

    against_host(scenario)


def test_a_patch_that_would_not_be_smaller_gives_way_to_the_full_event() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            small: Any = {"catalogVersion": "0.9.1", "surface": {"components": []}}
            other = tree(*(f"quite another text, number {i}" for i in range(30)), title="Else")
            assert await _shown(caller, run, reader, screen, small) == SURFACE
            (await caller.emit(run, other)).ok()
            sent = await next_surface(reader)
            assert screen.take(sent) == other
            if sent.event == FRAME:
                (full,) = await caller.log(run, "?lastSequence=5")
                assert len(sent.data) < len(compact(full))
            for count in (29, 15, 30, 1, 0, 30):
                payload = tree(*(f"{count} of them, number {i}" for i in range(count)), title="x")
                await _shown(caller, run, reader, screen, payload)

    against_host(scenario)


@pytest.mark.parametrize(
    "trusts",
    [(None, "untrusted"), ("trusted", "untrusted"), ("untrusted", "trusted"), (None, "trusted")],
)
def test_a_change_of_trust_comes_whole(trusts: Any) -> None:
    async def scenario(caller: Caller) -> None:
        before, after = trusts
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            names = []
            for payload, trust in ((A, before), (B, before), (C, after), (B, after)):
                await caller.put(run, payload, trust)
                sent = await next_surface(reader)
                names.append(sent.event)
                assert screen.take(sent) == payload
                if sent.event == SURFACE:
                    assert json.loads(sent.data).get("contentTrust") == trust
        assert names == [SURFACE, FRAME, SURFACE, FRAME]

    against_host(scenario)


def test_a_change_of_the_catalog_version_comes_whole() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        newer = {"catalogVersion": "0.9.2"}
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            names = []
            for payload in (A, B, {**B, **newer}, {**C, **newer}, C):
                (await caller.emit(run, payload)).ok()
                sent = await next_surface(reader)
                names.append(sent.event)
                if sent.event == FRAME:
                    assert json.loads(sent.data)["catalogVersion"] == payload["catalogVersion"]
        assert names == [SURFACE, FRAME, SURFACE, FRAME, SURFACE]

    against_host(scenario, Settings(catalog_versions=("0.9.1", "0.9.2")))


def test_the_surfaces_of_each_node_are_patched_apart() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        references: dict[str, str] = {}
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            for node, payload in (
                ("gate", A), ("other", B), ("gate", B), ("other", C), ("gate", C), ("third", C),
            ):  # fmt: skip
                event_id = await caller.put(run, payload, node=node)
                sent = await next_surface(reader)
                assert screen.take(sent) == payload
                if node not in references:
                    references[node] = event_id
                    assert sent.event == SURFACE
                else:
                    assert json.loads(sent.data)["surfaceRef"] == references[node]
            assert await _shown(caller, run, reader, screen, A) == SURFACE

    against_host(scenario)


def test_who_comes_late_or_again_begins_with_a_full_surface() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            for payload in (A, B):
                await _shown(caller, run, reader, screen, payload)
        (await caller.emit(run, C)).ok()
        for after, seen in ((None, [A, B, C]), (4, [A, B, C]), (5, [B, C]), (6, [C]), (7, [])):
            async with caller.stream(run, after=after) as reader:
                screen = Screen()
                for index, payload in enumerate(seen):
                    sent = await next_surface(reader)
                    assert screen.take(sent) == payload
                    assert sent.event == (FRAME if index else SURFACE)
        async with caller.stream(run, after=7) as reader:
            assert await _shown(caller, run, reader, Screen(), A) == SURFACE

    against_host(scenario)


def test_an_update_made_while_a_subscriber_comes_is_not_lost() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        texts = [tree(f"number {n}") for n in range(40)]

        async def emitting() -> None:
            for payload in texts:
                (await caller.emit(run, payload)).ok()
                await asyncio.sleep(0)

        async def watching(delay: int) -> None:
            for _ in range(delay):
                await asyncio.sleep(0)
            async with caller.stream(run) as reader:
                screen = Screen()
                assert [screen.take(await next_surface(reader)) for _ in texts] == texts

        await asyncio.gather(emitting(), *(watching(delay) for delay in range(0, 60, 10)))

    against_host(scenario)


def test_two_subscribers_have_states_of_their_own() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.emit(run, A)).ok()
        async with caller.stream(run) as first, caller.stream(run, after=5) as second:
            await next_surface(first)
            (await caller.emit(run, B)).ok()
            assert (await next_surface(first)).event == FRAME
            assert (await next_surface(second)).event == SURFACE
            (await caller.emit(run, C)).ok()
            ours, theirs = await next_surface(first), await next_surface(second)
            assert json.loads(ours.data)["patch"] == json.loads(theirs.data)["patch"]
            assert json.loads(ours.data)["surfaceRef"] != json.loads(theirs.data)["surfaceRef"]

    against_host(scenario)


def test_no_patch_holds_a_secret() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (secret,) = caller.settings.secrets.values()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            for text in ("nothing", f"the key is {secret}", f"{secret}!", f"{secret}{secret}"):
                (await caller.emit(run, tree(text, "so that a frame is smaller"))).ok()
                sent = await next_surface(reader)
                assert secret not in sent.data
            assert sent.event == FRAME
        assert secret.encode() not in reader.text

    against_host(scenario)


def test_the_reasoning_is_patched_with_the_payload() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen()
            for payload in (A, {**A, "reasoning": "r"}, {**B, "reasoning": "s"}, B):
                await _shown(caller, run, reader, screen, payload)

    against_host(scenario)


def test_in_a_tree_s_patch_nothing_beside_the_tree_can_change() -> None:
    policy = Policy(v1=replace(V1Policy(), base="tree"))

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            screen = Screen("tree")
            names = [
                await _shown(caller, run, reader, screen, payload)
                for payload in (A, B, {**C, "reasoning": "r"}, {**B, "reasoning": "r"}, B)
            ]
        assert names == [SURFACE, FRAME, SURFACE, FRAME, SURFACE]

    against_host(scenario, policy=policy)
