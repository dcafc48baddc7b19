"""The fold: lifecycle, atomicity and undo, against examples and against a fold that copies."""

from __future__ import annotations

import copy
from itertools import product
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.fold import Fold, Life, next_life
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue
from tests.messages import Message, create, data, delete, text, update

from . import naive


def state_of(fold: Fold, names: str = "st") -> naive.State:
    """What a fold holds, in the form of the copying one, and apart from the fold from now on."""
    state: naive.State = {}
    for name in names:
        if fold.life(name) == "deleted":
            state[name] = "deleted"
        if name in fold.surfaces:
            surface = fold.surfaces[name]
            assert list(surface.components) == [c["id"] for c in surface.components.values()]
            state[name] = {
                "theme": surface.theme,
                "components": list(surface.components.values()),
                "data": surface.data.root,
            }
        assert (name in fold.surfaces) is (fold.life(name) == "live")
    return copy.deepcopy(state)


# ----------------------------------------------------------------------------------- lifecycle

LIVES: list[Life] = ["absent", "live", "deleted"]
OUTCOMES: dict[tuple[Life, str], Life | str] = {
    ("absent", "createSurface"): "live",
    ("live", "createSurface"): "createSurface on a live surface",
    ("deleted", "createSurface"): "live",
    ("absent", "updateComponents"): "before createSurface",
    ("live", "updateComponents"): "live",
    ("deleted", "updateComponents"): "after deleteSurface",
    ("absent", "updateDataModel"): "before createSurface",
    ("live", "updateDataModel"): "live",
    ("deleted", "updateDataModel"): "after deleteSurface",
    ("absent", "deleteSurface"): "before createSurface",
    ("live", "deleteSurface"): "deleted",
    ("deleted", "deleteSurface"): "after deleteSurface",
}
MESSAGES = {
    "createSurface": create(),
    "updateComponents": update(text("b")),
    "updateDataModel": data(value={"b": 1}),
    "deleteSurface": delete(),
}
BEFORE: dict[Life, list[Message]] = {
    "absent": [],
    "live": [create(), update(text("a")), data(value={"a": 1})],
    "deleted": [create(), update(text("a")), data(value={"a": 1}), delete()],
}


def test_the_lifecycle_matrix_is_whole() -> None:
    assert set(OUTCOMES) == set(product(LIVES, MESSAGES))


@pytest.mark.parametrize(("before", "kind"), OUTCOMES)
@pytest.mark.parametrize("inside", [False, True])
def test_each_message_meets_each_life_as_the_guard_says(
    before: Life, kind: str, inside: bool
) -> None:
    """RFC 0209 §C.9; a2ui#1275, PR#1543."""
    outcome = OUTCOMES[before, kind]
    fold = Fold()
    fold.apply_all(BEFORE[before])
    state = state_of(fold)
    act = fold.apply_all if inside else lambda messages: fold.apply(*messages)
    if outcome in LIVES:
        assert next_life(before, kind) == outcome
        act([MESSAGES[kind]])
        assert fold.life("s") == outcome
        return
    with pytest.raises(Violation, match=outcome) as refusal:
        act([MESSAGES[kind]])
    assert refusal.value.rule == "fold"
    assert refusal.value.code == "envelope_invalid"
    assert state_of(fold) == state


def test_a_second_create_leaves_the_first_surface_as_it_was() -> None:
    fold = Fold()
    fold.apply_all([create(theme={"primaryColor": "#000000"}), update(text("root"))])
    before = state_of(fold)
    with pytest.raises(Violation):
        fold.apply(create(theme={"primaryColor": "#ffffff"}))
    assert state_of(fold) == before


def test_a_surface_created_again_is_empty() -> None:
    fold = Fold()
    fold.apply_all([create(), update(text("root")), data(value={"a": 1}), delete(), create()])
    assert state_of(fold) == {"s": {"theme": None, "components": [], "data": {}}}


def test_surfaces_do_not_know_of_each_other() -> None:
    fold = Fold()
    fold.apply_all([create("s"), create("t"), update(text("root"), surface="t"), delete("s")])
    assert fold.life("s") == "deleted"
    assert fold.life("t") == "live"
    assert list(fold.surfaces["t"].components) == ["root"]


# ------------------------------------------------------------------------------------ upserting


def test_an_update_replaces_a_component_whole_and_keeps_its_place() -> None:
    fold = Fold()
    fold.apply_all([create(), update(text("a", variant="h1", weight=2), text("b"))])
    fold.apply(update(text("a", "again")))
    assert list(fold.surfaces["s"].components.values()) == [text("a", "again"), text("b")]


def test_another_type_under_the_same_id_leaves_nothing_of_the_old_one() -> None:
    fold = Fold()
    fold.apply_all([create(), update(text("a")), update({"id": "a", "component": "Divider"})])
    assert list(fold.surfaces["s"].components.values()) == [{"id": "a", "component": "Divider"}]


