"""The test of the tests: every sabotage against every row, held to what the scenarios declare.

The baseline is green; a sabotage turns its declared rows red and changes no other; each requirement
has a sabotage that turns it red alone; one that changes nothing on the wire is an error.

A row for which the whole host never consults what a sabotage replaces, or would have had the same
answers of it, cannot change for it: it is not asked again.
"""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from types import MappingProxyType
from typing import Final

from starlette.types import ASGIApp

from ..adapters.asgi import AsgiHost
from ..corpus import corpus
from ..engine.run import is_timed, run
from ..engine.session import Options, Session
from ..engine.verdict import Disposition, Event, ScenarioFinished
from ..scenario.consumer_verbs import Rejects
from ..scenario.lint import load_of
from ..scenario.major_one_verbs import Explore
from ..scenario.model import Scenario, Step
from ..scenario.sdk_verbs import Splits
from .app import application
from .comparing import Change, marks, others
from .connect import build_app, credentials_for, policy_under, settings_of
from .consulting import Found, Notes, found_by, noting_policy, unconsulted
from .policy import Policy
from .sabotage import SABOTAGES, Sabotage, sabotage_called

SEED: Final = 1
_VOLATILE: Final = re.compile(
    r"[0-9a-f]{32}|\d{4}-\d\d-\d\dT[0-9:.]+Z|ow2k_[\w-]+|canary-[\w-]+", re.ASCII
)


FEW: Final = 8
"""So many cases of one step are asked of a sabotage that does not declare the row."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One run: each row's disposition, and a digest of the exchanges of each that is declared."""

    dispositions: Mapping[str, Disposition]
    wire: Mapping[str, str]
    consulted: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By scenario, the behaviours that the whole subject consulted."""
    alone: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The same without what the session consulted for all scenarios."""
    found: Found = ()
    """What the session found out by that."""

    def __or__(self, other: Outcome) -> Outcome:
        """Two runs with rows of their own as one."""
        return Outcome(
            {**self.dispositions, **other.dispositions},
            {**self.wire, **other.wire},
            {**self.consulted, **other.consulted},
            {**self.alone, **other.alone},
            self.found or other.found,
        )


@dataclass(frozen=True, slots=True)
class Line:
    """One sabotage: the rows that are red, those that had to be, and what is wrong with that."""

    name: str
    breaks: str
    red: tuple[str, ...]
    declared: tuple[str, ...]
    faults: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """All lines, and what is wrong with the whole."""

    lines: tuple[Line, ...]
    faults: tuple[str, ...]

    def __add__(self, other: Matrix) -> Matrix:
        """The two as one."""
        return Matrix((*self.lines, *other.lines), (*self.faults, *other.faults))


async def matrix_of(names: Sequence[str] = ()) -> Matrix:
    """Run the sabotages (all, or those named) and hold them to what is declared.

    Raises ``UsageError`` for a name that is none.
    """
    chosen = [sabotage_called(name) for name in names] or list(SABOTAGES.values())
    scenarios = scenarios_of_hosts()
    baselines, outcomes = await _run_all(chosen)
    faults = [
        f"the baseline {dict(kind) or ''} is not green: {row} is {disposition}"
        for kind, outcome in baselines.items()
        for row, disposition in outcome.dispositions.items()
        if disposition not in (Disposition.PASS, Disposition.INAPPLICABLE)
    ]
    lines = tuple(
        _line(s.name, s.breaks, baselines[kind_of(s)], outcome, scenarios)
        for s, outcome in zip(chosen, outcomes, strict=True)
    )
    faults += [f"{line.name}: {fault}" for line in lines for fault in line.faults]
    if not names:
        faults += _uncovered(lines, scenarios)
    return Matrix(lines, tuple(faults))


