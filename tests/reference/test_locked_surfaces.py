"""Locked surfaces in the reference subjects: off, on, and against anything that comes."""

from __future__ import annotations

import asyncio
import copy
from contextlib import suppress
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.lock import FLAGS, digest, without_lock
from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import CallError, UsageError, Violation
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.connect import settings_of
from openwop_conformance.reference.consumer.operations import ReferenceConsumer
from openwop_conformance.reference.sdk.operations import ReferenceSdk
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.reference.settings import Settings
from openwop_conformance.scenario.model import Subject
from openwop_conformance.suite import execute, plan

from ..a2ui.locking import (
    MODELS,
    NAMES,
    PAYLOADS,
    POLICIES,
    Payload,
    confirmation,
    frozen,
    full,
    is_frozen,
)
from .client import Caller, against_host, surfaces_in
from .consumer.envelopes import Asked, delta, payload, tree

SOURCES = st.lists(st.sampled_from(["ai-generation", "system", "user"]), min_size=6, max_size=6)
LOCK: Payload = [{"lockSurface": {"allowedDataModelPaths": ["/status"]}}]
SHOWN: Payload = confirmation({"a": 1})
CHANGE: Payload = [{"updateDataModel": {"path": "/a", "value": 2}}]


def rows_of(subject: str, kind: Subject) -> tuple[Row, ...]:
    chosen = plan(subject, Credentials(), patterns=["*.locked-*"], kind=kind)
    return asyncio.run(execute(chosen, lambda event: None))


# ------------------------------------------------------------------------------ off and on


def test_on_a_subject_that_does_not_advertise_it_no_row_binds() -> None:
    subjects: tuple[tuple[Subject, str], ...] = (
        ("host", "reference?locks=no"),
        ("sdk", "py:tests.reference.test_locked_surfaces:unlocked_sdk"),
        ("consumer", "py:tests.reference.test_locked_surfaces:half_claiming_consumer"),
    )
    for kind, subject in subjects:
        rows = rows_of(subject, kind)
        assert len(rows) > 15
        assert {row.disposition for row in rows} == {Disposition.INAPPLICABLE}, kind
        assert all("are not advertised" in row.reason for row in rows)


class UnlockedSdk(ReferenceSdk):
    def hello(self, protocol: int) -> JsonValue:
        said = super().hello(protocol)
        return {name: value for name, value in said.items() if name != "capabilities"}


class HalfClaimingConsumer(ReferenceConsumer):
    def hello(self, protocol: int) -> JsonValue:
        return {**super().hello(protocol), "capabilities": {FLAGS[0]: True}}


def unlocked_sdk() -> UnlockedSdk:
    return UnlockedSdk()


def half_claiming_consumer() -> HalfClaimingConsumer:
    return HalfClaimingConsumer()


def test_on_the_reference_subjects_each_row_is_kept() -> None:
    kinds: tuple[Subject, ...] = ("host", "sdk", "consumer")
    for kind in kinds:
        rows = rows_of("reference", kind)
        assert len(rows) > 15
        assert {row.disposition for row in rows} == {Disposition.PASS}, kind


def test_a_host_that_knows_no_locks_refuses_one_as_any_unknown_message() -> None:
    async def scenario(caller: Caller) -> None:
        document = (await caller.get("/.well-known/openwop")).ok()
        assert "extensions" not in document
        run = await caller.run()
        (await caller.surface(run, "s", SHOWN)).ok(201)
        for message in (LOCK[0], {"createSurface": {"surfacePolicy": {"mutability": "locked"}}}):
            sent = caller.envelope("s" if message == LOCK[0] else "t", [message])
            sent["meta"]["source"] = "system"
            answer = await caller.emit(run, sent)
            answer.refused(422, "envelope_invalid", "branch")
        (await caller.surface(run, "s", CHANGE)).ok(201)

    against_host(scenario, Settings(locked_surfaces=False))


def test_locks_is_yes_or_no() -> None:
    assert settings_of({}).locked_surfaces
    assert not settings_of({"locks": "no"}).locked_surfaces
    with pytest.raises(UsageError, match="locks is yes or no, not 'maybe'"):
        settings_of({"locks": "maybe"})


def test_a_state_of_version_0_8_has_no_locks() -> None:
    sdk = ReferenceSdk()
    sdk.new_state("old", version="v0.8")
    with pytest.raises(CallError):
        sdk.apply("old", full(LOCK), source="system")


# -------------------------------------------------------------------------------- the host


