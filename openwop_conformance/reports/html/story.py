"""What was told of a run, kept until its end, and the words that the page has for it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from ...engine.verdict import Disposition, RunStarted, ScenarioFinished
from ...evidence.ledger import Header
from ...evidence.requirements import Requirement
from ...scenario.model import Scenario

WORDS: Final = {
    Disposition.FAIL: "broken",
    Disposition.BLOCKED: "not witnessed",
    Disposition.PASS: "kept",
    Disposition.SKIPPED: "opted out",
    Disposition.INAPPLICABLE: "do not bind it",
}
KINDS: Final = {"host": "Host", "sdk": "SDK", "consumer": "Consumer"}
ONE: Final = {**WORDS, Disposition.INAPPLICABLE: "does not bind it"}
"""The same of one rule."""
_SUBJECT: Final = 2000
"""The most characters of a subject's name that are shown."""


@dataclass(slots=True)
class Story:
    """What has been told of a run so far. Of what passed, only the row is kept."""

    requirements: Mapping[str, Requirement]
    header: Header
    began: datetime | None = None
    seed: int = 0
    scenarios: dict[str, Scenario] = field(default_factory=dict)
    failed: list[ScenarioFinished] = field(default_factory=list)

    def begins(self, event: RunStarted, began: datetime) -> None:
        """Take note of the beginning."""
        self.began, self.seed = began, event.seed
        self.scenarios = {scenario.requirement: scenario for scenario in event.scenarios}

    def goes_on(self, event: ScenarioFinished) -> None:
        """Take note of a scenario."""
        if event.row.disposition is Disposition.FAIL:
            self.failed.append(event)

    def rule_of(self, row: str) -> str:
        """A rule in words, or at least the title of what asks for it."""
        known, asked = self.requirements.get(row), self.scenarios.get(row)
        return known.rule if known else asked.title if asked else row

    @property
    def subject(self) -> str:
        """What the run was against."""
        return self.header.subject[:_SUBJECT]

    @property
    def command(self) -> str:
        """The command that runs against the same subject."""
        named, kind = shlex.quote(self.subject), self.header.kind
        return f"openwop-conformance run {named if kind == 'host' else f'--{kind} {named}'}"


def some(count: int, noun: str) -> str:
    """A number of things."""
    return f"{count:,} {noun}{'s' * (count != 1)}"
