"""A checkup as a person at a terminal reads it, and as a program does."""

from __future__ import annotations

import json
import shlex
import textwrap
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Final

from rich.console import Console
from rich.text import Text

from ..engine.checkup.advice import advice, parted
from ..engine.checkup.findings import Finding
from ..engine.checkup.foresight import Outlook, exit_code, gathered
from ..engine.verdict import Disposition
from ..jsonvalue import JsonValue
from ..scenario.model import Scenario
from ..scenario.model import Subject as Kind

_MARKS: Final = {"good": ("✓", "green"), "lacking": ("–", "yellow"), "bad": ("✗", "bold red")}
_PLAIN: Final = {"✓": "+", "–": "-", "✗": "x", "→": "->"}
_TITLES: Final = (
    (Disposition.BLOCKED, "rules would be blocked", "yellow"),
    (Disposition.SKIPPED, "rules are opted out of", "dim"),
    (Disposition.INAPPLICABLE, "rules do not bind this subject", "dim"),
)
_SHOWN: Final = 4
_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Checkup:
    """All that was found of a subject. Without ``outlooks`` it could not be asked."""

    suite: str
    subject: str
    kind: Kind
    findings: tuple[Finding, ...]
    outlooks: tuple[Outlook, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 ready, 2 not reached or misconfigured, 3 something that binds would be blocked."""
        if any(finding.mark == "bad" for finding in self.findings):
            return 2
        return exit_code(self.outlooks)

    def as_json(self) -> dict[str, JsonValue]:
        """The checkup as one document."""
        return {
            "suite": self.suite,
            "subject": self.subject,
            "kind": self.kind,
            "exitCode": self.exit_code,
            "findings": [asdict(finding) for finding in self.findings],
            "rows": [_row(outlook) for outlook in self.outlooks],
        }


def _row(outlook: Outlook) -> dict[str, JsonValue]:
    scenario, held = outlook.scenario, outlook.disposition
    row = {"id": scenario.requirement, "scenario": scenario.id}
    if held is None:
        return {**row, "outlook": "asked"}
    return {**row, "outlook": str(held), "reason": outlook.reason, "advice": advice(outlook.reason)}


def print_json(checkup: Checkup) -> None:
    """Print the document."""
    print(json.dumps(checkup.as_json(), indent=2, ensure_ascii=False))  # noqa: T201


class CheckupPrinter:
    """Prints a checkup on a console. What a subject said is printed as text, never as markup."""

    def __init__(self, console: Console) -> None:
        self._console = console
        encoding = console.encoding or "utf-8"
        try:
            "".join(_PLAIN).encode(encoding)
        except (UnicodeEncodeError, LookupError):
            self._signs = _PLAIN
        else:
            self._signs = {sign: sign for sign in _PLAIN}

    def print(self, checkup: Checkup, options: Sequence[str] = ()) -> None:
        """Print all of it; the run to make next takes ``options``."""
        self._line((f"openwop-conformance {checkup.suite}: {checkup.subject}", ""))
        self._findings(checkup.findings)
        for disposition, title, style in _TITLES:
            self._group(checkup.outlooks, disposition, title, style)
        self._line()
        self._verdict(checkup, options)

    def _findings(self, findings: Sequence[Finding]) -> None:
        part = ""
        for finding in findings:
            if finding.part != part:
                part = finding.part
                wide = max(len(f.what) for f in findings if f.part == part)
                self._line()
                self._line((part, "bold"))
            sign, style = _MARKS[finding.mark]
            head = ((f"  {self._signs[sign]} ", style), (f"{finding.what:<{wide}}  ", "dim"))
            self._hanging(head, finding.said, style if finding.mark == "bad" else "")
            if finding.advice:
                self._advice(wide + 6, finding.advice)

    def _group(
        self, outlooks: Sequence[Outlook], disposition: Disposition, title: str, style: str
    ) -> None:
        groups = gathered(outlooks, disposition)
        if not groups:
            return
        count = sum(len(scenarios) for _, scenarios in groups)
        self._line()
        self._line((f"{count} {title if count != 1 else _singular(title)}", style))
        for reason, names, scenarios in _joined(groups):
            self._hanging(((f"{len(scenarios):>5}  ", "dim"),), f"{reason}{names}")
            if not names:
                self._hanging(((" " * 7, ""),), _named(scenarios), "dim")
            if todo := advice(reason):
                self._advice(7, todo)

    def _verdict(self, checkup: Checkup, options: Sequence[str]) -> None:
        asked = sum(outlook.disposition is None for outlook in checkup.outlooks)
        rules = f"{asked} of {len(checkup.outlooks)} rules would be asked"
        code = checkup.exit_code
        if code == 2:
            mend = self._signs["✗"]
            self._line((f"Not ready: mend what is marked {mend}, then ask again.", "bold red"))
        elif not asked:
            self._line(("Not ready: no rule binds this subject as it is.", "yellow"))
        elif code == 3:
            self._line((f"Nearly ready: {rules}, and some that bind would be blocked.", "yellow"))
        else:
            self._line((f"Ready: {rules}.", "green"))
        if asked and code != 2:
            subject = shlex.quote(checkup.subject)
            named = subject if checkup.kind == "host" else f"--{checkup.kind} {subject}"
            self._line(
                (" ".join(["Next: openwop-conformance run", named, *map(shlex.quote, options)]), "")
            )

    def _advice(self, indent: int, text: str) -> None:
        self._hanging(((f"{'':<{indent}}{self._signs['→']} ", "dim"),), text)

    def _hanging(self, head: tuple[tuple[str, str], ...], text: str, style: str = "") -> None:
        """Text behind a head, in lines of 100 columns; those after the first are indented."""
        indent = sum(len(piece) for piece, _ in head)
        width = max(_WIDTH - indent, 40)
        lines = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
        self._line(*head, (lines[0], style))
        for line in lines[1:]:
            self._line((" " * indent, ""), (line, style))

    def _line(self, *pieces: tuple[str, str]) -> None:
        """Print one line as it is: nothing is wrapped, and no control character gets through."""
        clean = (("".join(c if c.isprintable() else "�" for c in text), s) for text, s in pieces)
        self._console.print(Text.assemble(*clean), soft_wrap=True, highlight=False)


def _singular(title: str) -> str:
    for several, one in (("rules do ", "rule does "), ("rules are ", "rule is ")):
        title = title.replace(several, one)
    return title.replace("rules ", "rule ")


def _joined(
    groups: Sequence[tuple[str, list[Scenario]]],
) -> list[tuple[str, str, list[Scenario]]]:
    """Groups whose reasons differ in one name as one, with how often each name comes."""
    joined: dict[str, list[tuple[str, list[Scenario]]]] = {}
    for group in groups:
        joined.setdefault(parted(group[0])[0], []).append(group)
    return [
        (head, " " + ", ".join(f"{parted(r)[1]} ({len(s)})" for r, s in alike), _all(alike))
        if len(alike) > 1
        else (alike[0][0], "", alike[0][1])
        for head, alike in joined.items()
    ]


def _all(groups: Sequence[tuple[str, list[Scenario]]]) -> list[Scenario]:
    return [scenario for _, scenarios in groups for scenario in scenarios]


def _named(scenarios: Sequence[Scenario]) -> str:
    names = [scenario.id for scenario in scenarios]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
