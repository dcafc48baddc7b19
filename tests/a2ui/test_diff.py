"""Diffs: whatever they say makes the new value of the old, and is no longer than it."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.delta import (
    MOST_OPERATIONS,
    Base,
    apply_frame,
    diff,
)
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import (
    MAX_DEPTH,
    JsonValue,
    compact,
    equal,
)

from . import patching
from .patches import (
    BASES,
    BUTTON,
    PAYLOAD,
    TEXT,
    applied,
    documents,
    frame_of,
    nested,
    op,
    spelled,
)

# -------------------------------------------------------------------------------------- making


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (["a", "b", ["d", "e"], "f"], ["a", "d", ["e", "g"]]),
        (
            [
                {"x": ["a", {"y": ["b"]}], "z": "a"},
                {"x": ["c", {"d": ["d"]}], "z": "c"},
                {},
            ],
            [{"x": ["c", {"y": ["d"]}], "z": "c"}, {}],
        ),
        (
            {"a": [{"id": [1]}, {"id": [2]}], "b": [{"id": 5}]},
            {"a": [{"id": []}, {"id": [1]}], "b": [{"id": 5, "newKey": 2}]},
        ),
        (["1", "2", "3", "4"], ["4", "3", "1", "2", "2"]),
        ({"foo": [1, 3]}, {"foo": [0, 3, 3, 2]}),
        ({"foo": [0, 3, 3, 2]}, {"foo": [1, 3]}),
        ([{"a": 1}, {"b": 2}], [{"a": 1, "b": 2}]),
        ([{}], [{"key": ""}]),
        ({"a": [{"b": []}]}, {"a": [{"b": [1]}]}),
        ({"n": ["Kevin", "Carl"]}, {"n": ["Carl", "Kate", "Kevin", "Jake"]}),
        ({"a": 1, "b": 1}, {"a": True, "b": True}),
        ([1, 0, "1"], [True, False, 1]),
        ([True], [1.0]),
        ({"a": None}, {}),
        ({}, {"a": None}),
        ({"": 1, "a/b": 1, "m~n": 1}, {"": 2, "a/b": 2, "m~n": 2}),
        ({"01": [1]}, {"01": [2], "-": 1}),
        ([[1, 2], 3], {"0": [1, 2]}),
        ("text", None),
        (nested(MAX_DEPTH), nested(MAX_DEPTH - 1)),
        ([*range(3_200)], [*reversed(range(3_200))]),
    ],
)
def test_a_diff_that_some_library_once_got_wrong_makes_the_new_value(
    old: JsonValue, new: JsonValue
) -> None:
    before = copy.deepcopy((old, new))
    patch = diff(old, new, base="payload")
    assert equal(applied(old, patch), new)
    assert equal(patching.apply(old, patch), new)
    assert len(compact(patch)) <= len(compact([op("replace", "", new)]))
    assert (old, new) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [(1, 1.0), ({"a": [1, 2.0]}, {"a": [1.0, 2]}), ({"a": 1, "b": 2}, {"b": 2, "a": 1})],
)
def test_there_is_no_difference_between_spellings_of_one_value(
    old: JsonValue, new: JsonValue
) -> None:
    assert diff(old, new, base="payload") == []


def test_a_diff_names_the_leaf_that_changed_and_the_component_that_came() -> None:
    new = copy.deepcopy(PAYLOAD)
    new["surface"]["components"][0]["text"] = "Pick another"
    new["surface"]["components"].insert(1, {"component": "text", "text": "new"})
    assert diff(PAYLOAD, new, base="tree") == [
        op("replace", "/components/0/text", "Pick another"),
        op("add", "/components/1", {"component": "text", "text": "new"}),
    ]
    assert {o["path"][:9] for o in diff(PAYLOAD, new, base="payload")} == {"/surface/"}


def test_components_that_change_places_are_sent_again_for_moves_are_optional_to_support() -> None:
    new = copy.deepcopy(PAYLOAD)
    new["surface"]["components"] *= 4
    old = copy.deepcopy(new)
    new["surface"]["components"].reverse()
    new["surface"]["components"][3]["text"] = "other"
    kinds = {o["op"] for o in diff(old, new, base="tree")}
    assert kinds <= {"add", "remove", "replace"}


@pytest.mark.parametrize("old", [{"a": 1}, {"k1": 1, "k2": 2, "k3": 3}])
def test_a_diff_shares_nothing_with_the_new_value(old: JsonValue) -> None:
    new = {"a": 1, "b": [1]}
    patch = diff(old, new, base="payload")
    patch[0]["value"].clear()
    assert new == {"a": 1, "b": [1]}


def test_more_differences_than_a_frame_holds_become_one_replacement() -> None:
    long = {"long": "x" * 1_000_000}
    old = dict.fromkeys(map(str, range(MOST_OPERATIONS)), 0) | long
    new = dict.fromkeys(map(str, range(MOST_OPERATIONS)), 1) | long
    assert len(diff(old, new, base="payload")) == MOST_OPERATIONS
    old["one more"], new["one more"] = 0, 1
    assert diff(old, new, base="payload") == [op("replace", "", new)]


@pytest.mark.parametrize("base", BASES)
def test_no_diff_leads_to_another_catalog_version(base: Base) -> None:
    with pytest.raises(Violation) as refusal:
        diff(PAYLOAD, {**PAYLOAD, "catalogVersion": "0.9.2"}, base=base)
    assert refusal.value.rule == "catalog-version"


def test_what_lies_beside_the_tree_is_reached_from_the_payload_alone() -> None:
    new = {"catalogVersion": "0.9.1", "surface": PAYLOAD["surface"]}
    assert diff(PAYLOAD, new, base="payload") == [op("remove", "/reasoning")]
    for old, other in ((PAYLOAD, new), (PAYLOAD, None), ({}, {}), (PAYLOAD, {**PAYLOAD, "x": 1})):
        with pytest.raises(Violation) as refusal:
            diff(old, other, base="tree")
        assert refusal.value.rule in ("delta", "catalog-version")


# --------------------------------------------------------------------------------------- laws


@given(documents, documents, st.booleans())
@settings(max_examples=300)
def test_a_diff_makes_the_new_value_of_the_old_and_is_no_longer_than_it(
    old: JsonValue, new: JsonValue, long: bool
) -> None:
    if long:  # else most patches are longer than their values, and all is replaced
        old, new = [{"ballast": "x" * 1000, "value": value} for value in (old, new)]
    before = spelled([old, new])
    patch = diff(old, new, base="payload")
    assert (patch == []) is equal(old, new)
    assert equal(applied(old, patch), new)
    assert equal(patching.apply(old, patch), new)
    assert {o["op"] for o in patch} <= {"add", "remove", "replace"}
    assert not patch or len(compact(patch)) <= len(compact([op("replace", "", new)]))
    assert spelled([old, new]) == before


@given(documents)
def test_a_value_does_not_differ_from_its_copy(value: JsonValue) -> None:
    assert diff(value, copy.deepcopy(value), base="payload") == []


components = st.sampled_from(
    [
        TEXT,
        BUTTON,
        {"component": "heading", "text": "Hi", "level": 2},
        {"component": "field.checkbox", "id": "c", "label": "Yes", "default": True},
        {
            "component": "field.select",
            "id": "s",
            "label": "Which",
            "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}],
        },
    ]
)
surfaces = st.lists(components, max_size=5).map(
    lambda listed: {"catalogVersion": "0.9.1", "surface": {"components": copy.deepcopy(listed)}}
)


@given(surfaces, surfaces, st.sampled_from(BASES))
def test_the_diff_of_two_surfaces_is_a_frame_that_makes_the_second(
    old: JsonValue, new: JsonValue, base: Base
) -> None:
    patch = diff(old, new, base=base)
    if patch:
        assert equal(apply_frame(old, frame_of(*patch), base=base), new)
    else:
        assert equal(old, new)
