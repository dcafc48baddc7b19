"""The run as one Markdown page: the verdict, what failed, and every row."""

from __future__ import annotations

import re
from pathlib import Path

from ..engine.verdict import Disposition, Event, RunFinished, RunStarted, ScenarioFinished, verdict
from ..errors import UsageError
from ..evidence.ledger import digest
from ..evidence.requirements import Requirement


class MarkdownReport:
    """Listens to a run and writes the page when it is over."""

    def __init__(self, path: Path, requirements: dict[str, Requirement], version: str) -> None:
        self._path, self._requirements, self._version = path, requirements, version
        self._subject = ""
        self._failed: list[ScenarioFinished] = []

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunStarted):
            self._subject = event.subject
        elif isinstance(event, ScenarioFinished):
            if event.row.disposition is Disposition.FAIL:
                self._failed.append(event)
        else:
            self._write(event)

    def _write(self, event: RunFinished) -> None:
        lines = [
            f"# openwop-conformance: {_text(self._subject)}",
            "",
            f"**{verdict(event.rows)}**",
            "",
            f"Suite {self._version}, digest of the rows `{digest(event.rows)}`.",
            "",
        ]
        for finished in sorted(self._failed, key=lambda f: f.row.id):
            lines += [f"## {_text(finished.scenario.title)}", "", f"`{finished.row.id}`", ""]
            for failure in finished.failures:
                lines.append(f"- {_text(failure.message)}")
                for name, value in (
                    ("rule", failure.because),
                    ("expected", failure.expected),
                    ("got", failure.got),
                    ("at", failure.place),
                ):
                    if value:
                        lines.append(f"  - {name}: {_text(value)}")
            lines.append("")
        lines += ["| requirement | outcome | assertions | rule or reason |", "|---|---|---|---|"]
        for row in event.rows:
            requirement = self._requirements.get(row.id)
            words = row.reason or (requirement.rule if requirement else "")
            lines.append(f"| `{row.id}` | {row.disposition} | {row.assertions} | {_text(words)} |")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text("\n".join(lines) + "\n", "utf-8")
        except OSError as error:
            raise UsageError(f"the report cannot be written: {error}") from None


def _text(words: str) -> str:
    """Words that a subject may have said, as plain Markdown text on one line."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in words).split())
    flat = re.sub(r"[\\`*_\[\]<>|#~$&@]", r"\\\g<0>", flat)
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", flat)  # a list is no list in a list
