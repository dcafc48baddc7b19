"""The component graph: roots, dangling references and cycles, at any depth and in linear time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.catalog import component_types, reference_members
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.topology import Topology, children_of, topology
from openwop_conformance.jsonvalue import JsonValue

Graph = Mapping[str, list[str]]


def column(name: str, *children: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Column", "children": list(children)}


def card(name: str, child: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Card", "child": child}


def text(name: str) -> dict[str, JsonValue]:
    return {"id": name, "component": "Text", "text": "hello"}


def look(*components: dict[str, Any]) -> Topology:
    return topology({component["id"]: component for component in components})


def graph(edges: Graph) -> Topology:
    return topology({name: column(name, *children) for name, children in edges.items()})


# ------------------------------------------------------------------------------------ references


def test_what_refers_is_read_from_the_schema() -> None:
    found = {name: reference_members(name) for name in component_types()}
    assert {name: members for name, members in found.items() if members} == {
        "Button": ("child",),
        "Card": ("child",),
        "Column": ("children",),
        "Row": ("children",),
    }
    assert reference_members("Tabs") == ()


def test_a_member_that_looks_like_a_reference_is_none_unless_the_schema_says_so() -> None:
    """PR#510, PR#1129; a2ui#1155: nothing is guessed from names or values."""
    button = {
        "id": "root",
        "component": "Button",
        "child": "label",
        "variant": "primary",
        "action": {"event": {"name": "resume", "context": {"child": "missing", "k": "root"}}},
    }
    assert [*children_of(button)] == ["label"]
    tabs = {"id": "t", "component": "Tabs", "tabs": [{"title": "Overview", "child": "label"}]}
    found = look(button, {**text("label"), "child": "missing"}, tabs)
    assert found.dangling == ()


def test_a_custom_catalog_says_itself_what_refers() -> None:
    """PR#510: a type with references under names of its own."""
    members = {"SplitView": ("leftPane", "rightPane"), "Text": (), "Tabs": ("tabs",)}
    components: dict[str, dict[str, JsonValue]] = {
        "root": {"id": "root", "component": "SplitView", "leftPane": "x", "rightPane": "t"},
        "t": {"id": "t", "component": "Tabs", "title": "Overview", "tabs": ["text", 7, None]},
        "text": text("text"),
    }
    found = topology(components, references=members.__getitem__)
    assert found.dangling == (("root", "x"),)
    assert found.reachable == {"root", "t", "text"}
    elsewhere = topology(components, root="t", references=members.__getitem__)
    assert elsewhere.reachable == {"t", "text"}


# -------------------------------------------------------------------------------------- findings


def test_components_without_a_root_are_no_error_and_are_not_rendered() -> None:
    """CopilotKit#4218; RFC 0209 §C.9."""
    found = look(column("main", "a"), text("a"))
    assert found == Topology(False, (), (), frozenset())
    assert not found.renderable
    assert look().reachable == frozenset()


def test_a_component_that_holds_itself_is_a_cycle() -> None:
    """ag-ui#1944: also through a single child."""
    found = look(text("root"), card("avatar", "avatar"))
    assert found.cycles == (("avatar",),)
    assert found.renderable, "the root does not reach it"
    assert look(card("root", "root")).cycles == (("root",),)
    assert not look(card("root", "root")).renderable
    assert look(column("root", "a", "root"), text("a")).cycles == (("root",),)


def test_a_cycle_is_told_in_the_order_of_its_references() -> None:
    found = graph({"root": ["a", "c"], "a": ["b"], "b": ["c"], "c": ["a"]})
    assert found.cycles == (("a", "b", "c"),)
    assert not found.renderable


def test_a_child_of_two_parents_is_no_cycle() -> None:
    found = graph({"root": ["a", "b"], "a": ["c"], "b": ["c", "c"], "c": []})
    assert found == Topology(True, (), (), frozenset({"root", "a", "b", "c"}))
    assert found.renderable


def test_dangling_references_are_told_once_and_sorted() -> None:
    found = graph({"root": ["z", "x", "z", "a"], "a": ["y"], "unreached": ["x"]})
    assert found.dangling == (("a", "y"), ("root", "x"), ("root", "z"), ("unreached", "x"))
    assert found.renderable, "a reference may wait for its component"


