"""The renderer state: each fault of §7 that touches it, its trees, and what it gives out."""

from __future__ import annotations

import copy

import pytest

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.schemas import validator
from tests.messages import data, delete, text, update

from .states import (
    BASIC,
    BASIC_ID,
    SPLIT,
    GivenUp,
    begun,
    card,
    column,
    create,
    fault_of_tree,
    nested,
    refusal,
)

# --------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("validation", None),
        ("validation", {"version": "v0.9", "createSurface": None}),  # lynx-stack#3933
        ("validation", {"version": "v1.0", "deleteSurface": {"surfaceId": "s"}}),
        ("validation", update()),
        ("validation", update({"id": "root", "component": "Text", "text": 7})),
        ("validation", update(text("root"), {"id": "b", "text": "z"})),  # web_core 0.11.0
        ("validation", update({"id": "a", "component": "Marquee"})),
        ("validation", create("t", theme={"primaryColor": "red"})),
        ("catalog", create("t", "urn:unknown")),
        ("catalog", create("t", "https://a2ui.org/specification/v0_9/basic_catalog.json")),
        ("integrity", create()),  # a2ui#1275
        ("integrity", update(text("root"), surface="never")),
        ("integrity", data("never", value=1)),
        ("integrity", delete("never")),
        ("integrity", update(text("b"), text("b"))),
        ("recursion", update(card("avatar", "avatar"))),  # ag-ui#1944
        ("recursion", update(card("x", "y"), card("y", "x"))),
        ("recursion", update(card("leaf", "root"))),  # a circle across messages
        ("data", data(path="/u/n/f", value=1)),  # a2ui#2498
        ("data", data(path="/l/foo", value=1)),  # PR#2626
        ("data", data(path="/__proto__/x", value=1)),  # a2ui#2576
        ("data", data(path="/a~0/constructor", value=1)),
        ("data", data(path="/l/01", value=1)),
        ("data", data(path="/l/-", value=1)),
        ("data", data(path="/l/1e1", value=1)),
        ("data", data(path="/l/999999999", value=1)),
        ("recursion", data(path="/k" * 51, value=1)),
    ],
)
def test_a_fault_is_refused_by_its_kind_and_leaves_no_trace(kind: str, message: JsonValue) -> None:
    state = begun(update(card("root", "leaf"), text("leaf")))
    state.apply([data(value={"u": {"n": "A"}, "l": [1]})])

    assert refusal(state, message).kind == kind


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        ({"x": 1}, {"path": "/x", "value": None}, {"x": None}),  # a2ui#1896
        ({"x": 1, "y": 2}, {"path": "/x"}, {"y": 2}),
        ({"l": ["a", "b", "c"]}, {"path": "/l/1"}, {"l": ["a", None, "c"]}),  # a2ui#1504
        ({}, {"path": "/a~1b", "value": 1}, {"a/b": 1}),  # PR#1796
        ({}, {"path": "/a~01b", "value": 1}, {"a~1b": 1}),
        ({"m": {}}, {"path": "/m/01", "value": 1}, {"m": {"01": 1}}),
        ({"x": 1}, {"path": "/"}, {}),
    ],
)
def test_the_presence_of_a_value_decides_between_writing_and_removing(
    before: JsonValue, body: dict[str, JsonValue], after: JsonValue
) -> None:
    state = begun(data(value=before), data(**body))

    assert state.snapshot()["surfaces"]["s"]["data"] == after


def test_a_value_may_be_fifty_levels_deep_and_no_more() -> None:
    state = begun(data(value=nested(50)))

    assert refusal(state, data(value=nested(51))).kind == "recursion"


def test_components_may_lie_fifty_references_deep_and_no_more() -> None:
    chain = [card("root" if i == 0 else f"c{i}", f"c{i + 1}") for i in range(50)]
    state = begun(*(update(component) for component in chain), update(text("c50")))

    assert refusal(state, update(card("c50", "c51"), text("c51"))).kind == "recursion"


def test_the_place_of_a_fault_is_told() -> None:
    state = begun(update(text("a")))
    repeated = refusal(state, update(text("x"), text("y"), text("x")))
    circle = refusal(state, update(text("x"), card("y", "y")))
    wrong = refusal(state, update(text("x"), {"id": "y", "component": "Text", "text": 7}))

    components = "/updateComponents/components"
    assert [e.details[0]["path"] for e in (repeated, circle, wrong)] == [
        f"{components}/2/id",
        f"{components}/1",
        f"{components}/1/text",
    ]
    assert "'x' comes twice" in str(repeated)


def test_versions_of_one_family_are_taken_alike() -> None:
    message = {**create(), "version": "v0.9.1"}  # a2ui#1749
    state = RendererState([BASIC])
    state.apply_one(message)

    assert state.accepts([BASIC], "v0.9.1")
    assert not state.accepts([BASIC, SPLIT])
    assert not begun().accepts([SPLIT, BASIC])
    assert not state.accepts([BASIC], "v0.8")
    with pytest.raises(CallError, match=r"v1\.0"):
        RendererState([BASIC], "v1.0")


