"""What every form says alike: a subject's text made harmless, counts, reasons, a failure's details.

How any of it is set (in colours, in XML, in Markdown) is for the modules beside this one.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Final

from ..engine.verdict import Disposition, Failure, Row
from ..scenario.model import Subject as Kind
from .reproduce import headline

WORDS: Final = {
    Disposition.PASS: "kept",
    Disposition.FAIL: "broken",
    Disposition.BLOCKED: "not witnessed",
    Disposition.INAPPLICABLE: "do not bind this subject",
    Disposition.SKIPPED: "opted out of",
}
NOT_ESTABLISHED: Final = (Disposition.BLOCKED, Disposition.SKIPPED, Disposition.INAPPLICABLE)
"""The dispositions that say nothing of whether a rule is kept, in the order they are told."""


def printable(text: str) -> str:
    """Text with a � for each character that a terminal, a parser or a person's eye would obey."""
    return "".join(c if c.isprintable() else "�" for c in text)


def line(text: str) -> str:
    """Text on one line, printable: every run of white space is one space."""
    return printable(" ".join(text.split()))


def lines(text: str) -> list[str]:
    """The lines of a text, each printable."""
    return [printable(one) for one in text.splitlines()]


def totals(rows: Sequence[Row]) -> str:
    """How many rows there are, and of each disposition: ``2 requirements: 1 kept, 1 broken``."""
    parts = [
        f"{count} {WORDS[disposition]}"
        for disposition in Disposition
        if (count := sum(row.disposition is disposition for row in rows))
    ]
    return f"{len(rows)} requirement{'s' * (len(rows) != 1)}: {', '.join(parts)}"


def by_reason(rows: Sequence[Row], disposition: Disposition) -> dict[str, list[str]]:
    """The scenarios of a disposition, gathered by their reason and sorted."""
    gathered: dict[str, list[str]] = {}
    for row in rows:
        if row.disposition is disposition:
            gathered.setdefault(row.reason, []).append(row.scenario)
    return {reason: sorted(scenarios) for reason, scenarios in gathered.items()}


def details(failure: Failure) -> list[tuple[str, str]]:
    """What is known of a failure beside its message: each with its name, in the order it is told.

    What a host said in it is as it was said.
    """
    exchange = None if failure.exchange is None else headline(failure.exchange)
    known = (
        ("rule", failure.because),
        ("fixture", failure.case),
        ("expected", failure.expected),
        ("got", failure.got),
        ("at", failure.place),
        ("scenario", failure.scenario),
        ("exchange", exchange),
    )
    return [(name, value) for name, value in known if value]


def again(subject: str, kind: Kind, scenario: str) -> str:
    """The command line that runs one scenario once more."""
    named = shlex.quote(subject)
    option = named if kind == "host" else f"--{kind} {named}"
    return f"openwop-conformance run {option} --select {scenario}"
