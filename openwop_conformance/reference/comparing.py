"""Where a broken behaviour would answer as the whole one does: there, its break changes nothing.

While the whole host runs, the broken behaviours are asked the same as the whole ones. That says
nothing of a behaviour that acts on what it is given (``ACTING``), nor of one that remembers: a
break makes that anew for each host. For these it counts that they are consulted at all. Only one
that remembers each run apart (``OfRuns``) can be compared: as long as it answers as the whole one,
a run goes on as in the whole host, and what became of the others is nothing to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any, Final, Protocol, TypeAlias

from .policy import Policy
from .rules import Admission
from .v1.delta import Projection
from .v1.policy import V1Policy

Behaviour: TypeAlias = Callable[..., Any]
Change: TypeAlias = Callable[[Policy], Policy]
Others: TypeAlias = Mapping[str, list[tuple[str, Behaviour]]]
"""By a behaviour's name, the broken ones to compare it with, each with what is noted of it."""

PARTS: Final = (Policy, V1Policy, Projection)
"""What has behaviours."""
ACTING: Final = frozenset(
    {"observe_trust", "new_fold", "new_trust", "v1.follow", "v1.delta.new_subscriber"}
)
"""Behaviours that change what they are given, or make what will be changed."""


@dataclass(frozen=True, slots=True)
class OfRuns:
    """A change to behaviours that remember, and of one run nothing about another."""

    change: Change

    def __call__(self, policy: Policy) -> Policy:
        """The policy, changed."""
        return self.change(policy)


class Noting(Protocol):
    """Notes names, and knows which it has."""

    def __call__(self, name: str) -> None:
        """Note a name."""

    def __contains__(self, name: str) -> bool:
        """Whether a name is noted."""


def behaviours(policy: Policy | V1Policy | Projection, within: str = "") -> dict[str, Any]:
    """The behaviours of a policy by their names; each rule of admission is one."""
    found: dict[str, Any] = {}
    for name in (field.name for field in fields(policy)):
        held = getattr(policy, name)
        if isinstance(held, PARTS):
            found |= behaviours(held, f"{within}{name}.")
        elif name == "rules":
            found[name] = [rule.name for rule in held]
            found |= {f"{name}.{rule.name}": rule.judge for rule in held}
        else:
            found[within + name] = held
    return found


def marks(name: str, change: Change) -> dict[str, tuple[str, Any]]:
    """The behaviours that a break replaces, by what is noted of a row which that may change.

    That is the behaviour's name where it is enough to consult it, and else the break's as well.
    """
    whole, broken, again = map(behaviours, (Policy(), change(Policy()), change(Policy())))
    found: dict[str, tuple[str, Any]] = {}
    for field, held in whole.items():
        other = broken.get(field)
        if other != held:
            comparable = callable(other) and field not in ACTING
            compared = comparable and (isinstance(change, OfRuns) or other == again[field])
            found[f"{field} of {name}" if compared else field] = field, other
    return found


def others(breaks: Iterable[tuple[str, Change]]) -> Others:
    """What of some breaks can be compared with the whole."""
    found: dict[str, list[tuple[str, Behaviour]]] = {}
    for name, change in breaks:
        for mark, (field, other) in marks(name, change).items():
            if mark != field:
                found.setdefault(field, []).append((mark, other))
    return found


def compared(whole: Behaviour, others: list[tuple[str, Behaviour]], note: Noting) -> Behaviour:
    """The whole behaviour, which notes once which of the others would have answered otherwise."""

    def asked(*given: Any) -> Any:
        left = [(mark, other, _copied(given)) for mark, other in others if mark not in note]
        said = _said(whole, given)
        for mark, other, copies in left:
            if not alike((said, given), (_said(other, copies), copies)):
                note(mark)
        if said.refusal is not None:
            raise said.refusal
        return said.answer

    return asked


@dataclass(frozen=True, slots=True)
class _Said:
    answer: Any = None
    refusal: Exception | None = None


def _said(behaviour: Behaviour, given: tuple[Any, ...]) -> _Said:
    try:
        return _Said(behaviour(*given))
    except Exception as refusal:
        return _Said(refusal=refusal)


def _copied(given: tuple[Any, ...]) -> tuple[Any, ...]:
    """What is given, as it is, but for an admission: rules write there what they find out."""
    return tuple(copy(value) if isinstance(value, Admission) else value for value in given)


def alike(one: Any, other: Any) -> bool:
    """Whether nobody could tell two values apart; of what cannot be looked into, only itself."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, Exception):
        return alike((one.args, vars(one)), (other.args, vars(other)))
    if is_dataclass(one):
        names = _compared_fields(one.__class__)
        return all(alike(getattr(one, name), getattr(other, name)) for name in names)
    if isinstance(one, float):
        return repr(one) == repr(other)
    return isinstance(one, (str, bytes, int)) and one == other


@cache
def _compared_fields(kind: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind) if field.compare)
