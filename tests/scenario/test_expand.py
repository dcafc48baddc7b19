"""From a file to typed steps: names and fixtures put in, and twins one edit away."""

from __future__ import annotations

import pytest

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.scenario.host_verbs import Emit, Run
from openwop_conformance.scenario.verbs import Refused

from .example import TWO, WHY, Fault, Load


def test_a_scenario_is_its_head_and_its_typed_steps(loaded: Load) -> None:
    found = loaded("- run: conformance-approval\n- emit: {surface: b, messages: [$create]}\n")

    assert (found.id, found.requirement, found.needs) == (
        "host.v2.example",
        "x.example",
        ("floor.2",),
    )
    assert (found.subject, found.major, found.sabotage) == ("host", 2, ("broken",))
    assert str(found.place) == "f.yaml:1:1"
    assert [step.verb for step in found.steps] == ["run", "emit"]
    assert found.steps[0].arguments == Run(workflow="conformance-approval")
    assert found.steps[1].arguments == Emit(surface="b", messages=[{"createSurface": {}}])
    assert [str(step.place) for step in found.steps] == ["f.yaml:15:3", "f.yaml:16:3"]


def test_a_name_stands_for_a_value_or_a_member_of_one(loaded: Load) -> None:
    step = loaded("- emit: {messages: $both, catalog: $catalog, reasoning: $inner.text}\n").steps[0]

    assert step.arguments == Emit(
        messages=[{"createSurface": {}}, {"updateDataModel": {"path": "/a", "value": 1}}],
        catalog=BASIC_CATALOG,
        reasoning="plain",
    )


def test_two_dollars_are_a_plain_one_and_the_canary_is_left_for_the_engine(loaded: Load) -> None:
    step = loaded('- emit: {messages: [$$create, $$$, "a $create"], reasoning: $canary}\n').steps[0]

    assert step.arguments == Emit(messages=["$create", "$$", "a $create"], reasoning="$canary")


def test_a_twin_is_the_same_request_with_one_word_changed(loaded: Load) -> None:
    step = loaded(f"- emit: {{surface: b, messages: [$data]}}\n  {WHY}  {TWO}\n").steps[0]

    assert step.refused == Refused(code="envelope_invalid")
    assert step.because == "it is so"
    assert step.twin == Emit(
        surface="b",
        messages=[{"createSurface": {}}, {"updateDataModel": {"path": "/a", "value": 1}}],
    )


def test_each_repeats_a_step_for_its_fixtures_by_name(loaded: Load) -> None:
    found = loaded(
        "- emit: {messages: $case.messages}\n  each: set/*.json\n  because: $case.why\n",
        b={"messages": [2], "why": "two"},
        a={"messages": [1], "why": "one"},
    )

    assert [(s.case, s.because, s.arguments) for s in found.steps] == [
        ("set/a.json", "one", Emit(messages=[1])),
        ("set/b.json", "two", Emit(messages=[2])),
    ]


def test_a_race_is_its_own_control_and_needs_no_twin(loaded: Load) -> None:
    step = loaded(f"- race: {{messages: [$create]}}\n  {WHY}").steps[0]

    assert (step.verb, step.twin) == ("race", None)


ONE_EDIT = {
    "a message added in front": ("[$data]", "messages: [$create, $data]"),
    "a message removed at the end": ("[$create, $data]", "messages: [$create]"),
    "a message removed in between": ("[$create, $data, $create]", "messages: [$create, $create]"),
    "a member of a body added": (
        "[{updateDataModel: {path: /a}}]",
        "messages: [{updateDataModel: {path: /a, value: 1}}]",
    ),
    "a value in a body replaced": (
        "[{updateDataModel: {path: /a, value: 1}}]",
        "messages: [{updateDataModel: {path: /a, value: [1, 2]}}]",
    ),
    "an object deep in a body replaced by another": (
        "[{updateComponents: {components: [{id: root, x: {a: 1, b: 2}}]}}]",
        "messages: [{updateComponents: {components: [{id: root, x: {c: 3, d: 4}}]}}]",
    ),
    "a whole component replaced": (
        "[{updateComponents: {components: [{id: root, a: 1, b: 1}]}}]",
        "messages: [{updateComponents: {components: [{id: root, a: 2, b: 2}]}}]",
    ),
    "an item of a list in a body removed": (
        "[{updateComponents: {components: [{id: root}, {id: a}]}}]",
        "messages: [{updateComponents: {components: [{id: root}]}}]",
    ),
    "another word": ("[$create]", "surface: fresh"),
    "a payload in place of messages": ("[$create]", "payload: {surfaceId: x}"),
    "a payload in place of messages, with its stamp": (
        "[$create]",
        "{payload: {surfaceId: x}, stamp: 1}",
    ),
    "messages and their stamp": ("[$create]", "{messages: [$create, $data], stamp: 1}"),
    "the stamp alone": ("[$create]", "stamp: absent"),
}


@pytest.mark.parametrize("name", ONE_EDIT)
def test_a_twin_one_edit_away_is_taken(loaded: Load, name: str) -> None:
    messages, twin = ONE_EDIT[name]
    twin = twin if twin.startswith("{") else f"{{{twin}}}"

    assert loaded(f"- emit: {{messages: {messages}}}\n  {WHY}  twin: {twin}\n").steps[0].twin


EDITS = {
    "more than one message": ("[$data]", "messages: [$create, $create, $data]"),
    "a message replaced by another": ("[$create]", "messages: [$data]"),
    "all of a message's body": (
        "[{updateDataModel: {path: /a, value: 1}}]",
        "messages: [{updateDataModel: {path: /b, value: 2}}]",
    ),
    "two components": (
        "[{updateComponents: {components: [{id: a}, {id: b}]}}]",
        "messages: [{updateComponents: {components: [{id: x}, {id: y}]}}]",
    ),
    "the order of two messages": ("[$create, $data]", "messages: [$data, $create]"),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_twin_more_than_one_edit_away_is_an_error(fault: Fault, name: str) -> None:
    messages, twin = EDITS[name]

    assert (
        fault(f"- emit: {{messages: {messages}}}\n  {WHY}  twin: {{{twin}}}\n")
        == "f.yaml:18:9: a twin is one edit away; this one is more"
    )
