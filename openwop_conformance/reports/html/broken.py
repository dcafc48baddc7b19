"""The rules that are broken: why each is there, what was seen, how to see it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...adapters.calls import METHOD
from ...engine.verdict import Exchange, Failure, ScenarioFinished
from ..reproduce import call_lines, shell_lines
from .charts import Chart, charts
from .difference import Sides, sides
from .exchanges import Asked, timeline
from .legible import Room, Shown, cut
from .story import Story

SHOWN_CASES: Final = 5
"""How many failing cases of a rule are shown in full; the others have a line each."""
_LISTED_CASES: Final = 100
_ROOM: Final = 2_600_000
_MOST_OF_RULE: Final = 200_000
"""Bytes of the page that all failures may fill, and those of one rule."""
MOST_TEXT: Final = 3000
_SHORT: Final = 300
_MOST_LINES: Final = 12_000
_CASE: Final = 900
"""Bytes of the page that a failing case takes beside its texts."""


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was not as the rule has it."""

    message: Shown
    because: str
    fixture: str
    place: str
    sides: Sides | None
    expected: Shown | None
    got: Shown | None
    exchange: int | None
    file: Shown | None


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that is broken: why there is it, what was seen, how to see it again."""

    id: str
    rule: str
    source: str
    level: str
    why: str
    breaks: str
    open: bool
    said: Shown
    """What failed first, in short."""
    failures: int
    cases: tuple[Case, ...]
    others: tuple[Shown, ...]
    unlisted: int
    asked: tuple[Asked, ...]
    first: int
    """The place of the first exchange that shows a failure, among those shown, or -1."""
    later: int
    charts: tuple[Chart, ...]
    lines: str
    """The lines that repeat the first failing exchange; none where they are too long."""
    again: str

    @property
    def numbers(self) -> set[int]:
        """The numbers of the exchanges that are shown."""
        return {each.number for each in self.asked}

    @property
    def are_cut(self) -> bool:
        """Whether some of the lines are too long to be there whole."""
        return any(line.endswith("…") for line in self.lines.splitlines())


def broken_rules(story: Story) -> tuple[Broken, ...]:
    """Each broken rule, with an equal share of the room."""
    failed = sorted(story.failed, key=lambda finished: finished.row.id)
    share = min(_MOST_OF_RULE, _ROOM // max(1, len(failed)))
    return tuple(_broken_rule(story, finished, share, len(failed) == 1) for finished in failed)


def _broken_rule(story: Story, finished: ScenarioFinished, share: int, opened: bool) -> Broken:
    """A rule with what was seen. Half of its share is kept for the exchanges."""
    row, scenario = finished.row, finished.scenario
    known = story.requirements.get(row.id)
    room = Room(share // 2)
    shown = [
        failure
        for number, failure in enumerate(finished.failures[:SHOWN_CASES])
        if room.take(_CASE) or number == 0
    ]
    most = min(MOST_TEXT, room.left // (3 * max(1, len(shown))))
    cases = tuple(_case(failure, room, most) for failure in shown)
    rest = finished.failures[len(shown) :]
    others = tuple(
        room.text(f"{failure.case}: {failure.message}" if failure.case else failure.message, _SHORT)
        for failure in rest[:_LISTED_CASES]
        if room.take(_SHORT)
    )
    room.left += share - share // 2
    lines = _lines(finished, story.header.subject, room)
    seen = [failure.exchange for failure in shown if failure.exchange is not None]
    asked, later = timeline(finished.exchanges, seen, room)
    return Broken(
        id=row.id,
        rule=story.rule_of(row.id),
        source=known.source if known else scenario.source,
        level=known.level if known else "",
        why=known.why if known else "",
        breaks=known.breaks if known else "",
        open=opened,
        said=cut(finished.failures[0].message if finished.failures else row.reason, _SHORT)[0],
        failures=len(finished.failures),
        cases=cases,
        others=others,
        unlisted=len(rest) - len(others),
        asked=asked,
        first=next((i for i, each in enumerate(asked) if each.failing), -1),
        later=later,
        charts=tuple(charts(row.measured)),
        lines=lines,
        again=f"{story.command} --select {scenario.id}",
    )


def _case(failure: Failure, room: Room, most: int) -> Case:
    expected = None if failure.expected is None else room.text(failure.expected, most, 80)
    got = None if failure.got is None else room.text(failure.got, most, 80)
    return Case(
        message=room.text(failure.message, most, 200),
        because=failure.because or "",
        fixture=failure.case or "",
        place=failure.place,
        sides=sides(expected.text, got.text) if expected and got else None,
        expected=expected,
        got=got,
        exchange=None if failure.exchange is None else failure.exchange.number,
        file=None if failure.scenario is None else room.text(failure.scenario, _MOST_LINES),
    )


def _lines(finished: ScenarioFinished, subject: str, room: Room) -> str:
    """What repeats the first failing exchange, whole or not at all: a part of it would not run."""
    failing = finished.failures[0].exchange if finished.failures else None
    if failing is None:
        return ""
    base = subject if subject.startswith("http") else None
    made = "\n".join(_lines_of(finished.exchanges, failing, base))
    whole, size = cut(made, min(_MOST_LINES, room.left // 2))
    return "" if whole.more or not room.take(size) else made


def _lines_of(exchanges: Sequence[Exchange], failing: Exchange, base: str | None) -> list[str]:
    if failing.request.method == METHOD:
        return call_lines(exchanges, failing)
    return shell_lines(exchanges, failing, base)