async def emitted(caller: Caller, run: str, messages: Payload, source: str) -> bool:
    sent = caller.envelope("s", messages, correlation=f"correlation-{uuid4().hex}")
    sent["meta"]["source"] = source
    answer = await caller.emit(run, sent)
    assert answer.status in (201, 422), answer
    return answer.status == 201


async def recorded(caller: Caller, run: str) -> Fold:
    """The plain fold of what the log has, in which no lock refuses anything."""
    fold = Fold()
    for sent in surfaces_in(await caller.events(run)):
        for message in sent["payload"]["messages"]:
            with suppress(Violation):  # the host's fold guard does not look into data
                fold.apply(without_lock(message))
    return fold


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(MODELS, POLICIES, PAYLOADS, SOURCES)
def test_no_log_and_no_fork_of_it_ever_holds_a_change_to_what_was_frozen(
    model: Any, policy: dict[str, Any], payloads: list[Payload], sources: list[str]
) -> None:
    allowed = policy.get("allowedDataModelPaths", [])

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        assert await emitted(caller, run, confirmation(model), "ai-generation")
        assert await emitted(caller, run, [{"lockSurface": policy}], "system")
        before = await recorded(caller, run)
        point = (await caller.events(run))[-1]["sequence"] + 1
        await caller.surface(run, "other", [{"createSurface": {}}])
        fork = (await caller.fork(run, fromSeq=point)).ok(201)["runId"]
        for one in (run, fork):
            for sent, source in zip(payloads, sources, strict=False):
                await emitted(caller, one, sent, source)
            after = await recorded(caller, one)
            held, was = after.surfaces["s"], before.surfaces["s"]
            assert frozen(held.data.root, allowed) == frozen(was.data.root, allowed)
            assert held.components == was.components

    against_host(scenario)


def test_a_lock_outlives_the_host_that_took_it(tmp_path: Any) -> None:
    kept = Settings(database=str(tmp_path / "log"))

    async def lock(caller: Caller) -> None:
        runs.append(await caller.run())
        assert await emitted(caller, runs[0], SHOWN, "ai-generation")
        assert await emitted(caller, runs[0], LOCK, "system")

    async def change(caller: Caller) -> None:
        assert not await emitted(caller, runs[0], CHANGE, "system")
        status: Payload = [{"updateDataModel": {"path": "/status", "value": "sent"}}]
        assert await emitted(caller, runs[0], status, "ai-generation")

    runs: list[str] = []
    against_host(lock, kept)
    against_host(change, kept)


# --------------------------------------------------------------------------------- the SDK


@settings(max_examples=150, deadline=None)
@given(MODELS, POLICIES, PAYLOADS, SOURCES, st.booleans())
def test_no_state_ever_holds_a_change_to_what_was_frozen(
    model: Any, policy: dict[str, Any], payloads: list[Payload], sources: list[str], undone: bool
) -> None:
    allowed = policy.get("allowedDataModelPaths", [])
    state = RendererState([basic()])
    state.apply(full(confirmation(model)))
    state.apply_from("system", full([{"lockSurface": policy}]))
    before = copy.deepcopy(state.snapshot()["surfaces"]["s"])
    for sent, source in zip(payloads, sources, strict=False):
        try:
            with state.transaction():
                state.apply_from(source, full(sent))
                if undone:
                    raise CallError("state", "the caller changed their mind")
        except CallError:
            pass
        after = state.snapshot()["surfaces"]["s"]
        assert frozen(after["data"], allowed) == frozen(before["data"], allowed)
        assert after["components"] == before["components"]


# ---------------------------------------------------------------------------- the consumer

FRAMES = st.sampled_from(
    [
        delta("s", {"op": "replace", "path": "/surface/components/0/text", "value": "y"}),
        delta("e2", {"op": "remove", "path": "/surface/components/0"}),
        delta("tree", {"op": "replace", "path": "/surface/components/0/text", "value": "y"}),
    ]
)
ARRIVALS = st.lists(
    st.tuples(st.integers(1, 12), st.sampled_from(["ai-generation", "system", None])),
    min_size=6,
    max_size=6,
)


def before_a_person(asked: Asked) -> list[tuple[Any, ...]]:
    """Each text of the surface, by its id."""
    return [(node["id"], node["text"]) for node in asked.flat() if node["role"] == "text"]


def pressed(asked: Asked) -> dict[str, Any]:
    assert asked.subject.fire("c", "s", "Go") == {"done": True}
    submission: dict[str, Any] = asked.subject.submitted("c")["submissions"][-1]
    return submission


