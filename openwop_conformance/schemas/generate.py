"""Random instances of a shape, near misses of them, and the smallest one that shows a fault."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from ..errors import UsageError
from ..jsonvalue import JsonValue
from ..schemas.shape import Shape

TEXTS: Final = (
    "a", "", "Hello", "ﬁ 😀", "<b>x</b>", "${x}", "a\n\tb", "0", "null", "javascript:alert(1)",
)  # fmt: skip
NUMBERS: Final = (0, 1, -1, 0.5, -2.25, 1e21, 2**53 - 1)
DATES: Final = (
    "2026-01-02T03:04:05Z",
    "2026-12-31T23:59:59.999+05:30",
    "1999-02-28T00:00:00-11:00",
)
PATTERNS: Final[dict[str, Callable[[random.Random], str]]] = {
    "^/": lambda draw: "/" + draw.choice(("", "a", "a/b", "0", "a~1b", "~0")),
    "^#[0-9a-fA-F]{6}$": lambda draw: "#" + "".join(draw.choices("0123456789abcdefABCDEF", k=6)),
}
"""How to make a text of each pattern that a wire schema has."""


class Generator:
    """Makes instances of a shape; ``reached`` are the places of the nodes it has walked."""

    def __init__(self, shape: Shape, draw: random.Random) -> None:
        self.shape, self.draw = shape, draw
        self.reached: set[str] = set()

    def instance(self) -> JsonValue:
        """One valid instance."""
        return self._at(self.shape.entry)

    def _at(self, place: str) -> JsonValue:
        node = self.shape.nodes.get(place)
        if node is None:
            return any_value(self.draw)
        self.reached.add(place)
        if targets := self.shape.choices[place]:
            return self._at(self.draw.choice(targets))
        if "enum" in node:
            return self.draw.choice(node["enum"])
        kind = node.get("type")
        if kind is None:
            return any_value(self.draw)
        if isinstance(kind, list):
            kind = self.draw.choice(kind)
        made: JsonValue = getattr(self, f"_{kind}")(place, node)
        return made

    def _string(self, place: str, node: Any) -> str:
        if "pattern" in node:
            if node["pattern"] not in PATTERNS:
                raise UsageError(f"{place}: no text is known for the pattern {node['pattern']}")
            return PATTERNS[node["pattern"]](self.draw)
        if node.get("format") == "date-time":
            return self.draw.choice(DATES)
        text = self.draw.choice(TEXTS)[: node.get("maxLength")]
        return text.ljust(int(node.get("minLength", 0)), "x")

    def _number(self, place: str, node: Any) -> float:
        return self.draw.choice(NUMBERS)

    def _integer(self, place: str, node: Any) -> int:
        least = node.get("minimum", -(2**53) + 1)
        return int(self.draw.choice((least, least + 1, node.get("maximum", 2**53 - 1))))

    def _null(self, place: str, node: Any) -> None:
        return None

    def _boolean(self, place: str, node: Any) -> bool:
        return self.draw.choice((False, True))

    def _array(self, place: str, node: Any) -> list[JsonValue]:
        least = node.get("minItems", 0)
        count = self.draw.randint(least, min(node.get("maxItems", least + 3), least + 3))
        if "items" not in node:
            return [any_value(self.draw) for _ in range(count)]
        return [self._at(f"{place}/items") for _ in range(count)]

    def _object(self, place: str, node: Any) -> dict[str, JsonValue]:
        required = node.get("required", ())
        made: dict[str, JsonValue] = {}
        for keyword, target, member in self.shape.steps[place]:
            if keyword == "properties" and (member in required or self.draw.choice((False, True))):
                made[member] = self._at(target)
        if isinstance(node.get("additionalProperties"), dict):
            for name in self.draw.sample(TEXTS, self.draw.randint(0, 2)):
                made[name] = self._at(f"{place}/additionalProperties")
        return made


def any_value(draw: random.Random) -> JsonValue:
    """Any JSON value, small."""
    return draw.choice((None, True, 1, "x", [1, "a", None], {"k": {"n": 0.1}}, {}, []))


def near_miss(instance: JsonValue, draw: random.Random) -> JsonValue:
    """A copy of an instance with one random edit somewhere in it; it may still be valid."""
    if isinstance(instance, dict) and instance and draw.random() < 0.8:
        key = draw.choice(list(instance))
        return {**instance, key: near_miss(instance[key], draw)}
    if isinstance(instance, list) and instance and draw.random() < 0.8:
        index = draw.randrange(len(instance))
        return [*instance[:index], near_miss(instance[index], draw), *instance[index + 1 :]]
    if isinstance(instance, dict):
        if instance and draw.random() < 0.5:
            gone = draw.choice(list(instance))
            return {key: value for key, value in instance.items() if key != gone}
        return {**instance, draw.choice(("onClick", "path", "call", "id", "x")): any_value(draw)}
    if isinstance(instance, list) and draw.random() < 0.5:
        return [*instance, any_value(draw)]
    if isinstance(instance, str) and draw.random() < 0.5:
        return draw.choice((instance.upper(), f"{instance} ", f"/{instance}", instance * 300, ""))
    if isinstance(instance, int | float) and draw.random() < 0.5:
        return draw.choice((instance + 1, -instance, instance + 0.5))
    return any_value(draw)


def smallest(shape: Shape, shows: Callable[[JsonValue], bool], found: JsonValue) -> JsonValue:
    """The smallest instance that shows a fault, by hypothesis; ``found`` when it finds none."""
    from hypothesis import HealthCheck, find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample

    instances = st.randoms(use_true_random=False).map(
        lambda draw: Generator(shape, draw).instance()
    )
    bounds = settings(
        max_examples=5_000, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    try:
        return find(instances, shows, settings=bounds)
    except NoSuchExample:
        return found
