"""The baseline: failures that an operator knows of, each with a reason and perhaps a last day.

It decides an exit code and a sentence, never a row: what is known to be broken stays broken in the
ledger and in every report. An entry that is not needed, or no longer counts, fails the run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from ..engine.verdict import Disposition, Row
from ..engine.verdict import exit_code as code_of
from ..engine.verdict import verdict as verdict_of
from ..errors import DocumentError
from ..scenario.document import Position, load
from ..schemas import problems, validator
from .difference import current_id


@dataclass(frozen=True, slots=True)
class Known:
    """One entry: a row that is known to fail."""

    requirement: str
    """The id as it is now."""
    reason: str
    expires: date | None
    """The last day on which the entry counts."""
    place: Position


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline file, as it was read."""

    path: str
    known: tuple[Known, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """A run held to a baseline."""

    path: str
    rows: tuple[Row, ...]
    known: tuple[str, ...]
    """The ids of failing rows that are listed."""
    unknown: tuple[str, ...]
    """The ids of failing rows that are not."""
    faults: tuple[DocumentError, ...]
    """The entries that are stale, expired or match nothing, in the file's order."""

    @property
    def exit_code(self) -> int:
        """1 for an unknown failure or a wrong entry, 3 for an incomplete run, else 0."""
        if self.unknown or self.faults:
            return 1
        if not self.known:
            return code_of(self.rows)
        return 3 if any(row.disposition is Disposition.BLOCKED for row in self.rows) else 0

    @property
    def verdict(self) -> str:
        """The verdict in words: how many of the broken rules are known, and if entries are wrong.

        That of the rows alone when the baseline adds nothing to it.
        """
        wrong = len(self.faults)
        entries = f"{wrong} {'entries' if wrong != 1 else 'entry'}"
        tail = f" The baseline {self.path} is wrong in {entries}." if wrong else ""
        return self._of_rows() + tail

    def _of_rows(self) -> str:
        plain = verdict_of(self.rows)
        if not self.known and not self.unknown:
            return plain
        blocked = sum(row.disposition is Disposition.BLOCKED for row in self.rows)
        verb = "rules were" if blocked != 1 else "rule was"
        more = f"; {blocked} {verb} not witnessed" if blocked else ""
        return f"{plain.removesuffix('.')}, {self._how_known()} (baseline {self.path}){more}."

    def _how_known(self) -> str:
        known, broken = len(self.known), len(self.known) + len(self.unknown)
        if not known:
            return "none of them known" if broken != 1 else "and it is not known"
        if known < broken:
            return f"{known} of them known"
        return {1: "and it is known", 2: "both known"}.get(broken, "all of them known")


def read_baseline(path: Path, aliases: Mapping[str, str]) -> Baseline:
    """Read a baseline. ``aliases`` says what ids that were given up are called now.

    Raises ``DocumentError`` with the place of a fault; an id that stands twice is one.
    """
    document = load(path)
    for problem in problems(validator("baseline"), document.value):
        tokens = [int(t) if t.isdigit() else t for t in problem.path.split("/")[1:]]
        raise document.at(*tokens).error(problem.message)
    found: dict[str, Known] = {}
    for index, entry in enumerate(document.value["known"]):
        place = document.at("known", index, "requirement")
        name = current_id(entry["requirement"], aliases)
        if name in found:
            raise place.error(f"{name} is already listed in line {found[name].place.line}")
        expires = date.fromisoformat(entry["expires"]) if "expires" in entry else None
        found[name] = Known(name, entry["reason"], expires, place)
    return Baseline(document.path, tuple(found.values()))


def judge(baseline: Baseline, rows: Sequence[Row], left_out: Set[str], today: date) -> Judged:
    """Hold the rows of a run to a baseline.

    ``left_out`` are the ids of rows that were not chosen for this run: an entry for one of them
    says nothing, and neither does one for a row that was skipped or blocked.
    """
    by_id = {row.id: row for row in rows}
    failed = [row.id for row in rows if row.disposition is Disposition.FAIL]
    listed: set[str] = set()
    faults = []
    for entry in baseline.known:
        fault = _fault(entry, by_id.get(entry.requirement), left_out, today)
        if fault is not None:
            faults.append(entry.place.error(fault))
        if entry.expires is None or entry.expires >= today:
            listed.add(entry.requirement)
    return Judged(
        baseline.path,
        tuple(rows),
        tuple(name for name in failed if name in listed),
        tuple(name for name in failed if name not in listed),
        tuple(faults),
    )


def _fault(entry: Known, row: Row | None, left_out: Set[str], today: date) -> str | None:
    name = entry.requirement
    if row is None and name not in left_out:
        return f"no row of this run is called {name}: correct the id, or remove the entry"
    if row is not None and row.disposition is Disposition.PASS:
        return f"{name} passes now: remove the entry"
    if row is not None and row.disposition is Disposition.INAPPLICABLE:
        return f"{name} does not bind this subject: remove the entry"
    if entry.expires is not None and entry.expires < today:
        return f"the entry for {name} expired on {entry.expires}: mend the rule, or renew the entry"
    return None
