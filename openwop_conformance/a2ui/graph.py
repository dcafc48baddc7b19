"""The graph of a surface's components, kept from change to change, always without cycles.

What ``topology`` finds by walking a whole surface, this answers from what a change touches: it
knows who refers to whom, in both directions, and how tall the tree below each component is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

from ..errors import Violation
from ..jsonvalue import pointer_of
from .data_model import Undo

MAX_DEPTH: Final = 50
"""How many references may lie between a component and the lowest one below it."""

Link = tuple[str, Sequence[str]]
"""A component, and the ids that it refers to; they need not exist."""


class Work:
    """How many components and references were looked at, by all who share the counter."""

    __slots__ = ("count",)

    def __init__(self) -> None:
        self.count = 0


class Graph:
    """Components by id. ``children`` holds those that are there; ``referrers`` also tells of ids
    that are only referred to. Most have one referrer, and siblings share the tuple that holds it.
    A violation has the id that was to change as its path."""

    __slots__ = ("_below", "_heights", "children", "max_depth", "referrers", "work")

    def __init__(self, work: Work | None = None, *, max_depth: int = MAX_DEPTH) -> None:
        self.children: dict[str, tuple[str, ...]] = {}
        self.referrers: dict[str, tuple[str] | dict[str, None]] = {}
        self.work = Work() if work is None else work
        self.max_depth = max_depth
        self._heights: dict[str, int] = {}
        self._below: dict[str, dict[int, int]] = {}  # id → height → how many children have it

    def height(self, name: str) -> int:
        """How many components lie on the longest way down, the first included; 0 if missing."""
        return self._heights.get(name, 0)

    def replace(self, name: str, children: Sequence[str]) -> Undo:
        """Put a component there, or give it other children, and return what undoes it.

        Raises ``Violation`` (``cycle`` or ``depth``) and changes nothing when it would be below
        itself or a chain of components would grow over ``max_depth``.
        """
        if children:
            self._check_cycle(name, children)
        before = self.children.get(name)
        tallest = self._link(name, before, tuple(dict.fromkeys(children)) if children else ())
        if tallest > self.max_depth + 1:
            self._restore(name, before)
            raise _refused("depth", name, f"{name!r} makes a chain deeper than {self.max_depth}")
        return partial(self._restore, name, before)

    def replace_all(self, links: Sequence[Link]) -> Undo:
        """Several components at once, as one change: only what they give together is judged.

        Their old references go first, since one that is dropped cannot close a cycle.
        """
        undo: list[Undo] = []
        try:
            for name, _ in links:
                if self.children.get(name):
                    undo.append(self.replace(name, ()))
            for name, children in links:
                undo.append(self.replace(name, children))
        except Violation:
            _run_back(undo)
            raise
        return partial(_run_back, undo)

    def first_missing(self, names: Iterable[str]) -> tuple[str, str] | None:
        """The first of ``names`` that refers to an id that is not there, and that id."""
        held, work = self.children, self.work
        for name in names:
            work.count += 1
            if children := held[name]:
                work.count += len(children)
                for child in children:
                    if child not in held:
                        return name, child
        return None

    def first_unreached(self, names: Iterable[str], root: str) -> str | None:
        """The first of ``names`` that the root does not reach, found by walking up from each."""
        reached, lost = {root}, set[str]()
        referrers, work = self.referrers, self.work
        for name in names:
            work.count += 1
            above = referrers.get(name, ())
            if isinstance(above, tuple) and not reached.isdisjoint(above):
                continue
            if name not in reached and not self._is_reached(name, reached, lost):
                return name
        return None

    def _is_reached(self, name: str, reached: set[str], lost: set[str]) -> bool:
        """Whether a way up from ``name`` ends in ``reached``; what is seen goes into the sets."""
        above: str | None
        path, ways = [name], [reversed(self.referrers.get(name, ()))]
        while path:
            self.work.count += 1
            above = next((a for a in ways[-1] if a not in lost), None)
            if above is None:
                lost.add(path.pop())
                ways.pop()
            elif above in reached:
                reached.update(path)
                return True
            else:
                path.append(above)
                ways.append(reversed(self.referrers.get(above, ())))
        return False

    def _check_cycle(self, name: str, children: Sequence[str]) -> None:
        """Refuse children of which one lies above ``name``.

        Whatever lies above it is taller, so that only taller children are suspects, and the way up
        ends where it gets taller than they are.
        """
        if name in children:
            raise _refused("cycle", name, f"{name!r} refers to itself")
        if name not in self.referrers:
            return
        heights = self._heights
        own = heights.get(name, 0)
        suspects = {child for child in children if heights.get(child, 0) > own}
        if not suspects:
            return
        ceiling = max(map(heights.__getitem__, suspects))
        came_from = {name: name}
        waiting = [name]
        while waiting:
            below = waiting.pop()
            self.work.count += 1
            for above in self.referrers.get(below, ()):
                if above in came_from or heights[above] > ceiling:
                    continue
                came_from[above] = below
                if above in suspects:
                    raise _refused("cycle", name, _told(name, above, came_from))
                waiting.append(above)

    def _restore(self, name: str, children: tuple[str, ...] | None) -> None:
        """Go back to what was there, which was without fault."""
        now = self.children[name]
        if children is not None:
            self._link(name, now, children)
            return
        if now:
            self._drop_references(name, now)
        del self.children[name]
        self.work.count += 1
        self._tell_above(name, self._heights.pop(name), 0)

    def _link(self, name: str, before: tuple[str, ...] | None, children: tuple[str, ...]) -> int:
        """Set a component's children; the height of the tallest tree that this changed."""
        if before:
            self._drop_references(name, before)
        self.children[name] = children
        self.work.count += 1
        was = self._heights.get(name, 0)
        height = self._add_references(name, children) if children else 1
        if height == was:
            return height
        self._heights[name] = height
        return self._tell_above(name, was, height)

    def _add_references(self, name: str, children: tuple[str, ...]) -> int:
        """Make a component the referrer of its children; its height with them."""
        self.work.count += len(children)
        heights, referrers = self._heights, self.referrers
        alone, below = (name,), dict[int, int]()
        for child in children:
            tall = heights.get(child, 0)
            below[tall] = below.get(tall, 0) + 1
            above = referrers.get(child)
            if above is None:
                referrers[child] = alone
            elif isinstance(above, dict):
                above[name] = None
            else:
                referrers[child] = dict.fromkeys((*above, name))
        self._below[name] = below
        return 1 + max(below)

    def _drop_references(self, name: str, children: tuple[str, ...]) -> None:
        self.work.count += len(children)
        del self._below[name]
        for child in children:
            above = self.referrers[child]
            if isinstance(above, dict) and len(above) > 1:
                del above[name]
            else:
                del self.referrers[child]

    def _tell_above(self, name: str, before: int, after: int) -> int:
        """Carry a changed height up, as far as it changes heights; the tallest one met."""
        tallest = after
        changes = [(name, before, after)]
        for child, old, new in changes:  # grows: a height may change more than once, in order
            for above in self.referrers.get(child, ()):
                self.work.count += 1
                below, was = self._below[above], self._heights[above]
                below[new] = below.get(new, 0) + 1
                left = below[old] - 1
                if left:
                    below[old] = left
                else:
                    del below[old]
                if left and new < was:  # one as tall as before is left, and none is taller
                    continue
                height = 1 + max(below)
                if height != was:
                    self._heights[above] = height
                    tallest = max(tallest, height)
                    changes.append((above, was, height))
        return tallest


def _run_back(undo: list[Undo]) -> None:
    while undo:
        undo.pop()()


def _told(name: str, above: str, came_from: dict[str, str]) -> str:
    """The cycle in the order of its references, from the component that closes it."""
    way = [name, above]
    while way[-1] != name:
        way.append(came_from[way[-1]])
    return "components refer to each other in a circle: " + " → ".join(map(repr, way))


def _refused(rule: str, name: str, why: str) -> Violation:
    return Violation(rule, why, path=pointer_of((name,)))
