"""What a person does on one surface: they set a field or press a button, and something leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from datetime import UTC, date, datetime, time
from typing import Final

from ...a2ui.fold import Component
from ...a2ui.lock import digest
from ...jsonvalue import MISSING, JsonValue
from .binding import as_text, path_of, value_of
from .rendering import Node, Rendering, is_single
from .surface import Surface, View

TARGETS: Final = {"resume": "interrupt", "exchange": "turn"}
"""Each event that a button can have, and where it goes (RFC 0209 §C.10)."""


class Acting:
    """A person before one surface; ``look`` shows it to them."""

    def __init__(
        self, surface: Surface, view: View, look: Callable[[View], Rendering] = Rendering
    ) -> None:
        self.surface, self.view, self.look = surface, view, look

    # ------------------------------------------------------------------------------ fields

    def set(self, role: str, name: str, value: JsonValue) -> bool:
        """Set the first such field that can be set; ``False`` where there is none.

        A value that the field cannot take is not set either: an option that is not there, a date
        that is none.
        """
        component = self.found(role, name)
        if component is None or "value" not in component:
            return False
        path, written = path_of(component["value"]), self.taken(component, value)
        if path is None or written is MISSING:
            return False
        return self.surface.write(path, written)

    def found(self, role: str, name: str) -> Component | None:
        """The component of the first node of a role and a name that is enabled."""
        for node in self.operable():
            if node["role"] == role and node["name"] == name and node["enabled"]:
                return self.view.components[node["id"]]
        return None

    def operable(self) -> Iterator[Node]:
        """The fields and buttons before the person, in the order of reading."""
        stack = [iter(self.look(self.view).nodes())]
        while stack:
            node = next(stack[-1], None)
            if node is None:
                stack.pop()
                continue
            if "enabled" in node:
                yield node
            elif "children" in node:
                stack.append(iter(node["children"]))

    def taken(self, component: Component, value: JsonValue) -> JsonValue:
        """What a field writes when a value is entered; ``MISSING`` where it takes no such value."""
        match component["component"]:
            case "TextField":
                return as_text(value)
            case "CheckBox":
                return value if isinstance(value, bool) else MISSING
            case "ChoicePicker":
                return self.chosen(component, value)
            case "DateTimeInput":
                return value if self.is_date(component, value) else MISSING
            case _:
                return MISSING

    def chosen(self, component: Component, value: JsonValue) -> JsonValue:
        """The list that a picker writes, of one choice or several, each an option's value or label.

        The values are in the order of the options, as each is ticked where it stands.
        """
        asked = value if isinstance(value, list) else [value]
        if is_single(component) and len(asked) > 1:
            return MISSING
        options, picked = component["options"], set()
        labels = {as_text(value_of(o["label"], self.view.data)): o["value"] for o in options}
        values = dict.fromkeys(o["value"] for o in options)
        for choice in asked:
            if not isinstance(choice, str) or (choice not in values and choice not in labels):
                return MISSING
            picked.add(choice if choice in values else labels[choice])
        return [v for v in values if v in picked]

    def is_date(self, component: Component, value: JsonValue) -> bool:
        """Whether a text is what the input takes: a date, a time, both, or empty.

        One that says neither takes each of them.
        """
        if not isinstance(value, str):
            return False
        day, hour = bool(component.get("enableDate")), bool(component.get("enableTime"))
        readers: list[Callable[[str], object]] = []
        if day and hour:
            readers = [datetime.fromisoformat]
        elif day:
            readers = [date.fromisoformat]
        elif hour:
            readers = [time.fromisoformat]
        else:
            readers = [datetime.fromisoformat, time.fromisoformat]
        return value == "" or any(_reads(reader, value) for reader in readers)

    # ----------------------------------------------------------------------------- actions

    def fire(self, name: str) -> Node | None:
        """What leaves the client when the first such button that is enabled is pressed."""
        component = self.found("button", name)
        if component is None:
            return None
        event = component["action"]["event"]
        return {
            "to": self.target(event["name"]),
            "event": event["name"],
            "data": self.data(event),
            "component": component["id"],
            "timestamp": self.now().isoformat(timespec="milliseconds"),
            **({} if self.view.node is None else {"node": self.view.node}),
            **self.confirmation(),
        }

    @staticmethod
    def now() -> datetime:
        """The date and time, in UTC."""
        return datetime.now(UTC)

    def confirmation(self) -> Node:
        """Of a locked surface, what the person has seen of what is frozen, as a digest."""
        frozen = self.surface.frozen()
        return {} if frozen is None else {"confirmation": {"digest": digest(frozen)}}

    def target(self, event: str) -> str:
        """Where an event goes."""
        return TARGETS[event]

    def data(self, event: JsonValue) -> JsonValue:
        """What is submitted: the context, also an empty one, or without one the whole model."""
        return self.context(event["context"]) if "context" in event else self.whole_model()

    def context(self, context: JsonValue) -> JsonValue:
        """Each member as it is now. A binding without a value is left out, as JSON has no word for
        it; texts are texts, whether or not a component has that id."""
        resolved = ((key, value_of(value, self.view.data)) for key, value in context.items())
        return {key: deepcopy(value) for key, value in resolved if value is not MISSING}

    def whole_model(self) -> JsonValue:
        """The data model as it is now."""
        return deepcopy(self.view.data.get())


def _reads(reader: Callable[[str], object], text: str) -> bool:
    try:
        reader(text)
    except ValueError:
        return False
    return True
