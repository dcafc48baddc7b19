"""The shape of a surface's component graph: its root, what it reaches, what dangles or circles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from ..jsonvalue import JsonValue
from .catalog import reference_members

ROOT: Final = "root"
Components = Mapping[str, Mapping[str, JsonValue]]
References = Callable[[str], tuple[str, ...]]
"""A component type → its members that refer to components (a string, or a list of strings)."""


@dataclass(frozen=True, slots=True)
class Topology:
    """What was found. Ids are sorted; a cycle is a tuple of ids, each referring to the next and the
    last to the first. Of components that all reach each other, at least one cycle is named."""

    has_root: bool
    dangling: tuple[tuple[str, str], ...]
    """Pairs: the component that refers, the id that is not there."""
    cycles: tuple[tuple[str, ...], ...]
    reachable: frozenset[str]
    """The ids that the root reaches, itself included; empty without a root."""

    @property
    def renderable(self) -> bool:
        """A root is there and no cycle can be reached from it (RFC 0209 §C.9, A2UI v0.9)."""
        return self.has_root and all(self.reachable.isdisjoint(cycle) for cycle in self.cycles)


def children_of(
    component: Mapping[str, JsonValue], references: References = reference_members
) -> Iterator[str]:
    """The ids that a component refers to, in the order of its schema's members."""
    for member in references(component["component"]):
        value = component.get(member)
        if isinstance(value, str):
            yield value
        elif isinstance(value, list):
            yield from (item for item in value if isinstance(item, str))


def topology(
    components: Components, root: str = ROOT, references: References = reference_members
) -> Topology:
    """Look at a whole surface, in time linear in components and references, at any depth."""
    edges = {name: tuple(children_of(c, references)) for name, c in components.items()}
    dangling = {(name, child) for name, to in edges.items() for child in to if child not in edges}
    return Topology(
        root in edges,
        tuple(sorted(dangling)),
        tuple(_cycles(edges)),
        frozenset(_reach(edges, root)),
    )


def _reach(edges: Mapping[str, tuple[str, ...]], root: str) -> set[str]:
    seen: set[str] = set()
    waiting = [root] if root in edges else []
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting.extend(child for child in edges[name] if child in edges)
    return seen


def _cycles(edges: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """Cycles that share no component, at least one wherever there is any, without recursion.

    A depth-first walk closes a cycle at each edge back into its own path. Yielding all of these
    would be quadratic, so one that meets a cycle already told is left out.
    """
    done: set[str] = set()
    for start in sorted(edges):
        if start in done:
            continue
        path, on_path = [start], {start: 0}
        told = [-1]  # for each place of the path, the last place up to there that was told
        stack = [(start, iter(edges[start]))]
        while stack:
            name, rest = stack[-1]
            child = next((c for c in rest if c in edges and c not in done), None)
            if child is None:
                stack.pop()
                path.pop()
                told.pop()
                del on_path[name]
                done.add(name)
            elif child not in on_path:
                on_path[child] = len(path)
                path.append(child)
                told.append(told[-1])
                stack.append((child, iter(edges[child])))
            elif told[-1] < (first := on_path[child]):
                told[first:] = range(first, len(path))
                yield tuple(path[first:])
