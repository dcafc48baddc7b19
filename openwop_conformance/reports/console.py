"""The run as a person at a terminal reads it; in CI the same without the moving parts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from rich.console import Console
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
from ..scenario.model import Subject as Kind
from .reproduce import call_lines, shell_lines
from .wording import NOT_ESTABLISHED, WORDS, again, by_reason, details, printable, totals

if TYPE_CHECKING:
    from rich.progress import Progress

_STYLE: Final = {
    Disposition.PASS: "green",
    Disposition.FAIL: "bold red",
    Disposition.BLOCKED: "yellow",
    Disposition.INAPPLICABLE: "dim",
    Disposition.SKIPPED: "dim",
}
_VERDICT_STYLE: Final = {0: "green", 1: "bold red", 3: "yellow"}
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
        self._kind: Kind = "host"

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
        self._subject, self._kind = event.subject, event.kind
        self._base = event.subject if event.subject.startswith("http") else None
        count = len(event.scenarios)
        self._line(
            f"openwop-conformance {self._version}: {count} scenario{'s' * (count != 1)} "
            f"against {event.subject} (seed {event.seed})"
        )
        if self._console.is_terminal:
            from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

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
        for disposition in NOT_ESTABLISHED:
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
        self._pair("again", again(self._subject, self._kind, finished.scenario.id))

    def _one_failure(self, failure: Failure, finished: ScenarioFinished) -> None:
        self._line(f"      {failure.message}", "bold")
        for name, value in details(failure):
            self._pairs(name, value.splitlines() if name == "scenario" else [value])
        if failure.exchange is not None and failure is finished.failures[0]:
            if finished.scenario.subject == "host":
                lines = shell_lines(finished.exchanges, failure.exchange, self._base)
                self._pairs("curl", lines)
            else:
                self._pairs("lines", call_lines(finished.exchanges, failure.exchange))

    def _reasons(self, disposition: Disposition, rows: Sequence[Row]) -> None:
        """The rows of a disposition, gathered by their reason."""
        gathered = by_reason(rows, disposition)
        if gathered:
            self._line("")
            self._line(f"{disposition}: {WORDS[disposition]}", _STYLE[disposition])
        for reason, scenarios in gathered.items():
            self._line(f"      {reason}")
            self._line(f"        {', '.join(scenarios)}", "dim")

    def _summary(self, rows: Sequence[Row], seconds: float) -> None:
        style = _VERDICT_STYLE[exit_code(tuple(rows))]
        self._line(verdict(tuple(rows)), style)
        self._line(f"{totals(rows)}; {seconds:.1f} s", "dim")

    def _pairs(self, name: str, lines: Sequence[str]) -> None:
        """Several lines under one name."""
        for number, line in enumerate(lines):
            self._pair("" if number else name, line)

    def _pair(self, name: str, value: str) -> None:
        self._print((f"      {name:<9} ", "dim"), (value, ""))

    def _line(self, text: str, style: str = "") -> None:
        self._print((text, style))

    def _print(self, *pieces: tuple[str, str]) -> None:
        """Print one line as it is: nothing is wrapped, and no control character gets through."""
        clean = ((printable(text), style) for text, style in pieces)
        self._console.print(Text.assemble(*clean), soft_wrap=True, highlight=False)
