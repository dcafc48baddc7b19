"""``docs/reference/scenario-language.md``: every word of a scenario, from the verbs themselves."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Iterator
from typing import Any, Final, Literal

from openwop_conformance.jsonvalue import MISSING
from openwop_conformance.scenario.grammar import first_word, scenario_schema, step_schema, word_of
from openwop_conformance.scenario.verbs import (
    MAY_BE_REFUSED,
    NEEDS,
    REPEATED,
    VERBS,
    VERBS_OF,
    Refused,
)
from tests.docs.markdown import code, plain, table

_HEAD: Final = """\
# The scenario language

Made by `make docs-reference` from the verbs. How a scenario is written, with an example:
[write a scenario](../how-to/write-a-scenario.md). A file is strict YAML: no anchors, no tags, no
key twice. `openwop-conformance lint` says what is wrong, with line and column.

## A file
"""
_STEP: Final = """\
## A step

A step is one verb with its arguments, and beside it:

"""
_VALUES: Final = """
The argument that is marked † may stand alone: `cancel: run` is `cancel: {run: run}`. `$name` stands
for the value under `let`, `$case.member` for a member of the fixture in an `each`, `$given.member`
for one of the fixture under `given`. Names of surfaces, runs, states, clients and correlations are
the scenario's own: each gets a fresh id in every run.
"""
_TITLES: Final = {
    "host": "Verbs for hosts",
    "sdk": "Verbs for SDKs",
    "consumer": "Verbs for consumers",
}
_NAMES: Final = {str: "text", int: "number", bool: "true or false", Any: "any value"}


def language_page() -> str:
    """The page."""
    schema = scenario_schema()
    lines = [_HEAD]
    rows = [
        (code(name), "yes" if name in schema["required"] else "", _member(node))
        for name, node in schema["properties"].items()
    ]
    lines += [*table(("member", "required", ""), rows), "", *_STEP.splitlines()]
    lines += table(("member", "with", ""), _beside())
    lines += [*_VALUES.splitlines(), "", "### refused", ""]
    lines += [plain(Refused.__doc__ or ""), "", *table(("argument", "is", ""), _arguments(Refused))]
    for subject, verbs in VERBS_OF.items():
        lines += ["", f"## {_TITLES[subject]}"]
        for verb, cls in verbs.items():
            lines += ["", f"### {verb}", ""]
            lines += [plain(part) + "\n" for part in (cls.__doc__ or "").split("\n\n")]
            lines += table(("argument", "is", ""), _arguments(cls, first_word(verb)))
    lines += ["", "## Needs", "", "What a scenario may ask for under `needs`:", ""]
    lines += table(("need", "what it means"), ((code(n), plain(m)) for n, m in NEEDS.items()))
    return "\n".join(lines) + "\n"


def _member(node: Any) -> str:
    values = " or ".join(code(str(value)) for value in node.get("enum", ()))
    return plain(node.get("description", "")) or values


def _beside() -> Iterator[tuple[str, str, str]]:
    groups = {"twin": MAY_BE_REFUSED - {"race"}, "refused": MAY_BE_REFUSED, "each": REPEATED}
    for name in ("because", "refused", "twin", "each"):
        verbs = groups.get(name)
        some = step_schema(next(v for v in VERBS if verbs is None or v in verbs))
        said = some["properties"][name]["description"]
        which = ", ".join(code(v) for v in VERBS if v in verbs) if verbs else "every verb"
        yield code(name), which, plain(said)


def _arguments(cls: Any, first: str = "") -> Iterator[tuple[str, str, str]]:
    hints = typing.get_type_hints(cls, include_extras=True)
    for field in dataclasses.fields(cls):
        kind, said = typing.get_args(hints[field.name])[:2]
        name = word_of(field)
        mark = " †" if name == first else ""
        yield code(name) + mark, plain(kind_of(kind)) + _default(field), plain(said)


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default_factory is not dataclasses.MISSING:
        return ""
    if field.default is dataclasses.MISSING:
        return "; required"
    if field.default in (None, MISSING, False):
        return ""
    return f"; {code(str(field.default))} unless given"


def kind_of(annotation: Any) -> str:
    """An annotation in words: ``list[str] | None`` is *list of text*."""
    if annotation in _NAMES:
        return _NAMES[annotation]
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is Literal:
        return " or ".join(map(str, arguments))
    if origin in (typing.Union, types.UnionType):
        return " or ".join(kind_of(one) for one in arguments if one is not type(None))
    if origin is list:
        return f"list of {kind_of(arguments[0])}".replace("any value", "values")
    if origin is dict:
        return f"members with {kind_of(arguments[1])}"
    raise TypeError(f"no words for {annotation!r}")
