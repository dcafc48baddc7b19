"""Which members of a component refer to other components: read from its schema, once a type.

A reference is what the schema calls a ``ComponentId`` or a ``ChildList``, by ``$ref`` or, as
upstream's older suites have it, by ``title``; no member counts for its name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from ..errors import CallError
from ..jsontree import objects_in
from ..jsonvalue import JsonValue
from .catalog_document import CatalogDocument, references_in

MOST_SHAPES: Final = 10_000
Accessor = Callable[[dict[str, JsonValue]], Sequence[str]]

_ID: Final[JsonValue] = {"title": "ComponentId"}
_CHILD_LIST: Final[JsonValue] = {"items": _ID, "properties": {"componentId": _ID}}
_TITLES: Final = ("ComponentId", "ChildList")
_BESIDE: Final = ("allOf", "anyOf", "oneOf")
_BENEATH: Final = ("then", "else")


@dataclass(slots=True, eq=False)
class Shape:
    """Where references lie in a value: in itself, in its members, in its items."""

    reference: bool = False
    members: dict[str, Shape | None] = field(default_factory=dict)
    others: Shape | None = None
    items: Shape | None = None

    def inner(self) -> Iterator[Shape]:
        yield from (shape for shape in self.members.values() if shape is not None)
        yield from (shape for shape in (self.others, self.items) if shape is not None)


def accessor(document: CatalogDocument, name: str) -> Accessor:
    """What finds the ids that a component of one type refers to, in the component's order.

    Where a schema gives a choice, every branch counts: a text that one of them takes for a
    reference is one.
    """
    shapes: dict[frozenset[int], Shape] = {}
    leading = _leading(document, document.schema(name)["$defs"])
    root = _shape([document.definitions[name]], leading, shapes)
    _prune(list(shapes.values()))
    members = {**root.members, "id": None}
    top = Shape(members=members, others=root.others)
    if root.others is None and not any(members.values()):
        return _none

    def children(component: dict[str, JsonValue]) -> Sequence[str]:
        found: list[str] = []
        _collect(top, component, found)
        return found

    return children


def _none(_: dict[str, JsonValue]) -> Sequence[str]:
    return ()


def _collect(shape: Shape, value: JsonValue, found: list[str]) -> None:
    if isinstance(value, str):
        if shape.reference:
            found.append(value)
    elif isinstance(value, list):
        if shape.items is not None:
            for item in value:
                _collect(shape.items, item, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            below = shape.members.get(key, shape.others)
            if below is not None:
                _collect(below, item, found)


def _leading(document: CatalogDocument, definitions: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Of some definitions those that hold a reference or lead to one, and what they say of it."""
    found: dict[str, JsonValue] = {}
    users: dict[str, list[str]] = {}
    for name, schema in definitions.items():
        if name in document.ids:
            found[name] = _ID
        elif name in document.child_lists:
            found[name] = _CHILD_LIST
        elif _titled(schema):
            found[name] = schema
        for below in references_in(schema):
            users.setdefault(below, []).append(name)
    todo = list(found)
    while todo:
        for user in users.get(todo.pop(), ()):
            if user not in found:
                found[user] = definitions[user]
                todo.append(user)
    return found


def _titled(schema: JsonValue) -> bool:
    """Whether a title anywhere in a schema makes a reference."""
    return any(node.get("title") in _TITLES for node in objects_in(schema))


def _shape(
    schemas: list[JsonValue], leading: dict[str, JsonValue], shapes: dict[frozenset[int], Shape]
) -> Shape:
    """The shape of a value that all of some schemas may describe; each set of them has one."""
    applied = _applied(schemas, leading)
    key = frozenset(applied)
    if (known := shapes.get(key)) is not None:
        return known
    if len(shapes) >= MOST_SHAPES:
        raise CallError("catalog", "a component's schema has too many combinations of branches")
    shape = shapes[key] = Shape()
    shape.reference = any(schema.get("title") == "ComponentId" for schema in applied.values())
    names = {name for schema in applied.values() for name in schema.get("properties", ())}
    rest = {at: _rest(schema) for at, schema in applied.items()}
    for name in sorted(names):
        below = []
        for at, schema in applied.items():
            own = schema.get("properties", {}).get(name)
            below += rest[at] if own is None else [own]
        shape.members[name] = _shape(below, leading, shapes)
    if others := [schema for found in rest.values() for schema in found]:
        shape.others = _shape(others, leading, shapes)
    items = [schema["items"] for schema in applied.values() if "items" in schema]
    items += [one for schema in applied.values() for one in schema.get("prefixItems", ())]
    if items:
        shape.items = _shape(items, leading, shapes)
    return shape


def _rest(schema: dict[str, JsonValue]) -> list[JsonValue]:
    """What describes the members that ``properties`` does not name."""
    found = list(schema.get("patternProperties", {}).values())
    for key in ("additionalProperties", "unevaluatedProperties"):
        if isinstance(schema.get(key), dict):
            found.append(schema[key])
    return found


def _applied(
    schemas: list[JsonValue], leading: dict[str, JsonValue]
) -> dict[int, dict[str, JsonValue]]:
    """The schemas that apply to the same value, references and branches followed."""
    found: dict[int, dict[str, JsonValue]] = {}
    todo = list(schemas)
    while todo:
        schema = todo.pop()
        if not isinstance(schema, dict) or id(schema) in found:
            continue
        if schema.get("title") == "ChildList" and schema is not _CHILD_LIST:
            todo.append(_CHILD_LIST)
            continue
        found[id(schema)] = schema
        for key in _BESIDE:
            todo.extend(schema.get(key, ()))
        todo.extend(schema[key] for key in _BENEATH if key in schema)
        todo.extend(schema.get("dependentSchemas", {}).values())
        if (reference := schema.get("$ref")) is not None:
            todo.append(leading.get(reference.rpartition("/")[2], True))
    return found


def _prune(shapes: list[Shape]) -> None:
    """Drop what leads to no reference."""
    useful = {id(shape) for shape in shapes if shape.reference}
    grown = True
    while grown:
        more = {
            id(shape)
            for shape in shapes
            if id(shape) not in useful and any(id(below) in useful for below in shape.inner())
        }
        useful |= more
        grown = bool(more)
    for shape in shapes:
        shape.members = {
            name: below if below is not None and id(below) in useful else None
            for name, below in shape.members.items()
        }
        if shape.others is not None and id(shape.others) not in useful:
            shape.others = None
        if shape.items is not None and id(shape.items) not in useful:
            shape.items = None