def test_a_cycle_may_close_across_messages() -> None:
    fold = Fold()
    fold.apply({"createSurface": {"surfaceId": "s", "catalogId": "c"}})

    def add(*components: dict[str, JsonValue]) -> Topology:
        body = {"surfaceId": "s", "components": list(components)}
        fold.apply({"updateComponents": body})
        return topology(fold.surfaces["s"].components)

    assert add(card("root", "a"), card("a", "b")).dangling == (("a", "b"),)
    assert add(card("b", "c"), text("c")).cycles == ()
    assert add(card("c", "a")).cycles == (("a", "b", "c"),)
    assert add(text("b")).renderable, "the cycle opens when one of it is replaced"


# ------------------------------------------------------------------------------------------ size


def test_a_chain_of_twenty_thousand_is_walked() -> None:
    size = 20_000
    chain: dict[str, list[str]] = {"root": ["n0"]}
    chain |= {f"n{i}": [f"n{i + 1}"] for i in range(size)}
    open_end = graph(chain)
    assert open_end.dangling == ((f"n{size - 1}", f"n{size}"),)
    assert len(open_end.reachable) == size + 1
    assert open_end.renderable
    closed = graph({**chain, f"n{size}": ["n0"]})
    assert [len(cycle) for cycle in closed.cycles] == [size + 1]


def test_a_wide_surface_is_walked() -> None:
    leaves = [f"n{i}" for i in range(20_000)]
    found = graph({"root": leaves, **{leaf: [] for leaf in leaves}})
    assert len(found.reachable) == 20_001
    assert found.renderable


@pytest.mark.parametrize("nested", [False, True])
def test_edges_back_into_a_long_chain_cost_no_more_than_the_chain(nested: bool) -> None:
    """As many cycles as components, as long as the chain: naming all would be quadratic."""

    def knot(size: int) -> Graph:
        names = ["root", *(f"n{i:06}" for i in range(1, size))]
        edges = {name: [after] for name, after in pairwise(names)} | {names[-1]: []}
        for index in range(size // 2, size):
            edges[names[index]].insert(0, names[size - 1 - index if nested else 0])
        return edges

    found = graph(knot(20_000))
    assert found.cycles
    assert sum(map(len, found.cycles)) <= 20_000
    assert not found.renderable


# ------------------------------------------------------------------------------------------ laws

nodes = ["root", "a", "b", "c", "d", "e"]
graphs = st.dictionaries(
    st.sampled_from(nodes), st.lists(st.sampled_from([*nodes, "missing"]), max_size=3), max_size=6
)


def reach(edges: Graph, start: str, seen: frozenset[str] = frozenset()) -> frozenset[str]:
    """The nodes on any path from ``start``, which is among them only if a path returns to it."""
    for child in edges[start]:
        if child in edges and child not in seen:
            seen = reach(edges, child, seen | {child})
    return seen


@given(graphs)
def test_it_finds_what_a_plain_recursive_walk_finds(edges: Graph) -> None:
    found = graph(edges)
    assert found.has_root is ("root" in edges)
    expected = reach(edges, "root") | {"root"} if "root" in edges else frozenset()
    assert found.reachable == expected
    assert set(found.dangling) == {(a, b) for a in edges for b in edges[a] if b not in edges}

    circling = {name for name in edges if name in reach(edges, name)}
    named = [name for cycle in found.cycles for name in cycle]
    assert len(named) == len(set(named)), "cycles that are named share nothing"
    for cycle in found.cycles:
        assert all(b in edges[a] for a, b in pairwise([*cycle, cycle[0]]))
    for name in circling:
        knot = {other for other in reach(edges, name) if name in reach(edges, other)}
        assert knot & set(named), "of each knot at least one cycle is named"
    assert found.renderable is (found.has_root and not (expected & circling))


@given(graphs)
def test_what_is_found_does_not_depend_on_the_order_of_the_components(edges: Graph) -> None:
    assert graph(edges) == graph({name: edges[name] for name in reversed([*edges])})
