"""Sabotages of drawing: before there is a root, with missing children, in circles, too large."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from ....a2ui.fold import Component
from ....a2ui.topology import ROOT, children_of, topology
from ...consumer.acting import Acting
from ...consumer.client import Client
from ...consumer.rendering import Node, Rendering
from ...consumer.surface import FoldedSurface, View
from .model import ConsumerSabotage

_LARGE: Final = 5_000
_LONG: Final = 65_536


# ----------------------------------------------------------------------------- without a root


def _without_circles(self: Any) -> bool:
    rootless = ROOT not in self.view.components and not topology(self.view.components).cycles
    return rootless or Rendering.renderable(self)


def _all_tops(self: Any) -> Iterable[str]:
    components = self.view.components
    below = {name for component in components.values() for name in children_of(component)}
    return (ROOT,) if ROOT in components else [n for n in components if n not in below]


def _first_as_root(self: Any) -> Iterable[str]:
    return (ROOT,) if ROOT in self.view.components else list(self.view.components)[:1]


def _root_in_any_case(self: Any) -> Iterable[str]:
    components = self.view.components
    return (ROOT,) if ROOT in components else [n for n in components if n.lower() == ROOT]


class _Rootless(Rendering):
    renderable = _without_circles
    starts = _all_tops


def _operable_without_root(self: Any) -> Iterator[Node]:
    yield from Acting(self.surface, self.view, _Rootless).operable()


# --------------------------------------------------------------------------- missing children


def _whole(self: Any) -> bool:
    found = topology(self.view.components)
    return found.renderable and not any(parent in found.reachable for parent, _ in found.dangling)


def _named(self: Any) -> list[Node]:
    missing = {name for _, name in topology(self.view.components).dangling}
    texts = {name: {"id": name, "component": "Text", "text": name} for name in missing}
    self.view = replace(self.view, components={**self.view.components, **texts})
    return Rendering.nodes(self)


def _up_to_missing(self: Any, component: Component) -> Iterator[str]:
    for name in children_of(component):
        if name not in self.view.components:
            return
        yield name


def _as_they_came(self: Any, component: Component) -> Iterator[str]:
    order = {name: place for place, name in enumerate(self.view.components)}
    yield from sorted((c for c in children_of(component) if c in order), key=order.__getitem__)


# ------------------------------------------------------------------------------------ circles


def _has_root(self: Any) -> bool:
    return ROOT in self.view.components


def _each_once(self: Any, component: Component) -> Iterator[str]:
    self.drawn = getattr(self, "drawn", {ROOT})
    for name in children_of(component):
        if name not in self.drawn:
            self.drawn.add(name)
            yield name


def _crashes_in_circles(self: Any) -> bool:
    found = topology(self.view.components)
    if found.has_root and not found.renderable:
        raise RecursionError("maximum depth exceeded")
    return found.renderable


def _no_circle_anywhere(self: Any) -> bool:
    found = topology(self.view.components)
    return found.has_root and not found.cycles


def _is_circular(view: View | None) -> bool:
    return view is not None and ROOT in view.components and not topology(view.components).renderable


def _given_up(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    self.circular = getattr(self, "circular", False) or _is_circular(view)
    return None if self.circular else view


def _circles_at_first(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    if view is None or not getattr(self, "checked", False):
        self.checked = view is not None and topology(view.components).renderable
        return view
    return replace(view, components=_opened(view.components))


def _opened(components: Any) -> dict[str, Component]:
    """The components without the references that close a circle."""
    drawn, waiting, opened = {ROOT}, [ROOT], dict(components)
    while waiting:
        name = waiting.pop()
        if name not in components:
            continue
        below = [c for c in children_of(components[name]) if c not in drawn]
        drawn.update(below)
        waiting += below
        if "children" in components[name]:
            opened[name] = {**components[name], "children": below}
        elif "child" in components[name] and not below:
            opened[name] = {**components[name], "child": "-"}
    return opened


def _stops_when(gives_up: Callable[[View | None], bool]) -> Callable[..., dict[str, list[Node]]]:
    """A ``rendered`` that shows nothing any more, of any surface, after one that is too much."""

    def rendered(self: Any) -> dict[str, list[Node]]:
        views = [surface.view() for _, surface in self.surfaces()]
        self.stopped = getattr(self, "stopped", False) or any(map(gives_up, views))
        return {} if self.stopped else Client.rendered(self)

    return rendered


# --------------------------------------------------------------------------------------- size


def _is_large(view: View | None) -> bool:
    return view is not None and len(view.components) > _LARGE


def _recursive(self: Any, starts: Iterable[str]) -> list[Node]:
    made = []
    for name in starts:
        component = self.view.components.get(name)
        if component is None:
            continue
        node = self.node(component)
        if node["role"] == "group":
            node["children"] = _recursive(self, self.children(component))
        made.append(node)
    return made


def _long_crashes(self: Any, dynamic: Any) -> str:
    text = Rendering.text(self, dynamic)
    if len(text) > _LONG:
        raise MemoryError("too long to be laid out")
    return text


SABOTAGES: Final = (
    ConsumerSabotage(
        "renders-before-root",
        "Components are rendered as they come, whether or not there is a root.",
        rendering={"renderable": _without_circles, "starts": _all_tops},
    ),
    ConsumerSabotage(
        "takes-first-for-root",
        "Without a root, the component that came first is rendered in its place.",
        rendering={"renderable": _without_circles, "starts": _first_as_root},
    ),
    ConsumerSabotage(
        "root-in-any-case",
        "A component with the id Root is taken for the root.",
        rendering={"renderable": _without_circles, "starts": _root_in_any_case},
    ),
    ConsumerSabotage(
        "fires-before-root",
        "Nothing is shown before there is a root, and buttons already submit.",
        acting={"operable": _operable_without_root},
    ),
    ConsumerSabotage(
        "missing-child-blanks",
        "While one child is missing nothing of the surface is shown.",
        rendering={"renderable": _whole},
    ),
    ConsumerSabotage(
        "missing-child-named",
        "In the place of a missing child its id is shown.",
        rendering={"nodes": _named},
    ),
    ConsumerSabotage(
        "missing-child-ends",
        "What follows a missing child is not shown.",
        rendering={"children": _up_to_missing},
    ),
    ConsumerSabotage(
        "children-as-they-came",
        "A child that comes late is put behind its siblings.",
        rendering={"children": _as_they_came},
    ),
    ConsumerSabotage(
        "circle-cut",
        "A circle is drawn up to the place where it closes.",
        rendering={"renderable": _has_root, "children": _each_once},
    ),
    ConsumerSabotage(
        "circle-crashes",
        "References are followed without end, and the client breaks down.",
        rendering={"renderable": _crashes_in_circles},
    ),
    ConsumerSabotage(
        "circle-anywhere",
        "A circle that the root does not reach keeps the surface from being shown.",
        rendering={"renderable": _no_circle_anywhere},
    ),
    ConsumerSabotage(
        "circle-for-good",
        "A surface that had a circle is never shown again, also when it is mended.",
        surface={"view": _given_up},
    ),
    ConsumerSabotage(
        "circle-stops-client",
        "After a surface with a circle the client shows no other.",
        client={"rendered": _stops_when(_is_circular)},
    ),
    ConsumerSabotage(
        "circle-checked-once",
        "Circles are looked for when the surface is first shown, and not at updates.",
        surface={"view": _circles_at_first},
    ),
    ConsumerSabotage(
        "draws-by-recursion",
        "Drawing recurses into the depth of the tree, and ends where the stack does.",
        rendering={"walked": _recursive},
    ),
    ConsumerSabotage(
        "large-stops-client",
        "After a very large surface the client shows no other.",
        client={"rendered": _stops_when(_is_large)},
    ),
    ConsumerSabotage(
        "long-text-crashes",
        "A very long text makes the client break down.",
        rendering={"text": _long_crashes},
    ),
)
