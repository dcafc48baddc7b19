"""All that a run writes and prints: its ledger, reports and pictures, each told the same events."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rich.console import Console

from ..engine.verdict import Event, Listener, Row, RunFinished, RunStarted, ScenarioFinished
from ..errors import UsageError
from ..evidence.ledger import LedgerWriter, Unfinished, digest
from ..evidence.requirements import read_requirements
from ..jsonvalue import JsonValue
from ..reports.console import ConsoleReport
from ..reports.forms import FORMS
from ..suite import VERSION, Plan

if TYPE_CHECKING:
    from ..reports.pictures import PictureReport

STEP_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The variable that names the file whose Markdown GitHub shows beside a step of a workflow."""


class Outputs:
    """Listens to a run for all who write or print something of it.

    A report on standard output stands there alone. Raises ``UsageError`` before the run for a file
    that cannot be written, or that two would write.
    """

    def __init__(
        self, args: argparse.Namespace, chosen: Plan, unfinished: Unfinished | None
    ) -> None:
        self._args, self._chosen, self._unfinished = args, chosen, unfinished
        self._reports: list[tuple[str, Path | None]] = list(args.report)
        if args.json:
            self._reports.append(("json", None))
        self._summary = _summary_beside(self._reports)
        self.quiet = any(path is None for _, path in self._reports)
        """Whether standard output is a report's."""
        self._check()
        self._console: ConsoleReport | None = None
        self._pictures: PictureReport | None = None
        self._ledger: LedgerWriter | None = None
        self._dialect: JsonValue = None
        self._listeners = list(self._made())

    def __call__(self, event: Event) -> None:
        """Tell the ledger, and then everyone else."""
        if isinstance(event, RunStarted) and self._args.ledger is not None:
            self._ledger = self._begun()
        elif isinstance(event, ScenarioFinished):
            if self._ledger is not None and event.row not in self._chosen.kept:
                self._ledger.add(event.row)
        elif isinstance(event, RunFinished):
            self._dialect = event.dialect
        for listener in self._listeners:
            listener(event)

    def close(self) -> None:
        """Leave the terminal as it was, also after a run that broke off."""
        if self._console is not None:
            self._console.close()

    def finish(self, rows: tuple[Row, ...]) -> None:
        """Put the whole ledger in its place, and say what was written where."""
        if self._ledger is not None:
            before = self._unfinished
            seeds = () if before is None else (*before.seeds, self._chosen.options.seed)
            header = replace(self._chosen.header, dialect=self._dialect, resumed=seeds)
            self._ledger.finish(header, rows)
        if not self.quiet:
            for told in self._told(rows):
                print(told)  # noqa: T201

    def _made(self) -> Iterator[Listener]:
        requirements = read_requirements(self._chosen.corpus.requirements)
        header = self._chosen.header
        if not self.quiet:
            self._console = ConsoleReport(Console(), requirements, VERSION)
            yield self._console
        for form, path in self._reports:
            yield FORMS[form](path, requirements, header)
        if self._summary is not None:
            from ..reports.markdown import MarkdownReport

            yield MarkdownReport(self._summary, requirements, header, appending=True)
        if self._args.pictures is not None:
            from ..reports.pictures import PictureReport

            self._pictures = PictureReport(self._args.pictures)
            yield self._pictures

    def _begun(self) -> LedgerWriter:
        chosen = self._chosen
        if self._unfinished is None:
            return LedgerWriter(self._args.ledger, chosen.header, chosen.scenarios)
        return LedgerWriter.going_on(self._unfinished, chosen.options.seed)

    def _told(self, rows: tuple[Row, ...]) -> Iterator[str]:
        args = self._args
        yield from self._chosen.header.limits
        if args.ledger is not None:
            yield f"ledger {args.ledger}, digest {digest(rows)}"
        if args.trace is not None:
            yield f"trace {args.trace}"
        for form, path in self._reports:
            yield f"report {path} ({form})"
        if self._summary is not None:
            yield f"report {self._summary} (markdown, at the end of it)"
        if self._pictures is not None:
            yield f"pictures {args.pictures} ({self._pictures.written})"

    def _check(self) -> None:
        """Say before the run, and not after it, what cannot be written."""
        printed = [form for form, path in self._reports if path is None]
        if len(printed) > 1:
            forms = " and ".join(printed)
            raise UsageError(f"{forms} would share standard output: give all but one a file")
        args = self._args
        named = [(f"--report {form}", path) for form, path in self._reports]
        named += [("--ledger", args.ledger), ("--trace", args.trace), (STEP_SUMMARY, self._summary)]
        if args.pictures is not None:
            named.append(("--pictures", args.pictures / "1.png"))
        taken: dict[Path, str] = {}
        for name, path in named:
            if path is None:
                continue
            other = taken.setdefault(path.resolve(), name)
            if other is not name:
                raise UsageError(f"{path} would be written twice, by {other} and by {name}")
            _require_writable(path)


def _summary_beside(reports: list[tuple[str, Path | None]]) -> Path | None:
    """The step's summary, where one is written and a page in Markdown was asked for."""
    named = os.environ.get(STEP_SUMMARY)
    asked = any(form == "markdown" for form, _ in reports)
    return Path(named) if named and asked else None


def _require_writable(path: Path) -> None:
    folder = path.absolute().parent
    while not folder.exists():
        folder = folder.parent
    target = path if path.exists() else folder
    if path.is_dir() or not folder.is_dir() or not os.access(target, os.W_OK):
        raise UsageError(f"{path} cannot be written")
