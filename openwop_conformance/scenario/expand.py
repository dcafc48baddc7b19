"""From a document to a scenario: the schema, the $names, the fixtures of each:, the twins.

Everything that can be wrong with a scenario file is found here, before anything is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from ..a2ui.catalog import BASIC_CATALOG
from ..errors import DocumentError
from ..jsonvalue import JsonValue, equal, one_edit, tokens_of
from ..schemas import problems
from .consumer_verbs import NEEDED_BY, Rejects
from .document import Document, Position, bytes_of, read
from .fixtures import Fixture, Fixtures
from .grammar import (
    arguments_validator,
    build,
    first_word,
    head_validator,
    step_validator,
    words_of,
)
from .host_verbs import Emit
from .model import Scenario, Step
from .names import resolved
from .verbs import VERBS, VERBS_OF, Arguments, Refused

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

Find: TypeAlias = Callable[[str], tuple[Fixture, ...]]
"""The fixtures that a pattern matches; each is one and the same as long as its file is."""
_EXPECTED = frozenset({"gives", "leaves", "like", "says"})
"""Arguments that say what is expected, and are no part of what is asked."""


def load_scenario(path: Path, fixtures: Fixtures, shown_as: str | None = None) -> Scenario:
    """Read one file whole. Raises ``DocumentError`` for the first thing that is wrong."""
    name = shown_as or str(path)
    data = bytes_of(path, name)
    last = _last(data, name)
    if last.scenario is None or any(
        fixtures.matching(pattern) != found for pattern, found in last.found.items()
    ):
        found: dict[str, tuple[Fixture, ...]] = {}

        def find(pattern: str) -> tuple[Fixture, ...]:
            found[pattern] = fixtures.matching(pattern)
            return found[pattern]

        last.scenario, last.found = _scenario(read(data, name), find), found
    return last.scenario


@dataclass(slots=True)
class _Last:
    """What a file was as a scenario when it was last read, and the fixtures that it then found."""

    scenario: Scenario | None = None
    found: dict[str, tuple[Fixture, ...]] = field(default_factory=dict)


@lru_cache(maxsize=512)
def _last(data: bytes, name: str) -> _Last:
    return _Last()


def _scenario(document: Document, find: Find) -> Scenario:
    _check_shape(document)
    value = document.value
    for index, step in enumerate(value["steps"]):
        _check_step(document, index, step)
    names = {"catalog": BASIC_CATALOG, **_given(document, find), **_let(document)}
    steps = tuple(
        step
        for index in range(len(value["steps"]))
        for step in _expanded(document, index, names, find)
    )
    return Scenario(
        id=value["scenario"],
        title=value["title"],
        source=value["source"],
        subject=value["subject"],
        major=value["major"],
        needs=tuple(value.get("needs", ())),
        requirement=value["requirement"],
        sabotage=tuple(value["sabotage"]),
        steps=steps,
        place=document.at(),
    )


def _check_shape(document: Document) -> None:
    """The file without its steps against the schema: a step has better words for its faults."""
    _check(document, head_validator(), document.value, ())


def _check_step(document: Document, index: int, step: JsonValue) -> None:
    place = document.at("steps", index)
    words = VERBS_OF[document.value["subject"]]
    verbs = [word for word in step if word in words] if isinstance(step, dict) else []
    if len(verbs) != 1:
        known = ", ".join(words)
        other = (
            [w for w in step if w not in words and w not in ("because", "refused", "twin", "each")]
            if isinstance(step, dict)
            else []
        )
        found = f"unknown verb {other[0]!r}" if other and not verbs else "a step has one verb"
        raise (document.at("steps", index, other[0]) if other else place).error(
            f"{found}; the verbs are {known}"
        )
    verb = verbs[0]
    need = NEEDED_BY.get(verb)
    if need is not None and need not in document.value.get("needs", ()):
        raise place.error(f"{verb} witnesses nothing without {need}: add it to needs")
    _check(document, step_validator(verb, isinstance(step[verb], dict)), step, ("steps", index))
    refused = step.get("refused")
    if verb == "race" and refused is None:
        raise place.error("a race needs refused: the reason that all but one are refused for")
    if refused is not None:
        if "because" not in step:
            raise place.error("a refusal needs because: the rule, in words")
        if verb != "race" and "twin" not in step:
            raise place.error("a refusal needs a twin: the same request one edit away, admitted")
        if not {"code", "reason"} & refused.keys():
            raise document.at("steps", index, "refused").error(
                "a refusal is bound to its reason: give code or reason"
            )


def _check(
    document: Document,
    validator: Draft202012Validator,
    value: JsonValue,
    at: tuple[str | int, ...],
) -> None:
    for problem in problems(validator, value):
        place = document.at(*at, *_real(document, at, problem.path))
        raise place.error(problem.message)


def _real(document: Document, at: tuple[str | int, ...], pointer: str) -> Iterator[str | int]:
    """A pointer's tokens as they index the document: numbers where there are lists."""
    node = document.value
    for token in at:
        node = node[token]
    for token in tokens_of(pointer):
        key = int(token) if isinstance(node, list) else token
        yield key
        node = node[key]


