"""Envelopes for the tests of what shows them, and a client that is asked as the suite would."""

from __future__ import annotations

from typing import Any

from openwop_conformance.jsonvalue import JsonValue, compact, parse
from openwop_conformance.reference.consumer.operations import ReferenceConsumer

CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
Node = dict[str, Any]


def create(surface: str = "s") -> JsonValue:
    return {"createSurface": {"surfaceId": surface, "catalogId": CATALOG}}


def update(*components: JsonValue, surface: str = "s") -> JsonValue:
    return {"updateComponents": {"surfaceId": surface, "components": list(components)}}


def data(value: JsonValue, path: str | None = None, surface: str = "s") -> JsonValue:
    where = {} if path is None else {"path": path}
    return {"updateDataModel": {"surfaceId": surface, **where, "value": value}}


def delete(surface: str = "s") -> JsonValue:
    return {"deleteSurface": {"surfaceId": surface}}


def payload(*messages: JsonValue, surface: str = "s") -> JsonValue:
    return {
        "version": "v0.9",
        "catalogId": CATALOG,
        "surfaceId": surface,
        "messages": [{"version": "v0.9", **message} for message in messages],
    }


def column(*children: str, name: str = "root") -> JsonValue:
    return {"id": name, "component": "Column", "children": list(children)}


def text(name: str, words: JsonValue, **more: JsonValue) -> JsonValue:
    return {"id": name, "component": "Text", "text": words, **more}


def textbox(name: str, path: str, **more: JsonValue) -> JsonValue:
    bound = {"value": {"path": path}}
    return {"id": name, "component": "TextField", "label": name, **bound, **more}


def required(path: str, message: str = "needed") -> JsonValue:
    condition = {"call": "required", "args": {"value": {"path": path}}}
    return {"checks": [{"condition": condition, "message": message}]}


def button(
    name: str, event: str = "resume", context: JsonValue = None, **more: JsonValue
) -> tuple[JsonValue, JsonValue]:
    """A button and its label, of the same words as its id."""
    fired = {"name": event} if context is None else {"name": event, "context": context}
    made = {"id": name, "component": "Button", "child": f"{name}-label", **more}
    return {**made, "action": {"event": fired}}, text(f"{name}-label", name)


def tree(*components: JsonValue, **more: JsonValue) -> JsonValue:
    """A version 1 payload."""
    return {"catalogVersion": "0.9.1", "surface": {**more, "components": list(components)}}


def delta(reference: str, *patch: JsonValue) -> JsonValue:
    return {"surfaceRef": reference, "catalogVersion": "0.9.1", "patch": list(patch)}


class Asked:
    """A consumer with one client; each answer has to be JSON that the suite can read."""

    def __init__(self, subject: ReferenceConsumer | None = None) -> None:
        self.subject = subject or ReferenceConsumer()
        self.subject.open("c")
        self._next = 1

    def gives(self, *messages: JsonValue, surface: str = "s", **more: JsonValue) -> None:
        """The next version 2 envelope, or one of a sequence."""
        self.delivers(payload(*messages, surface=surface), **more)

    def delivers(self, given: JsonValue, version: int = 2, **more: JsonValue) -> None:
        sequence = more.pop("sequence", self._next)
        self._next = max(self._next, sequence + 1)
        envelope = {"payload": given, "schemaVersion": version, "sequence": sequence, **more}
        self.subject.deliver("c", envelope)

    @property
    def surfaces(self) -> dict[str, list[Node]]:
        surfaces: dict[str, list[Node]] = self.subject.rendered("c")["surfaces"]
        return surfaces

    def flat(self, surface: str = "s") -> list[Node]:
        """All nodes of a surface in the order of reading."""
        waiting, found = list(reversed(self.surfaces.get(surface, []))), []
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(reversed(node.get("children", [])))
        return found

    def one(self, role: str, surface: str = "s") -> Node:
        (node,) = (node for node in self.flat(surface) if node["role"] == role)
        return node

    def texts(self, surface: str = "s") -> list[str]:
        return [n["text"] for n in self.flat(surface) if "text" in n]

    def sets(self, role: str, name: str, value: JsonValue, surface: str = "s") -> bool:
        done: bool = self.subject.set("c", surface, role, name, value)["done"]
        return done

    def fires(self, name: str, surface: str = "s") -> bool:
        done: bool = self.subject.fire("c", surface, name)["done"]
        return done

    @property
    def sent(self) -> list[Node]:
        submissions: list[Node] = self.subject.submitted("c")["submissions"]
        return submissions


def readable(answer: JsonValue) -> JsonValue:
    """An answer after its way over the wire."""
    return parse(compact({"id": 1, "result": answer}))["result"]
