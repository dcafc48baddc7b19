"""The kept graph: after every change, and every undo, what a walk of the whole would find."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.data_model import Undo
from openwop_conformance.a2ui.graph import Graph, Link
from openwop_conformance.a2ui.topology import Topology, topology
from openwop_conformance.errors import Violation

Edges = dict[str, tuple[str, ...]]
NAMES = ("root", "a", "b", "c", "d", "e")
DEEPEST = 3


def walked(edges: Edges) -> Topology:
    components = {
        name: {"id": name, "component": "Any", "to": list(to)} for name, to in edges.items()
    }
    return topology(components, references=lambda _: ("to",))


def tall(edges: Edges, name: str) -> int:
    return 1 + max((tall(edges, c) for c in edges[name]), default=0) if name in edges else 0


def is_sound(edges: Edges) -> bool:
    return not walked(edges).cycles and all(tall(edges, n) <= DEEPEST + 1 for n in edges)


def assert_same(graph: Graph, edges: Edges) -> None:
    """All that the graph tells, against a walk of the edges from nothing."""
    found = walked(edges)
    assert graph.children == edges
    assert {n: set(r) for n, r in graph.referrers.items()} == {
        child: {n for n, to in edges.items() if child in to}
        for to in edges.values()
        for child in to
    }
    assert {n: graph.height(n) for n in NAMES} == {n: tall(edges, n) for n in NAMES}
    assert (graph.first_missing(edges) is None) is (not found.dangling)
    missing = {(n, first) for n in edges if (first := graph.first_missing([n]))}
    assert {pair for _, pair in missing} <= set(found.dangling)
    assert {n for n, _ in missing} == {n for n, _ in found.dangling}
    if found.has_root:
        assert {n for n in edges if graph.first_unreached([n], "root") is None} == found.reachable
        unreached = graph.first_unreached(edges, "root")
        assert unreached == next((n for n in edges if n not in found.reachable), None)


names = st.sampled_from(NAMES)
links = st.tuples(names, st.lists(names, max_size=3))
batches = st.lists(links, min_size=1, max_size=4, unique_by=lambda link: link[0])
steps = st.lists(batches | st.just("undo"), max_size=14)


@given(steps)
def test_after_every_step_and_every_undo_it_is_what_a_walk_of_the_whole_finds(
    program: list[list[Link] | str],
) -> None:
    graph, edges = Graph(max_depth=DEEPEST), Edges()
    log: list[tuple[Undo, Edges]] = []
    for step in program:
        if isinstance(step, str):
            if log:
                undo, edges = log.pop()
                undo()
        else:
            after = edges | {name: tuple(dict.fromkeys(to)) for name, to in step}
            act = graph.replace_all
            if is_sound(after):
                log.append((act(step) if len(step) > 1 else graph.replace(*step[0]), edges))
                edges = after
            else:
                with pytest.raises(Violation) as refused:
                    act(step)
                assert refused.value.rule in ("cycle", "depth")
                assert refused.value.path[1:] in dict(step)
        assert_same(graph, edges)
    while log:
        undo, edges = log.pop()
        undo()
        assert_same(graph, edges)


def refused(graph: Graph, *links: Link) -> Violation:
    with pytest.raises(Violation) as refusal:
        graph.replace_all(links)
    return refusal.value


def test_a_component_that_refers_to_itself_is_a_circle() -> None:
    assert "'a' refers to itself" in str(refused(Graph(), ("a", ["b", "a"])))


def test_a_circle_is_told_in_the_order_of_its_references() -> None:
    graph = Graph()
    graph.replace_all([("a", ["b"]), ("b", ["c"])])

    refusal = refused(graph, ("c", ["x", "a"]))

    assert refusal.rule == "cycle"
    assert refusal.path == "/c"
    assert "'c' → 'a' → 'b' → 'c'" in str(refusal)
    assert "c" not in graph.children


def test_a_reference_that_the_same_change_drops_closes_no_circle() -> None:
    graph = Graph()
    graph.replace_all([("a", ["b"]), ("b", [])])
    graph.replace_all([("b", ["a"]), ("a", [])])

    assert graph.children == {"a": (), "b": ("a",)}


def test_a_chain_may_have_fifty_references_and_no_more_in_whatever_order_it_comes() -> None:
    chain: list[Link] = [(f"c{i}", [f"c{i + 1}"]) for i in range(51)]
    for order in (chain, chain[::-1], chain[::2] + chain[1::2]):
        graph = Graph()
        graph.replace_all(order)  # the last one's child is not there
        assert graph.height("c0") == 51
        assert refused(graph, ("c51", [])).rule == "depth"
        assert graph.height("c0") == 51


def test_a_new_component_that_nothing_refers_to_is_not_compared_with_what_it_holds() -> None:
    graph = Graph()
    graph.replace("big", [f"t{i}" for i in range(500)])
    for i in range(500):
        graph.replace(f"t{i}", ())
    before = graph.work.count
    for i in range(100):
        graph.replace(f"w{i}", ["big"])

    assert graph.work.count - before == 200


def test_the_way_up_ends_where_components_are_taller_than_any_suspect() -> None:
    graph = Graph()
    graph.replace_all([("low", []), ("tall", ["mid"]), ("mid", ["x"]), ("x", [])])
    for i in range(300):
        graph.replace_all([(f"o{i}", [f"p{i}"]), (f"p{i}", [f"q{i}"]), (f"q{i}", ["low"])])
    before = graph.work.count
    graph.replace("low", ["mid"])
    looked_at = graph.work.count - before

    assert looked_at < 300 + 3 * 300 + 10  # every q is asked, and every height above changes


def test_its_work_grows_in_step_with_what_changes() -> None:
    def work(size: int) -> int:
        graph = Graph()
        graph.replace("root", [f"t{i}" for i in range(size)])
        undo = [graph.replace(f"t{i}", [f"u{i}"] if i % 2 else ()) for i in range(size)]
        while undo:
            undo.pop()()
        return graph.work.count

    assert work(4000) < 4.1 * work(1000)


def test_what_many_refer_to_is_found_to_be_reached_without_asking_all_of_them() -> None:
    class Asked(dict[str, None]):
        count = 0

        def __iter__(self) -> Iterator[str]:
            Asked.count += len(self)
            return super().__iter__()

    graph = Graph()
    rows = [f"r{i}" for i in range(500)]
    graph.replace_all([("root", rows), *((row, ["shared"]) for row in rows)])
    graph.replace("shared", ())
    graph.referrers["shared"] = Asked(dict.fromkeys(rows))
    before = graph.work.count

    assert graph.first_unreached(["shared"], "root") is None
    assert graph.work.count - before <= 3
    assert Asked.count == 0