def declared_rows(name: str, scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """The rows that have to turn red: those of the scenarios that list the sabotage."""
    return tuple(sorted(s.requirement for s in scenarios if name in s.sabotage))


def _line(
    name: str, breaks: str, baseline: Outcome, outcome: Outcome, scenarios: Sequence[Scenario]
) -> Line:
    declared = declared_rows(name, scenarios)
    changed = {
        row
        for row, disposition in outcome.dispositions.items()
        if disposition is not baseline.dispositions[row]
    }
    red = {row for row in changed if outcome.dispositions[row] is Disposition.FAIL}
    faults = [f"{row} stays {outcome.dispositions.get(row)}" for row in declared if row not in red]
    faults += [
        f"{row} becomes {outcome.dispositions[row]}, which is not declared"
        for row in sorted(changed - set(declared))
    ]
    if changed_fields := changed_by(sabotage_called(name)):
        mine = (s for s in scenarios if name in s.sabotage)
        faults += unconsulted(changed_fields, mine, baseline.consulted)
    silent = all(baseline.wire[row] == digest for row, digest in outcome.wire.items())
    if silent and not sabotage_called(name).of_time:
        faults.append("it changes nothing on the wire")
    if not declared:
        faults.append("no scenario lists it")
    return Line(name, breaks, tuple(sorted(red)), declared, tuple(faults))


def _uncovered(lines: Sequence[Line], scenarios: Sequence[Scenario]) -> list[str]:
    alone = {line.red[0] for line in lines if len(line.red) == 1}
    return [
        f"{scenario.requirement}: no sabotage turns it red alone"
        for scenario in scenarios
        if scenario.requirement not in alone
    ]


@cache
def scenarios_of_hosts() -> Sequence[Scenario]:
    """The scenarios for hosts."""
    return load_of(corpus(), "host")


# ------------------------------------------------------------------------------- running

_NONE: Final[Mapping[str, int]] = MappingProxyType({})

Kind = tuple[tuple[str, str], ...]
"""The arguments of ``reference`` under which something is asked."""
Turns = Mapping[str, int]
"""Scenarios that are asked, each with a number to take turns by."""
Task = tuple[str | None, Kind, Turns, Turns, Found]
"""A sabotage's name or ``None``, its kind, what is asked in any case, and what is asked where the
session finds out anything else than this of the host."""


async def _run_all(chosen: Sequence[Sabotage]) -> tuple[dict[Kind, Outcome], list[Outcome]]:
    """The whole host under each of the settings, and each sabotage.

    Each run in a process of a pool: they share nothing but the clock.
    """
    loop = asyncio.get_running_loop()
    workers = (os.cpu_count() or 1) + 1  # one more, for they wait a good deal
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:

        async def outcomes(tasks: Iterable[Task]) -> list[Outcome]:
            runs = (loop.run_in_executor(pool, _outcome_in_process, task) for task in tasks)
            return await asyncio.gather(*runs)

        kinds = sorted({kind_of(sabotage) for sabotage in chosen} | {()})
        first, second = [
            await outcomes((None, kind, _of_major(major), {}, ()) for kind in kinds)
            for major in (1, 2)  # each alone, so that what it finds out first is not the other's
        ]
        baselines = {kind: a | b for kind, a, b in zip(kinds, first, second, strict=True)}
        return baselines, await outcomes(tasks_of(chosen, baselines))


def kind_of(sabotage: Sabotage) -> Kind:
    """Under what a sabotage is asked."""
    return tuple(sorted(sabotage.settings.items()))


def breaks_under(kind: Kind) -> Iterator[tuple[str, Change]]:
    """The sabotages that are asked under some settings, each by its name and what it changes."""
    return ((name, s.change) for name, s in SABOTAGES.items() if kind_of(s) == kind)


def changed_by(sabotage: Sabotage) -> frozenset[str]:
    """What is noted of a row that a sabotage may change; nothing where it wraps the whole host."""
    return frozenset(marks(sabotage.name, sabotage.change))


def _of_major(major: int) -> Turns:
    return {scenario.id: 0 for scenario in scenarios_of_hosts() if scenario.major == major}


def tasks_of(chosen: Sequence[Sabotage], baselines: Mapping[Kind, Outcome]) -> Iterator[Task]:
    """What is asked of each sabotage: all that it could change, or is declared to.

    What it could change only by what the session asked for all scenarios is doubtful.
    """
    turns = Counter[str]()
    for sabotage in chosen:
        whole, changed = baselines[kind_of(sabotage)], changed_by(sabotage)
        asked, doubtful = dict[str, int](), dict[str, int]()
        for scenario in scenarios_of_hosts():
            name = scenario.id
            wraps = not changed
            if wraps or sabotage.name in scenario.sabotage or changed & whole.alone[name]:
                asked[name] = turns[name]
            elif changed & whole.consulted[name]:
                doubtful[name] = turns[name]
        yield sabotage.name, kind_of(sabotage), asked, doubtful, whole.found
        turns.update(asked.keys())


def _outcome_in_process(task: Task) -> Outcome:
    return asyncio.run(outcome_of(*task))


async def outcome_of(
    name: str | None, kind: Kind, turns: Turns, doubtful: Turns = _NONE, expected: Found = ()
) -> Outcome:
    """Some scenarios against the reference host, whole or with one sabotage.

    Rows that a sabotage does not declare are asked a few of their fixtures' cases, in turn; what
    measures time is left out there. What is ``doubtful`` is asked where the session does not find
    what is expected.
    """
    settings, notes = settings_of(dict(kind)), Notes()
    if name is None:
        policy = noting_policy(policy_under(settings, Policy()), notes, others(breaks_under(kind)))
        app: ASGIApp = application(settings, policy)
    else:
        sabotage = sabotage_called(name)
        app = sabotage.wrap(build_app(settings, sabotage.change(Policy())), settings)
    host = AsgiHost(app, "reference")
    session = Session(host, Options(seed=SEED), credentials_for(settings))
    wire: dict[str, str] = {}

    def tell(event: Event) -> None:
        if isinstance(event, ScenarioFinished) and name in (None, *event.scenario.sabotage):
            wire[event.row.id] = _wire_digest(event)

    try:
        found = await found_by(session) if name is None or doubtful else expected
        if found != expected:
            turns = {**turns, **doubtful}
        asked = [_asked_of(name, s, turns[s.id]) for s in scenarios_of_hosts() if s.id in turns]
        rows = await run(list(filter(None, asked)), session, tell)
    finally:
        await host.close()
    dispositions = {row.id: row.disposition for row in rows}
    return Outcome(dispositions, wire, notes.by(turns), notes.alone(turns), found)


def _asked_of(name: str | None, scenario: Scenario, turn: int) -> Scenario | None:
    """What of a scenario is asked: all of the whole host and of what it is declared to turn red."""
    if name is None or name in scenario.sabotage:
        return scenario
    return None if is_timed(scenario) else in_turn(scenario, turn)


def in_turn(scenario: Scenario, turn: int, few: int = FEW) -> Scenario:
    """The scenario with at most a ``few`` of its cases, other ones in each turn."""
    steps = tuple(_explored_less(step, turn, few) for step in scenario.steps)
    cases = [step for step in steps if step.case is not None]
    if len(cases) > few:
        kept = {cases[(turn * few + i) % len(cases)].case for i in range(few)}
        steps = tuple(step for step in steps if step.case is None or step.case in kept)
    return replace(scenario, steps=steps)


def _explored_less(step: Step, turn: int, few: int) -> Step:
    if isinstance(step.arguments, Explore):
        return replace(step, arguments=replace(step.arguments, sequences=2))
    if isinstance(step.arguments, Splits):
        return replace(step, arguments=replace(step.arguments, places=few))
    if isinstance(step.arguments, Rejects):
        cases = step.arguments.cases
        some = [cases[(turn * few + i) % len(cases)] for i in range(min(few, len(cases)))]
        return replace(step, arguments=replace(step.arguments, cases=some))
    return step


def _wire_digest(finished: ScenarioFinished) -> str:
    """What went over the wire, without ids and times that differ in every run."""
    total = hashlib.sha256()
    for exchange in finished.exchanges:
        response = exchange.response
        parts = [exchange.request.method, exchange.request.target]
        if response is not None:
            parts.append(str(response.status))
            parts += [f"{k}: {v}" for k, v in sorted(response.headers) if k != "etag"]
            parts.append(response.body.decode(errors="replace"))
        total.update("\n".join(_VOLATILE.sub("…", part) for part in parts).encode())
    return total.hexdigest()
