"""What a host of major 1 sends, in sections: each asks one thing and leaves out what is chance."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

from openwop_conformance.jsonvalue import compact
from openwop_conformance.reference.v1.app import EMIT

from .client import Reader
from .client_v1 import FRAME, SURFACE, A, B, C, Caller, next_surface, path_of, tree

QUIET_SECONDS = 0.12
"""Longer than a host that is deaf at the beginning of a stream stays so."""

Section = Callable[[Caller], Awaitable[Any]]


def _told(payload: Any, given: list[str]) -> Any:
    """A streamed surface without what differs in every run: references by their order."""
    sent = json.loads(payload.data)
    if payload.event == SURFACE:
        given.append(sent["eventId"])
        return ["full", sent["payload"]]
    if "surfaceRef" not in sent:
        return ["frame that was recorded", sent["payload"]["patch"]]
    reference = sent["surfaceRef"]
    sent["surfaceRef"] = given.index(reference) if reference in given else "unknown"
    return ["frame", sent]


async def live(
    caller: Caller,
    *payloads: Any,
    trusts: tuple[Any, ...] | None = None,
    query: str = "a2uiDelta=1",
) -> Any:
    """What a subscriber is sent of surfaces that are recorded while it listens."""
    run = await caller.run()
    told, given = [], list[str]()
    async with caller.stream(run, f"?{query}") as reader:
        await reader.until("node.suspended")
        await asyncio.sleep(QUIET_SECONDS)
        for index, payload in enumerate(payloads):
            if trusts is None:
                (await caller.emit(run, payload)).ok()
            else:
                await caller.put(run, payload, trusts[index])
        (await caller.post(f"{path_of(run)}/cancel")).ok()
        async for sent in _surfaces(reader):
            told.append(_told(sent, given))
    return told


async def _surfaces(reader: Reader) -> Any:
    for sent in await reader.rest():
        if sent.event in (SURFACE, FRAME):
            yield sent


def _kept(events: list[Any]) -> Any:
    return [[e["sequence"], e["type"], "patch" in e["payload"]] for e in events[5:]]


async def _log(caller: Caller) -> Any:
    """The log of three surfaces as who does not ask for deltas is streamed it."""
    run = await caller.run()
    for payload in (A, B, C):
        (await caller.emit(run, payload)).ok()
    return [sent.event for sent in await caller.streamed(run, "?streamMode=debug")]


async def _poll(caller: Caller) -> Any:
    run = await caller.run()
    for payload in (A, B, C, A):
        (await caller.emit(run, payload)).ok()
    return _kept(await caller.log(run))


async def _json(caller: Caller) -> Any:
    run = await caller.run()
    for payload in (A, B, C, A, B):
        (await caller.emit(run, payload)).ok()
    return _kept(await caller.log_as_json(run, "?a2uiDelta=1"))


async def _fork(caller: Caller) -> Any:
    run = await caller.run()
    for payload in (A, B):
        (await caller.emit(run, payload)).ok()
    fork = (await caller.fork(run, fromSeq=7)).ok(201)["runId"]
    return _kept(await caller.log_as_json(fork))


async def _resumed(caller: Caller) -> Any:
    """Who listened to deltas before, and comes again."""
    run = await caller.run()
    async with caller.stream(run) as reader:
        await reader.until("node.suspended")
        await asyncio.sleep(QUIET_SECONDS)
        (await caller.emit(run, A)).ok()
        await next_surface(reader)
    for payload in (B, C):
        (await caller.emit(run, payload)).ok()
    sent = await caller.streamed(run, "?a2uiDelta=1", after=6)
    return [s.event for s in sent]


async def _late(caller: Caller) -> Any:
    """Who never listened, and comes when there are surfaces."""
    told = []
    for after in (None, 5):
        run = await caller.run()
        for payload in (A, B, C):
            (await caller.emit(run, payload)).ok()
        sent = await caller.streamed(run, "?a2uiDelta=1", after=after)
        told.append([s.event for s in sent if s.event in (SURFACE, FRAME)])
    return told


async def _at_once(caller: Caller) -> Any:
    """An update while the host begins to answer."""
    run = await caller.run()

    async def first() -> Any:
        async with caller.stream(run) as reader:
            return (await next_surface(reader)).id

    subscribing = asyncio.create_task(first())
    await asyncio.sleep(QUIET_SECONDS / 4)
    (await caller.emit(run, A)).ok()
    await asyncio.sleep(QUIET_SECONDS)
    (await caller.emit(run, B)).ok()
    return await subscribing


async def _after(caller: Caller) -> Any:
    run = await caller.run()
    sent = await caller.streamed(run, "", after=3)
    return [s.id for s in sent]


async def _batch(caller: Caller) -> Any:
    run = await caller.run()
    for payload in (A, B):
        (await caller.emit(run, payload)).ok()
    (batch,) = await caller.streamed(run, "?bufferMs=100&a2uiDelta=1")
    return [event["type"] for event in json.loads(batch.data)]


async def _secret(caller: Caller) -> Any:
    (secret,) = caller.settings.secrets.values()
    told = await live(caller, A, tree(f"the key is {secret}"))
    return [secret in str(sent) for sent in told]


async def _order(caller: Caller) -> Any:
    """An update that only changes the order of components, and one behind it."""
    first, second = tree("one", "two"), tree("two", "one")
    return await live(caller, first, second, {**second, "reasoning": "r"})


async def _placeholder(caller: Caller) -> Any:
    field = {"component": "field.text", "id": "name", "label": "Name", "placeholder": "your name"}
    texts = [{"component": "text", "text": f"number {n}"} for n in range(5)]
    return await live(caller, _of(*texts, field), _of(*texts, {**field, "placeholder": "a name"}))


async def _at_the_end(caller: Caller) -> Any:
    """Who resumes behind the last surface, and sees another come."""
    run = await caller.run()
    (await caller.emit(run, A)).ok()
    async with caller.stream(run, after=5) as reader:
        await asyncio.sleep(QUIET_SECONDS)
        (await caller.emit(run, B)).ok()
        return (await next_surface(reader)).event


async def _whole(caller: Caller) -> Any:
    """How large what stands for a small change is."""
    texts = [f"a text that stays, number {n}" for n in range(20)]
    told = await live(caller, tree("a", *texts), tree("b", *texts))
    return [name for name, _ in told], len(compact(told[1])) > 500


def _admits(payload: Any) -> Section:
    async def section(caller: Caller) -> Any:
        run = await caller.run()
        return (await caller.emit(run, payload)).status, (
            await caller.accept(caller.envelope(payload))
        )["status"]

    return section


def _of(*components: Any) -> Any:
    return {"catalogVersion": "0.9.1", "surface": {"components": list(components)}}


async def _refused(caller: Caller) -> Any:
    """What a subscriber hears of surfaces that are refused."""
    run = await caller.run()
    told: list[Any] = []
    async with caller.stream(run) as reader:
        await reader.until("node.suspended")
        for payload in (A, _of({"component": "iframe"}), _of({"component": "text"}), B):
            await caller.emit(run, payload)
        (await caller.post(f"{path_of(run)}/cancel")).ok()
        given: list[str] = []
        async for sent in _surfaces(reader):
            told.append(_told(sent, given))
    return told


async def _gate(caller: Caller) -> Any:
    return (await caller.accept(caller.envelope(), hostSupportedEnvelopes=[]))["status"]


async def _conflict(caller: Caller) -> Any:
    run = await caller.run()
    sent = caller.envelope(correlation="the same")
    await caller.accept(sent, persistedDedup={"runId": run})
    other = caller.envelope({}, kind="error", correlation="the same")
    return (await caller.accept(other, persistedDedup={"runId": run})).get("reason")


async def _approval(caller: Caller) -> Any:
    run = await caller.run()
    await caller.put(run, A, "untrusted")
    return (await caller.resolve(run)).status


async def _acceptor(caller: Caller) -> Any:
    sent = caller.envelope(trust="untrusted")
    return (await caller.accept(sent, boundInterruptKind="approval"))["status"]


async def _unknown(caller: Caller) -> Any:
    return (await caller.emit("no-such-run", A)).status


async def _malformed(caller: Caller) -> Any:
    return (await caller.post(EMIT, raw=b"{")).status


async def _claim(caller: Caller) -> Any:
    return (await caller.get("/.well-known/openwop")).body


SECTIONS: dict[str, Section] = {
    "frames": lambda caller: live(caller, A, B, C),
    "plain": lambda caller: live(caller, A, B, C, query="streamMode=updates"),
    "same": lambda caller: live(caller, A, A),
    "trust": lambda caller: live(caller, A, B, trusts=(None, "untrusted")),
    "log": _log,
    "poll": _poll,
    "json": _json,
    "fork": _fork,
    "resumed": _resumed,
    "late": _late,
    "at once": _at_once,
    "after": _after,
    "batch": _batch,
    "secret": _secret,
    "order": _order,
    "placeholder": _placeholder,
    "at the end": _at_the_end,
    "whole": _whole,
    "component": _admits(_of({"component": "iframe", "src": "x"})),
    "member": _admits(_of({"component": "text", "text": "x", "onClick": "y"})),
    "target": _admits(
        _of({"component": "action.button", "id": "x", "label": "y", "action": {"target": "http:"}})
    ),
    "level": _admits(_of({"component": "heading", "text": "x", "level": 7})),
    "version": _admits({**A, "catalogVersion": "9.9.9"}),
    "refused": _refused,
    "gate": _gate,
    "conflict": _conflict,
    "approval": _approval,
    "acceptor": _acceptor,
    "unknown": _unknown,
    "malformed": _malformed,
    "claim": _claim,
}
