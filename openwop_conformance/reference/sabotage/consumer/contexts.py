"""Sabotages of an action's context: its bindings, and texts that are no bindings."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from ....jsonvalue import MISSING, JsonValue
from ...consumer.acting import Acting
from ...consumer.binding import as_text, value_of
from ...consumer.surface import FoldedSurface
from .model import ConsumerSabotage

Read = Callable[[Any, str], JsonValue]
"""The one who acts, and a text of a context → what is submitted for it."""


def _unresolved(self: Any, context: JsonValue) -> JsonValue:
    return context


def _resolved_at_once(self: Any, messages: list[JsonValue]) -> None:
    FoldedSurface.apply(self, messages)
    held = self.fold.surfaces.get(self.surface_id)
    for name, component in () if held is None else list(held.components.items()):
        event = component.get("action", {}).get("event", {})
        if "context" in event:
            now = {k: value_of(v, held.data) for k, v in event["context"].items()}
            context = {k: v for k, v in now.items() if v is not MISSING}
            held.components[name] = {
                **component,
                "action": {"event": {**event, "context": context}},
            }


def _as_texts(self: Any, context: JsonValue) -> JsonValue:
    return {key: as_text(value) for key, value in Acting.context(self, context).items()}


def _truthy(self: Any, context: JsonValue) -> JsonValue:
    return {key: value for key, value in Acting.context(self, context).items() if value}


def _beside_model(self: Any, context: JsonValue) -> JsonValue:
    return {**self.whole_model(), **Acting.context(self, context)}


def _texts_read(read: Read) -> Callable[..., JsonValue]:
    """A ``context`` that makes something of its literal texts."""

    def context(self: Any, context: JsonValue) -> JsonValue:
        found = Acting.context(self, context)
        texts = {k: read(self, v) for k, v in context.items() if isinstance(v, str)}
        return {**found, **texts}

    return context


def _as_component(self: Any, text: str) -> JsonValue:
    return self.view.components.get(text, text)


def _as_path(self: Any, text: str) -> JsonValue:
    found = self.view.data.get(text) if text.startswith("/") else MISSING
    return text if found is MISSING else found


def _interpolated(self: Any, text: str) -> JsonValue:
    return re.sub(r"\$\{(/[^}]*)\}", lambda m: as_text(self.view.data.get(m[1])), text)


def _as_json(self: Any, text: str) -> JsonValue:
    try:
        return value_of(json.loads(text), self.view.data)
    except ValueError:
        return text


SABOTAGES: Final = (
    ConsumerSabotage(
        "context-unresolved",
        "The context is submitted with its paths unresolved.",
        acting={"context": _unresolved},
    ),
    ConsumerSabotage(
        "context-resolved-at-once",
        "The context is resolved when the surface is built, and not when the button is pressed.",
        surface={"apply": _resolved_at_once},
        acting={"context": _unresolved},
    ),
    ConsumerSabotage(
        "context-as-texts",
        "All values of the context are submitted as texts.",
        acting={"context": _as_texts},
    ),
    ConsumerSabotage(
        "context-without-false",
        "Values of the context that are false, zero or empty are left out.",
        acting={"context": _truthy},
    ),
    ConsumerSabotage(
        "context-beside-model",
        "The whole data model is submitted along with the context.",
        acting={"context": _beside_model},
    ),
    ConsumerSabotage(
        "context-text-as-component",
        "A text of the context that is a component's id is taken for a reference to it.",
        acting={"context": _texts_read(_as_component)},
    ),
    ConsumerSabotage(
        "context-text-as-path",
        "A text of the context that looks like a path is resolved.",
        acting={"context": _texts_read(_as_path)},
    ),
    ConsumerSabotage(
        "context-text-interpolated",
        "Paths within a text of the context are replaced by their values.",
        acting={"context": _texts_read(_interpolated)},
    ),
    ConsumerSabotage(
        "context-text-as-json",
        "A text of the context that is JSON is read as such.",
        acting={"context": _texts_read(_as_json)},
    ),
)
