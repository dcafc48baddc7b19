"""The renderer state: each fault of §7 that touches it, and the laws of its transactions."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.open_catalog import basic, read_catalog
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk import early
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.schemas import validator

Message: TypeAlias = dict[str, Any]
BASIC = basic()
BASIC_ID = BASIC.catalog_id
SPLIT = read_catalog(
    {
        "catalogId": "urn:split",
        "components": {
            "SplitView": {
                "type": "object",
                "required": ["id", "component"],
                "properties": {
                    "id": {"type": "string"},
                    "component": {"const": "SplitView"},
                    "leftPane": {
                        "$ref": "https://a2ui.org/specification/v0_9/common_types.json"
                        "#/$defs/ComponentId"
                    },
                    "title": {"type": "string"},
                },
            }
        },
    }
)


def create(surface: str = "s", catalog: str = BASIC_ID, **more: JsonValue) -> Message:
    return {
        "version": "v0.9",
        "createSurface": {"surfaceId": surface, "catalogId": catalog, **more},
    }


def update(*components: JsonValue, surface: str = "s") -> Message:
    body = {"surfaceId": surface, "components": list(components)}
    return {"version": "v0.9", "updateComponents": body}


def data(surface: str = "s", **body: JsonValue) -> Message:
    return {"version": "v0.9", "updateDataModel": {"surfaceId": surface, **body}}


def delete(surface: str = "s") -> Message:
    return {"version": "v0.9", "deleteSurface": {"surfaceId": surface}}


def text(name: str, content: str = "hello") -> dict[str, JsonValue]:
    return {"id": name, "component": "Text", "text": content}


def card(name: str, child: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Card", "child": child}


def column(name: str, *children: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Column", "children": list(children)}


def begun(*messages: Message) -> RendererState:
    state = RendererState([BASIC, SPLIT])
    state.apply([create(), *messages])
    return state


def books(state: RendererState) -> JsonValue:
    """All that a rollback must bring back: what is read, and what the state keeps for itself."""
    kept = {
        name: {
            "changed": list(surface.changed),
            "children": dict(surface.graph.children),
            "referrers": {n: set(above) for n, above in surface.graph.referrers.items()},
            "heights": {n: surface.graph.height(n) for n in surface.components},
            "assumed": surface.assumed,
            "root": surface.root,
        }
        for name, surface in state.surfaces.items()
    }
    lives = {name: state.life(name) for name in "stu"}
    return copy.deepcopy([state.snapshot(), kept, lives, state.waiting])


def refusal(state: RendererState, *messages: JsonValue) -> CallError:
    """The error for messages that must be refused, by themselves and together, without a trace."""
    before = books(state)
    with pytest.raises(CallError) as refused:
        state.apply(list(messages))
    assert books(state) == before
    with pytest.raises(CallError):
        state.apply([data(path="/before", value=1), *messages])
    assert books(state) == before
    return refused.value


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


def nested(levels: int) -> JsonValue:
    value: JsonValue = 1
    for _ in range(levels):
        value = [value]
    return value


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


def fault_of_tree(state: RendererState, *surfaces: str) -> str:
    before = books(state)
    with pytest.raises(CallError) as refused:
        state.check_topology(surfaces or ["s"])
    assert refused.value.kind == "integrity"
    assert books(state) == before
    return str(refused.value)


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


# ------------------------------------------------------------------------------ transactions


class GivenUp(Exception):
    """A transaction that its caller leaves."""


def test_a_callback_gives_back_its_result_and_an_asynchronous_one_is_undone() -> None:
    state = begun()
    before = books(state)

    async def later() -> None:
        raise AssertionError("never awaited")

    def begin() -> object:
        state.apply([update(text("root"))])
        return later()

    with pytest.raises(CallError) as refused:
        state.run(begin)
    assert refused.value.kind == "state"
    assert books(state) == before
    loop = asyncio.new_event_loop()
    with pytest.raises(CallError):
        state.run(loop.create_future)
    loop.close()

    def work() -> int:
        state.apply([update(text("root"))])
        return 7

    assert state.run(work) == 7
    assert "root" in state.surfaces["s"].components


def test_a_deleted_surface_comes_back_whole() -> None:
    state = begun(update(card("root", "a"), text("a")), data(value={"x": [1]}))
    state.check_topology(["s"])
    state.apply([update(text("b"))])
    before = books(state)
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([delete()])
        state.apply([create(catalog="urn:split"), data(value=1)])
        raise GivenUp
    assert books(state) == before
    assert "'b'" in fault_of_tree(state)


def test_no_log_is_kept_once_a_transaction_is_over() -> None:
    state = begun(update(text("root")))
    with state.transaction(), state.transaction():
        state.apply([update(text("a"))])

    assert not state._log


names = st.sampled_from(["root", "a", "b", "c"])
surfaces = st.sampled_from(["s", "s", "s", "t"])
components = (
    st.builds(text, names, st.sampled_from(["x", "y"]))
    | st.builds(card, names, names)
    | st.builds(lambda name, children: column(name, *children), names, st.lists(names, max_size=3))
)
messages = st.one_of(
    st.builds(create, surfaces, sendDataModel=st.booleans()),
    st.builds(
        lambda surface, items: update(*items, surface=surface),
        surfaces,
        st.lists(components, min_size=1, max_size=3),
    ),
    st.builds(
        lambda surface, items: update(*items, surface=surface),
        surfaces,
        st.lists(components, min_size=1, max_size=3),
    ),
    st.builds(
        data, surfaces, path=st.sampled_from(["/x", "/x/y", "/l/1"]), value=st.integers(0, 3)
    ),
    st.builds(data, surfaces, path=st.sampled_from(["/x", "/l/1", "/"])),
    st.builds(delete, surfaces),
)
Program: TypeAlias = list[Any]
"""Messages, calls by name, and where a transaction opens, is kept, or fails."""
marks = st.sampled_from(["check", "mark", "assume", "open", "open", "keep", "fail"])
programs: st.SearchStrategy[Program] = st.lists(messages | messages | marks, max_size=22)


def step(state: RendererState, what: JsonValue) -> None:
    if what == "check":
        state.check_topology(["s", "t"])
    elif what == "mark":
        state.mark_checked(["s"])
    elif what == "assume":
        state.assume("u", "urn:split")
    else:
        state.apply([what])


def play(state: RendererState, program: Program) -> Program:
    """Take a program's steps; those that were kept."""
    return play_within(state, iter(program))[0]


