"""The run as a person at a terminal reads it; in CI the same without the moving parts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from ..engine.verdict import (
    Disposition,
    Event,
    Failure,
    Row,
    RunFinished,
    RunStarted,
    ScenarioFinished,
    exit_code,
    verdict,
)
from ..evidence.requirements import Requirement
from .reproduce import call_lines, headline, shell_lines

_STYLE: Final = {
    Disposition.PASS: "green",
    Disposition.FAIL: "bold red",
    Disposition.BLOCKED: "yellow",
    Disposition.INAPPLICABLE: "dim",
    Disposition.SKIPPED: "dim",
}
_VERDICT_STYLE: Final = {0: "green", 1: "bold red", 3: "yellow"}
_WORDS: Final = {
    Disposition.PASS: "kept",
    Disposition.FAIL: "broken",
    Disposition.BLOCKED: "not witnessed",
    Disposition.INAPPLICABLE: "do not bind this subject",
    Disposition.SKIPPED: "opted out of",
}
_SHOWN_CASES: Final = 5


class ConsoleReport:
    """Listens to a run and prints it. What a subject said is printed as text, never as markup."""

    def __init__(
        self, console: Console, requirements: dict[str, Requirement], version: str
    ) -> None:
        self._console, self._requirements, self._version = console, requirements, version
        self._progress: Progress | None = None
        self._failed: list[ScenarioFinished] = []
        self._base: str | None = None
        self._subject = ""

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunStarted):
            self._start(event)
        elif isinstance(event, ScenarioFinished):
            if event.row.disposition is Disposition.FAIL:
                self._failed.append(event)
            if self._progress:
                self._progress.advance(self._progress.task_ids[0])
        else:
            self._finish(event)

    def close(self) -> None:
        """Leave the terminal as it was, also after a run that broke off."""
        if self._progress:
            with suppress(Exception):
                self._progress.stop()

    def _start(self, event: RunStarted) -> None:
        self._subject = shlex.quote(event.subject)
        if event.kind != "host":
            self._subject = f"--{event.kind} {self._subject}"
        self._base = event.subject if event.subject.startswith("http") else None
        count = len(event.scenarios)
        self._line(
            f"openwop-conformance {self._version}: {count} scenario{'s' * (count != 1)} "
            f"against {event.subject} (seed {event.seed})"
        )
        if self._console.is_terminal:
            self._progress = Progress(
                BarColumn(),
                MofNCompleteColumn(),
                TextColumn("scenarios"),
                console=self._console,
                transient=True,
            )
            self._progress.add_task("", total=count)
            self._progress.start()

    def _finish(self, event: RunFinished) -> None:
        self.close()
        for finished in sorted(self._failed, key=lambda f: f.row.id):
            self._line("")
            self._failure(finished)
        for disposition in (Disposition.BLOCKED, Disposition.SKIPPED, Disposition.INAPPLICABLE):
            self._reasons(disposition, event.rows)
        self._line("")
        self._summary(event.rows, event.seconds)

    def _failure(self, finished: ScenarioFinished) -> None:
        requirement = self._requirements.get(finished.row.id)
        rule = requirement.rule if requirement else finished.scenario.title
        self._line(f"FAIL  {rule}", _STYLE[Disposition.FAIL])
        self._pair("id", finished.row.id)
        self._pair("source", finished.scenario.source)
        for failure in finished.failures[:_SHOWN_CASES]:
            self._line("")
            self._one_failure(failure, finished)
        more = len(finished.failures) - _SHOWN_CASES
        if more > 0:
            cases = f"case{'s' * (more != 1)}"
            self._line(f"      … and {more} more {cases} of the same rule", "dim")
        again = f"openwop-conformance run {self._subject} --select {finished.scenario.id}"
        self._pair("again", again)

    def _one_failure(self, failure: Failure, finished: ScenarioFinished) -> None:
        self._line(f"      {failure.message}", "bold")
        for name, value in (
            ("rule", failure.because),
            ("fixture", failure.case),
            ("expected", failure.expected),
            ("got", failure.got),
            ("at", failure.place),
        ):
            if value:
                self._pair(name, value)
        for line in (failure.scenario or "").splitlines():
            self._pair("", line)
        if failure.exchange is not None:
            self._pair("exchange", headline(failure.exchange))
            if failure is finished.failures[0]:
                of_host = finished.scenario.subject == "host"
                lines = (
                    shell_lines(finished.exchanges, failure.exchange, self._base)
                    if of_host
                    else call_lines(finished.exchanges, failure.exchange)
                )
                self._pair("curl" if of_host else "lines", lines[0])
                for line in lines[1:]:
                    self._pair("", line)

    def _reasons(self, disposition: Disposition, rows: Sequence[Row]) -> None:
        """The rows of a disposition, gathered by their reason."""
        gathered: dict[str, list[str]] = {}
        for row in rows:
            if row.disposition is disposition:
                gathered.setdefault(row.reason, []).append(row.scenario)
        if gathered:
            self._line("")
            self._line(f"{disposition}: {_WORDS[disposition]}", _STYLE[disposition])
        for reason, scenarios in gathered.items():
            self._line(f"      {reason}")
            self._line(f"        {', '.join(sorted(scenarios))}", "dim")

    def _summary(self, rows: Sequence[Row], seconds: float) -> None:
        parts = [
            f"{count} {_WORDS[d]}"
            for d in Disposition
            if (count := sum(row.disposition is d for row in rows))
        ]
        style = _VERDICT_STYLE[exit_code(tuple(rows))]
        self._line(verdict(tuple(rows)), style)
        total = f"{len(rows)} requirement{'s' * (len(rows) != 1)}"
        self._line(f"{total}: {', '.join(parts)}; {seconds:.1f} s", "dim")

    def _pair(self, name: str, value: str) -> None:
        self._print((f"      {name:<9} ", "dim"), (value, ""))

    def _line(self, text: str, style: str = "") -> None:
        self._print((text, style))

    def _print(self, *pieces: tuple[str, str]) -> None:
        """Print one line as it is: nothing is wrapped, and no control character gets through."""
        clean = (("".join(c if c.isprintable() else "�" for c in text), s) for text, s in pieces)
        self._console.print(Text.assemble(*clean), soft_wrap=True, highlight=False)
