"""The same test of the tests for libraries: every sabotage of a kind of subject against its rows.

What is measured is counted here, not timed, so that each run gives the same. A row for which the
whole subject never consults what a sabotage replaces is not asked again: see ``_asked``; nor is one
whose calls it answers as the whole subject does: see ``replaying``. A page is slow, so a sabotage
of it is asked less: see ``_asked_of_pages``.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
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
from ..scenario.lint import load_of
from ..scenario.model import Scenario
from ..scenario.model import Subject as SubjectKind
from .consulting import Note, Notes, unconsulted
from .consumer.acting import Acting
from .consumer.operations import ReferenceConsumer
from .matrix import SEED, Line, Matrix, Outcome, declared_rows, in_turn
from .replaying import Recordings, same_answers
from .sabotage.consumer import CONSUMER_SABOTAGES
from .sabotage.consumer.model import Now, noting_consumer
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

_FEW: Final = 2
"""So many cases of a scenario are asked of a sabotage that does not declare its row."""
_PAGES: Final = 4
"""Pages that are asked at once: they wait a good deal."""
_LARGE: Final = 1000
_VOLATILE: Final = re.compile(
    rb"-[0-9a-f]{12}\b|\d{4}-\d\d-\d\dT[0-9:.]+(?:Z|\+00:00)|127\.0\.0\.1:\d+"
)


@dataclass(frozen=True, slots=True)
class Replay:
    """Subjects that answer by the calls of one scenario alone: without counts, at one moment."""

    noting: Callable[[Note], InProcess]
    made: Callable[[str], InProcess]


@dataclass(frozen=True, slots=True)
class Family:
    """The sabotages of one kind of reference subject."""

    subject: SubjectKind
    sabotages: Mapping[str, Any]
    made: Callable[[str | None], Subject]
    """The subject, whole or with one sabotage."""
    noting: Callable[[Note], Subject] | None = None
    """The whole subject, which notes what of it is consulted; ``None`` where it cannot."""
    replay: Replay | None = None
    lacks: frozenset[str] = frozenset()
    """The needs that the whole subject does not meet: their rows are inapplicable."""

    def expects(self, row: str) -> Disposition:
        """What a row has to be for the whole subject."""
        (scenario,) = (s for s in scenarios_of(self.subject) if s.requirement == row)
        lacking = not self.lacks.isdisjoint(scenario.needs)
        return Disposition.INAPPLICABLE if lacking else Disposition.PASS


def _sdk(name: str | None, *, counts: bool = True) -> InProcess:
    made = SDK_SABOTAGES[name].made(counts=counts) if name else ReferenceSdk(counts=counts)
    return InProcess(made, "reference", trusted=True)


def _noting_sdk(note: Note, *, counts: bool = True) -> InProcess:
    return InProcess(noting_sdk(note, counts=counts), "reference", trusted=True)


def _noting_consumer(note: Note, now: Now = Acting.now) -> InProcess:
    return InProcess(noting_consumer(note, now), "reference", trusted=True)


def _consumer(name: str | None, now: Now = Acting.now) -> InProcess:
    made = CONSUMER_SABOTAGES[name].made(now) if name else ReferenceConsumer()
    return InProcess(made, "reference", trusted=True)


def _then() -> datetime:
    return datetime(2026, 1, 1, tzinfo=UTC)


def _page(name: str | None, chromium: Chromium | None = None) -> BrowserConsumer:
    from ..adapters.browser import BrowserConsumer

    place = f"reference?sabotage={name}" if name else "reference"
    return BrowserConsumer(place, chromium=chromium)


FAMILIES: Final[Mapping[Kind, Family]] = {
    "sdk": Family(
        "sdk",
        SDK_SABOTAGES,
        _sdk,
        _noting_sdk,
        Replay(partial(_noting_sdk, counts=False), partial(_sdk, counts=False)),
    ),
    "consumer": Family(
        "consumer",
        CONSUMER_SABOTAGES,
        _consumer,
        _noting_consumer,
        Replay(partial(_noting_consumer, now=_then), partial(_consumer, now=_then)),
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
    return load_of(corpus(), subject)


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
    family, baseline = FAMILIES[kind], await outcome_of(kind, None)
    whole = Recordings(family.subject, SEED, family.replay.noting) if family.replay else None
    return baseline, [await outcome_of(kind, n, baseline.consulted, whole) for n in names]


async def _on_one_browser(names: Sequence[str | None]) -> list[Outcome]:
    """A browser is slow to start, and so is a tab: it is loaded again for the next client."""
    from ..adapters.chromium import Chromium

    chromium = Chromium()
    first = _page(None, chromium)
    await first.exchange(HELLO, Bounds())  # where there is no browser, nothing can be asked
    await first.close()
    turn = asyncio.Semaphore(_PAGES)

    async def in_its_turn(name: str | None, asked: Sequence[Scenario]) -> Outcome:
        async with turn:
            return await _outcome(_page(name, chromium), "consumer", asked)

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


async def outcome_of(
    kind: Kind,
    name: str | None,
    consulted: Consulted | None = None,
    whole: Recordings | None = None,
) -> Outcome:
    """The scenarios against a reference subject in this process, whole or with one sabotage.

    Of a sabotage, those that it declares, and those that could change by what was ``consulted``
    and by what the ``whole`` subject answered.
    """
    family, notes = FAMILIES[kind], Notes()
    asked = _asked(kind, name, consulted)
    if name is None and family.noting is not None:
        found = await _outcome(family.noting(notes), family.subject, asked)
        return replace(found, consulted=notes.by(s.id for s in asked))
    known = await _unchanged(kind, name, asked, whole) if name and whole else {}
    rest = [scenario for scenario in asked if scenario.requirement not in known]
    found = await _outcome(family.made(name), family.subject, rest)
    return replace(found, dispositions={**known, **found.dispositions})


async def _unchanged(
    kind: Kind, name: str, asked: Sequence[Scenario], whole: Recordings
) -> Mapping[str, Disposition]:
    """The rows that are not declared, and are as they are of the whole subject by what it says."""
    family = FAMILIES[kind]
    assert family.replay is not None
    broken, replaced = family.replay.made(name), family.sabotages[name].replaced
    known = [await whole.of(scenario) for scenario in asked if name not in scenario.sabotage]
    if not same_answers(whole.hello, broken):
        return {}
    return {
        one.scenario.requirement: one.disposition
        for one in known
        if one.cannot_change(replaced, broken)
    }


async def _outcome(
    subject: Subject,
    kind: SubjectKind,
    asked: Sequence[Scenario],
) -> Outcome:
    session = Session(subject, Options(seed=SEED), Credentials(), kind=kind)
    wire: dict[str, str] = {}

    def tell(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            wire[event.row.id] = _wire_digest(event)

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