def play_within(state: RendererState, steps: Iterator[Any]) -> tuple[Program, bool]:
    """Take steps up to the end of a transaction; those that were kept, and whether it fails."""
    kept: Program = []
    for what in steps:
        if what in ("keep", "fail"):
            return kept, what == "fail"
        try:
            if what == "open":
                with state.transaction():
                    within, fails = play_within(state, steps)
                    if fails:
                        raise GivenUp
                kept += within
            else:
                step(state, what)
                kept.append(what)
        except (CallError, GivenUp):
            continue
    return kept, False


@given(programs)
@settings(max_examples=150)
def test_what_is_left_is_what_the_kept_messages_give_on_a_fresh_state(program: Program) -> None:
    state = begun()
    kept = play(state, [create("t"), *program])
    fresh = begun()
    for what in kept:
        step(fresh, what)

    assert books(state) == books(fresh)
    assert not state._log


@given(programs, st.lists(messages, min_size=1, max_size=5))
def test_a_list_is_applied_whole_or_not_at_all(program: Program, last: list[Message]) -> None:
    state, fresh = begun(), begun()
    for what in play(state, program):
        step(fresh, what)
    before = books(state)
    try:
        state.apply(last)
    except CallError:
        assert books(state) == before
    else:
        for message in last:
            fresh.apply_one(message)
        assert books(state) == books(fresh)


def test_a_failed_inner_transaction_goes_back_to_its_own_mark() -> None:
    state = begun(update(text("root")))
    state.check_topology(["s"])
    with state.transaction():
        state.apply([update(text("root", "outer")), data(value={"a": 1})])
        before = books(state)
        with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
            state.apply([update(text("root", "inner"), card("x", "y")), data(path="/a")])
            state.mark_checked(["s"])
            state.assume("u", BASIC_ID)
            raise GivenUp
        assert books(state) == before
    assert books(state) == before


def test_a_rollback_leaves_a_surface_deleted_that_was() -> None:
    state = begun(delete())
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([create()])
        raise GivenUp
    assert state.life("s") == "deleted"
    with pytest.raises(CallError, match="deleteSurface"):
        state.apply([data(value=1)])


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


# -------------------------------------------------------------------------------------- v0.8

OTHER = early.read_catalog({"catalogId": "urn:other", "components": {"Text": {}, "Chart": {}}})


def early_state() -> RendererState:
    return RendererState([early.standard(), OTHER], "v0.8")


def begin(**more: JsonValue) -> Message:
    return {"beginRendering": {"surfaceId": "s", "root": "top", **more}}


def surface_update(*components: JsonValue) -> Message:
    return {"surfaceUpdate": {"surfaceId": "s", "components": list(components)}}


def early_component(name: str, kind: str = "Text", **members: JsonValue) -> JsonValue:
    return {"id": name, "component": {kind: members}}


ENTRIES = [
    {"key": "a", "valueString": "x"},
    {"key": "m", "valueMap": [{"key": "n", "valueNumber": 1}, {"key": "b", "valueBoolean": True}]},
]
EARLY_DATA = {"dataModelUpdate": {"surfaceId": "s", "contents": ENTRIES}}


