"""The same test of the tests for libraries: every sabotage of a kind of subject against its rows.

What is measured is counted here, not timed, so that each run gives the same. A row for which the
whole subject never consults what a sabotage replaces is not asked again: see ``_asked``. A page is
slow, so a sabotage of it is asked less: see ``_asked_of_pages``.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import multiprocessing
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from ..adapters.calls import InProcess
from ..adapters.host import Bounds, Subject
from ..corpus import corpus
from ..engine.credentials import Credentials
from ..engine.hello import HELLO
from ..engine.offers import LOCKED
from ..engine.run import is_timed, run
from ..engine.session import Options, Session
from ..engine.verdict import Disposition, Event, ScenarioFinished
from ..errors import UsageError
from ..scenario.consumer_verbs import Rejects, Withstand
from ..scenario.lint import load_all
from ..scenario.model import Scenario
from ..scenario.model import Subject as SubjectKind
from .consulting import Note, Notes, unconsulted
from .consumer.operations import ReferenceConsumer
from .matrix import SEED, Line, Matrix, Outcome, declared_rows, in_turn
from .sabotage.consumer import CONSUMER_SABOTAGES
from .sabotage.consumer.model import noting_consumer
from .sabotage.page import PAGE_SABOTAGES
from .sabotage.sdk import SDK_SABOTAGES
from .sabotage.sdk.model import noting_sdk
from .sdk.operations import ReferenceSdk

if TYPE_CHECKING:
    from ..adapters.browser import BrowserConsumer
    from ..adapters.chromium import Chromium

Kind = Literal["sdk", "consumer", "page"]
Consulted = Mapping[str, frozenset[str]]
"""By scenario, what the whole subject consulted."""

_AT_ONCE: Final = 12
"""Sabotages that one process of the pool is given at a time."""
_FEW: Final = 2
"""So many cases of a scenario are asked of a sabotage that does not declare its row."""
_PAGES: Final = 4
"""Pages that are asked at once: they wait a good deal."""
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
    noting: Callable[[Note], Subject] | None = None
    """The whole subject, which notes what of it is consulted; ``None`` where it cannot."""
    lacks: frozenset[str] = frozenset()
    """The needs that the whole subject does not meet: their rows are inapplicable."""

    def expects(self, row: str) -> Disposition:
        """What a row has to be for the whole subject."""
        (scenario,) = (s for s in scenarios_of(self.subject) if s.requirement == row)
        lacking = not self.lacks.isdisjoint(scenario.needs)
        return Disposition.INAPPLICABLE if lacking else Disposition.PASS


def _sdk(name: str | None) -> Subject:
    made = SDK_SABOTAGES[name].made(counts=True) if name else ReferenceSdk(counts=True)
    return InProcess(made, "reference", trusted=True)


def _noting_sdk(note: Note) -> Subject:
    return InProcess(noting_sdk(note, counts=True), "reference", trusted=True)


def _noting_consumer(note: Note) -> Subject:
    return InProcess(noting_consumer(note), "reference", trusted=True)


def _consumer(name: str | None) -> Subject:
    made = CONSUMER_SABOTAGES[name].made() if name else ReferenceConsumer()
    return InProcess(made, "reference", trusted=True)


def _page(name: str | None, chromium: Chromium | None = None) -> BrowserConsumer:
    from ..adapters.browser import BrowserConsumer

    place = f"reference?sabotage={name}" if name else "reference"
    return BrowserConsumer(place, chromium=chromium)


FAMILIES: Final[Mapping[Kind, Family]] = {
    "sdk": Family("sdk", SDK_SABOTAGES, _sdk, _noting_sdk),
    "consumer": Family(
        "consumer",
        CONSUMER_SABOTAGES,
        _consumer,
        _noting_consumer,
        lacks=frozenset({"feature.network"}),
    ),
    "page": Family("consumer", PAGE_SABOTAGES, _page, lacks=frozenset({LOCKED})),
}


async def library_matrix_of(kind: Kind, names: Sequence[str] = ()) -> Matrix:
    """Run the sabotages of a kind (all, or those named) and hold them to what is declared.

    Raises ``UsageError`` for a name that is none, ``UnreachableError`` for a page where there is no
    browser.
    """
    known = FAMILIES[kind].sabotages
    for name in names:
        if name not in known:
            raise UsageError(f"there is no sabotage {name!r} of this kind")
    chosen = list(names or known)
    baseline, outcomes = await _run_all(kind, chosen)
    faults = [
        f"the {kind} is not green: {row} is {disposition}"
        for row, disposition in baseline.dispositions.items()
        if disposition is not FAMILIES[kind].expects(row)
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
    if baseline.consulted:
        mine = (s for s in scenarios_of(family.subject) if name in s.sabotage)
        faults += unconsulted(family.sabotages[name].replaced, mine, baseline.consulted)
    if all(baseline.wire[row] == outcome.wire.get(row) for row in declared):
        faults.append("it changes no answer")
    if not declared:
        faults.append("no scenario lists it")
    breaks = family.sabotages[name].breaks
    return Line(name, breaks, tuple(sorted(red)), declared, tuple(faults))


# ------------------------------------------------------------------------------- running


async def _run_all(kind: Kind, names: Sequence[str]) -> tuple[Outcome, list[Outcome]]:
    """The whole subject, then each sabotage."""
    if kind == "page":
        baseline, *outcomes = await _on_one_browser([None, *names])
        return baseline, outcomes
    baseline = await outcome_of(kind, None)
    batches = [names[i : i + _AT_ONCE] for i in range(0, len(names), _AT_ONCE)]
    if len(batches) == 1:
        return baseline, [await outcome_of(kind, name, baseline.consulted) for name in names]
    loop = asyncio.get_running_loop()
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(min(os.cpu_count() or 1, len(batches)), mp_context=context) as pool:
        found = await asyncio.gather(
            *(
                loop.run_in_executor(pool, _in_process, kind, batch, baseline.consulted)
                for batch in batches
            )
        )
    return baseline, [outcome for outcomes in found for outcome in outcomes]


def _in_process(kind: Kind, names: Sequence[str], consulted: Consulted) -> list[Outcome]:
    return [asyncio.run(outcome_of(kind, name, consulted)) for name in names]


async def _on_one_browser(names: Sequence[str | None]) -> list[Outcome]:
    """A browser is slow to start, and a page less so: each has a context of its own."""
    from ..adapters.chromium import Chromium

    chromium = Chromium()
    first = _page(None, chromium)
    await first.exchange(HELLO, Bounds())  # where there is no browser, nothing can be asked
    await first.close()
    turn = asyncio.Semaphore(_PAGES)

    async def in_its_turn(name: str | None, asked: Sequence[Scenario]) -> Outcome:
        async with turn:
            page = _page(name, chromium)
            return await _outcome(page, "consumer", asked, page.rest)

    async def in_parts(name: str | None, asked: Sequence[Scenario]) -> Outcome:
        count = 1 if name else _PAGES
        longest_first = sorted(asked, key=_deliveries, reverse=True)
        parts = (in_its_turn(name, longest_first[i::count]) for i in range(count))
        return _joined(await asyncio.gather(*parts))

    runs = map(in_parts, names, _asked_of_pages(names))
    found = await asyncio.gather(*runs, return_exceptions=True)
    await chromium.close()
    for outcome in found:
        if isinstance(outcome, BaseException):
            raise outcome
    return [outcome for outcome in found if isinstance(outcome, Outcome)]


def _deliveries(scenario: Scenario) -> int:
    """About how many envelopes a scenario delivers, or what takes as long."""
    steps = (step.arguments for step in scenario.steps)
    return sum(len(args.cases) if isinstance(args, Rejects) else 1 for args in steps) + (
        _LARGE if _is_large(scenario) else 0
    )


def _joined(parts: Sequence[Outcome]) -> Outcome:
    dispositions = {row: it for part in parts for row, it in part.dispositions.items()}
    return Outcome(dispositions, {row: it for part in parts for row, it in part.wire.items()})


async def outcome_of(kind: Kind, name: str | None, consulted: Consulted | None = None) -> Outcome:
    """The scenarios against a reference subject in this process, whole or with one sabotage.

    Of a sabotage, those that it declares, and those that could change by what was ``consulted``.
    """
    family, notes = FAMILIES[kind], Notes()
    asked = _asked(kind, name, consulted)
    noting = family.noting if name is None else None
    subject = noting(notes) if noting is not None else family.made(name)
    found = await _outcome(subject, family.subject, asked)
    return found if noting is None else replace(found, consulted=notes.by(s.id for s in asked))


async def _outcome(
    subject: Subject,
    kind: SubjectKind,
    asked: Sequence[Scenario],
    after_each: Callable[[], None] = lambda: None,
) -> Outcome:
    session = Session(subject, Options(seed=SEED), Credentials(), kind=kind)
    wire: dict[str, str] = {}

    def tell(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            wire[event.row.id] = _wire_digest(event)
            after_each()

    try:
        rows = await run(asked, session, tell)
    finally:
        await subject.close()
    return Outcome({row.id: row.disposition for row in rows}, wire)


# --------------------------------------------------------------------- what is asked of it


def _asked(kind: Kind, name: str | None, consulted: Consulted | None = None) -> Sequence[Scenario]:
    """The scenarios for a subject that is whole, or has a sabotage.

    Rows that a sabotage does not declare are asked a few of their cases, in turn, and those that
    measure, or are large, not at all. Nor are those for which the whole subject ``consulted``
    nothing that the sabotage replaces.
    """
    known = scenarios_of(FAMILIES[kind].subject)
    if name is None:
        return known
    sabotages = FAMILIES[kind].sabotages
    turn = list(sabotages).index(name)

    def could_change(scenario: Scenario) -> bool:
        return consulted is None or bool(sabotages[name].replaced & consulted[scenario.id])

    return [
        s if name in s.sabotage else in_turn(s, turn, _FEW)
        for s in known
        if name in s.sabotage or (not (is_timed(s) or _is_large(s)) and could_change(s))
    ]


def _asked_of_pages(names: Sequence[str | None]) -> Iterator[Sequence[Scenario]]:
    """The same for pages: of the rows that a sabotage does not declare, each is asked a share.

    In Chromium a scenario takes a good part of a second, of which the headless consumer needs a
    thousandth. So what a sabotage turns red beside its rows may go unseen here, unless it alone is
    asked; but all together are asked every row that is not large, and the headless sabotages break
    the same rules and are asked every row.
    """
    others = [s.id for s in scenarios_of("consumer") if not _is_large(s)]
    sabotages = [name for name in names if name is not None]
    share = math.ceil(len(others) / max(len(sabotages), 1))
    for name in names:
        asked = _asked("page", name)
        if name is not None:
            at = sabotages.index(name) * share
            chosen = {others[(at + i) % len(others)] for i in range(share)}
            asked = [s for s in asked if name in s.sabotage or s.id in chosen]
        yield asked


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
