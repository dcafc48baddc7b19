"""The same test of the tests for libraries: every sabotage of a kind of subject against its rows.

What is measured is counted here, not timed, so that each run gives the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import multiprocessing
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

from ..adapters.host import Subject
from ..adapters.sdk import InProcessSdk
from ..corpus import corpus
from ..engine.credentials import Credentials
from ..engine.run import is_timed, run
from ..engine.session import Options, Session
from ..engine.verdict import Disposition, Event, ScenarioFinished
from ..errors import UsageError
from ..scenario.consumer_verbs import Withstand
from ..scenario.lint import load_all
from ..scenario.model import Scenario
from ..scenario.model import Subject as SubjectKind
from .consumer.operations import ReferenceConsumer
from .matrix import SEED, Line, Matrix, Outcome, declared_rows, in_turn
from .sabotage.consumer import CONSUMER_SABOTAGES
from .sabotage.page import PAGE_SABOTAGES
from .sabotage.sdk import SDK_SABOTAGES
from .sdk.operations import ReferenceSdk

Kind = Literal["sdk", "consumer", "page"]

_AT_ONCE: Final = 12
"""Sabotages that one process of the pool is given at a time."""
_FEW: Final = 3
"""So many cases of a scenario are asked of a sabotage that does not declare its row."""
_LARGE: Final = 1000
_VOLATILE: Final = re.compile(
    rb"-[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)|127\.0\.0\.1:\d+"
)


@dataclass(frozen=True, slots=True)
class Family:
    """The sabotages of one kind of reference subject."""

    subject: SubjectKind
    sabotages: Mapping[str, Any]
    made: Callable[[str | None], Subject]
    """The subject, whole or with one sabotage."""


def _sdk(name: str | None) -> Subject:
    made = SDK_SABOTAGES[name].made(counts=True) if name else ReferenceSdk(counts=True)
    return InProcessSdk(made, "reference", trusted=True)


def _consumer(name: str | None) -> Subject:
    made = CONSUMER_SABOTAGES[name].made() if name else ReferenceConsumer()
    return InProcessSdk(made, "reference", trusted=True)


def _page(name: str | None) -> Subject:
    from ..adapters.browser import BrowserConsumer

    return BrowserConsumer(f"reference?sabotage={name}" if name else "reference")


FAMILIES: Final[Mapping[Kind, Family]] = {
    "sdk": Family("sdk", SDK_SABOTAGES, _sdk),
    "consumer": Family("consumer", CONSUMER_SABOTAGES, _consumer),
    "page": Family("consumer", PAGE_SABOTAGES, _page),
}


async def library_matrix_of(kind: Kind, names: Sequence[str] = ()) -> Matrix:
    """Run the sabotages of a kind (all, or those named) and hold them to what is declared.

    Raises ``UsageError`` for a name that is none.
    """
    known = FAMILIES[kind].sabotages
    for name in names:
        if name not in known:
            raise UsageError(f"there is no sabotage {name!r} of this kind")
    chosen = list(names or known)
    baseline, *outcomes = await _run_all(kind, [None, *chosen])
    faults = [
        f"the {kind} is not green: {row} is {disposition}"
        for row, disposition in baseline.dispositions.items()
        if disposition not in (Disposition.PASS, Disposition.INAPPLICABLE)
    ]
    lines = tuple(_line(kind, n, baseline, o) for n, o in zip(chosen, outcomes, strict=True))
    faults += [f"{line.name}: {fault}" for line in lines for fault in line.faults]
    return Matrix(lines, tuple(faults))


def uncovered(found: Matrix, subject: SubjectKind) -> list[str]:
    """The rows of a kind of subject that no sabotage turns red alone."""
    alone = {line.red[0] for line in found.lines if len(line.red) == 1}
    rows = {scenario.requirement for scenario in scenarios_of(subject)}
    return [f"{row}: no sabotage turns it red alone" for row in sorted(rows - alone)]


@cache
def scenarios_of(subject: SubjectKind) -> Sequence[Scenario]:
    """The scenarios for a kind of subject."""
    return [scenario for scenario in load_all(corpus()) if scenario.subject == subject]


def _line(kind: Kind, name: str, baseline: Outcome, outcome: Outcome) -> Line:
    family = FAMILIES[kind]
    declared = declared_rows(name, scenarios_of(family.subject))
    changed = {r for r, d in outcome.dispositions.items() if d is not baseline.dispositions[r]}
    red = {row for row in changed if outcome.dispositions[row] is Disposition.FAIL}
    faults = [f"{row} stays {outcome.dispositions.get(row)}" for row in declared if row not in red]
    faults += [
        f"{row} becomes {outcome.dispositions[row]}, which is not declared"
        for row in sorted(changed - set(declared))
    ]
    if all(baseline.wire[row] == outcome.wire.get(row) for row in declared):
        faults.append("it changes no answer")
    if not declared:
        faults.append("no scenario lists it")
    breaks = family.sabotages[name].breaks
    return Line(name, breaks, tuple(sorted(red)), declared, tuple(faults))


# ------------------------------------------------------------------------------- running


async def _run_all(kind: Kind, names: Sequence[str | None]) -> list[Outcome]:
    batches = [names[i : i + _AT_ONCE] for i in range(0, len(names), _AT_ONCE)]
    if len(batches) == 1:
        return [await outcome_of(kind, name) for name in names]
    loop = asyncio.get_running_loop()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(batches)), mp_context=context) as pool:
        found = await asyncio.gather(
            *(loop.run_in_executor(pool, _in_process, kind, batch) for batch in batches)
        )
    return [outcome for outcomes in found for outcome in outcomes]


def _in_process(kind: Kind, names: Sequence[str | None]) -> list[Outcome]:
    return [asyncio.run(outcome_of(kind, name)) for name in names]


async def outcome_of(kind: Kind, name: str | None) -> Outcome:
    """The scenarios against a reference subject, whole or with one sabotage.

    Rows that a sabotage does not declare are asked a few of their cases, in turn, and those that
    measure, or are large, not at all.
    """
    family = FAMILIES[kind]
    known = scenarios_of(family.subject)
    turn = list(family.sabotages).index(name) if name else 0
    asked = [
        s if name is None or name in s.sabotage else in_turn(s, turn, _FEW)
        for s in known
        if name is None or name in s.sabotage or not (is_timed(s) or _is_large(s))
    ]
    subject = family.made(name)
    session = Session(subject, Options(seed=SEED), Credentials(), kind=family.subject)
    wire: dict[str, str] = {}

    def tell(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            wire[event.row.id] = _wire_digest(event)

    try:
        rows = await run(asked, session, tell)
    finally:
        await subject.close()
    return Outcome({row.id: row.disposition for row in rows}, wire)


def _is_large(scenario: Scenario) -> bool:
    """Whether what is delivered is of a hostile size."""
    steps = (step.arguments for step in scenario.steps)
    return any(isinstance(args, Withstand) and args.size >= _LARGE for args in steps)


def _wire_digest(finished: ScenarioFinished) -> str:
    """What was answered, with the counts and without handles and moments."""
    total = hashlib.sha256()
    for exchange in finished.exchanges:
        total.update(exchange.request.target.encode())
        if exchange.response is not None:
            total.update(_VOLATILE.sub(b"", exchange.response.body))
    return total.hexdigest()