def test_a_reference_may_be_turned_round_within_one_message() -> None:
    state = begun(update(card("a", "b"), text("b")))
    state.apply([update(card("b", "a"), text("a"))])

    assert state.surfaces["s"].graph.children == {"a": (), "b": ("a",)}


def test_a_surface_made_again_is_empty() -> None:
    state = begun(update(text("root")), data(value={"a": 1}), delete(), create())

    assert state.snapshot()["surfaces"]["s"]["components"] == {}
    assert state.snapshot()["surfaces"]["s"]["data"] == {}


# ------------------------------------------------------------------------------------- trees


def test_gaps_pass_while_messages_come_and_are_told_when_the_tree_is_checked() -> None:
    state = begun()
    state.check_topology(["s"])  # a surface without components has no tree yet
    state.apply([update(text("lost"))])
    assert "'root'" in fault_of_tree(state)  # CopilotKit#4218
    state.apply([update(column("root", "a", "b"), text("a"))])
    assert "'root' refers to 'b'" in fault_of_tree(state)
    state.apply([update(text("b"))])
    assert "'lost' is not reachable" in fault_of_tree(state)
    state.apply([update(column("root", "a", "b", "lost"))])
    state.check_topology(["s", "s", "unknown"])
    assert not state.surfaces["s"].changed


def test_only_what_changed_since_the_last_check_must_be_complete() -> None:
    state = begun(update(card("root", "a"), text("a"), card("old", "missing")))
    state.mark_checked(["s"])
    state.apply([update(text("a", "again"))])
    state.check_topology(["s"])
    state.apply([update(card("old", "missing"))])

    assert "'old' refers to 'missing'" in fault_of_tree(state)


def test_references_are_found_through_the_schema_and_not_by_name() -> None:
    """PR#510, PR#1129."""
    state = begun(create("t", "urn:split"))
    root = {"id": "root", "component": "SplitView", "leftPane": "x", "title": "Overview"}
    state.apply([update(root, surface="t")])

    assert "'root' refers to 'x'" in fault_of_tree(state, "t")
    assert state.surfaces["t"].graph.children == {"root": ("x",)}


def test_a_check_of_two_surfaces_marks_neither_when_one_has_a_fault() -> None:
    state = begun(update(text("root")), create("t"), update(text("lost"), surface="t"))
    assert "'t'" in fault_of_tree(state, "s", "t")

    assert list(state.surfaces["s"].changed) == ["root"]


def test_deleted_and_assumed_surfaces_are_left_out_of_a_check() -> None:
    state = begun(delete())
    state.assume("t", BASIC_ID)
    state.apply([update(text("late"), surface="t")])
    state.check_topology(["s", "t"])
    state.mark_checked(["s", "t"])

    assert list(state.surfaces["t"].changed) == ["late"]


# ------------------------------------------------------------------------- what is given out


def test_a_snapshot_has_the_form_of_the_line_and_is_apart_from_the_state() -> None:
    state = begun(update(text("root")), create("t", theme={"primaryColor": "#123456"}))
    state.apply([data(value={"l": [1]})])
    read = state.snapshot()
    kept = copy.deepcopy(read)
    state.apply([data(path="/l/0", value=2), update(text("root", "again"))])

    assert read == kept
    assert validator("sdk-line", "result_read").is_valid(read)
    assert read["surfaces"]["t"]["theme"] == {"primaryColor": "#123456"}


def test_a_client_attaches_the_data_of_surfaces_that_opted_in() -> None:
    state = begun()
    assert state.client_data() is None
    state.apply([create("t", sendDataModel=True), data("t", value={"a": 1})])

    assert state.client_data() == {"version": "v0.9", "surfaces": {"t": {"a": 1}}}


def test_the_surface_of_a_message_is_told_even_of_a_wrong_one() -> None:
    state = begun()
    for message in (
        create(),
        {"deleteSurface": {"surfaceId": "s"}},
        {"surfaceUpdate": {"surfaceId": "s"}},
    ):
        assert state.surface_of(message) == "s"
    wrongs: list[JsonValue] = [None, [], {}, {"createSurface": None}]
    for wrong in [*wrongs, {"createSurface": {"surfaceId": 7}}]:
        assert state.surface_of(wrong) is None


@pytest.mark.parametrize("way", ["one by one", "in a transaction", "rolled back"])
def test_its_work_grows_in_step_with_the_messages(way: str) -> None:
    def work(size: int) -> int:
        state = begun(update(column("root", *(f"t{i}" for i in range(size)))))
        before = state.work
        try:
            with state.transaction():
                for i in range(size):
                    if way == "rolled back":
                        try:
                            with state.transaction():
                                state.apply([update(text(f"t{i}")), data(value=1)])
                                raise GivenUp
                        except GivenUp:
                            pass
                    state.apply_one(update(text(f"t{i}")))
                if way == "in a transaction":
                    state.check_topology(["s"])
                    raise GivenUp
        except GivenUp:
            pass
        return state.work - before

    assert work(800) < 4.1 * work(200)