def test_a_repeated_id_in_one_list_is_read_in_order() -> None:
    fold = Fold()
    fold.apply_all([create(), update(text("a", "first"), text("b"), text("a", "last"))])
    assert list(fold.surfaces["s"].components.values()) == [text("a", "last"), text("b")]


# ---------------------------------------------------------------------------------- data updates


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ({"x": 1}, {"path": "/x", "value": None}, {"x": None}),  # a2ui#1896
        ({"x": 1, "y": 2}, {"path": "/x"}, {"y": 2}),
        ({"l": ["a", "b", "c"]}, {"path": "/l/1"}, {"l": ["a", None, "c"]}),  # a2ui#1504
        ({"x": 1}, {}, {}),
        ({"x": 1}, {"path": "/"}, {}),
        ({"x": 1}, {"value": {"y": 2}}, {"y": 2}),
        ({"x": 1}, {"path": "/", "value": {"y": 2}}, {"y": 2}),
        ({"x": 1}, {"value": None}, None),
    ],
)
def test_the_presence_of_a_value_decides_between_writing_and_removing(
    before: JsonValue, body: dict[str, JsonValue], after: JsonValue
) -> None:
    fold = Fold()
    fold.apply_all([create(), data(value=before)])
    fold.apply(data(**body))
    assert fold.surfaces["s"].data.root == after


def test_a_message_is_not_changed_by_those_after_it() -> None:
    first = data(value={"list": [1]})
    kept = copy.deepcopy(first)
    fold = Fold()
    fold.apply_all([create(), first, data(path="/list/0", value=2), data(path="/more", value=3)])
    assert first == kept


# ------------------------------------------------------------------------------------ atomicity


