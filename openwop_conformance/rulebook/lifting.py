"""The restrictions of a shape, and copies of it with exactly one of them lifted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ..jsonvalue import JsonValue, parse, pointer_of, tokens_of
from ..schemas.shape import Shape, Visits

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

ALIEN: Final = "x-not-in-the-schema"
"""A text that no rule knows."""

_BOUNDS: Final = {
    "minLength": -1,
    "minItems": -1,
    "minimum": -1,
    "maxLength": 1,
    "maxItems": 1,
    "maximum": 1,
}
_SIMPLE: Final = (*_BOUNDS, "pattern", "format", "enum", "const", "uniqueItems")
_TYPES: Final = ("null", "boolean", "number", "string", "array", "object")
_GONE: Final = object()


class Grain(StrEnum):
    """How much of a schema a lift takes away."""

    KEYWORD = "keyword"
    """One keyword, or one name of ``required``: the restriction itself."""
    NODE = "node"
    """Everything that a node says: for what no one keyword forbids, as another arm of a union."""
    WIDER = "wider"
    """One value, type or step more than before."""


@dataclass(frozen=True, slots=True)
class Lift:
    """One restriction to lift: where it stands, and how."""

    name: str
    """A JSON Pointer into the schema; of ``required``, the member's name follows."""
    grain: Grain
    node: str
    """The node that changes."""
    keyword: str
    value: JsonValue
    """What stands there instead, or nothing."""

    def of(self, shape: Shape) -> Shape:
        """A copy of the shape with this restriction lifted."""
        place = (*tokens_of(self.node), self.keyword) if self.keyword else tokens_of(self.node)
        return Shape(_changed(shape.document, place, self.value), shape.entry)


class Restrictions:
    """The restrictions of a shape, and the validators without one of them, each compiled once.

    What some instances say of them is worked out once, too: instances are given as JSON text.
    """

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._without: dict[str, Draft202012Validator] = {}
        self._visits: dict[bytes, Visits] = {}
        self._unused: dict[bytes, Mapping[str, Sequence[str]]] = {}
        self._unseen: dict[tuple[bytes, bytes], frozenset[str]] = {}

    @cached_property
    def lifts(self) -> tuple[Lift, ...]:
        """Every restriction as it can be lifted."""
        return tuple(lifts(self.shape))

    @cached_property
    def named(self) -> Mapping[str, Lift]:
        """Those that a case may name as its reason, by their names."""
        return {lift.name: lift for lift in self.lifts if lift.grain is not Grain.WIDER}

    def without(self, lift: Lift) -> Draft202012Validator:
        """The validator of the shape with one restriction lifted."""
        if lift.name not in self._without:
            self._without[lift.name] = lift.of(self.shape).check
        return self._without[lift.name]

    def unused(self, admitted: bytes) -> Mapping[str, Sequence[str]]:
        """By node, what it allows and none of the admitted instances makes use of."""
        if admitted not in self._unused:
            visits = self._visits_of(admitted)
            self._unused[admitted] = {n: visits.unused(places=[n]) for n in visits.shape.nodes}
        return self._unused[admitted]

    def unseen(self, refused: bytes, admitted: bytes) -> frozenset[str]:
        """The names of the restrictions that can be lifted without anything to notice it.

        What notices is a refused instance that becomes valid, or, where a node is made wider, an
        allowance that no admitted instance makes use of.
        """
        if (refused, admitted) not in self._unseen:
            invalid = [one for one in parse(refused) if not self.shape.check.is_valid(one)]
            self._unseen[refused, admitted] = frozenset(
                lift.name
                for lift in self.lifts
                if not (lift.grain is Grain.WIDER and self._allows_more(lift, admitted))
                and not any(map(self.without(lift).is_valid, invalid))
            )
        return self._unseen[refused, admitted]

    def _allows_more(self, lift: Lift, admitted: bytes) -> bool:
        """Whether a lift allows something that no admitted instance makes use of."""
        visits = self._visits_of(admitted)
        after = visits.unused(lift.of(self.shape), [lift.node])
        return not set(after) <= set(self.unused(admitted)[lift.node])

    def _visits_of(self, admitted: bytes) -> Visits:
        if admitted not in self._visits:
            self._visits[admitted] = Visits(self.shape, parse(admitted))
        return self._visits[admitted]


def lifts(shape: Shape) -> Iterator[Lift]:
    """Every restriction of a shape, each as it can be lifted, in a steady order."""
    for place, node in shape.nodes.items():
        yield from _keywords(place, node)
        yield from _wider(place, node)
        if place:
            yield Lift(place, Grain.NODE, place, "", True)


def _keywords(place: str, node: JsonValue) -> Iterator[Lift]:
    for keyword in _SIMPLE:
        if keyword in node:
            yield Lift(f"{place}/{keyword}", Grain.KEYWORD, place, keyword, _GONE)
    if "type" in node and "enum" not in node:  # an enum implies its type
        yield Lift(f"{place}/type", Grain.KEYWORD, place, "type", _GONE)
    if node.get("additionalProperties") is False:
        name = f"{place}/additionalProperties"
        yield Lift(name, Grain.KEYWORD, place, "additionalProperties", _GONE)
    required = node.get("required", [])
    for member in required:
        left = [other for other in required if other != member]
        name = f"{place}/required{pointer_of((member,))}"
        yield Lift(name, Grain.KEYWORD, place, "required", left)


def _wider(place: str, node: JsonValue) -> Iterator[Lift]:
    for keyword, step in _BOUNDS.items():
        if keyword in node:
            sign = "+" if step > 0 else "-"
            value = node[keyword] + step
            if keyword == "minimum" or value >= 0:
                yield Lift(f"{place}/{keyword}{sign}1", Grain.WIDER, place, keyword, value)
    if "enum" in node:
        yield Lift(f"{place}/enum+", Grain.WIDER, place, "enum", [*node["enum"], ALIEN])
    elif "type" in node:
        types = node["type"] if isinstance(node["type"], list) else [node["type"]]
        for name in _TYPES:
            if name not in types:
                yield Lift(f"{place}/type+{name}", Grain.WIDER, place, "type", [*types, name])


def _changed(value: JsonValue, place: tuple[str, ...], new: JsonValue) -> JsonValue:
    """A copy of a document that shares all but the way to one place."""
    if not place:
        return new
    token, *rest = place
    if isinstance(value, list):
        index = int(token)
        return [*value[:index], _changed(value[index], tuple(rest), new), *value[index + 1 :]]
    if not rest and new is _GONE:
        return {key: held for key, held in value.items() if key != token}
    return {**value, token: _changed(value.get(token), tuple(rest), new)}