# ------------------------------------------------------------------------------- $names


def _given(document: Document, find: Find) -> dict[str, JsonValue]:
    """The fixture that all steps begin from, where there is one."""
    name = document.value.get("given")
    if name is None:
        return {}
    found = _found(find, name, document.at("given"))
    if len(found) > 1:
        raise document.at("given").error(f"{len(found)} fixtures match {name!r}, not one")
    return {"given": found[0].value}


def _let(document: Document) -> dict[str, JsonValue]:
    """The values of ``let``, each able to use those before it."""
    names: dict[str, JsonValue] = {"catalog": BASIC_CATALOG}
    for name, value in document.value.get("let", {}).items():
        if name in ("catalog", "case", "given", "canary", "text"):
            raise document.at("let", name).error(f"${name} is the suite's own")
        names[name] = resolved(value, names, document, ("let", name))
    return names


# ------------------------------------------------------------------------- each and twin


def _expanded(
    document: Document, index: int, names: dict[str, JsonValue], find: Find
) -> Iterator[Step]:
    step = document.value["steps"][index]
    if "each" not in step:
        whole = _step(document, index, step, names, None)
        if isinstance(whole.arguments, Rejects):
            place = document.at("steps", index, "rejects")
            cases = _found(find, whole.arguments.cases, place)
            listed = [{"name": case.name, **case.value} for case in cases]
            whole = replace(whole, arguments=Rejects(cases=listed, client=whole.arguments.client))
        yield whole
        return
    for case in _found(find, step["each"], document.at("steps", index, "each")):
        try:
            expanded = _step(document, index, step, {**names, "case": case.value}, case.name)
        except DocumentError as error:
            message = f"{error.message} (fixture {case.name})"
            raise DocumentError(error.path, error.line, error.column, message) from None
        yield expanded


def _found(find: Find, pattern: str, place: Position) -> tuple[Fixture, ...]:
    """The fixtures whose names match, at least one."""
    found = find(pattern)
    if not found:
        raise place.error(f"no fixture matches {pattern!r}")
    return found


def _step(
    document: Document,
    index: int,
    step: JsonValue,
    names: dict[str, JsonValue],
    case: str | None,
) -> Step:
    at = ("steps", index)
    verb = next(word for word in step if word in VERBS)
    words = step[verb] if isinstance(step[verb], dict) else {first_word(verb): step[verb]}
    words = resolved(words, names, document, (*at, verb))
    arguments = _built(document, (*at, verb), verb, words)
    because = resolved(step.get("because"), names, document, (*at, "because"))
    if because is not None and not isinstance(because, str):
        raise document.at(*at, "because").error(f"{step['because']} is not text")
    twin = None
    if "twin" in step:
        changed = resolved(step["twin"], names, document, (*at, "twin"))
        twin = _built(document, (*at, "twin"), verb, _changed(words, changed))
        _check_one_edit(arguments, twin, document.at(*at, "twin"))
    return Step(
        verb=verb,
        arguments=arguments,
        place=document.at(*at),
        because=because,
        refused=build(Refused, step["refused"]) if "refused" in step else None,
        twin=twin,
        case=case,
    )


def _changed(words: dict[str, JsonValue], change: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """The words with some replaced; messages and a payload exclude each other."""
    drop = {"messages": "payload", "payload": "messages"}
    kept = {w: v for w, v in words.items() if w not in {drop.get(c) for c in change}}
    return {**kept, **change}


def _built(
    document: Document, at: tuple[str | int, ...], verb: str, words: dict[str, JsonValue]
) -> Arguments:
    """The arguments, once their names are resolved: the schema holds for these too."""
    for problem in problems(arguments_validator(verb), words):
        tokens = [int(t) if t.isdecimal() else t for t in tokens_of(problem.path)]
        where = f"{problem.path}: " if problem.path else ""
        raise document.at(*at, *tokens).error(where + problem.message)
    arguments = build(VERBS[verb], words)
    if isinstance(arguments, Emit) and (arguments.messages is None) == (arguments.payload is None):
        raise document.at(*at).error("emit takes messages, or else a payload")
    return arguments


def _check_one_edit(one: Arguments, other: Arguments, place: Position) -> None:
    """A twin differs in one word, and where that is a list of messages, by one JSON Patch op.

    A payload in place of messages is one edit of the envelope. The stamp may change with either:
    it says what the payload is.
    """
    kind: Any = type(one)
    differing = {
        name
        for name, _ in words_of(kind)
        if name not in _EXPECTED and not equal(getattr(one, name), getattr(other, name))
    }
    body = differing & {"messages", "payload"}
    words = {"body", *(differing - body - {"stamp"})} if body else differing
    if len(words) != 1:
        found = ", ".join(sorted(differing)) or "nothing"
        raise place.error(f"a twin changes exactly one word; this one changes {found}")
    for word in words & {"body", "with_"}:
        name = "messages" if word == "body" else word
        if body != {"payload", "messages"} and not one_edit(
            getattr(one, name, None), getattr(other, name, None), whole_from=3
        ):
            raise place.error("a twin is one edit away; this one is more")
