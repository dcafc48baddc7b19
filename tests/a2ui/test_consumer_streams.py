"""The delta consumer on recorded streams, and under any order of what is delivered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.consumer import Consumer, Shown
from openwop_conformance.a2ui.delta import diff
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.wire.sse import SseEvent, SseParser

from ..shared_data import shared
from .consuming import surface

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
