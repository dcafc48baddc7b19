"""A run: every scenario gated, taken step by step, cleaned up after, and given its one row.

Scenarios run concurrently and share nothing but the host, so neither order nor concurrency shows in
the rows.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import Final

from ..adapters.calls import call
from ..adapters.host import Request
from ..adapters.operations import V2
from ..errors import DocumentError, ExchangeError
from ..scenario.major_one_verbs import Economy
from ..scenario.model import Scenario, Step
from ..scenario.sdk_verbs import Scales
from .gates import decide
from .session import Session, asked_for
from .steps import take
from .verdict import (
    Blocked,
    CheckFailed,
    Disposition,
    Failure,
    Inapplicable,
    Listener,
    Row,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    Skipped,
)
from .witness import Witness

SCENARIO_WITHIN: Final = 120.0
"""Seconds that one scenario may take, whatever the host does."""
CLEANED_WITHIN: Final = 10.0
_ITS_OWN: Final = ("crashed", "garbage")
"""What a program does of itself, and no network to it."""


async def run(scenarios: Sequence[Scenario], session: Session, tell: Listener) -> tuple[Row, ...]:
    """Run scenarios against a subject; the rows, by id. Raises ``UnreachableError`` before any.

    What is no host is asked one thing after the other.
    """
    with asked_for("session"):
        return await _run(scenarios, session, tell)


async def _run(scenarios: Sequence[Scenario], session: Session, tell: Listener) -> tuple[Row, ...]:
    started = session.clock()
    tell(RunStarted(session.host.name, session.options.seed, tuple(scenarios), session.kind))
    await session.first_contact()
    turn = asyncio.Semaphore(session.options.jobs if session.kind == "host" else 1)

    async def in_turn(scenario: Scenario) -> Row:
        async with turn:
            finished = await run_one(scenario, session)
        tell(finished)
        return finished.row

    together = [scenario for scenario in scenarios if not is_timed(scenario)]
    rows = await asyncio.gather(*(in_turn(scenario) for scenario in together))
    for scenario in scenarios:
        if is_timed(scenario):
            rows.append(await in_turn(scenario))
    ordered = tuple(sorted(rows, key=lambda row: row.id))
    dialect = session.known_dialect
    spoken = None if dialect is None else dialect.as_json()
    where = session.host.name.rstrip("/") + V2.discovery().target
    seconds = session.clock() - started
    tell(RunFinished(ordered, seconds, spoken, session.discovery, where))
    return ordered


def is_timed(scenario: Scenario) -> bool:
    """Whether a scenario measures time, and so runs alone."""
    steps = (step.arguments for step in scenario.steps)
    return any(
        isinstance(args, Scales) or (isinstance(args, Economy) and args.of == "time")
        for args in steps
    )


async def run_one(scenario: Scenario, session: Session) -> ScenarioFinished:
    """One scenario, start to end. Never raises for anything that a host can do."""
    with asked_for(scenario.id):
        return await _run_one(scenario, session)


async def _run_one(scenario: Scenario, session: Session) -> ScenarioFinished:
    witness = Witness(session, scenario)
    failures: list[Failure] = []
    started = session.clock()
    disposition, reason = Disposition.PASS, ""
    try:
        async with session.within(SCENARIO_WITHIN):
            await decide(session, scenario)
            await _take_all(witness, failures)
    except Exception as fault:
        disposition, reason = held_back(fault)
    finally:
        await _clean_up(witness)
    if failures:
        disposition, reason = Disposition.FAIL, _reason(failures)
    elif disposition is Disposition.PASS and not (witness.assertions and witness.exchanges):
        disposition, reason = Disposition.BLOCKED, "nothing was asserted: the scenario is empty"
    row = Row(
        scenario.requirement,
        scenario.id,
        disposition,
        witness.assertions if disposition in (Disposition.PASS, Disposition.FAIL) else 0,
        witness.plain(reason),
        witness.measured or None,
    )
    return ScenarioFinished(
        scenario, row, tuple(failures), tuple(witness.exchanges), session.clock() - started
    )


def held_back(fault: Exception) -> tuple[Disposition, str]:
    """The disposition of a scenario that was broken off, and why it was."""
    match fault:
        case Inapplicable():
            return Disposition.INAPPLICABLE, str(fault)
        case Skipped():
            return Disposition.SKIPPED, str(fault)
        case Blocked() | ExchangeError():
            return Disposition.BLOCKED, str(fault)
        case TimeoutError():
            return Disposition.BLOCKED, "the scenario did not end within its time"
        case DocumentError():
            return Disposition.BLOCKED, f"the scenario is wrong: {fault.message}"
    return Disposition.BLOCKED, f"the suite itself failed: {type(fault).__name__}: {fault}"


async def _take_all(witness: Witness, failures: list[Failure]) -> None:
    """Every step in order, up to the first failure; the cases of one step are independent."""
    for index, step in enumerate(witness.scenario.steps):
        if failures and not _same_cases(witness.scenario.steps[index - 1], step):
            return
        judged = witness.assertions
        try:
            await take(witness, step)
        except CheckFailed as failed:
            failures.append(_failure(witness, step, failed))
        except ExchangeError as fault:
            if fault.kind not in _ITS_OWN and (not judged or fault.kind == "timeout"):
                raise  # slowness is never a verdict, and silence before any judgement neither
            lost = witness.exchanges[-1] if witness.exchanges else None
            failures.append(
                _failure(witness, step, CheckFailed(f"no answer: {fault}", exchange=lost))
            )
            return


def _same_cases(one: Step, other: Step) -> bool:
    return one.case is not None and other.case is not None and one.place == other.place


def _failure(witness: Witness, step: Step, failed: CheckFailed) -> Failure:
    return Failure(
        message=witness.plain(str(failed)),
        place=str(step.place),
        because=step.because,
        expected=witness.plain(failed.expected) if failed.expected else None,
        got=witness.plain(failed.got) if failed.got else None,
        case=step.case,
        exchange=failed.exchange,
        scenario=failed.scenario,
    )


def _reason(failures: list[Failure]) -> str:
    """What the row says: the first failure in words, and how many more there are."""
    first = failures[0]
    text = first.message
    if first.case:
        text += f" (fixture {first.case})"
    if first.because:
        text += f"; the rule: {first.because}"
    more = len(failures) - 1
    return text + (f"; and {more} more" if more else "")


async def _clean_up(witness: Witness) -> None:
    """Cancel every run that was started, close every client, and end what still listens.

    What goes wrong here says nothing about the subject.
    """

    async def send(request: Request, whose: str) -> None:
        with contextlib.suppress(ExchangeError, Blocked):
            await witness.session.send(request, whose)

    runs = (send(witness.api.cancel(run.id), "owner") for run in witness.runs.values())
    clients = (send(call("close", {"consumer": c}), "none") for c in sorted(witness.clients))
    with contextlib.suppress(TimeoutError):
        async with witness.session.within(CLEANED_WITHIN):
            await asyncio.gather(*runs, *clients)
    for task in witness.tasks:
        task.cancel()
    await asyncio.gather(*witness.tasks, return_exceptions=True)
