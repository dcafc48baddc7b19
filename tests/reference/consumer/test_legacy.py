"""Version 1 trees and the frames between them."""

from __future__ import annotations

from itertools import permutations

import pytest

from openwop_conformance.jsonvalue import JsonValue

from .envelopes import Asked, delta, payload, tree

TEXT = {"component": "text", "text": "first"}
FIELD = {"component": "field.text", "id": "name", "label": "Name", "required": True}
SEND = {"component": "action.button", "id": "go", "label": "Go", "action": {"target": "resume"}}
ALL = [
    {"component": "heading", "text": "Head", "level": 6},
    TEXT,
    FIELD,
    {"component": "field.date", "id": "day", "label": "Day"},
    {
        "component": "field.select",
        "id": "pick",
        "label": "Pick",
        "options": [{"value": "1", "label": "One"}],
    },
    {"component": "field.checkbox", "id": "yes", "label": "Yes", "default": True},
    SEND,
]


def given(*components: JsonValue, **more: JsonValue) -> Asked:
    asked = Asked()
    asked.delivers(tree(*components), 1, sequence=1, **more)
    return asked


def framed(asked: Asked, *patch: JsonValue, sequence: int | None, ref: str = "1") -> None:
    asked.subject.frame("c", delta(ref, *patch), sequence)


def says(words: str, path: str = "/components/0/text") -> JsonValue:
    return {"op": "replace", "path": path, "value": words}


def test_each_component_of_a_tree_is_shown_and_can_be_operated() -> None:
    asked = given(*ALL, node="gate")

    roles = [node["role"] for node in asked.flat("1")]
    fields = ["textbox", "date", "combobox", "option", "checkbox"]
    assert roles == ["group", "heading", "text", *fields, "button"]
    assert not asked.fires("Go", "1")

    assert asked.sets("textbox", "Name", "Ada", "1")
    assert asked.sets("date", "Day", "2026-12-01", "1")
    assert asked.sets("combobox", "Pick", "One", "1")
    assert asked.fires("Go", "1")

    entered = {"name": "Ada", "day": "2026-12-01", "pick": ["1"], "yes": True}
    (submission,) = asked.sent
    assert (submission["to"], submission["node"]) == ("interrupt", "gate")
    assert submission["data"] == entered


@pytest.mark.parametrize(
    "given_payload", [tree({**TEXT, "onclick": "x"}), payload(), {"catalogVersion": "9"}, None]
)
@pytest.mark.parametrize("version", [0, 1])
def test_what_is_no_tree_changes_nothing(given_payload: JsonValue, version: int) -> None:
    asked = given(TEXT)

    asked.delivers(given_payload, version, trust="untrusted")

    assert asked.texts("1") == ["first"]


@pytest.mark.parametrize("path", ["/components/0/text", "/surface/components/0/text"])
def test_a_frame_changes_the_surface_that_it_names_from_the_payload_or_from_the_tree(
    path: str,
) -> None:
    asked = given(TEXT)

    framed(asked, says("second", path), sequence=2)
    framed(asked, says("third", path), sequence=None)

    assert asked.texts("1") == ["third"]


@pytest.mark.parametrize(
    "patch",
    [
        [says("x"), says("y", "/components/9/text")],
        [says("x", "/children/2/text")],
        [{"op": "add", "path": "/components/-", "value": {"component": "iframe"}}],
        [{"op": "move", "from": "/components/7", "path": "/components/0"}],
        [{"op": "test", "path": "/components/0/text", "value": "first"}],
        [{"op": "replace", "path": "", "value": 1}],
        [],
    ],
)
@pytest.mark.parametrize("event", ["1", "4"])
def test_a_frame_that_fails_closes_the_surface_until_a_full_one_comes(
    patch: list[JsonValue], event: str
) -> None:
    asked = given(TEXT, SEND)

    framed(asked, *patch, sequence=2)
    assert asked.surfaces == {}
    assert not asked.fires("Go", "1")

    framed(asked, says("fine"), sequence=3)
    assert asked.surfaces == {}

    asked.delivers(tree({**TEXT, "text": "whole"}), 1, sequence=4, event=event)
    assert asked.surfaces.keys() == {event}
    assert asked.texts(event) == ["whole"]


