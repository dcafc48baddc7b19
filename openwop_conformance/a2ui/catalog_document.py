"""A catalog document as schemas that stand alone: every ``$ref`` is resolved here, offline.

A reference leads into the catalog itself, into A2UI's common types or into the basic catalog;
nothing is ever opened for one. What a schema says of an instance is left to the validator.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final
from urllib.parse import unquote

from ..errors import CallError, JsonError
from ..jsontree import objects_in
from ..jsonvalue import JsonValue, brief, parse, tokens_of
from .catalog import BASIC_CATALOG

MOST_LEVELS: Final = 100
_SPECIFICATION: Final = re.compile(r"https://a2ui\.org/specification/v0_9(_1)?/")
_SCHEMA_MAPS: Final = frozenset(
    {"properties", "patternProperties", "dependentSchemas", "$defs", "definitions"}
)
_SCHEMA_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SCHEMAS: Final = frozenset(
    {
        *("items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems"),
        *("contains", "propertyNames", "not", "if", "then", "else"),
    }
)
_NOT_READ: Final = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor"})
_BASES: Final = frozenset({"$id", "$schema", "$vocabulary"})


@cache
def shipped(name: str) -> JsonValue:
    """A document of this package, ``basic`` or ``common_types``. Do not change it."""
    return parse((files(__package__) / "catalogs" / f"{name}.json").read_bytes())


class CatalogDocument:
    """The definitions that a catalog reaches, each under a name of its own.

    With ``by_name`` a function call is judged by the one function that it names, so that what is
    wrong with it can be told without trying every other; the verdict is the same for a catalog
    whose functions each fix their ``call``.
    """

    def __init__(self, catalog: dict[str, JsonValue], *, by_name: bool = False) -> None:
        self._by_name = by_name
        self._documents = {"catalog": catalog}
        self._own = (catalog["catalogId"], catalog.get("$id"))
        self._names: dict[tuple[str, tuple[str, ...]], str] = {}
        self.definitions: dict[str, JsonValue] = {}
        self.ids: set[str] = set()
        """The definitions that are a ``ComponentId``."""
        self.child_lists: set[str] = set()
        """The definitions that are a ``ChildList``."""

    def name_of(self, *tokens: str) -> str:
        """The name of the definition at a place of the catalog. Raises ``CallError``."""
        return self._define("catalog", tokens)

    def schema(self, name: str) -> JsonValue:
        """A definition with all that it reaches, as one schema."""
        reached = {name: self.definitions[name]}
        todo = [name]
        while todo:
            for below in references_in(self.definitions[todo.pop()]):
                if below in self.definitions and below not in reached:
                    reached[below] = self.definitions[below]
                    todo.append(below)
        return {"$ref": f"#/$defs/{name}", "$defs": reached}

    def _define(self, document: str, tokens: tuple[str, ...]) -> str:
        key = (document, tokens)
        if (known := self._names.get(key)) is not None:
            return known
        name = self._names[key] = f"d{len(self._names)}"
        found = self._find(document, tokens)
        if tokens[-2:-1] in {("$defs",), ("definitions",)}:
            if tokens[-1] == "ComponentId":
                self.ids.add(name)
            elif tokens[-1] == "ChildList":
                self.child_lists.add(name)
        self.definitions[name] = self._rewritten(found, document)
        return name

    def _find(self, document: str, tokens: tuple[str, ...]) -> JsonValue:
        node = self._document(document)
        if document == "catalog" and tokens == ("$defs", "anyFunction"):
            functions = node.get("functions", {})
            if "anyFunction" not in node.get("$defs", {}) or (functions and self._by_name):
                return any_function(functions, by_name=self._by_name)
        return _at(node, tokens)

    def _document(self, name: str) -> dict[str, JsonValue]:
        if name not in self._documents:
            self._documents[name] = shipped("common_types" if name == "common" else name)
        return self._documents[name]

    def _rewritten(self, node: JsonValue, document: str) -> JsonValue:
        """A schema with references to definitions, and without what would move their base."""
        if isinstance(node, bool):
            return node
        if not isinstance(node, dict):
            raise CallError("catalog", f"{brief(node)} stands where a schema must")
        found: dict[str, JsonValue] = {}
        for key, value in node.items():
            if key == "$ref":
                found[key] = "#/$defs/" + self._define(*self._target(value, document))
            elif key in _NOT_READ:
                raise CallError("catalog", f"{key} cannot be followed in a catalog")
            elif key in _SCHEMA_MAPS:
                found[key] = {k: self._rewritten(v, document) for k, v in _map(key, value).items()}
            elif key in _SCHEMA_LISTS:
                if not isinstance(value, list):
                    raise CallError("catalog", f"{key} is {brief(value)}, not a list of schemas")
                found[key] = [self._rewritten(v, document) for v in value]
            elif key in _SCHEMAS:
                found[key] = self._rewritten(value, document)
            elif key not in _BASES:
                found[key] = value
        return found

    def _target(self, reference: JsonValue, document: str) -> tuple[str, tuple[str, ...]]:
        """The document and the place that a ``$ref`` of ``document`` names."""
        if not isinstance(reference, str):
            raise CallError("catalog", f"a $ref is {brief(reference)}, not a text")
        address, _, fragment = reference.partition("#")
        try:
            tokens = tokens_of(unquote(fragment))
        except JsonError as error:
            raise CallError("catalog", f"$ref {brief(reference)}: {error}") from None
        if not address:
            return document, tokens
        leaf = address.rpartition("/")[2]
        relative = "://" not in address and not address.startswith(("/", "urn:"))
        if leaf == "common_types.json" and (relative or _SPECIFICATION.match(address)):
            return "common", tokens
        if address in self._own or (leaf == "catalog.json" and relative):
            return "catalog", tokens
        if address == BASIC_CATALOG:
            return "basic", tokens
        if leaf == "catalog.json" and _SPECIFICATION.fullmatch(address.removesuffix(leaf)):
            return "catalog", tokens
        raise CallError("catalog", f"$ref {brief(reference)} leads out of the catalog")


def any_function(functions: dict[str, JsonValue], *, by_name: bool) -> JsonValue:
    """One of the functions of a catalog, as a schema with references into that catalog."""
    places = {name: {"$ref": "#/functions/" + escaped(name)} for name in functions}
    if not by_name or not places:
        return {"oneOf": list(places.values())} if places else False
    return {
        "required": ["call"],
        "properties": {"call": {"enum": list(places)}},
        "allOf": [
            {
                "if": {"required": ["call"], "properties": {"call": {"const": name}}},
                "then": place,
            }
            for name, place in places.items()
        ],
    }


def escaped(token: str) -> str:
    """A reference token as a URI fragment holds it."""
    return token.replace("~", "~0").replace("/", "~1").replace("%", "%25")


def _at(node: JsonValue, tokens: tuple[str, ...]) -> JsonValue:
    """What stands at a place of a document. Raises ``CallError``."""
    for token in tokens:
        if isinstance(node, list) and token.isdecimal() and int(token) < len(node):
            node = node[int(token)]
        elif isinstance(node, dict) and token in node:
            node = node[token]
        else:
            raise CallError("catalog", f"nothing is at {brief('/' + '/'.join(tokens))}")
    return node


def references_in(schema: JsonValue) -> Iterator[str]:
    """The names of the definitions that a definition refers to directly."""
    for node in objects_in(schema):
        if isinstance(below := node.get("$ref"), str):
            yield below.rpartition("/")[2]


def _map(key: str, value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict):
        raise CallError("catalog", f"{key} is {brief(value)}, not an object of schemas")
    return value
