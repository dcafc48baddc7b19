"""What is wrong with a value that its schema refuses, in words: the nearest branch's problems.

Asked only for what was refused; the verdict is never made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from ..jsonvalue import JsonValue, brief, pointer_of
from ..schemas import Problem

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator, ValidationError

MOST_PROBLEMS: Final = 20
_MOST_READ: Final = 200
_MEMBERSHIP: Final = ("additionalProperties", "unevaluatedProperties", "required")
Place = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Fault:
    """One keyword that fails: where, which, and how it is told."""

    at: Place
    keyword: str
    message: str


def problems_of(check: Draft202012Validator, value: JsonValue) -> list[Problem]:
    """The problems of a refused value, each once, a missing or unknown member under its own path.

    Empty when ``check`` finds none, as one that tells more may.
    """
    try:
        errors = list(islice(check.iter_errors(value), _MOST_READ))
    except ValueError as error:  # what is no JSON value: a number as a member's name
        return [Problem("", str(error).partition("\n")[0])]
    faults = _settled([fault for error in errors for fault in _faults(error)])
    found = dict.fromkeys((fault.at, fault.message) for fault in faults)
    return [Problem(pointer_of(at), message) for at, message in islice(found, MOST_PROBLEMS)]


def _faults(error: ValidationError) -> Iterator[Fault]:
    kind: Any = error.kind
    at, keyword = tuple(error.instance_path), kind.name
    if keyword in ("oneOf", "anyOf"):
        if branches := [
            faults
            for branch in kind.context
            if (faults := _settled([fault for inner in branch for fault in _faults(inner)]))
        ]:
            yield from _nearest(branches, at, error.instance)
        else:
            yield Fault(at, keyword, f"{brief(error.instance)} fits more than one of the forms")
    elif keyword == "required":
        yield Fault((*at, kind.property), keyword, f"{kind.property!r} is missing")
    elif keyword in ("additionalProperties", "unevaluatedProperties"):
        for name in kind.unexpected:
            yield Fault((*at, name), keyword, f"{brief(name)} is no property of this")
    elif keyword == "enum" and at[-1:] == ("call",):
        yield Fault(at, keyword, f"{brief(error.instance)} is not a function of the catalog")
    elif keyword == "type":
        wanted = " or ".join(kind.types)
        yield Fault(at, keyword, f"{brief(error.instance)} is not of type {wanted}")
    else:
        text = error.message
        yield Fault(at, keyword, text if len(text) <= 200 else text[:199] + "…")


def _settled(faults: list[Fault]) -> list[Fault]:
    """Without the members that count as unevaluated only since their own schema has failed."""
    real = [fault for fault in faults if fault.keyword != "unevaluatedProperties"]
    return [
        fault
        for fault in faults
        if fault.keyword != "unevaluatedProperties"
        or not any(other.at[: len(fault.at) - 1] == fault.at[:-1] for other in real)
    ]


def _nearest(branches: list[list[Fault]], at: Place, value: JsonValue) -> list[Fault]:
    """The problems of the branch that was most likely meant."""
    meant = [faults for faults in branches if not _typed(faults, at)]
    if not meant:
        types = dict.fromkeys(
            fault.message.rpartition(" type ")[2]
            for faults in branches
            for fault in faults
            if fault.keyword == "type" and fault.at == at
        )
        message = f"{brief(value)} is not of type {' or '.join(types)}"
        return [Fault(at, "type", message)]
    return min(meant, key=_distance(at))


def _typed(faults: Sequence[Fault], at: Place) -> bool:
    return any(fault.at == at and fault.keyword == "type" for fault in faults)


def _distance(at: Place) -> Callable[[list[Fault]], tuple[int, ...]]:
    """How far a value is from a branch: members too many or missing, then other constants."""

    def distance(faults: list[Fault]) -> tuple[int, ...]:
        near = {fault.at: fault.keyword for fault in faults if len(fault.at) == len(at) + 1}
        wrong = sum(keyword in _MEMBERSHIP for keyword in near.values())
        other = sum(keyword in ("const", "enum") for keyword in near.values())
        deepest = max(len(fault.at) for fault in faults)
        return wrong, other, -deepest, len(faults)

    return distance
