"""The projection by itself: what one subscriber is sent, without a host around it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from openwop_conformance.a2ui import delta as oracle
from openwop_conformance.jsonvalue import compact
from openwop_conformance.reference.v1.delta import Projection, Subscriber, worth_sending

from .client_v1 import SURFACE, A, counted_diffs, tree


def test_a_frame_is_worth_sending_while_it_is_smaller_than_the_event() -> None:
    event = {"eventId": "e", "type": SURFACE, "payload": A}
    frame = {"surfaceRef": "e", "catalogVersion": "0.9.1", "patch": [{"op": "add", "path": ""}]}
    assert worth_sending(frame, event)
    room = len(compact(event)) - len(compact(frame))
    frame["surfaceRef"] = "e" * room
    assert worth_sending(frame, event)
    frame["surfaceRef"] = "e" * (room + 1)
    assert not worth_sending(frame, event)
    assert not worth_sending({**frame, "surfaceRef": "e", "patch": []}, event)


def _any_tree(chance: random.Random, before: Any) -> Any:
    """A payload a few edits away from another."""
    components = list(before["surface"]["components"])
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(components) + 1)
        text = {"component": "text", "text": chance.choice("abcdefgh") * chance.randrange(1, 30)}
        kind = chance.randrange(3)
        if kind == 0 or not components:
            components.insert(at, text)
        elif kind == 1:
            del components[at % len(components)]
        else:
            components[at % len(components)] = text
    surface = {**before["surface"], "components": components}
    if chance.random() < 0.2:
        surface["title"] = chance.choice(["x", "y", "a/b", "~"])
    return {**before, "surface": surface}


@pytest.mark.parametrize("base", ["payload", "tree"])
@pytest.mark.parametrize("seed", range(5))
def test_any_sequence_of_payloads_is_rebuilt_and_every_frame_is_smaller(
    base: Any, seed: int
) -> None:
    chance = random.Random(seed)
    subscriber, shown = Subscriber(Projection(), base), {}
    payload: Any = tree("begin")
    frames = 0
    for sequence in range(200):
        event = {
            "eventId": f"event-{sequence}", "runId": "r" * 32, "type": SURFACE,
            "payload": payload, "timestamp": "2026-01-01T00:00:00.000Z", "sequence": sequence,
        }  # fmt: skip
        ((name, number, data),) = subscriber.deliver(event)
        assert number == sequence
        if name == SURFACE:
            assert data is event
            shown = {event["eventId"]: payload}
        else:
            frames += 1
            assert len(compact(data)) < len(compact(event))
            (reference,) = shown
            assert data["surfaceRef"] == reference
            shown[reference] = oracle.apply_frame(shown[reference], data, base=base)
            assert shown[reference] == payload
        payload = _any_tree(chance, payload)
    assert frames > 100


def test_the_work_for_an_update_does_not_grow_with_the_updates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = counted_diffs(monkeypatch)
    subscriber = Subscriber(Projection(), "payload")
    for sequence in range(50):
        subscriber.deliver(
            {"eventId": str(sequence), "type": SURFACE, "sequence": sequence,
             "payload": tree(f"number {sequence}")}
        )  # fmt: skip
    assert len(made) == 49
