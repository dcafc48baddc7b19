"""Sabotages of what is in texts and values, as markup; of actions unasked; of fields' names."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from ....a2ui.fold import Component
from ....jsonvalue import JsonValue
from ...consumer.client import Client
from ...consumer.rendering import Node, Rendering
from .model import ConsumerSabotage

_TAG: Final = re.compile(r"</?\w[^>]*>")
_EXPRESSION: Final = re.compile(r"\{\{.*?\}\}")


def _as_markup(self: Any, component: Component) -> Node:
    node = Rendering.text_node(self, component)
    role = "image" if "<img" in node["text"] else node["role"]
    return {**node, "role": role, "text": _TAG.sub("", node["text"])}


def _stripped(method: str) -> Callable[..., str]:
    def read(self: Any, given: Any) -> str:
        return _TAG.sub("", str(getattr(Rendering, method)(self, given)))

    return read


def _stripped_value(self: Any, component: Component) -> JsonValue:
    value = Rendering.value(self, component)
    return _TAG.sub("", value) if isinstance(value, str) else value


def _unescaped(self: Any, dynamic: JsonValue) -> str:
    return html.unescape(Rendering.text(self, dynamic))


def _evaluated(self: Any, dynamic: JsonValue) -> str:
    return _EXPRESSION.sub("", Rendering.text(self, dynamic))


# ------------------------------------------------------------------------------------- actions


def _fired_at_once(self: Any) -> dict[str, list[Node]]:
    shown = Client.rendered(self)
    for (_, surface), folded in self.folded.items():
        names = [n["name"] for n in _nodes(shown.get(surface, [])) if n["role"] == "button"]
        if names and not getattr(folded, "fired", False):
            folded.fired = True
            self.fire(surface, names[0])
    return shown


def _fired_on_update(self: Any, envelope: JsonValue) -> None:
    Client.deliver(self, envelope)
    payload = envelope["payload"]
    if all("updateDataModel" in message for message in payload.get("messages", [{}])):
        surface = payload["surfaceId"]
        shown = _nodes(Client.rendered(self).get(surface, []))
        for name in [node["name"] for node in shown if node["role"] == "button"][:1]:
            self.fire(surface, name)


def _nodes(nodes: list[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _nodes(node.get("children", []))


# ---------------------------------------------------------------------------------------- names


def _nameless(kind: str) -> Callable[..., str]:
    def name(self: Any, component: Component) -> str:
        return "" if component["component"] == kind else Rendering.name(self, component)

    return name


def _with_labels_beside(self: Any) -> dict[str, list[Node]]:
    shown = Client.rendered(self)
    lists = list(shown.values())
    while lists:
        into = lists.pop()
        lists += [node["children"] for node in into if node["role"] == "group"]
        into[:] = [part for node in into for part in _label_and_field(node)]
    return shown


def _label_and_field(node: Node) -> list[Node]:
    if "value" not in node or not node.get("name"):
        return [node]
    return [{"role": "text", "text": node["name"]}, {**node, "name": ""}]


def _described_by_label(self: Any, component: Component, role: str, value: JsonValue) -> Node:
    node = Rendering.field(self, component, role, value)
    return {**node, "description": node["name"]} if node.get("invalid") else node


SABOTAGES: Final = (
    ConsumerSabotage(
        "text-as-markup",
        "Text is set as HTML: its tags become elements.",
        rendering={"text_node": _as_markup},
    ),
    ConsumerSabotage(
        "tags-stripped",
        "Tags are taken out of texts.",
        rendering={"text": _stripped("text")},
    ),
    ConsumerSabotage(
        "label-as-markup",
        "The label of a field is set as HTML.",
        rendering={"name": _stripped("name")},
    ),
    ConsumerSabotage(
        "value-as-markup",
        "The value of a field is set as HTML.",
        rendering={"value": _stripped_value},
    ),
    ConsumerSabotage(
        "button-as-markup",
        "The text of a button is set as HTML.",
        rendering={"text_below": _stripped("text_below")},
    ),
    ConsumerSabotage(
        "entities-decoded",
        "Character references in a text are decoded.",
        rendering={"text": _unescaped},
    ),
    ConsumerSabotage(
        "expressions-evaluated",
        "What is in double braces is evaluated.",
        rendering={"text": _evaluated},
    ),
    ConsumerSabotage(
        "fires-at-once",
        "The first action of a surface is fired when the surface is shown.",
        client={"rendered": _fired_at_once},
    ),
    ConsumerSabotage(
        "fires-on-update",
        "The first action of a surface is fired when its data changes.",
        client={"deliver": _fired_on_update},
    ),
    ConsumerSabotage(
        "date-unnamed",
        "The label of a date is a text beside it.",
        rendering={"name": _nameless("DateTimeInput")},
    ),
    ConsumerSabotage(
        "field-unnamed",
        "A text field has no label at all.",
        rendering={"name": _nameless("TextField")},
    ),
    ConsumerSabotage(
        "labels-beside",
        "The labels of fields are texts before them, and not their names.",
        client={"rendered": _with_labels_beside},
    ),
    ConsumerSabotage(
        "described-by-label",
        "A field whose check fails is described by its label, and not by the message.",
        rendering={"field": _described_by_label},
    ),
)