@pytest.mark.parametrize(
    "message",
    [
        {"version": "v0.9", "createSurface": None},  # lynx-stack#3933
        {"version": "v0.9", "deleteSurface": None},
        {"version": "v0.9", "deleteSurface": []},
        {"version": "v0.9"},
        {"version": "v0.9", "lockSurface": {"surfaceId": "s"}},
        {"version": "v0.9", **delete(), **data()},
        {"version": "v0.9", "deleteSurface": {}},
        {"version": "v0.9", "deleteSurface": {"surfaceId": 7}},
        {"version": "v0.9", "updateComponents": {"surfaceId": "s"}},
        {"version": "v0.9", "updateComponents": {"surfaceId": "s", "components": {"id": "a"}}},
        update(text("root"), {"id": "b", "text": "z"}),  # seen in web_core 0.11.0
        update(text("root"), {"component": "Text", "text": "z"}),
        update(text("root"), {"id": 1, "component": "Text"}),
        update(text("root"), {"id": "b", "component": {"Text": {}}}),
        update(text("root"), None),
        update(text("root"), "b"),
        data(path="/a/b", value=1),
        data(path="a", value=1),
        data(path=7, value=1),
        data(path=["a"]),
        data(path="/__proto__/x", value=1),
        "deleteSurface",
        None,
        [],
        7,
    ],
)
def test_a_message_that_cannot_be_applied_is_refused_and_changes_nothing(
    message: JsonValue,
) -> None:
    fold = Fold()
    fold.apply_all([create(), update(text("a")), data(value={"a": 1})])
    before = state_of(fold)
    with pytest.raises(Violation):
        fold.apply(message)
    assert state_of(fold) == before
    with pytest.raises(Violation):
        fold.apply_all([update(text("late")), data(path="/late", value=1), message])
    assert state_of(fold) == before


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.sampled_from(["s", "/a", "a", "v0.9"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*MESSAGES, "surfaceId", "components", "id", "component", "path", "value"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(st.sampled_from([*MESSAGES]), junk, junk)
def test_whatever_a_message_is_applying_it_raises_nothing_but_a_violation(
    kind: str, body: JsonValue, message: JsonValue
) -> None:
    if isinstance(body, dict):
        body = {"surfaceId": "s", **body}
    for one in ({kind: body}, message):
        fold = Fold()
        fold.apply_all([create(), data(value={"a": [1]})])
        before = state_of(fold)
        try:
            fold.apply(copy.deepcopy(one))
        except Violation:
            assert state_of(fold) == before


# ------------------------------------------------------------------------------ laws of the fold

names = st.sampled_from(["root", "a", "b"])
surfaces = st.sampled_from(["s", "s", "s", "t"])
components = (
    st.builds(text, names, st.sampled_from(["x", "y"]))
    | names.map(lambda name: {"id": name, "component": "Divider"})
    | st.just({"id": "broken", "text": "no type"})
)
segments = st.sampled_from(["a", "b", "0", "1", "-", "~1"])
paths = st.lists(segments, max_size=3).map(lambda parts: "".join("/" + p for p in parts) or "/")
leaves: st.SearchStrategy[JsonValue] = (
    st.none() | st.integers(0, 3) | st.just({"a": [1, {"b": 2}]}) | st.just([[], {}])
)
messages = st.one_of(
    st.builds(create, surfaces),
    st.builds(create, surfaces, theme=st.just({"primaryColor": "#123456"})),
    st.builds(
        lambda surface, items: update(*items, surface=surface),
        surfaces,
        st.lists(components, min_size=1, max_size=3),
    ),
    st.builds(data, surfaces, path=paths, value=leaves),
    st.builds(data, surfaces, path=paths),
    st.builds(data, surfaces, value=leaves),
    st.builds(delete, surfaces),
)
runs = st.lists(messages, max_size=16).map(lambda rest: [create("s"), *rest])


@given(runs)
def test_message_by_message_it_does_what_a_copying_fold_does(run: list[Message]) -> None:
    fold = Fold()
    state: naive.State = {}
    for message in run:
        try:
            state = naive.apply(state, message)
        except naive.Refused:
            with pytest.raises(Violation):
                fold.apply(message)
        else:
            fold.apply(message)
        assert state_of(fold) == state


@given(st.lists(runs.map(lambda run: run[1:]), max_size=4))
def test_envelope_by_envelope_it_does_what_a_copying_fold_does(
    envelopes: list[list[Message]],
) -> None:
    fold = Fold()
    state: naive.State = {}
    for envelope in [[create("s")], *envelopes]:
        try:
            state = naive.apply_all(state, envelope)
        except naive.Refused:
            with pytest.raises(Violation):
                fold.apply_all(envelope)
        else:
            fold.apply_all(envelope)
        assert state_of(fold) == state


@given(runs, st.data())
def test_the_messages_that_are_admitted_give_one_state_however_they_are_cut(
    run: list[Message], draw: st.DataObject
) -> None:
    admitted: list[Message] = []
    state: naive.State = {}
    for message in run:
        try:
            state = naive.apply(state, message)
        except naive.Refused:
            continue
        admitted.append(message)
    cuts = sorted(draw.draw(st.lists(st.integers(0, len(admitted)), max_size=4)))
    fold = Fold()
    for start, end in zip([0, *cuts], [*cuts, len(admitted)], strict=True):
        fold.apply_all(admitted[start:end])
    assert state_of(fold) == state


class GivenUp(Exception):
    """A transaction that its caller leaves."""


Program: TypeAlias = list[Any]
"""Messages, and pairs of a program that runs in a transaction and whether it is then given up."""

programs: st.SearchStrategy[Program] = st.recursive(
    st.lists(messages, max_size=4),
    lambda inner: st.lists(messages | st.tuples(inner, st.booleans()), max_size=4),
    max_leaves=8,
)


@given(programs)
@settings(max_examples=120)
def test_transactions_inside_transactions_give_back_the_exact_value(program: Program) -> None:
    fold = Fold()
    fold.apply(create("s"))
    state = play(fold, naive.apply({}, create("s")), program)
    assert state_of(fold) == state


def play(fold: Fold, state: naive.State, program: Program) -> naive.State:
    """Run a program on both folds; the copying one goes back by forgetting."""
    for part in program:
        if isinstance(part, dict):
            try:
                state = naive.apply(state, part)
            except naive.Refused:
                with pytest.raises(Violation):
                    fold.apply(part)
                continue
            fold.apply(part)
            continue
        inner, given_up = part
        try:
            with fold.transaction():
                after = play(fold, state, inner)
                if given_up:
                    raise GivenUp
            state = after
        except GivenUp:
            assert state_of(fold) == state
    return state


def test_an_outer_transaction_takes_back_what_an_inner_one_kept() -> None:
    fold = Fold()
    fold.apply_all([create(), data(value={"a": [1]})])
    before = state_of(fold)
    with pytest.raises(GivenUp), fold.transaction():  # noqa: PT012
        fold.apply_all([data(path="/a/1", value=2), update(text("root"))])
        fold.apply_all([delete(), create(), data(value={"b": 1})])
        with pytest.raises(Violation):
            fold.apply_all([data(path="/c", value=1), create()])
        assert fold.surfaces["s"].data.root == {"b": 1}
        raise GivenUp
    assert state_of(fold) == before


def test_no_log_is_kept_once_a_transaction_is_over() -> None:
    fold = Fold()
    fold.apply_all([create(), *(data(path=f"/k{i}", value=i) for i in range(50))])
    fold.apply(data(path="/more", value=1))
    with pytest.raises(Violation):
        fold.apply_all([data(path="/late", value=1), create()])
    assert fold.surfaces["s"].data.root["more"] == 1
    assert "late" not in fold.surfaces["s"].data.root
    assert not fold._log
