"""Sabotages of the tree: circles, depth, references, the root, and when it is checked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from ....a2ui.catalog import BASIC_CATALOG
from ....a2ui.graph import Graph, Link
from ....a2ui.topology import ROOT
from ....errors import CallError, Violation
from ....jsonvalue import JsonValue
from ...sdk.operations import ReferenceSdk
from ...sdk.state import RendererState
from ...sdk.surface import Component, Surface, refusal
from .model import SdkSabotage

Follow = Callable[[Component, Sequence[str]], Sequence[str]]
"""A component and its children → those of them that a broken check follows."""


# ---------------------------------------------------------------------------------- circles


def _circles(follow: Follow, *, in_message: bool = False) -> Callable[..., None]:
    """A ``put_components`` that takes circles in what it does not follow.

    Either the references to what came before the message, or some of those of a component that is
    replaced.
    """

    def put_components(
        self: Any, surface: Surface, components: Sequence[Component], path: str
    ) -> None:
        links = self.check_components(surface.catalog, components, path)
        try:
            undo = self.relink(surface, links, path)
        except CallError as error:
            held = {} if in_message else surface.components
            every = {**held, **{c["id"]: c for c in components}}
            replaced = any(name in surface.components for name, _ in links)
            if not replaced or "deeper" in str(error) or _has_circle(surface, every, follow):
                raise
            undo = self.relink(surface, [(name, ()) for name, _ in links], path)
        self.store(surface, components, undo)

    return put_components


def _has_circle(surface: Surface, components: dict[str, Component], follow: Follow) -> bool:
    children = surface.catalog.children
    links: list[Link] = [(name, follow(c, children(c))) for name, c in components.items()]
    try:
        Graph().replace_all(links)
    except Violation:
        return True
    return False


def _all(component: Component, children: Sequence[str]) -> Sequence[str]:
    return children


def _others(component: Component, children: Sequence[str]) -> Sequence[str]:
    return [child for child in children if child != component["id"]]


def _listed(component: Component, children: Sequence[str]) -> Sequence[str]:
    listed = component.get("children")
    return [c for c in children if not isinstance(listed, list) or c in listed] if listed else ()


def _no_template(component: Component, children: Sequence[str]) -> Sequence[str]:
    template = component.get("children")
    if not isinstance(template, dict):
        return children
    return [child for child in children if child != template["componentId"]]


def _any_depth(self: Any, surface: Surface, links: Sequence[Link], path: str) -> Any:
    surface.graph.max_depth = 1_000_000
    return RendererState.relink(self, surface, links, path)


# ------------------------------------------------------------------------------- references


def _references(children_of: Callable[[Surface, Component], Sequence[str]]) -> Callable[..., None]:
    """A ``check_references`` that asks otherwise what a component refers to."""

    def check_references(self: Any, surface: Surface) -> None:
        for name in surface.changed:
            for child in children_of(surface, surface.components[name]):
                if child not in surface.components:
                    raise refusal("integrity", f"{name!r} refers to {child!r}, which is not there")

    return check_references


def _no_trigger(surface: Surface, component: Component) -> Sequence[str]:
    children = surface.catalog.children(component)
    return [child for child in children if child != component.get("trigger")]


def _with_titles(surface: Surface, component: Component) -> Sequence[str]:
    titles = [tab["title"] for tab in component.get("tabs", ())]
    return [*surface.catalog.children(component), *(t for t in titles if isinstance(t, str))]


def _without_templates(surface: Surface, component: Component) -> Sequence[str]:
    return _no_template(component, surface.catalog.children(component))


def _guessed(surface: Surface, component: Component) -> Sequence[str]:
    if surface.catalog.catalog_id == BASIC_CATALOG:
        return surface.catalog.children(component)
    listed = component.get("children", ())
    child = component.get("child")
    return [*([child] if isinstance(child, str) else ()), *listed]


def _basic_alone(surface: Surface, component: Component) -> Sequence[str]:
    known = surface.catalog.catalog_id == BASIC_CATALOG
    return surface.catalog.children(component) if known else ()


# ------------------------------------------------------------------------------- the moment


def _strict_once_complete(
    self: Any, surface: Surface, components: Sequence[Component], path: str
) -> None:
    was_complete = len(surface.changed) < len(surface.components)
    with self.transaction():
        RendererState.put_components(self, surface, components, path)
        for child in (c["child"] for c in components if was_complete and "child" in c):
            if child not in surface.components:
                raise refusal("integrity", f"child {child!r} is not there")


def _root_demanded_early(
    self: Any, surface: Surface, components: Sequence[Component], path: str
) -> None:
    with self.transaction():
        first = not surface.components
        RendererState.put_components(self, surface, components, path)
        if not first:
            self.check_root(surface)


def _checked_judged_again(self: Any, surface: Surface) -> None:
    checked = self.__dict__.setdefault("_checked", {})
    names = {**checked.get(surface.surface_id, {}), **surface.changed}
    name = surface.graph.first_unreached(names, surface.root)
    if name is not None:
        raise refusal("integrity", f"{name!r} is not reachable from {surface.root!r}")
    checked[surface.surface_id] = names


def _nothing_settled(self: Any, surface_ids: Sequence[str]) -> None:
    for surface in self.checkable(surface_ids):
        self.check_root(surface)
        self.check_references(surface)
        self.check_reachable(surface)


def _marks_nothing(self: Any, state: str, surfaces: Sequence[str]) -> JsonValue:
    return {}


def _unknown_judged(self: Any, state: str, surfaces: Sequence[str]) -> JsonValue:
    for name in surfaces:
        if name not in self._state(state).surfaces:
            raise CallError("integrity", f"there is no surface {name!r}")
    return ReferenceSdk.check_topology(self, state, surfaces)


def _rootless_skipped(self: Any, state: str, surfaces: Sequence[str]) -> JsonValue:
    held = self._state(state).surfaces
    rooted = [name for name in surfaces if name not in held or ROOT in held[name].components]
    return ReferenceSdk.check_topology(self, state, rooted)


def _root_by_name(self: Any, surface: Surface) -> None:
    if ROOT not in surface.components:
        raise refusal("integrity", f"surface {surface.surface_id!r} has no component {ROOT!r}")


def _reached_from_root(self: Any, surface: Surface) -> None:
    name = surface.graph.first_unreached(surface.changed, ROOT)
    if name is not None:
        raise refusal("integrity", f"{name!r} is not reachable from {ROOT!r}")


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-self-reference-unseen",
        "a component that is replaced may become its own child",
        state={"put_components": _circles(_others)},
    ),
    SdkSabotage(
        "sdk-cycle-across-messages-unseen",
        "circles are looked for within one message",
        state={"put_components": _circles(_all, in_message=True)},
    ),
    SdkSabotage(
        "sdk-cycle-through-single-child-unseen",
        "of a component that is replaced only lists of children are followed to find circles",
        state={"put_components": _circles(_listed)},
    ),
    SdkSabotage(
        "sdk-cycle-through-template-unseen",
        "the template of a component that is replaced is not followed to find circles",
        state={"put_components": _circles(_no_template)},
    ),
    SdkSabotage(
        "sdk-depth-unbounded",
        "a chain of components may have any length",
        state={"relink": _any_depth},
    ),
    SdkSabotage(
        "sdk-missing-trigger-passes",
        "a missing trigger of a Modal is not reported",
        state={"check_references": _references(_no_trigger)},
    ),
    SdkSabotage(
        "sdk-title-taken-for-id",
        "the title of a tab counts as a reference",
        state={"check_references": _references(_with_titles)},
    ),
    SdkSabotage(
        "sdk-template-unfollowed",
        "a missing template is not reported",
        state={"check_references": _references(_without_templates)},
    ),
    SdkSabotage(
        "sdk-references-guessed",
        "in a catalog that is given, child and children are the references, whatever it says",
        state={"check_references": _references(_guessed)},
    ),
    SdkSabotage(
        "sdk-custom-references-unfollowed",
        "no reference is looked at in a catalog that is given",
        state={"check_references": _references(_basic_alone)},
    ),
    SdkSabotage(
        "sdk-strict-once-complete",
        "once a surface was complete, the single child of a component has to be there before it",
        state={"put_components": _strict_once_complete},
    ),
    SdkSabotage(
        "sdk-root-demanded-early",
        "the second update of a surface is refused when there is no root yet",
        state={"put_components": _root_demanded_early},
    ),
    SdkSabotage(
        "sdk-checked-judged-again",
        "what was checked once has to stay reachable, changed or not",
        state={"check_reachable": _checked_judged_again},
    ),
    SdkSabotage(
        "sdk-checked-stays-changed",
        "a component that was checked still counts as changed",
        state={"check_topology": _nothing_settled},
    ),
    SdkSabotage(
        "sdk-mark-checked-ignored",
        "mark_checked does nothing",
        sdk={"mark_checked": _marks_nothing},
    ),
    SdkSabotage(
        "sdk-unknown-surface-judged",
        "the tree check fails for a surface that is not there",
        sdk={"check_topology": _unknown_judged},
    ),
    SdkSabotage(
        "sdk-missing-root-passes",
        "a surface without a root is not checked",
        sdk={"check_topology": _rootless_skipped},
    ),
    SdkSabotage(
        "sdk-root-by-name",
        "the root is the component called root, whatever the surface says",
        state={"check_root": _root_by_name, "check_reachable": _reached_from_root},
    ),
)