def test_early_updates_wait_until_their_surface_begins() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top", "Card", child="a")), EARLY_DATA])
    assert state.snapshot() == {"surfaces": {}}
    with pytest.raises(CallError, match="'s'"):
        state.check_finished()
    state.apply([begin(), surface_update(early_component("a"))])
    state.check_finished()
    state.check_topology(["s"])

    surface = state.snapshot()["surfaces"]["s"]
    assert list(surface["components"]) == ["top", "a"]
    assert surface["data"] == {"a": "x", "m": {"n": 1, "b": True}}


def test_what_waited_is_judged_again_by_the_catalog_that_the_surface_names() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top", "Card", child="a"))])
    before = books(state)
    with pytest.raises(CallError, match="Card"):
        state.apply([begin(catalogId="urn:other")])

    assert books(state) == before
    with pytest.raises(CallError) as refused:
        state.apply([begin(catalogId="urn:unknown")])
    assert refused.value.kind == "catalog"


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("validation", surface_update(early_component("a", "Marquee"))),
        ("validation", surface_update({"id": "a", "component": "Text"})),
        ("integrity", surface_update(early_component("a"), early_component("a"))),
        ("validation", {"dataModelUpdate": {"surfaceId": "s", "contents": [{"key": "a"}]}}),
        ("data", {"dataModelUpdate": {"surfaceId": "s", "path": "a", "contents": []}}),
        ("integrity", {"deleteSurface": {"surfaceId": "s"}}),
        ("validation", {**begin(), "deleteSurface": {"surfaceId": "s"}}),
        ("validation", {"beginRendering": {"surfaceId": "s"}}),
        ("validation", create()),
    ],
)
def test_an_early_message_with_a_fault_is_refused_when_it_comes(
    kind: str, message: JsonValue
) -> None:
    state = early_state()
    with pytest.raises(CallError) as refused:
        state.apply([message])

    assert refused.value.kind == kind
    assert books(state) == books(early_state())


PICTURES = early.read_catalog(
    {
        "catalogId": "urn:pictures",
        "$defs": {"size": {"enum": ["small", "large"]}},
        "components": {
            "Picture/100%": {
                "type": "object",
                "properties": {"size": {"$ref": "#/$defs/size"}},
                "required": ["size"],
            }
        },
    }
)


@pytest.mark.parametrize(
    ("members", "place"),
    [({}, ""), ({"size": 1}, "/size"), ({"size": "huge"}, "/size")],
)
def test_early_members_are_checked_by_their_catalog(
    members: dict[str, JsonValue], place: str
) -> None:
    component = early_component("a", "Picture/100%", **members)
    with pytest.raises(CallError) as refused:
        PICTURES.check_component(component, "/c/0")

    assert refused.value.kind == "validation"
    path = refused.value.details[0]["path"]
    assert path.startswith(f"/c/0/component/Picture~1100%{place}")
    PICTURES.check_component(early_component("a", "Picture/100%", size="small"))


def test_early_members_are_not_nested_too_deep() -> None:
    calls: JsonValue = {}
    for _ in range(6):
        calls = {"call": "f", "args": calls}
    for value in (nested(60), calls):
        with pytest.raises(CallError) as refused:
            early.standard().check_component(early_component("a", action=value))
        assert refused.value.kind == "recursion"


@pytest.mark.parametrize(
    "components",
    [
        7,
        {"A": 7},
        {"A": {"type": "colour"}},
        {"A": {"$ref": "#/$defs/none"}},
        {"A": {"default": nested(200)}},
    ],
)
def test_an_early_catalog_with_a_fault_is_refused(components: JsonValue) -> None:
    with pytest.raises(CallError) as refused:
        early.read_catalog({"catalogId": "urn:x", "components": components})

    assert refused.value.kind == "catalog"


def test_a_rollback_brings_back_what_waited() -> None:
    state = early_state()
    state.apply([surface_update(early_component("top"))])
    before = books(state)
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([EARLY_DATA, begin(), {"deleteSurface": {"surfaceId": "s"}}])
        raise GivenUp
    assert books(state) == before
    state.apply([begin()])
    before = books(state)
    with pytest.raises(GivenUp), state.transaction():  # noqa: PT012
        state.apply([begin(root="other")])
        assert "'other'" in fault_of_tree(state)
        raise GivenUp
    assert books(state) == before


def test_an_early_circle_is_found_across_messages() -> None:
    state = early_state()
    state.apply([begin(), surface_update(early_component("top", "Card", child="a"))])
    for component in (
        early_component("a", "Row", children={"explicitList": ["top"]}),
        early_component("a", "List", children={"template": {"componentId": "top"}}),
        early_component("a", "Tabs", tabItems=[{"title": {}, "child": "top"}]),
    ):
        with pytest.raises(CallError) as refused:
            state.apply([surface_update(component)])
        assert refused.value.kind == "recursion"
