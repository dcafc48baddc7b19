"""What of a whole reference subject each scenario consults: nothing else can change it when broken.

Behaviours have names: ``v1.discovery`` of the host's policy, ``state.write`` of an SDK's parts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping, Set
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final, TypeAlias, TypeVar, cast

from ..engine.gates import require_seam
from ..engine.session import SCOPE, Session
from ..engine.verdict import Blocked, Inapplicable
from ..errors import ExchangeError
from ..scenario.model import Scenario
from .comparing import PARTS, Noting, Others, compared
from .policy import Policy
from .rules import Admission, Rule

T = TypeVar("T")
Note: TypeAlias = Callable[[str], None]
Found: TypeAlias = tuple[object, ...]

_NO_OTHERS: Final[Others] = MappingProxyType({})


class Notes:
    """The names of what was consulted, each on behalf of a scenario or of the whole session."""

    def __init__(self) -> None:
        self._names: dict[str, set[str]] = defaultdict(set)

    def __call__(self, name: str) -> None:
        """Note that something was consulted."""
        self._names[SCOPE.get()].add(name)

    def __contains__(self, name: str) -> bool:
        """Whether it is noted already."""
        return name in self._names[SCOPE.get()]

    def by(self, scenarios: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """By a scenario's id, what was consulted for it: what the session asked is for them all."""
        for_all = self._names["session"]
        return {name: alone | for_all for name, alone in self.alone(scenarios).items()}

    def alone(self, scenarios: Iterable[str]) -> Mapping[str, frozenset[str]]:
        """The same without what the session asked."""
        return {name: frozenset(self._names[name]) for name in scenarios}


class _Noting:
    """A policy that notes which of its behaviours it was asked for, and which others differ."""

    def __init__(self, part: Any, note: Noting, others: Others, within: str = "") -> None:
        self._part, self._note, self._others, self._within = part, note, others, within

    def __getattr__(self, name: str) -> Any:
        held, name = getattr(self._part, name), self._within + name
        if isinstance(held, PARTS):
            return _Noting(held, self._note, self._others, f"{name}.")
        self._note(name)
        if name == "rules":
            return tuple(replace(rule, judge=self._judge(rule)) for rule in held)
        return self._compared(name, held)

    def _judge(self, rule: Rule) -> Callable[[Admission], int | None]:
        """The judge of a rule, which is consulted when it is asked."""
        name = f"rules.{rule.name}"
        judge: Callable[[Admission], int | None] = self._compared(name, rule.judge)

        def noted(admission: Admission) -> int | None:
            self._note(name)
            return judge(admission)

        return noted

    def _compared(self, name: str, held: Any) -> Any:
        return compared(held, self._others[name], self._note) if name in self._others else held


async def found_by(session: Session) -> Found:
    """What a session finds out of a host once: all that its questions are to the scenarios."""

    async def told(ask: Callable[[], Awaitable[object]]) -> object:
        try:
            return await ask()
        except (Blocked, Inapplicable, ExchangeError) as fault:
            return type(fault).__name__, str(fault)

    asks = (session.claims, session.claims_v1, session.dialect, partial(require_seam, session))
    return tuple([await told(ask) for ask in asks])


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


def noting_policy(policy: Policy, note: Noting, others: Others = _NO_OTHERS) -> Policy:
    """The same policy, which notes what of it is consulted, and which ``others`` would differ."""
    return cast(Policy, _Noting(policy, note, others))


def noting_class(whole: type[T], part: str, note: Note) -> type[T]:
    """The same class, whose objects note what they are asked for."""

    def asked(self: object, name: str) -> Any:
        note(f"{part}.{name}")
        return object.__getattribute__(self, name)

    return type(whole.__name__, (whole,), {"__getattribute__": asked})
