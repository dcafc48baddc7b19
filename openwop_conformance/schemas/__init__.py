"""Every file format and wire shape that we read or write, as JSON Schema 2020-12 package data."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..jsonvalue import JsonValue, parse, pointer_of

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Problem:
    """One way in which an instance breaks a schema: where (JSON Pointer), and how."""

    path: str
    message: str


@cache
def schema(name: str) -> dict[str, JsonValue]:
    """A schema document of this package by its short name, as ``ai-envelope``. Do not change it."""
    document: dict[str, JsonValue] = parse((_HERE / f"{name}.schema.json").read_bytes())
    return document


def schema_names() -> list[str]:
    """The short names of every schema of this package."""
    suffix = ".schema.json"
    names = (file.name for file in _HERE.iterdir())
    return sorted(name.removesuffix(suffix) for name in names if name.endswith(suffix))


def compiled(document: JsonValue) -> Draft202012Validator:
    """A validator that asserts formats and never opens the network."""
    from jsonschema_rs import Draft202012Validator

    return Draft202012Validator(document, validate_formats=True, offline=True)


@cache
def validator(name: str, definition: str | None = None) -> Draft202012Validator:
    """The compiled validator of a schema, or of one of its ``$defs``."""
    document = schema(name)
    if definition is not None:
        document = {"$ref": f"#/$defs/{definition}", "$defs": document["$defs"]}
    return compiled(document)


def problems(check: Draft202012Validator, instance: JsonValue) -> list[Problem]:
    """Every problem of an instance, in the validator's order; empty when it is valid."""
    return [
        Problem(pointer_of(tuple(error.instance_path)), _sentence(error))
        for error in check.iter_errors(instance)
    ]


def _sentence(error: ValidationError) -> str:
    text = error.message
    return text if len(text) <= 200 else text[:199] + "…"
