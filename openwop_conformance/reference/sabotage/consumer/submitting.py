"""Sabotages of what leaves the client when a button is pressed, and where it goes."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from typing import Any, Final

from ....a2ui.fold import Fold
from ....errors import Violation
from ....jsonvalue import MISSING, JsonValue
from ...consumer.acting import Acting
from ...consumer.binding import as_text, path_of, value_of
from ...consumer.client import Client
from ...consumer.rendering import Node
from ...consumer.surface import Envelope, FoldedSurface
from .model import ConsumerSabotage

Read = Callable[[Any, str], JsonValue]
"""The one who acts, and a text of a context → what is submitted for it."""


# -------------------------------------------------------------------------------- the context


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


def _built(self: Any, context: JsonValue) -> JsonValue:
    return context


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


# ----------------------------------------------------------------------------- the whole model


def _nothing_without_context(self: Any, event: JsonValue) -> JsonValue:
    return self.context(event.get("context", {}))


def _empty_is_none(self: Any, event: JsonValue) -> JsonValue:
    return self.context(event["context"]) if event.get("context") else self.whole_model()


def _fields_alone(self: Any) -> JsonValue:
    paths = {path_of(c.get("value")) for c in self.view.components.values()} - {None}
    return {str(p).rpartition("/")[2]: self.view.data.get(p) for p in sorted(map(str, paths))}


def _without_nulls(self: Any) -> JsonValue:
    return _nulls_dropped(Acting.whole_model(self))


def _nulls_dropped(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_nulls_dropped(item) for item in value if item is not None]
    if isinstance(value, dict):
        return {k: _nulls_dropped(v) for k, v in value.items() if v is not None}
    return value


def _begin_with_agents(self: Any) -> None:
    FoldedSurface.begin(self)
    self.agents = Fold()


def _touch_agents(self: Any, envelope: Envelope) -> None:
    FoldedSurface.touch(self, envelope)
    try:
        self.agents.apply_all(envelope.payload["messages"])
    except Violation:
        return


def _agents_model(self: Any) -> JsonValue:
    agents = getattr(self.surface, "agents", None)
    if agents is None:
        return Acting.whole_model(self)
    return agents.surfaces[self.surface.surface_id].data.get()


# -------------------------------------------------------------------- where it goes, and its name


def _all_to_interrupt(self: Any, event: str) -> str:
    return "interrupt"


def _tracked(self: Any, submission: Node) -> None:
    Client.submit(self, submission)
    self.attempts.append({"kind": "request", "target": "https://example.invalid/events"})


def _fired_as(change: Callable[[Any, Node, str], Node]) -> Callable[..., Node | None]:
    """A ``fire`` whose submission is changed before it leaves."""

    def fire(self: Any, name: str) -> Node | None:
        fired = Acting.fire(self, name)
        return None if fired is None else change(self, fired, name)

    return fire


def _named_by_label(self: Any, fired: Node, name: str) -> Node:
    return {**fired, "event": name}


def _undated(self: Any, fired: Node, name: str) -> Node:
    return {key: value for key, value in fired.items() if key != "timestamp"}


def _in_seconds(self: Any, fired: Node, name: str) -> Node:
    return {**fired, "timestamp": str(int(time.time()))}


def _zoneless(self: Any, fired: Node, name: str) -> Node:
    return {**fired, "timestamp": fired["timestamp"].partition("+")[0]}


def _by_its_text(self: Any, fired: Node, name: str) -> Node:
    return {**fired, "component": self.view.components[fired["component"]]["child"]}


def _without_empty(self: Any, fired: Node, name: str) -> Node:
    return {**fired, "data": fired["data"] or None}


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
        acting={"context": _built},
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
    ConsumerSabotage(
        "no-context-is-empty",
        "A button without context submits nothing, as one with an empty context.",
        acting={"data": _nothing_without_context},
    ),
    ConsumerSabotage(
        "empty-context-is-none",
        "A button with an empty context submits the whole data model.",
        acting={"data": _empty_is_none},
    ),
    ConsumerSabotage(
        "model-of-fields",
        "A button without context submits what fields are bound to, and not the rest.",
        acting={"whole_model": _fields_alone},
    ),
    ConsumerSabotage(
        "model-without-nulls",
        "What is null in the data model is left out when it is submitted.",
        acting={"whole_model": _without_nulls},
    ),
    ConsumerSabotage(
        "model-of-agent",
        "A button without context submits the data model as the agent sent it.",
        surface={"begin": _begin_with_agents, "touch": _touch_agents},
        acting={"whole_model": _agents_model},
    ),
    ConsumerSabotage(
        "exchange-to-interrupt",
        "What is exchanged goes to the interrupt, too.",
        acting={"target": _all_to_interrupt},
    ),
    ConsumerSabotage(
        "press-tracked",
        "Each press is told to a third party.",
        client={"submit": _tracked},
    ),
    ConsumerSabotage(
        "event-by-label",
        "The event is called as its button reads.",
        acting={"fire": _fired_as(_named_by_label)},
    ),
    ConsumerSabotage(
        "press-undated",
        "An action does not say when it was.",
        acting={"fire": _fired_as(_undated)},
    ),
    ConsumerSabotage(
        "press-dated-in-seconds",
        "An action says when it was in seconds, and not as a date-time.",
        acting={"fire": _fired_as(_in_seconds)},
    ),
    ConsumerSabotage(
        "press-dated-without-zone",
        "An action says when it was, and not in which zone.",
        acting={"fire": _fired_as(_zoneless)},
    ),
    ConsumerSabotage(
        "press-of-text",
        "An action names the text in its button, and not the button.",
        acting={"fire": _fired_as(_by_its_text)},
    ),
    ConsumerSabotage(
        "empty-context-left-out",
        "An action with an empty context has no data.",
        acting={"fire": _fired_as(_without_empty)},
    ),
)