@pytest.mark.parametrize(
    ("value", "path"),
    [(tree(TEXT)["surface"], ""), (tree(TEXT), ""), (tree(TEXT)["surface"], "/surface")],
)
def test_a_frame_may_replace_the_whole(value: JsonValue, path: str) -> None:
    asked = given()

    framed(asked, {"op": "replace", "path": path, "value": value}, sequence=2)

    assert asked.texts("1") == ["first"]


def test_a_frame_for_a_surface_that_never_came_closes_no_other() -> None:
    asked = given(TEXT)

    framed(asked, says("x"), sequence=2, ref="77")

    assert asked.texts("1") == ["first"]


@pytest.mark.parametrize("frame", [None, [], "x", {"patch": 1}, {"patch": [None, {"path": 1}]}])
def test_what_is_no_frame_at_all_closes_the_surface(frame: JsonValue) -> None:
    asked = given(TEXT)

    asked.subject.frame("c", frame)

    assert asked.surfaces == {}


def test_trees_and_frames_count_by_sequence_whatever_the_order_in_which_they_come() -> None:
    for order in permutations(range(4)):
        asked = Asked()
        for number in order:
            if number in (0, 2):
                asked.delivers(tree({**TEXT, "text": f"full {number}"}), 1, sequence=number)
            else:
                framed(asked, says(f"frame {number}"), sequence=number, ref=str(number - 1))
            assert asked.surfaces.keys() <= {"0", "2"}
        assert asked.texts("0") == ["frame 1"], order
        assert asked.texts("2") == ["frame 3"], order


def test_a_surface_is_called_by_its_event_where_that_is_told() -> None:
    asked = given(TEXT, SEND, event="evt_9", run="one")
    asked.subject.frame("c", delta("evt_9", says("by run")), 2, "one")
    assert asked.texts("evt_9") == ["by run"]

    framed(asked, says("by its name"), sequence=3, ref="evt_9")

    assert asked.texts("evt_9") == ["by its name"]
    assert asked.fires("Go", "evt_9")
    assert asked.sent[0]["surface"] == "evt_9"


def test_what_a_person_entered_stays_through_frames_and_not_in_another_full_surface() -> None:
    asked = given(TEXT, FIELD)
    asked.sets("textbox", "Name", "Ada", "1")

    framed(asked, says("changed"), sequence=2)
    assert asked.one("textbox", "1")["value"] == "Ada"

    asked.delivers(tree(FIELD), 1, sequence=3)
    assert asked.one("textbox", "3")["value"] == ""


def test_trust_and_partial_hold_for_a_tree_and_what_frames_make_of_it() -> None:
    asked = given(SEND, trust="untrusted")
    framed(asked, says("Go on", "/components/0/label"), sequence=2)
    assert not asked.one("button", "1")["enabled"]
    asked.delivers(tree(SEND), 1, sequence=3)
    assert not asked.fires("Go", "3")

    asked = given(SEND, partial=True)
    assert not asked.fires("Go", "1")
    asked.delivers(tree(SEND), 1, sequence=1)
    assert not asked.fires("Go", "1")
    asked.delivers(tree(SEND), 1, sequence=2, event="1")
    assert asked.fires("Go", "1")


def test_runs_have_a_surface_each() -> None:
    asked = given(TEXT, run="one")
    asked.delivers(tree({**TEXT, "text": "two"}), 1, sequence=1, run="two")

    asked.subject.frame("c", delta("1", says("changed")), 2, "one")

    assert asked.texts("1") == ["changed", "two"]


def test_a_tree_of_more_than_can_be_migrated_is_not_shown() -> None:
    asked = given(*[TEXT] * 33_000)

    assert asked.surfaces == {}
