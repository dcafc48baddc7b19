"""The JSON Schema of a scenario file, made from the verbs, and the reading of their arguments."""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from ..jsonvalue import JsonValue
from ..schemas import compiled
from .verbs import MAY_BE_REFUSED, NEEDS, REPEATED, VERBS, Refused

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

T = TypeVar("T")

_NAME = "^\\$[a-z]"
"""A ``$name`` may stand where a list is wanted: it is put in before the step is taken."""

_PLAIN: dict[Any, JsonValue] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: True,
}


def schema_of(annotation: Any, *, named: bool = True) -> JsonValue:
    """The schema of one annotation: plain types, lists, dicts, literals, unions.

    ``named`` says whether a ``$name`` may still stand for a list.
    """
    if annotation in _PLAIN:
        return _PLAIN[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        inner = schema_of(arguments[0], named=named)
        return {**({} if inner is True else inner), "description": arguments[1]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (typing.Union, types.UnionType):
        kinds = [schema_of(a, named=named) for a in arguments if a is not type(None)]
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    if origin is list:
        items = {"items": schema_of(arguments[0], named=named)}
        return (
            {"type": ["array", "string"], **items, "pattern": _NAME}
            if named
            else {"type": "array", **items}
        )
    if origin is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1], named=named)}
    raise TypeError(f"no schema for {annotation!r}")


def _object(cls: Any, *, named: bool = True) -> JsonValue:
    hints = typing.get_type_hints(cls, include_extras=True)
    fields = dataclasses.fields(cls)
    return {
        "type": "object",
        "description": (cls.__doc__ or "").split("\n\n")[0],
        "additionalProperties": False,
        "required": [word_of(f) for f in fields if _required(f)],
        "properties": {word_of(f): schema_of(hints[f.name], named=named) for f in fields},
    }


def _required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def word_of(field: dataclasses.Field[Any]) -> str:
    """How a field is written in YAML: its name, without the underscore that Python needs."""
    return field.name.rstrip("_")


@cache
def first_word(verb: str) -> str:
    """The argument that may stand alone after the verb."""
    return word_of(dataclasses.fields(VERBS[verb])[0])


@cache
def step_schema(verb: str) -> JsonValue:
    """The schema of a step with this verb."""
    arguments = _object(VERBS[verb])
    alone = arguments["properties"][first_word(verb)]
    # a mapping always spells the arguments out
    is_mapping = isinstance(alone, dict) and alone.get("type") == "object"
    written = [arguments] if is_mapping else [alone, arguments]
    properties: dict[str, JsonValue] = {
        verb: {"description": arguments["description"], "anyOf": written},
        "because": {"type": "string", "minLength": 1, "description": "the rule, in words"},
    }
    if verb in MAY_BE_REFUSED:
        properties["refused"] = _object(Refused)
    if verb in MAY_BE_REFUSED - {"race"}:
        properties["twin"] = {
            "type": "object",
            "minProperties": 1,
            "description": "the control: the one word that changes, so that the request is taken",
        }
    if verb in REPEATED:
        properties["each"] = {
            "type": "string",
            "description": "fixture files to repeat this step for; $case is the fixture",
        }
    return {
        "type": "object",
        "additionalProperties": False,
        "required": [verb],
        "properties": properties,
        **({"dependentRequired": {"twin": ["refused"]}} if "twin" in properties else {}),
    }


@cache
def scenario_schema() -> JsonValue:
    """The schema of a whole scenario file, for editors and for the linter."""
    text = {"type": "string", "minLength": 1}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:openwop-conformance:schema:scenario",
        "title": "Scenario",
        "description": "What a subject is asked about one requirement, step by step.",
        "type": "object",
        "additionalProperties": False,
        "required": [
            "scenario",
            "title",
            "source",
            "subject",
            "major",
            "requirement",
            "sabotage",
            "steps",
        ],
        "properties": {
            "scenario": {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*(\\.[a-z0-9]+(-[a-z0-9]+)*)+$",
                "description": "the scenario's id: it never changes silently",
            },
            "title": {**text, "description": "the rule, as one sentence"},
            "source": {**text, "description": "where the protocol says so"},
            "subject": {"enum": ["host", "sdk", "consumer"]},
            "major": {"enum": [1, 2]},
            "needs": {
                "type": "array",
                "uniqueItems": True,
                "items": {"anyOf": [{"const": n, "description": d} for n, d in NEEDS.items()]},
                "description": "what the subject has to claim, and the operator to give",
            },
            "requirement": {**text, "description": "the id of the row that this witnesses"},
            "sabotage": {
                "type": "array",
                "minItems": 1,
                "uniqueItems": True,
                "items": text,
                "description": "the broken reference subjects that have to turn the row red",
            },
            "given": {
                **text,
                "description": "a fixture whose members the steps use as $given.MEMBER",
            },
            "let": {
                "type": "object",
                "propertyNames": {"pattern": "^[a-z][a-z0-9-]*$"},
                "description": "values for $name",
            },
            "steps": {
                "type": "array",
                "minItems": 1,
                "description": "what is asked, in this order",
                "items": {"anyOf": [{"$ref": f"#/$defs/{verb}"} for verb in VERBS]},
            },
        },
        "$defs": {verb: step_schema(verb) for verb in VERBS},
    }


@cache
def head_validator() -> Draft202012Validator:
    """Checks a file without its steps: a step has better words for its own faults."""
    schema = scenario_schema()
    steps = {"type": "array", "minItems": 1}
    return compiled({**schema, "properties": {**schema["properties"], "steps": steps}})


@cache
def step_validator(verb: str, spelled_out: bool) -> Draft202012Validator:
    """Checks a step; where its arguments are spelled out, the fault named is theirs."""
    schema = step_schema(verb)
    if spelled_out:
        arguments = schema["properties"][verb]["anyOf"][-1]
        schema = {**schema, "properties": {**schema["properties"], verb: arguments}}
    return compiled(schema)


@cache
def arguments_validator(verb: str) -> Draft202012Validator:
    """Checks the arguments of a verb, once every ``$name`` is put in."""
    return compiled(_object(VERBS[verb], named=False))


@cache
def words_of(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    """The fields of a verb's arguments by their names, each with the word for it in YAML."""
    return tuple((field.name, word_of(field)) for field in dataclasses.fields(cls))


def build(cls: type[T], words: dict[str, JsonValue]) -> T:
    """The dataclass for words that keep its schema."""
    kind: Any = cls
    return cls(**{name: words[word] for name, word in words_of(kind) if word in words})
