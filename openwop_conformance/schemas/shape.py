"""A schema as a thing to walk through: its nodes, what they allow, and which values reach them.

It knows the keywords that our wire schemas use, and no protocol.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeAlias

from ..jsonvalue import JsonValue, equal, pointer_of, tokens_of
from . import compiled

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_INSIDE: Final = ("items", "additionalProperties", "contains", "propertyNames", "not")
"""The keywords that hold one schema."""
Step: TypeAlias = tuple[str, str, str]
"""From a node to a schema that it applies: the keyword, the place, and a property's name."""


@dataclass(frozen=True, eq=False)
class Shape:
    """A schema document and the entry in it that an instance is held to."""

    document: JsonValue
    entry: str = ""
    """A JSON Pointer into the document; empty is the document itself."""

    @cached_property
    def standalone(self) -> JsonValue:
        """A schema document of the entry alone, with the definitions it may refer to."""
        node = self.at(self.entry)
        if not self.entry or not isinstance(node, dict):
            return node
        return {**node, "$defs": self.document.get("$defs", {})}

    @cached_property
    def alone(self) -> Shape:
        """A place of a document, without the definitions that it does not reach."""
        if not self.entry:
            return self
        refs = (str(node.get("$ref", "")).removeprefix("#") for node in self.nodes.values())
        places = [place for place in (*self.nodes, *refs) if place.startswith("/$defs/")]
        used = {tokens_of(place)[1] for place in places}
        held = self.document["$defs"]
        return Shape({"$defs": {n: held[n] for n in held if n in used}}, self.entry)

    @cached_property
    def check(self) -> Draft202012Validator:
        """The compiled validator."""
        return compiled(self.standalone)

    @cached_property
    def nodes(self) -> Mapping[str, JsonValue]:
        """Every schema object that can be reached from the entry, by its JSON Pointer."""
        found: dict[str, JsonValue] = {}
        waiting = [self.entry]
        while waiting:
            place = waiting.pop()
            node = self.at(place)
            if place in found or not isinstance(node, dict):
                continue
            found[place] = node
            waiting += [target for _, target, _ in below(place, node)]
        return dict(sorted(found.items()))

    @cached_property
    def steps(self) -> Mapping[str, tuple[Step, ...]]:
        """By the place of each node, the schemas that it applies."""
        return {place: tuple(below(place, node)) for place, node in self.nodes.items()}

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """By the place of each node, the schemas one of which says what it is: of a ``$ref`` or,
        without one, of an ``anyOf``."""

        def of(steps: tuple[Step, ...], keyword: str) -> tuple[str, ...]:
            return tuple(target for found, target, _ in steps if found == keyword)

        return {
            place: of(steps, "$ref") or of(steps, "anyOf") for place, steps in self.steps.items()
        }

    @cached_property
    def _parts(self) -> dict[str, Shape]:
        return {}

    def part(self, place: str) -> Shape:
        """The shape of one place of this document."""
        if place not in self._parts:
            self._parts[place] = Shape(self.document, place)
        return self._parts[place]

    def at(self, place: str) -> JsonValue:
        """What stands at a place of the document."""
        node = self.document
        for token in tokens_of(place):
            node = node[int(token)] if isinstance(node, list) else node[token]
        return node


def below(place: str, node: JsonValue) -> Iterator[Step]:
    """The schemas that a node applies: under which keyword, where each stands, of which member."""
    if "$ref" in node:
        yield "$ref", str(node["$ref"]).removeprefix("#"), ""
    for member in node.get("properties", ()):
        yield "properties", f"{place}/properties{pointer_of((member,))}", member
    for index in range(len(node.get("anyOf", ()))):
        yield "anyOf", f"{place}/anyOf/{index}", ""
    for keyword in _INSIDE:
        if keyword in node:
            yield keyword, f"{place}/{keyword}", ""


def allowances(place: str, node: JsonValue) -> dict[str, JsonValue]:
    """What a node allows that somebody can make use of, by name.

    Members of an object, values of an enum, alternatives of an ``anyOf``, types of a list of them.
    Each goes with what tells whether a value uses it.
    """
    found: dict[str, JsonValue] = {}
    for member in node.get("properties", ()):
        found[f"{place}/properties{pointer_of((member,))}"] = ("member", member)
    for value in node.get("enum", ()):
        found[f"{place}/enum/{value}"] = ("value", value)
    for index in range(len(node.get("anyOf", ()))):
        found[f"{place}/anyOf/{index}"] = ("branch", index)
    if isinstance(node.get("type"), list):
        for name in node["type"]:
            found[f"{place}/type/{name}"] = ("type", name)
    return found


class Visits:
    """Which values of some valid instances reach which node of a shape.

    Every branch of an ``anyOf`` is walked into, whether it fits or not: what reaches a node then
    does not depend on what the node says.
    """

    def __init__(self, shape: Shape, instances: Iterable[JsonValue]) -> None:
        self.shape = shape
        self.values: dict[str, list[JsonValue]] = {place: [] for place in shape.nodes}
        self._types: dict[str, set[str]] = {}
        for instance in instances:
            self._walk(shape.entry, instance)

    def _walk(self, place: str, value: JsonValue) -> None:
        node = self.shape.nodes.get(place)
        if node is None:
            return
        self.values[place].append(value)
        for keyword, target, member in self.shape.steps[place]:
            if keyword in ("$ref", "anyOf"):
                self._walk(target, value)
            elif keyword == "properties" and isinstance(value, dict):
                if member in value:
                    self._walk(target, value[member])
            elif keyword == "items" and isinstance(value, list):
                for item in value:
                    self._walk(target, item)
            elif keyword == "additionalProperties" and isinstance(value, dict):
                for name in value.keys() - node.get("properties", {}).keys():
                    self._walk(target, value[name])

    def unused(self, shape: Shape | None = None, places: Iterable[str] | None = None) -> list[str]:
        """The allowances that no value uses: of this shape, or of a changed copy of it."""
        shape = shape or self.shape
        found = []
        for place in shape.nodes if places is None else places:
            for name, use in allowances(place, shape.at(place)).items():
                if not self._use(shape, place, *use):
                    found.append(name)
        return found

    def _use(self, shape: Shape, place: str, kind: str, what: JsonValue) -> bool:
        """Whether any value of a place uses what is allowed there."""
        values = self.values.get(place, ())
        if kind == "type":
            return what in self._types_at(place)
        if kind == "member":
            return any(isinstance(value, dict) and what in value for value in values)
        if kind == "value":
            return any(equal(value, what) for value in values)
        return any(map(shape.part(f"{place}/anyOf/{what}").check.is_valid, values))

    def _types_at(self, place: str) -> set[str]:
        if place not in self._types:
            found = {type_of(value) for value in self.values.get(place, ())}
            self._types[place] = found | ({"number"} if "integer" in found else set())
        return self._types[place]


def type_of(value: JsonValue) -> str:
    """The JSON Schema name of a value's type; a whole number is an ``integer``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return "integer"
    names = {float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]
