"""Breaks the corpus in one way at a time, and holds its gates to what each has to see."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..corpus import corpus
from ..engine.verdict import Disposition
from ..errors import UsageError
from .book import Rulebook
from .breaking import CORPUS_SABOTAGES, Copy, CorpusSabotage
from .gates import GateRow, GateRun, run_gates
from .upstream import Upstream

GENERATED: Final = 400
"""How many messages are generated against a broken corpus: each is judged many times."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the gates made of a sabotage. Without faults it is as declared."""

    sabotage: CorpusSabotage
    faults: tuple[str, ...]

    def __str__(self) -> str:
        head = f"{self.sabotage.name}: {self.sabotage.breaks}"
        rows = [f"  turns red {name}" for name in self.sabotage.red]
        rows += [f"  blocks {name}" for name in self.sabotage.blocked]
        return "\n".join([head, *(f"  FAULT {fault}" for fault in self.faults or ()), *rows])


def broken(upstream: Upstream, names: Sequence[str] = ()) -> Iterator[Outcome]:
    """Break the corpus in each of these ways, or in all, and hold the gates to what is declared.

    Raises ``UsageError`` for a name that is none, or when the gates are not green to begin with.
    """
    for name in names:
        if name not in CORPUS_SABOTAGES:
            raise UsageError(f"no sabotage of the corpus is called {name!r}")
    with copied(upstream) as copy:
        for row in _judged(copy):
            if row.row.disposition is not Disposition.PASS:
                raise UsageError(f"{row.row.id} is not kept to begin with: {row.row.reason}")
        for name in names or CORPUS_SABOTAGES:
            yield outcome_of(copy, CORPUS_SABOTAGES[name])


@contextmanager
def copied(upstream: Upstream) -> Iterator[Copy]:
    """A copy of the corpus and of the evidence, to be broken in one way after the other."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder) / "corpus", Path(folder) / "evidence")
        corpus().copy_to(copy.folder)
        copy.evidence.mkdir()
        for archive in upstream.archives():
            shutil.copy(archive, copy.evidence)
        yield copy


def outcome_of(copy: Copy, sabotage: CorpusSabotage) -> Outcome:
    """Break the corpus in one way, and compare what the gates say with what is declared."""
    with copy.broken(sabotage.change):
        rows = _judged(copy)
    faults = []
    for disposition, declared in (
        (Disposition.FAIL, sabotage.red),
        (Disposition.BLOCKED, sabotage.blocked),
    ):
        found = {
            gate.row.id: gate.row.reason for gate in rows if gate.row.disposition is disposition
        }
        faults += [f"{name} is not {disposition}" for name in declared if name not in found]
        faults += [
            f"{n} is {disposition}: {found[n]}" for n in sorted(found.keys() - set(declared))
        ]
    return Outcome(sabotage, tuple(faults))


def _judged(copy: Copy) -> tuple[GateRow, ...]:
    book = Rulebook(corpus(copy.folder))
    with _first_found():
        return run_gates(GateRun(book, Upstream(book, copy.evidence), generated=GENERATED))


@contextmanager
def _first_found() -> Iterator[None]:
    """Nothing is made smaller: a row is as red with the first instance that shows why."""
    from hypothesis import Phase, settings

    before = settings.get_current_profile_name()
    settings.register_profile("first found", phases=(Phase.generate,))
    settings.load_profile("first found")
    try:
        yield
    finally:
        settings.load_profile(before)