@settings(max_examples=150, deadline=None)
@given(MODELS, POLICIES, PAYLOADS, ARRIVALS, st.lists(FRAMES, max_size=3))
def test_what_a_person_has_seen_of_it_stays_and_is_what_they_submit(
    model: Any,
    policy: dict[str, Any],
    payloads: list[Payload],
    arrivals: list[tuple[int, str | None]],
    frames: list[JsonValue],
) -> None:
    """Late, early and repeated envelopes, re-creation, other locks, and deltas of major 1."""
    allowed = policy.get("allowedDataModelPaths", [])
    asked = Asked()
    asked.delivers(tree({"component": "text", "text": "Tree"}), 1, event="tree", sequence=1)
    asked.gives(*bodies(confirmation(model)), sequence=4)
    asked.gives(*bodies([{"lockSurface": policy}]), sequence=6, source="system")
    shown, submitted = before_a_person(asked), pressed(asked)
    kept = {f"t{i}" for i, name in enumerate(NAMES) if is_frozen(name, allowed)} | {"word"}
    for (sequence, source), sent in zip(arrivals, payloads, strict=False):
        more = {} if source is None else {"source": source}
        asked.gives(*bodies(sent), sequence=sequence, **more)
        for frame in frames:
            asked.subject.frame("c", frame, sequence)
        now, again = before_a_person(asked), pressed(asked)
        assert [pair for pair in now if pair[0] in kept] == [p for p in shown if p[0] in kept]
        assert [name for name, _ in now] == [name for name, _ in shown]
        assert again["confirmation"] == submitted["confirmation"]
        for name in NAMES:
            if is_frozen(name, allowed):
                assert again["data"].get(name, "none") == submitted["data"].get(name, "none")


def bodies(messages: Payload) -> Payload:
    return [{k: v for k, v in message.items() if k != "version"} for message in full(messages)]


def test_a_person_s_own_entries_are_no_updates_and_stand_in_what_they_submit() -> None:
    asked = Asked()
    asked.gives(
        *bodies(
            [
                {"createSurface": {}},
                {
                    "updateComponents": {
                        "components": [
                            {"id": "root", "component": "Column", "children": ["name", "go"]},
                            {
                                "id": "name",
                                "component": "TextField",
                                "label": "Name",
                                "value": {"path": "/name"},
                            },
                            {
                                "id": "go",
                                "component": "Button",
                                "child": "word",
                                "action": {"event": {"name": "resume"}},
                            },
                            {"id": "word", "component": "Text", "text": "Go"},
                        ]
                    }
                },
                {"lockSurface": {}},
            ]
        ),
        source="system",
    )
    before = pressed(asked)
    assert asked.subject.set("c", "s", "textbox", "Name", "Ada") == {"done": True}
    after = pressed(asked)
    assert (before["data"], after["data"]) == ({}, {"name": "Ada"})
    assert before["confirmation"] != after["confirmation"]


def test_the_host_can_tell_from_its_log_what_the_person_saw() -> None:
    """The digest that an action carries is that of the host's own fold, and of no other content."""

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        assert await emitted(caller, run, SHOWN, "ai-generation")
        assert await emitted(caller, run, LOCK, "system")
        asked = Asked()
        for event in await caller.events(run):
            for sent in surfaces_in([event]):
                envelope = {
                    "payload": sent["payload"],
                    "schemaVersion": 2,
                    "sequence": event["sequence"],
                    "source": sent["meta"]["source"],
                }
                asked.subject.deliver("c", envelope)
        carried = pressed(asked)["confirmation"]["digest"]
        held = caller.inside.store.run(run)
        assert held is not None
        assert carried == digest(caller.inside.fold(held).frozen("s"))
        other = Asked()
        other.delivers(payload(*bodies([*confirmation({"a": 2}), *LOCK])), source="system")
        assert pressed(other)["confirmation"]["digest"] != carried

    against_host(scenario)


def test_what_the_sabotages_of_locks_break_is_what_the_properties_would_find() -> None:
    """The properties can fail: a lock that lets one thing through is found by them."""
    from openwop_conformance.reference.sabotage.consumer import CONSUMER_SABOTAGES

    broken = CONSUMER_SABOTAGES["consumer-lock-late-taken"].made()
    asked = Asked(broken)
    asked.gives(*bodies(SHOWN), sequence=4)
    asked.gives(*bodies(LOCK), sequence=6, source="system")
    shown = before_a_person(asked)
    asked.gives(*bodies(CHANGE), sequence=5)
    assert before_a_person(asked) != shown
