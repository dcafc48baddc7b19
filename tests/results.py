"""What real libraries fail, as facts about their versions: judged, kept as JSON, told on a page."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.hello import HELLO, offer_of
from openwop_conformance.engine.run import is_timed, run
from openwop_conformance.engine.session import Clock, Options, Session
from openwop_conformance.engine.verdict import Disposition, Event, Failure, Row, ScenarioFinished
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario, Subject
from openwop_conformance.suite import open_subject

MARKS: Final = {"executed-pass": "kept", "executed-fail": "**broken**", "inapplicable": "–"}
_OF_A_LIBRARY: Final = re.compile(r"openwop-conformance\.(?:sdk|consumer)\.|openwop\.requirement\.")
_MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT")


def scenarios(kind: Subject, *, timed: bool) -> list[Scenario]:
    """Those for a kind of subject: the ones that measure, or the others."""
    found = [s for s in load_all(corpus()) if s.subject == kind]
    return [s for s in found if is_timed(s) is timed]


def judged(
    connectable: str,
    chosen: Sequence[Scenario],
    kind: Subject,
    *,
    time_scale: float = 1.0,
    clock: Clock | None = None,
) -> tuple[str, tuple[Row, ...], dict[str, Failure]]:
    """What a library calls itself, its rows, and the first failure of each that is red."""
    failures: dict[str, Failure] = {}

    def tell(event: Event) -> None:
        if isinstance(event, ScenarioFinished) and event.failures:
            failures[short(event.row.id)] = event.failures[0]

    async def whole() -> tuple[str, tuple[Row, ...]]:
        subject, _ = open_subject(connectable, Credentials(), kind)
        options = Options(seed=1, time_scale=time_scale)
        try:
            bounds = options.bounds.scaled(time_scale)
            label = offer_of(await subject.exchange(HELLO, bounds), kind).label
            session = Session(subject, options, Credentials(), clock, kind)
            return label, await run(chosen, session, tell)
        finally:
            await subject.close()

    label, rows = asyncio.run(whole())
    return label, rows, failures


def result(version: str, rows: Sequence[Row], failed: Mapping[str, str]) -> JsonValue:
    """What is kept of a library: its version, each row, and what was seen of those that failed."""
    return {"version": version, "outcomes": outcomes(rows), "failed": dict(failed)}


def outcomes(rows: Sequence[Row]) -> dict[str, str]:
    """The disposition of each row, by its short id."""
    return {short(row.id): str(row.disposition) for row in rows}


def reasons(rows: Sequence[Row]) -> dict[str, str]:
    """Why each red row is red, by its short id."""
    return {short(r.id): r.reason for r in rows if r.disposition is Disposition.FAIL}


def seen(failure: Failure) -> str:
    """What a failure saw, with what came instead, unless that is another one every time."""
    if not failure.got or _MOMENT.search(failure.got):
        return failure.message
    return f"{failure.message}; got {failure.got}"


def short(identifier: str) -> str:
    """The id of a row without what all of its kind begin with."""
    return _OF_A_LIBRARY.sub("", identifier, count=1)


def keep(kept: JsonValue, results: Path, page: Path, told: str) -> None:
    """Write the results as JSON, and the page that tells of them."""
    results.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    page.write_text(told, "utf-8")


def table(kept: JsonValue) -> Iterator[str]:
    """A line for each rule, a column for each library."""
    yield "| rule | " + " | ".join(kept) + " |"
    yield "|---|" + "---|" * len(kept)
    for row in next(iter(kept.values()))["outcomes"]:
        cells = [MARKS.get(k["outcomes"][row], k["outcomes"][row]) for k in kept.values()]
        yield f"| {row} | " + " | ".join(cells) + " |"


def broken(
    kept: JsonValue, kind: Subject, notes: Mapping[tuple[str, str], str] | None = None
) -> Iterator[str]:
    """A section for each library, with what it breaks and what was seen; notes by name and row."""
    known = read_requirements(corpus().requirements).items()
    rules = {short(i): r.rule for i, r in known if r.subject == kind}
    for name, one in kept.items():
        yield from ("", f"## {name}: {one['version']}", "")
        for row, reason in one["failed"].items():
            yield f"- **{row}**: {rules[row]}"
            yield f"  Seen: {plain(reason)}."
            if notes and (name, row) in notes:
                yield f"  {notes[name, row]}"
        if not one["failed"]:
            yield "Nothing is broken of what binds it."


def plain(reason: str) -> str:
    """A reason, which quotes a library, as text on one line."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(reason.split()))
