"""The delta consumer: what it may render, case by case."""

from __future__ import annotations

import pytest

from openwop_conformance.a2ui.consumer import MOST_SEQUENCES, MOST_VIOLATIONS, Consumer, Shown
from openwop_conformance.jsonvalue import JsonValue

from .consuming import consumer_of, rules, surface, text_frame

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
