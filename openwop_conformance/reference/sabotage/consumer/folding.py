"""Sabotages of the fold: the order of envelopes, components sent again, and a surface's lives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from ....a2ui.fold import Component
from ....a2ui.topology import ROOT, children_of
from ....jsonvalue import JsonValue
from ...consumer.client import Client
from ...consumer.surface import Envelope, FoldedSurface, View
from .model import ConsumerSabotage

Merge = Callable[[Component, Component], Component]
"""What was there and what is sent → what is kept."""


# -------------------------------------------------------------------------------- the order


def _as_it_came(self: Any, envelope: Envelope) -> None:
    self.taint(envelope)
    self._log.put(None, envelope)


def _late_last(self: Any, envelope: Envelope) -> None:
    if envelope.sequence not in self._sequences:
        self._sequences.add(envelope.sequence)
        _as_it_came(self, envelope)


def _late_dropped(self: Any, envelope: Envelope) -> None:
    if envelope.sequence > max(self._sequences, default=-1):
        FoldedSurface.add(self, envelope)


def _again(self: Any, envelope: Envelope) -> None:
    if envelope.sequence in self._sequences:
        _as_it_came(self, envelope)
    else:
        FoldedSurface.add(self, envelope)


def _early_dropped(self: Any, envelope: Envelope) -> None:
    created = any("createSurface" in message for message in envelope.payload["messages"])
    if created or self.view() is not None:
        FoldedSurface.add(self, envelope)


# --------------------------------------------------------------------- components sent again


def _merged(merge: Merge) -> Callable[..., None]:
    """An ``apply`` that makes something of what was there and what is sent."""

    def apply(self: Any, messages: list[JsonValue]) -> None:
        with self.fold.transaction():
            for message in messages:
                held = self.fold.surfaces.get(self.surface_id)
                before = {} if held is None else dict(held.components)
                self.fold.apply(message)
                for sent in message.get("updateComponents", {}).get("components", ()):
                    if sent["id"] in before:
                        kept = merge(before[sent["id"]], sent)
                        self.fold.surfaces[self.surface_id].components[sent["id"]] = kept

    return apply


def _with_old_members(old: Component, new: Component) -> Component:
    return {**old, **new} if old["component"] == new["component"] else new


def _with_old_value(old: Component, new: Component) -> Component:
    return {"value": old["value"], **new} if "value" in old else new


def _with_old_children(old: Component, new: Component) -> Component:
    if "children" not in old or "children" not in new:
        return new
    return {**new, "children": list(dict.fromkeys([*new["children"], *old["children"]]))}


def _of_old_type(old: Component, new: Component) -> Component:
    return new if new["id"] == ROOT or old["component"] == new["component"] else old


def _root_of_old_type(old: Component, new: Component) -> Component:
    return old if new["id"] == ROOT and old["component"] != new["component"] else new


# ------------------------------------------------------------------------------------ lives


def _kept(member: str) -> Callable[..., None]:
    """An ``apply`` that gives a new life something of the one before it."""

    def apply(self: Any, messages: list[JsonValue]) -> None:
        with self.fold.transaction():
            for message in messages:
                held = self.fold.surfaces.get(self.surface_id)
                self.former = getattr(self, "former", None) if held is None else held
                self.fold.apply(message)
                if "createSurface" in message and self.former is not None:
                    made = self.fold.surfaces[self.surface_id]
                    setattr(made, member, getattr(self.former, member))

    return apply


def _last_view(self: Any) -> View | None:
    found = FoldedSurface.view(self)
    self.last = getattr(self, "last", None) if found is None else found
    return found


def _stays(self: Any) -> View | None:
    _last_view(self)
    last: View | None = self.last
    return last


def _acting_on_what_was(self: Any, surface_id: str) -> Iterator[tuple[Any, Any]]:
    yield from Client.acting(self, surface_id)
    for key, surface in self.folded.items():
        if key[1] == surface_id and surface.view() is None and surface.last is not None:
            yield key, self.make_acting(surface, surface.last, self.make_rendering)


# --------------------------------------------------------------------- linked once and for all


def _linked_at_once(self: Any, messages: list[JsonValue]) -> None:
    """Each component keeps the children that were there when its envelope was taken."""
    FoldedSurface.apply(self, messages)
    held = self.fold.surfaces.get(self.surface_id)
    for message in messages if held is not None else ():
        for sent in message.get("updateComponents", {}).get("components", ()):
            self.links = getattr(self, "links", {})
            self.links[sent["id"]] = {c for c in children_of(sent) if c in held.components}


def _linked_view(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    if view is None:
        return None
    linked = {n: _only(c, self.links.get(n, set())) for n, c in view.components.items()}
    return replace(view, components=linked)


def _only(component: Component, children: set[str]) -> Component:
    if "children" in component:
        return {**component, "children": [c for c in component["children"] if c in children]}
    if "child" in component and component["child"] not in children:
        return {**component, "child": "-"}
    return component


def _no_orphans(self: Any, messages: list[JsonValue]) -> None:
    """What nothing refers to when its message is taken is dropped."""
    with self.fold.transaction():
        for message in messages:
            self.fold.apply(message)
            held = self.fold.surfaces.get(self.surface_id)
            for sent in message.get("updateComponents", {}).get("components", ()):
                wanted = {name for c in held.components.values() for name in children_of(c)}
                if sent["id"] != ROOT and sent["id"] not in wanted:
                    del held.components[sent["id"]]


def _data_needs_components(self: Any, messages: list[JsonValue]) -> None:
    with self.fold.transaction():
        for message in messages:
            held = self.fold.surfaces.get(self.surface_id)
            if "updateDataModel" not in message or held is None or held.components:
                self.fold.apply(message)


SABOTAGES: Final = (
    ConsumerSabotage(
        "folds-as-it-comes",
        "Envelopes are folded in the order of arrival, those that come again too.",
        surface={"add": _as_it_came},
    ),
    ConsumerSabotage(
        "folds-late-ones-last",
        "An envelope that comes late is folded behind those that it precedes.",
        surface={"add": _late_last},
    ),
    ConsumerSabotage(
        "drops-late-ones",
        "An envelope that comes late is not folded at all.",
        surface={"add": _late_dropped},
    ),
    ConsumerSabotage(
        "folds-again",
        "An envelope that comes again is folded again.",
        surface={"add": _again},
    ),
    ConsumerSabotage(
        "drops-early-ones",
        "What comes before its createSurface is gone when that comes.",
        surface={"add": _early_dropped},
    ),
    ConsumerSabotage(
        "merges-old-members",
        "A component that is sent again keeps the members that it no longer has.",
        surface={"apply": _merged(_with_old_members)},
    ),
    ConsumerSabotage(
        "keeps-old-value",
        "A field that is sent again without a value keeps the one that it had.",
        surface={"apply": _merged(_with_old_value)},
    ),
    ConsumerSabotage(
        "only-adds-children",
        "Children that a component no longer has stay below it.",
        surface={"apply": _merged(_with_old_children)},
    ),
    ConsumerSabotage(
        "ignores-another-type",
        "A component that is sent again with another type stays what it was.",
        surface={"apply": _merged(_of_old_type)},
    ),
    ConsumerSabotage(
        "keeps-type-of-root",
        "A root that is sent again with another type is not redrawn.",
        surface={"apply": _merged(_root_of_old_type)},
    ),
    ConsumerSabotage(
        "keeps-components-of-deleted",
        "A surface that is made anew has the components that it had before it was deleted.",
        surface={"apply": _kept("components")},
    ),
    ConsumerSabotage(
        "keeps-data-of-deleted",
        "A surface that is made anew has the data that it had before it was deleted.",
        surface={"apply": _kept("data")},
    ),
    ConsumerSabotage(
        "shows-deleted",
        "The page keeps the elements of a surface that was deleted.",
        surface={"view": _stays},
    ),
    ConsumerSabotage(
        "fires-deleted",
        "A deleted surface is not shown, and its buttons still submit.",
        surface={"view": _last_view},
        client={"acting": _acting_on_what_was},
    ),
    ConsumerSabotage(
        "links-at-once",
        "A child that comes after its parent stays missing until the parent is sent again.",
        surface={"apply": _linked_at_once, "view": _linked_view},
    ),
    ConsumerSabotage(
        "drops-orphans",
        "A component that nothing refers to yet is thrown away.",
        surface={"apply": _no_orphans},
    ),
    ConsumerSabotage(
        "data-needs-components",
        "Data that comes before the first component is lost.",
        surface={"apply": _data_needs_components},
    ),
)
