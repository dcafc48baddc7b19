"""Sabotages of what leaves the client when a button is pressed, and where it goes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from ....a2ui.fold import Fold
from ....errors import Violation
from ....jsonvalue import JsonValue
from ...consumer.acting import Acting
from ...consumer.binding import path_of
from ...consumer.rendering import Node
from ...consumer.surface import Envelope, FoldedSurface
from .model import ConsumerSabotage


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
