"""The laws of a renderer state's transactions: what is left is what was kept."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.state import RendererState
from tests.messages import Message, data, delete, text, update

from .states import (
    BASIC_ID,
    GivenUp,
    begun,
    books,
    card,
    column,
    create,
    fault_of_tree,
)


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
