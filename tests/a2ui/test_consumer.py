"""The delta consumer: what it may render, case by case, on recorded streams, under any order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.consumer import MOST_SEQUENCES, MOST_VIOLATIONS, Consumer, Shown
from openwop_conformance.a2ui.delta import diff
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.wire.sse import SseEvent, SseParser

from ..shared_data import shared


def surface(*texts: str) -> JsonValue:
    listed = [{"component": "text", "text": text} for text in texts]
    return {"catalogVersion": "0.9.1", "surface": {"components": listed}}


def text_frame(text: str, ref: str = "a", *, component: int = 0, **more: JsonValue) -> JsonValue:
    """A frame that replaces one text."""
    path = f"/components/{component}/text"
    patch = [{"op": "replace", "path": path, "value": text}]
    return {"surfaceRef": ref, "catalogVersion": "0.9.1", "patch": patch, **more}


def consumer_of(*refs: str) -> Consumer:
    """One that holds a right surface, with the text ``one``, under each of some refs."""
    consumer = Consumer(base="tree")
    for ref in refs:
        consumer.full(ref, surface("one"))
    return consumer


def rules(consumer: Consumer) -> list[str]:
    return [violation.rule for violation in consumer.violations]


FAULTY: dict[str, JsonValue] = {
    "delta-frame": text_frame("two", extra=1),
    "catalog-version": text_frame("two", catalogVersion="0.9.2"),
    "delta": text_frame("two", component=1),
    "branch": text_frame("two") | {"patch": [{"op": "remove", "path": "/components"}]},
}
"""The rule → a frame for the surface ``a`` that breaks it."""

# -------------------------------------------------------------------------------- case by case


def test_nothing_was_delivered_at_first() -> None:
    consumer = Consumer(base="tree")
    assert (dict(consumer.surfaces), consumer.latest, consumer.renderable("a")) == ({}, None, None)
    assert (consumer.wants_full, consumer.violations) == (frozenset(), ())


def test_a_frame_patches_the_surface_last_delivered_under_its_reference() -> None:
    consumer = consumer_of("a", "b")
    consumer.frame(text_frame("two", "a"))
    consumer.frame(text_frame("three", "a"))
    assert consumer.renderable("a") == surface("three")
    assert consumer.renderable("b") == surface("one")
    assert consumer.latest == Shown(surface("three"), None, False)
    assert list(consumer.surfaces) == ["b", "a"]
    assert not consumer.violations


def test_pointers_start_from_the_base_that_was_named() -> None:
    consumer = Consumer(base="payload")
    consumer.full("a", surface("one"))
    frame = text_frame("two")
    frame["patch"][0]["path"] = "/surface/components/0/text"
    consumer.frame(frame)
    assert consumer.renderable("a") == surface("two")


@pytest.mark.parametrize("rule", FAULTY)
def test_after_a_wrong_frame_nothing_of_the_surface_is_rendered(rule: str) -> None:
    consumer = consumer_of("a", "b")
    consumer.frame(FAULTY[rule])
    consumer.frame(text_frame("three"))
    assert consumer.renderable("a") is None
    assert consumer.latest == consumer.surfaces["a"] == Shown(surface("one"), None, True)
    assert consumer.renderable("b") == surface("one")
    assert consumer.wants_full == {"a"}
    assert rules(consumer) == [rule]


@pytest.mark.parametrize("ref", ["a", "c"])
def test_a_full_surface_under_any_reference_takes_the_place_of_every_stale_one(ref: str) -> None:
    consumer = consumer_of("a", "b")
    consumer.frame(FAULTY["delta"])
    consumer.frame(text_frame("?", "unknown"))
    assert consumer.wants_full == {"a", "unknown"}
    consumer.full(ref, surface("new"))
    assert consumer.wants_full == frozenset()
    assert set(consumer.surfaces) == {"b", ref}
    consumer.frame(text_frame("newer", ref))
    assert consumer.renderable(ref) == surface("newer")
    consumer.frame(text_frame("again", "unknown"))
    assert consumer.wants_full == {"unknown"}


def test_a_frame_for_an_unknown_surface_is_stored_as_a_wish_for_it() -> None:
    consumer = consumer_of("a")
    consumer.frame(text_frame("two", "b"))
    assert consumer.latest == consumer.surfaces["b"] == Shown(None, None, True)
    assert consumer.renderable("b") is None
    assert consumer.wants_full == {"b"}
    assert consumer.renderable("a") == surface("one")
    assert rules(consumer) == ["delta-base"]


@pytest.mark.parametrize(
    "frame", [None, [], "text", {}, {"surfaceRef": 1, "patch": []}, {"surfaceRef": None}]
)
def test_a_frame_that_names_no_surface_may_be_of_any(frame: JsonValue) -> None:
    consumer = consumer_of("a", "b")
    consumer.frame(frame)
    assert consumer.wants_full == {"a", "b"}
    assert rules(consumer) == ["delta-frame"]


def test_a_full_surface_outside_the_catalog_is_stored_and_not_rendered() -> None:
    consumer = consumer_of("a")
    consumer.frame(FAULTY["delta"])
    wrong = surface("one")
    wrong["surface"]["components"].append({"component": "iframe"})
    consumer.full("b", wrong)
    assert consumer.surfaces["b"] == Shown(wrong, None, True)
    assert consumer.wants_full == {"a", "b"}
    consumer.frame(text_frame("two", "b"))
    assert consumer.renderable("b") is None
    assert rules(consumer) == ["delta", "branch"]


# ---------------------------------------------------------------------------------------- trust


@pytest.mark.parametrize("said", [True, None])
def test_a_frame_changes_nothing_about_what_the_full_surface_said_of_trust(
    said: bool | None,
) -> None:
    consumer = Consumer(base="tree")
    consumer.full("a", surface("one"), trusted=said)
    consumer.frame(text_frame("two"))
    assert consumer.surfaces["a"] == Shown(surface("two"), said, False)


def test_one_untrusted_surface_taints_the_run_for_good() -> None:
    consumer = Consumer(base="tree")
    consumer.full("old", surface("one"), trusted=True)
    consumer.full("a", surface("one"), trusted=False)
    consumer.frame(text_frame("two", "a"))
    consumer.frame(text_frame("two", "old"))
    consumer.full("b", surface("one"), trusted=True)
    consumer.full("a", surface("one"), trusted=True)
    consumer.frame(text_frame("?", "unknown"))
    assert {ref: shown.trusted for ref, shown in consumer.surfaces.items()} == {
        "old": False,
        "a": False,
        "b": False,
        "unknown": False,
    }


def test_an_untrusted_surface_that_is_not_rendered_taints_as_well() -> None:
    late, repeated, wrong = consumer_of(), consumer_of(), consumer_of()
    for consumer in (late, repeated, wrong):
        consumer.full("a", surface("one"), trusted=True, sequence=5)
    late.full("b", surface("one"), trusted=False, sequence=4)
    repeated.full("a", surface("one"), trusted=False, sequence=5)
    wrong.full("b", {}, trusted=False, sequence=6)
    for consumer in (late, repeated, wrong):
        assert consumer.surfaces["a"].trusted is False


# ------------------------------------------------------------------------------------ sequences


def sequenced() -> Consumer:
    """One that was sent the surface ``a`` at 5, and at 7 a frame that made it ``two``."""
    consumer = Consumer(base="tree")
    consumer.full("a", surface("one"), sequence=5)
    consumer.frame(text_frame("two"), sequence=7)
    return consumer


def test_sequences_have_holes() -> None:
    consumer = sequenced()
    consumer.frame(text_frame("three"), sequence=12)
    assert consumer.renderable("a") == surface("three")
    assert not consumer.violations


def test_what_comes_twice_is_ignored_and_noted() -> None:
    consumer = sequenced()
    consumer.frame(text_frame("other"), sequence=7)
    consumer.full("a", surface("one"), sequence=5)
    consumer.full("b", surface("two"), sequence=7)
    assert dict(consumer.surfaces) == {"a": Shown(surface("two"), None, False)}
    assert rules(consumer) == ["delta-order"] * 3


def test_a_frame_that_comes_twice_is_not_applied_twice_while_another_surface_is_stale() -> None:
    consumer = sequenced()
    consumer.frame(text_frame("?", "unknown"), sequence=8)
    value = {"component": "text", "text": "more"}
    patch = [{"op": "add", "path": "/components/-", "value": value}]
    for _ in range(2):
        consumer.frame(text_frame("") | {"patch": patch}, sequence=9)
    assert consumer.renderable("a") == surface("two", "more")
    assert rules(consumer) == ["delta-base", "delta-order"]


@pytest.mark.parametrize("full", [True, False])
def test_what_comes_late_is_not_taken_and_makes_its_surface_stale(full: bool) -> None:
    consumer = sequenced()
    if full:
        consumer.full("a", surface("late"), sequence=6)
    else:
        consumer.frame(text_frame("late"), sequence=6)
    assert consumer.surfaces["a"] == Shown(surface("two"), None, True)
    assert rules(consumer) == ["delta-order"]
    consumer.full("b", surface("new"), sequence=8)
    assert (consumer.renderable("b"), consumer.wants_full) == (surface("new"), frozenset())


def test_the_event_of_a_frame_that_failed_may_be_sent_again_in_full() -> None:
    consumer = sequenced()
    consumer.frame(FAULTY["delta"], sequence=8)
    consumer.full("older", surface("two"), sequence=7)
    assert consumer.wants_full == {"a"}
    consumer.full("e8", surface("three"), sequence=8)
    assert (consumer.renderable("e8"), consumer.wants_full) == (surface("three"), frozenset())
    consumer.frame(text_frame("four", "e8"), sequence=9)
    assert consumer.renderable("e8") == surface("four")


def test_what_is_sent_again_does_not_settle_whether_something_was_lost() -> None:
    consumer = sequenced()
    consumer.frame(FAULTY["delta"], sequence=8)
    consumer.lost()
    consumer.full("e8", surface("three"), sequence=8)
    consumer.frame(text_frame("four", "e8"), sequence=10)
    assert consumer.renderable("e8") is None
    assert consumer.wants_full == {"e8"}


def test_after_a_lost_connection_the_very_next_frame_is_applied() -> None:
    consumer = sequenced()
    consumer.lost()
    assert consumer.renderable("a") == surface("two")
    consumer.frame(text_frame("three"), sequence=8)
    consumer.frame(text_frame("four"), sequence=20)
    assert consumer.renderable("a") == surface("four")
    assert not consumer.violations


@pytest.mark.parametrize("sequence", [9, None])
def test_after_a_lost_connection_any_other_frame_makes_its_surface_stale(
    sequence: int | None,
) -> None:
    consumer = sequenced()
    consumer.lost()
    consumer.frame(text_frame("three"), sequence=sequence)
    assert consumer.renderable("a") is None
    assert consumer.wants_full == {"a"}
    assert rules(consumer) == ["delta-base"]


def test_without_sequences_every_frame_after_a_lost_connection_waits_for_a_full_surface() -> None:
    consumer = consumer_of("a")
    consumer.frame(text_frame("two"))
    consumer.lost()
    consumer.frame(text_frame("three"))
    assert consumer.wants_full == {"a"}


def test_a_frame_without_a_sequence_leaves_open_what_follows_directly() -> None:
    consumer = sequenced()
    consumer.frame(text_frame("three"))
    consumer.lost()
    consumer.frame(text_frame("four"), sequence=8)
    assert consumer.wants_full == {"a"}


def test_a_full_surface_after_a_gap_speaks_for_itself_alone() -> None:
    consumer = sequenced()
    consumer.full("b", surface("one"), sequence=8)
    consumer.lost()
    consumer.full("b", surface("new"), sequence=11)
    consumer.frame(text_frame("newer", "b"), sequence=14)
    assert consumer.renderable("b") == surface("newer")
    assert consumer.renderable("a") == surface("two")
    consumer.frame(text_frame("three", "a"), sequence=15)
    assert consumer.renderable("a") is None
    assert consumer.wants_full == {"a"}


def test_a_second_loss_does_not_make_up_for_the_first() -> None:
    consumer = sequenced()
    consumer.lost()
    consumer.full("b", surface("one"), sequence=9)
    consumer.lost()
    consumer.frame(text_frame("two", "b"), sequence=10)
    consumer.frame(text_frame("three", "a"), sequence=11)
    assert consumer.renderable("b") == surface("two")
    assert consumer.wants_full == {"a"}


# --------------------------------------------------------------------------------------- bounds


def test_the_surface_delivered_least_recently_is_forgotten_first() -> None:
    consumer = Consumer(base="tree", most_surfaces=2)
    for ref in "ab":
        consumer.full(ref, surface("one"))
    consumer.frame(text_frame("two", "a"))
    consumer.full("c", surface("one"))
    assert list(consumer.surfaces) == ["a", "c"]
    consumer.frame(text_frame("two", "b"))
    assert list(consumer.surfaces) == ["c", "b"]
    assert consumer.wants_full == {"b"}


def test_what_a_hostile_stream_can_make_us_keep_is_bounded() -> None:
    consumer = Consumer(base="tree")
    for number in range(3 * MOST_SEQUENCES):
        consumer.frame(text_frame("x", f"ref-{number}"), sequence=2 * number)
        consumer.lost()
    assert len(consumer.surfaces) == len(consumer.wants_full) == 64
    assert len(consumer.violations) == MOST_VIOLATIONS
    assert len(consumer._doubted) <= 64
    assert len(consumer._seen) == MOST_SEQUENCES


def test_a_repetition_too_old_to_be_remembered_is_taken_for_a_late_frame() -> None:
    consumer = sequenced()
    for number in range(8, 8 + MOST_SEQUENCES):
        consumer.frame(text_frame(str(number)), sequence=number)
    assert consumer.renderable("a") == surface(str(7 + MOST_SEQUENCES))
    consumer.frame(text_frame("8"), sequence=8)
    assert not consumer.wants_full
    consumer.frame(text_frame("two"), sequence=7)
    assert consumer.wants_full == {"a"}


def test_what_is_noted_keeps_no_payload_alive() -> None:
    consumer = consumer_of("a")
    for frame in FAULTY.values():
        consumer.full("a", surface("one"))
        consumer.frame(frame)
    assert rules(consumer) == list(FAULTY)
    for violation in consumer.violations:
        assert (violation.__traceback__, violation.__context__, violation.__cause__) == (None,) * 3


# ----------------------------------------------------------------------------- recorded streams


def recorded() -> list[Any]:
    path = shared("wire/real-host-v1.jsonl")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def dechunked(raw: bytes) -> bytes:
    """The body of an HTTP answer in chunked transfer coding, which may be cut off."""
    _, _, rest = raw.partition(b"\r\n\r\n")
    body = b""
    while rest:
        size, _, rest = rest.partition(b"\r\n")
        body += rest[: int(size, 16)]
        rest = rest[int(size, 16) + 2 :]
    return body


def events_of(entry: Any) -> Iterator[SseEvent]:
    raw = "".join(text for _, text in entry["response"]["raw_chunks_with_arrival_s"])
    yield from SseParser().feed(dechunked(raw.encode()), 0.0)


def surfaces_recorded(entry: Any) -> dict[int, JsonValue]:
    """Sequence → the full surface, of a stream without deltas."""
    found = {}
    for event in events_of(entry):
        for document in [parse(event.data)] if event.event != "batch" else parse(event.data):
            if document["type"] == "ui.a2ui-surface":
                found[document["sequence"]] = document["payload"]
    return found


def fed(consumer: Consumer, entry: Any) -> Iterator[int]:
    """Feed a recorded stream; yields each sequence that brought a surface or a frame."""
    for event in events_of(entry):
        value = parse(event.data)
        if event.event == "ui.a2ui-surface.delta":
            consumer.frame(value, sequence=int(event.id or ""))
        elif event.event == "ui.a2ui-surface":
            consumer.full(value["eventId"], value["payload"], sequence=value["sequence"])
        else:
            continue
        yield int(event.id or "")


def test_recorded_deltas_rebuild_what_was_recorded_in_full_after_each_frame() -> None:
    entries = recorded()
    whole = surfaces_recorded(entries[20])
    assert list(whole) == [6, 7, 8]
    assert surfaces_recorded(entries[22]) == whole
    consumer = Consumer(base="tree")
    for sequence in fed(consumer, entries[19]):
        assert consumer.latest == Shown(whole.pop(sequence), None, False)
    assert not whole
    assert len(consumer.surfaces) == 1
    assert not consumer.violations


def test_recorded_deltas_of_a_live_run_rebuild_what_was_emitted() -> None:
    entries = recorded()
    emitted = {
        json.loads(entry["response"]["body"])["sequence"]: entry["request"]["body"]["surface"]
        for entry in entries[25:28]
    }
    consumer = Consumer(base="tree")
    for sequence in fed(consumer, entries[28]):
        assert consumer.latest is not None
        assert not consumer.latest.stale
        assert consumer.latest.payload["surface"] == emitted.pop(sequence)
    assert not emitted
    assert not consumer.violations


def test_a_recorded_stream_that_is_resumed_begins_with_a_full_surface() -> None:
    entries = recorded()
    whole = surfaces_recorded(entries[20])
    consumer = Consumer(base="tree")
    for sequence in fed(consumer, entries[19]):
        if sequence == 7:
            break
    consumer.lost()
    assert list(fed(consumer, entries[21])) == [8]
    assert consumer.latest == Shown(whole[8], None, False)
    assert not consumer.violations


# ------------------------------------------------------------------------------------ any order


@dataclass(frozen=True)
class Sent:
    """One delivery, and what a subscriber without deltas was sent in its place."""

    ref: str
    body: JsonValue
    full: bool
    sequence: int
    payload: JsonValue


class Host:
    """A host with some surfaces, which it sends in full at first and then mostly as deltas."""

    def __init__(self) -> None:
        self.sequence = 0
        self._refs = {0: "", 1: ""}
        self._payloads: dict[int, JsonValue] = {}

    def update(self, number: int, payload: JsonValue, *, full: bool, hole: int) -> Sent:
        self.sequence += 1 + hole
        before = self._payloads.get(number)
        patch = [] if before is None else diff(before, payload, base="tree")
        self._payloads[number] = payload
        if full or not patch:
            self._refs[number] = f"evt-{self.sequence}"
            return Sent(self._refs[number], payload, True, self.sequence, payload)
        ref = self._refs[number]
        frame = {"surfaceRef": ref, "catalogVersion": "0.9.1", "patch": patch}
        return Sent(ref, frame, False, self.sequence, payload)


def deliver(consumer: Consumer, sent: Sent) -> None:
    if sent.full:
        consumer.full(sent.ref, sent.body, sequence=sent.sequence)
    else:
        consumer.frame(sent.body, sequence=sent.sequence)


updates = st.tuples(
    st.integers(0, 1),
    st.lists(st.sampled_from(["one", "two", "three"]), max_size=3).map(lambda t: surface(*t)),
    st.integers(0, 4).map(lambda n: n == 0),
    st.integers(0, 2),
)
actions = st.tuples(
    st.sampled_from(["send"] * 6 + ["lose", "break", "repeat", "hold", "late", "spoil"]),
    updates,
    st.integers(0, 50),
)


@given(st.lists(updates, max_size=30))
def test_without_faults_everything_is_rendered_as_a_full_subscriber_would(
    run: list[tuple[int, JsonValue, bool, int]],
) -> None:
    host, consumer = Host(), Consumer(base="tree")
    for number, payload, full, hole in run:
        sent = host.update(number, payload, full=full, hole=hole)
        deliver(consumer, sent)
        assert consumer.renderable(sent.ref) == sent.payload
        assert consumer.latest == Shown(sent.payload, None, False)
    assert not consumer.violations
    assert not consumer.wants_full


class Fates:
    """What became of each delivery, and what a subscriber that is always sent all of it has."""

    def __init__(self) -> None:
        self.host, self.consumer = Host(), Consumer(base="tree")
        self.seen: dict[str, JsonValue] = {}
        self.unknowable: set[str] = set()
        """Frames that overtook others left these wrong, and nobody can tell before a late one."""
        self._delivered: list[Sent] = []
        self._held: list[Sent] = []

    def happen(self, action: str, sent: Sent | None, choice: int) -> None:
        if action in ("break", "lose"):
            self.consumer.lost()
            self._held.clear()
        elif action == "repeat" and self._delivered:
            deliver(self.consumer, self._delivered[choice % len(self._delivered)])
        elif action == "late" and self._held:
            self._arrive(self._held.pop(choice % len(self._held)))
        elif action == "hold" and sent:
            self._held.append(sent)
        elif action == "spoil" and sent and not sent.full:
            self._arrive(replace(sent, body={**sent.body, "patch": []}))
            assert self.consumer.renderable(sent.ref) is None
        elif sent:
            self._arrive(sent)

    def _arrive(self, sent: Sent) -> None:
        deliver(self.consumer, sent)
        late = bool(self._delivered) and sent.sequence < self._delivered[-1].sequence
        if late or sent.full:
            self.unknowable.discard(sent.ref)
        elif any(h.ref == sent.ref and h.sequence < sent.sequence for h in self._held):
            self.unknowable.add(sent.ref)
        if late:
            assert self.consumer.renderable(sent.ref) is None
            return
        self._delivered.append(sent)
        self.seen[sent.ref] = sent.payload


@given(st.lists(actions, max_size=40))
@settings(max_examples=400)
def test_whatever_is_rendered_is_what_a_full_subscriber_would_have(
    run: list[tuple[str, tuple[int, JsonValue, bool, int], int]],
) -> None:
    fates = Fates()
    consumer, sends = fates.consumer, {"send", "lose", "hold", "spoil"}
    for action, (number, payload, full, hole), choice in run:
        sent = fates.host.update(number, payload, full=full, hole=hole) if action in sends else None
        fates.happen(action, sent, choice)
        for ref, shown in consumer.surfaces.items():
            rendered = consumer.renderable(ref)
            assert ref in fates.unknowable or rendered in (None, fates.seen.get(ref))
            assert shown.stale is (ref in consumer.wants_full)
    consumer.full("last", surface("last"), sequence=fates.host.sequence + 1)
    assert consumer.renderable("last") == surface("last")
    assert not consumer.wants_full
