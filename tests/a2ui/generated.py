"""Random instances of a JSON Schema: a walk over the keywords that our own schemas use.

It knows no protocol. What it walks through is counted, so that a branch never taken is seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from openwop_conformance.jsonvalue import JsonValue

TEXTS = ("", "a", "Hello", "ﬁ 😀", "<b>x</b>", "${x}", "a\n\tb", "0", "null", "javascript:alert(1)")
NUMBERS = (0, 1, -1, 0.5, -2.25, 1e21, 2**53 - 1)
PATTERNS: dict[str, Callable[[random.Random], str]] = {
    "^/": lambda draw: "/" + draw.choice(("", "a", "a/b", "0", "a~1b", "~0")),
    "^#[0-9a-fA-F]{6}$": lambda draw: "#" + "".join(draw.choices("0123456789abcdefABCDEF", k=6)),
}


class Generator:
    """Makes instances of ``$defs`` entries; ``reached`` are the schema nodes it has walked."""

    def __init__(self, definitions: dict[str, JsonValue], seed: int) -> None:
        self.definitions, self.draw = definitions, random.Random(seed)
        self.reached: set[int] = set()

    def instance(self, schema: Any) -> JsonValue:
        """One instance of a schema node."""
        if schema is True:
            return self.any_value()
        self.reached.add(id(schema))
        if "$ref" in schema:
            return self.instance(self.definitions[schema["$ref"].rpartition("/")[2]])
        if "anyOf" in schema:
            return self.instance(self.draw.choice(schema["anyOf"]))
        if "enum" in schema:
            return self.draw.choice(schema["enum"])
        kind = schema["type"]
        if isinstance(kind, list):
            kind = self.draw.choice(kind)
        made: JsonValue = getattr(self, f"_{kind}")(schema)
        return made

    def any_value(self) -> JsonValue:
        """Any JSON value, small."""
        return self.draw.choice((None, True, 1, "x", [1, "a", None], {"k": {"n": 0.1}}, {}, []))

    def _string(self, schema: Any) -> str:
        if "pattern" in schema:
            return PATTERNS[schema["pattern"]](self.draw)
        text = self.draw.choice(TEXTS)
        return str(text[: schema.get("maxLength")])

    def _number(self, schema: Any) -> float:
        return self.draw.choice(NUMBERS)

    def _boolean(self, schema: Any) -> bool:
        return self.draw.random() < 0.5

    def _array(self, schema: Any) -> list[JsonValue]:
        least = schema.get("minItems", 0)
        count = self.draw.randint(least, min(schema.get("maxItems", 3), least + 3))
        return [self.instance(schema.get("items", True)) for _ in range(count)]

    def _object(self, schema: Any) -> dict[str, JsonValue]:
        required = set(schema.get("required", ()))
        made = {
            name: self.instance(member)
            for name, member in schema.get("properties", {}).items()
            if name in required or self.draw.random() < 0.5
        }
        if isinstance(schema.get("additionalProperties"), dict):
            for name in self.draw.sample(TEXTS[1:], self.draw.randint(0, 2)):
                made[name] = self.instance(schema["additionalProperties"])
        return made


def nodes_of(definitions: dict[str, JsonValue], start: str) -> dict[int, str]:
    """Every schema node that can be reached from an entry: its identity and where it stands."""
    found: dict[int, str] = {}
    waiting: list[tuple[str, Any]] = [(start, definitions[start])]
    while waiting:
        where, node = waiting.pop()
        if not isinstance(node, dict) or id(node) in found:
            continue
        found[id(node)] = where
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            waiting.append((name, definitions[name]))
        waiting += [(f"{where}/anyOf/{i}", n) for i, n in enumerate(node.get("anyOf", ()))]
        waiting += [(f"{where}/{name}", n) for name, n in node.get("properties", {}).items()]
        waiting.append((f"{where}/items", node.get("items")))
        waiting.append((f"{where}/*", node.get("additionalProperties")))
    return found
