"""Sabotages of bindings: values that are not there yet, and what a person enters."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from ....a2ui.data_model import DataModel
from ....a2ui.fold import Component
from ....jsonvalue import MISSING, JsonValue
from ...consumer.acting import Acting
from ...consumer.binding import path_of, value_of
from ...consumer.client import Client
from ...consumer.rendering import Node, Rendering
from ...consumer.surface import Envelope, FoldedSurface, View
from .model import ConsumerSabotage


def _is_unresolved(dynamic: JsonValue, data: DataModel) -> bool:
    return path_of(dynamic) is not None and value_of(dynamic, data) is MISSING


# -------------------------------------------------------------------------- without a value


def _undefined(self: Any, dynamic: JsonValue) -> str:
    return "undefined" if _is_unresolved(dynamic, self.view.data) else Rendering.text(self, dynamic)


def _path_shown(self: Any, dynamic: JsonValue) -> str:
    text = Rendering.text(self, dynamic)
    return str(path_of(dynamic)) if _is_unresolved(dynamic, self.view.data) else text


def _needs_texts(self: Any) -> bool:
    texts = [c["text"] for c in self.view.components.values() if c["component"] == "Text"]
    unresolved = any(_is_unresolved(text, self.view.data) for text in texts)
    return Rendering.renderable(self) and not unresolved


def _ticked(self: Any, component: Component) -> Node:
    node = Rendering.node(self, component)
    if component["component"] == "CheckBox" and self.value(component) is MISSING:
        node["value"] = True
    return node


def _filled_once(kind: str, member: str) -> Any:
    """An ``apply`` after which what had no value stays empty."""

    def apply(self: Any, messages: list[JsonValue]) -> None:
        FoldedSurface.apply(self, messages)
        held = self.fold.surfaces.get(self.surface_id)
        for name, component in () if held is None else list(held.components.items()):
            if component["component"] == kind and _is_unresolved(component[member], held.data):
                empty = {"path": "/-/-"}
                held.components[name] = {**component, member: empty}

    return apply


# ------------------------------------------------------------------------ what a person enters


def _not_written(self: Any, path: str, value: JsonValue) -> bool:
    return FoldedSurface.view(self) is not None


def _as_whole_model(self: Any, path: str, value: JsonValue) -> bool:
    written: bool = FoldedSurface.write(self, "/", {path.rpartition("/")[2]: value})
    return written


def _person_last(self: Any, path: str, value: JsonValue) -> bool:
    self.entered = {**getattr(self, "entered", {}), path: value}
    return FoldedSurface.write(self, path, value)


def _touch_below_person(self: Any, envelope: Envelope) -> None:
    FoldedSurface.touch(self, envelope)
    held = self.fold.surfaces.get(self.surface_id)
    for path, value in getattr(self, "entered", {}).items():
        if held is not None:
            held.data.put(path, value)


def _texts_kept(self: Any, path: str, value: JsonValue) -> bool:
    """Texts that are bound to what is entered stay as they were."""
    view = FoldedSurface.view(self)
    before = MISSING if view is None else view.data.get(path)
    self.kept = {path: before, **getattr(self, "kept", {})}
    return FoldedSurface.write(self, path, value)


def _touch_frees_texts(self: Any, envelope: Envelope) -> None:
    self.kept = {}
    FoldedSurface.touch(self, envelope)


def _view_with_kept_texts(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    if view is None:
        return None
    shown = dict(view.components)
    for name, component in view.components.items():
        kept = self.kept.get(path_of(component.get("text")), MISSING)
        if component["component"] == "Text" and kept is not MISSING:
            shown[name] = {**component, "text": kept}
    return replace(view, components=shown)


def _reported(self: Any, surface: str, role: str, name: str, value: JsonValue) -> bool:
    done = Client.set(self, surface, role, name, value)
    if done:
        self.submit({"to": "other", "surface": surface, "event": "change", "data": value})
    return done


def _bare_choice(self: Any, component: Component, value: JsonValue) -> JsonValue:
    chosen = Acting.chosen(self, component, value)
    single = component.get("variant") == "mutuallyExclusive"
    return chosen[0] if single and isinstance(chosen, list) and chosen else chosen


def _last_choice(self: Any, component: Component, value: JsonValue) -> JsonValue:
    chosen = Acting.chosen(self, component, value)
    return chosen[-1:] if isinstance(chosen, list) else chosen


SABOTAGES: Final = (
    ConsumerSabotage(
        "shows-undefined",
        "Where a binding has no value, the word undefined is shown.",
        rendering={"text": _undefined},
    ),
    ConsumerSabotage(
        "shows-path",
        "Where a binding has no value, its path is shown.",
        rendering={"text": _path_shown},
    ),
    ConsumerSabotage(
        "unresolved-text-blanks",
        "While the value of one text is missing nothing of the surface is shown.",
        rendering={"renderable": _needs_texts},
    ),
    ConsumerSabotage(
        "unresolved-box-ticked",
        "A check box without a value is shown as ticked.",
        rendering={"node": _ticked},
    ),
    ConsumerSabotage(
        "text-filled-once",
        "A text without a value stays empty when the value comes.",
        surface={"apply": _filled_once("Text", "text")},
    ),
    ConsumerSabotage(
        "box-filled-once",
        "A check box without a value stays empty when the value comes.",
        surface={"apply": _filled_once("CheckBox", "value")},
    ),
    ConsumerSabotage(
        "entry-stays-in-field",
        "What a person enters is not written to the data model.",
        surface={"write": _not_written},
    ),
    ConsumerSabotage(
        "entry-replaces-model",
        "What a person enters takes the place of the whole data model.",
        surface={"write": _as_whole_model},
    ),
    ConsumerSabotage(
        "entry-stays-last",
        "What a person entered is shown whatever the agent sends afterwards.",
        surface={"write": _person_last, "touch": _touch_below_person},
    ),
    ConsumerSabotage(
        "entry-not-echoed",
        "A text that is bound to what a person enters does not follow it.",
        surface={
            "write": _texts_kept,
            "touch": _touch_frees_texts,
            "view": _view_with_kept_texts,
            "kept": {},
        },
    ),
    ConsumerSabotage(
        "reports-entries",
        "Each change of a field leaves the client at once.",
        client={"set": _reported},
    ),
    ConsumerSabotage(
        "writes-bare-choice",
        "A single choice is written as a text, and not as a list of one.",
        acting={"chosen": _bare_choice},
    ),
    ConsumerSabotage(
        "writes-last-choice",
        "Of several choices the last one alone is written.",
        acting={"chosen": _last_choice},
    ),
)
