"""What of a whole reference subject each scenario consults: nothing else can change it when broken.

Behaviours have names: ``v1.discovery`` of the host's policy, ``state.write`` of an SDK's parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import fields
from typing import Any, TypeAlias, TypeVar, cast

from ..engine.session import SCOPE
from ..scenario.model import Scenario
from .policy import Policy
from .v1.policy import V1Policy

T = TypeVar("T")
Note: TypeAlias = Callable[[str], None]


class Notes:
    """The names of what was consulted, each on behalf of a scenario or of the whole session."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)

    def __call__(self, name: str) -> None:
        """Note that something was consulted."""
        self._names[SCOPE.get()].add(name)

    def by(self, scenarios: Iterable[Scenario]) -> Mapping[str, frozenset[str]]:
        """By a scenario's id, what was consulted for it: what the session asked is for them all."""
        for_all = self._names["session"]
        return {s.id: frozenset(for_all | self._names[s.id]) for s in scenarios}


class _Noting:
    """A policy that notes which of its fields it was asked for."""

    def __init__(self, policy: Policy | V1Policy, note: Note, within: str = "") -> None:
        self._policy, self._note, self._within = policy, note, within

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._policy, name)
        if isinstance(held, V1Policy):
            return _Noting(held, self._note, f"{name}.")
        self._note(self._within + name)
        return held


def unconsulted(
    changed: Set[str], scenarios: Iterable[Scenario], consulted: Mapping[str, frozenset[str]]
) -> list[str]:
    """The rows that are declared to turn red and consult nothing of what is changed.

    One is told whatever became of it: then something is consulted, and goes by unnoted.
    """
    return [
        f"{scenario.requirement} consults nothing of what is replaced"
        for scenario in scenarios
        if not changed & consulted.get(scenario.id, changed)
    ]


def noting_policy(policy: Policy, note: Note) -> Policy:
    """The same policy, which notes what of it is consulted."""
    return cast(Policy, _Noting(policy, note))


def noting_class(whole: type[T], part: str, note: Note) -> type[T]:
    """The same class, whose objects note what they are asked for."""

    def asked(self: object, name: str) -> Any:
        note(f"{part}.{name}")
        return object.__getattribute__(self, name)

    return type(whole.__name__, (whole,), {"__getattribute__": asked})


def replaced(one: Policy | V1Policy, other: Policy | V1Policy) -> Iterator[str]:
    """The names of the fields in which two policies differ."""
    for name in (field.name for field in fields(one)):
        left, right = getattr(one, name), getattr(other, name)
        if isinstance(left, V1Policy):
            yield from (f"{name}.{field}" for field in replaced(left, right))
        elif left != right:
            yield name
