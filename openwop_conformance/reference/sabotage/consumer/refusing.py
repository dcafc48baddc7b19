"""Sabotages of what is refused: payloads outside the profile, secrets, and unknown versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from ....a2ui.catalog import Branch, check_message, component_types
from ....a2ui.fold import Component
from ....a2ui.lock import without_lock
from ....errors import Violation
from ....jsonvalue import JsonValue
from ....schemas import schema
from ...consumer.client import Client
from ...consumer.rendering import Node, Rendering
from .model import ConsumerSabotage

Repair = Callable[[Any], list[JsonValue]]
"""A component → none, or one that is in the profile."""


# ---------------------------------------------------------------------------------- the profile


def _repaired(repair: Repair) -> Callable[..., None]:
    """A ``deliver`` that repairs what is outside the profile instead of refusing it."""

    def deliver(self: Any, envelope: JsonValue) -> None:
        Client.deliver(self, {**envelope, "payload": _with(envelope["payload"], repair)})

    return deliver


def _with(payload: JsonValue, repair: Repair) -> JsonValue:
    if not isinstance(payload, dict) or not isinstance(payload.get("messages"), list):
        return payload
    messages = []
    for message in payload["messages"]:
        body = message.get("updateComponents") if isinstance(message, dict) else None
        if isinstance(body, dict) and isinstance(body.get("components"), list):
            components = [made for one in body["components"] for made in _made(repair, one)]
            message = {**message, "updateComponents": {**body, "components": components}}
        messages.append(message)
    return {**payload, "messages": messages}


def _made(repair: Repair, component: JsonValue) -> list[JsonValue]:
    known = isinstance(component, dict) and isinstance(component.get("component"), str)
    return repair(component) if known else [component]


def _of_known_type(component: Any) -> list[JsonValue]:
    return [component] if component["component"] in component_types() else []


def _of_known_members(component: Any) -> list[JsonValue]:
    definition = component_types().get(component["component"])
    if definition is None:
        return [component]
    members = schema("ui.a2ui-surface")["$defs"][definition]["properties"]
    return [{name: value for name, value in component.items() if name in members}]


def _without_calls(component: Any) -> list[JsonValue]:
    def plain(value: JsonValue) -> JsonValue:
        return "" if isinstance(value, dict) and "call" in value else value

    return [{name: plain(value) for name, value in component.items()}]


def _of_known_event(component: Any) -> list[JsonValue]:
    action = component.get("action")
    if component["component"] != "Button" or not isinstance(action, dict):
        return [component]
    event = action.get("event")
    rest = event if isinstance(event, dict) else {}
    name = str(rest.get("name")).strip().lower()
    known = name if name in ("resume", "exchange") else "resume"
    return [{**component, "action": {"event": {**rest, "name": known}}}]


def _good_messages(self: Any, envelope: JsonValue) -> None:
    payload = envelope["payload"]
    if isinstance(payload, dict) and isinstance(payload.get("messages"), list):
        good = list(_good(payload["messages"], self.may_lock(envelope)))
        payload = {**payload, "messages": good or payload["messages"]}
    Client.deliver(self, {**envelope, "payload": payload})


def _good(messages: list[JsonValue], may_lock: bool) -> Iterator[JsonValue]:
    for message in messages:
        try:
            check_message(without_lock(message) if may_lock else message)
        except Violation:
            continue
        yield message


# --------------------------------------------------------------------------------------- secrets


def _without_obscured(component: Any) -> list[JsonValue]:
    if component.get("variant") != "obscured":
        return [component]
    return [{name: value for name, value in component.items() if name != "variant"}]


def _obscured_is_valid(self: Any, payload: JsonValue, branch: Branch) -> bool:
    return Client.is_valid(self, _with(payload, _without_obscured), branch)


def _obscured_shown(self: Any, component: Component) -> Node:
    node = Rendering.node(self, component)
    return {**node, "role": "password"} if component.get("variant") == "obscured" else node


def _obscured_by_label(self: Any, component: Component) -> Node:
    node = Rendering.node(self, component)
    secret = node["role"] == "textbox" and "password" in str(node["name"]).lower()
    return {**node, "role": "password"} if secret else node


def _of_known_variant(component: Any) -> list[JsonValue]:
    definition = component_types().get(component["component"], "Text")
    members = schema("ui.a2ui-surface")["$defs"][definition]["properties"]
    if component.get("variant") in members.get("variant", {}).get("enum", ()):
        return [component]
    return [{name: value for name, value in component.items() if name != "variant"}]


# -------------------------------------------------------------------------------------- versions


def _newest(self: Any, envelope: JsonValue) -> Branch | None:
    return 2 if envelope["schemaVersion"] > 2 else Client.branch(self, envelope)


def _oldest(self: Any, envelope: JsonValue) -> Branch | None:
    return Client.branch(self, envelope) or 1


def _by_shape(self: Any, envelope: JsonValue) -> Branch | None:
    payload = envelope["payload"]
    if not isinstance(payload, dict) or envelope["schemaVersion"] > 2:
        return Client.branch(self, envelope)
    return 1 if "surface" in payload else 2


def _blanks(self: Any, envelope: JsonValue) -> None:
    if self.branch(envelope) is None:
        self.folded.pop((envelope.get("run"), envelope["payload"].get("surfaceId")), None)
    Client.deliver(self, envelope)


SABOTAGES: Final = (
    ConsumerSabotage(
        "drops-unknown-types",
        "Components of unknown types are dropped, and the rest is shown.",
        client={"deliver": _repaired(_of_known_type)},
    ),
    ConsumerSabotage(
        "drops-unknown-members",
        "Members that a component does not have are dropped, and the component is shown.",
        client={"deliver": _repaired(_of_known_members)},
    ),
    ConsumerSabotage(
        "drops-unknown-variants",
        "A variant that is none is dropped, and the component is shown.",
        client={"deliver": _repaired(_of_known_variant)},
    ),
    ConsumerSabotage(
        "empties-calls",
        "Where a function is called nothing is shown, and all else is.",
        client={"deliver": _repaired(_without_calls)},
    ),
    ConsumerSabotage(
        "mends-actions",
        "A button of an action that is none is shown as one that resumes.",
        client={"deliver": _repaired(_of_known_event)},
    ),
    ConsumerSabotage(
        "takes-good-messages",
        "Messages that are in the profile are taken, also beside one that is not.",
        client={"deliver": _good_messages},
    ),
    ConsumerSabotage(
        "shows-obscured",
        "A field that is obscured is taken, and hides what is entered.",
        client={"is_valid": _obscured_is_valid},
        rendering={"node": _obscured_shown},
    ),
    ConsumerSabotage(
        "shows-obscured-plainly",
        "A field that is obscured is taken, and shown as any other.",
        client={"deliver": _repaired(_without_obscured)},
    ),
    ConsumerSabotage(
        "obscures-by-label",
        "A field whose label speaks of a password hides what is entered.",
        rendering={"node": _obscured_by_label},
    ),
    ConsumerSabotage(
        "unknown-version-as-newest",
        "An unknown version is read as the newest one.",
        client={"branch": _newest},
    ),
    ConsumerSabotage(
        "unknown-version-as-oldest",
        "An unknown version is read as the oldest one.",
        client={"branch": _oldest},
    ),
    ConsumerSabotage(
        "version-by-shape",
        "The version is guessed from the payload's members.",
        client={"branch": _by_shape},
    ),
    ConsumerSabotage(
        "unknown-version-blanks",
        "An envelope of an unknown version takes away what was shown before it.",
        client={"deliver": _blanks},
    ),
)
