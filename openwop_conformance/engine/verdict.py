"""What a run says: five dispositions, a row for each requirement, the events on the way there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from ..adapters.host import Request, Response
from ..errors import ConformanceError
from ..jsonvalue import JsonValue
from ..scenario.model import Scenario, Subject


class Disposition(StrEnum):
    """One for each requirement and run."""

    PASS = "executed-pass"  # noqa: S105
    FAIL = "executed-fail"
    SKIPPED = "skipped"
    """The operator opted out."""
    INAPPLICABLE = "inapplicable"
    """A fact about the subject: the rule does not bind it."""
    BLOCKED = "blocked"
    """A fact about the suite or the harness, or a claim that could not be exercised."""


@dataclass(frozen=True, slots=True)
class Row:
    """The outcome of one requirement. ``reason`` is empty for a pass, and only then."""

    id: str
    scenario: str
    disposition: Disposition
    assertions: int = 0
    reason: str = ""
    measured: JsonValue = field(default=None, compare=False)
    """What was measured, as evidence: it differs from run to run, and is no part of the digest."""

    def as_json(self) -> dict[str, JsonValue]:
        """The row as it is hashed: no clock, no place, no worker in it."""
        return {
            "id": self.id,
            "scenario": self.scenario,
            "disposition": str(self.disposition),
            "assertions": self.assertions,
            **({"reason": self.reason} if self.reason else {}),
        }

    def as_record(self) -> dict[str, JsonValue]:
        """The row as it is written: also what was measured."""
        measured = {} if self.measured is None else {"measured": self.measured}
        return {**self.as_json(), **measured}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came of it. ``whose`` names the key it carried, never the key itself."""

    number: int
    request: Request
    whose: str
    response: Response | None = None
    fault: str | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that was not as the rule has it."""

    message: str
    place: str
    because: str | None = None
    expected: str | None = None
    got: str | None = None
    case: str | None = None
    exchange: Exchange | None = None
    scenario: str | None = None
    """A scenario file that shows the same, where one was found out."""


class CheckFailed(ConformanceError):
    """The subject broke the rule that is being witnessed."""

    def __init__(
        self,
        message: str,
        *,
        expected: str | None = None,
        got: str | None = None,
        exchange: Exchange | None = None,
        scenario: str | None = None,
    ) -> None:
        super().__init__(message)
        self.expected, self.got, self.exchange = expected, got, exchange
        self.scenario = scenario


class Blocked(ConformanceError):
    """The rule could not be witnessed; the message says why."""


class Inapplicable(ConformanceError):
    """The rule does not bind this subject; the message is a fact about it."""


class Skipped(ConformanceError):
    """The operator opted out of what the rule needs."""


# ------------------------------------------------------------------------------- events


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run is about to begin. ``scenarios`` are those that were chosen."""

    subject: str
    seed: int
    scenarios: tuple[Scenario, ...]
    kind: Subject = "host"


@dataclass(frozen=True, slots=True)
class ScenarioFinished:
    """One scenario is done: its row, what failed, and the exchanges it took."""

    scenario: Scenario
    row: Row
    failures: tuple[Failure, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class RunFinished:
    """The run is over: the rows by id, and how long it took."""

    rows: tuple[Row, ...]
    seconds: float = field(default=0.0, compare=False)
    dialect: JsonValue = None
    """How the host speaks major 1, where that was found out."""
    discovery: JsonValue = None
    """The discovery document that was read first, at ``discovery_url``."""
    discovery_url: str = ""


Event: TypeAlias = RunStarted | ScenarioFinished | RunFinished
Listener: TypeAlias = Callable[[Event], None]


def exit_code(rows: tuple[Row, ...]) -> int:
    """0 conformant, 1 something failed, 3 something that binds was not witnessed."""
    found = {row.disposition for row in rows}
    if Disposition.FAIL in found:
        return 1
    return 3 if Disposition.BLOCKED in found or Disposition.PASS not in found else 0


def verdict(rows: tuple[Row, ...]) -> str:
    """The verdict in one sentence; it names how many rules it is about."""
    count = {d: sum(row.disposition is d for row in rows) for d in Disposition}
    code = exit_code(rows)
    if code == 1:
        broken = count[Disposition.FAIL]
        return f"Not conformant: {broken} {'rules are' if broken != 1 else 'rule is'} broken."
    if code == 0:
        kept, left = count[Disposition.PASS], count[Disposition.SKIPPED]
        but, other = (f" but for {left} opted out of", " other") if left else ("", "")
        bound = (
            f"the 1{other} rule that binds this subject was"
            if kept == 1
            else f"the {kept}{other} rules that bind this subject were"
        )
        return f"Conformant{but}: {bound} witnessed, and kept."
    missed = count[Disposition.BLOCKED]
    if not missed:
        return "Incomplete: no rule was witnessed."
    verb = "rules were" if missed != 1 else "rule was"
    return f"Incomplete: nothing failed, but {missed} {verb} not witnessed."
