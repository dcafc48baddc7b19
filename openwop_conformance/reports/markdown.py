"""The run as one Markdown page: the verdict, what is broken, what is not established, every row.

The page is a list of blocks, each of them whole: where there is room for less, it ends after one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from ..engine.verdict import (
    Disposition,
    Event,
    Failure,
    Row,
    RunStarted,
    ScenarioFinished,
    verdict,
)
from ..evidence.ledger import Header, digest
from ..evidence.requirements import Requirement
from .output import append, put
from .wording import (
    NOT_ESTABLISHED,
    WORDS,
    again,
    by_reason,
    details,
    line,
    lines,
    totals,
)

ROOM: Final = 1024 * 1024
"""Bytes that GitHub takes for the summary of a step; it shows nothing of a longer one."""
_SHOWN_CASES: Final = 5
_FENCED: Final = ("expected", "got", "scenario")
_CUT: Final = "**The page is cut here: GitHub takes no more. The report itself has all of it.**"


class MarkdownReport:
    """Listens to a run and writes the page when it is over.

    ``appending`` puts it at the end of what the file holds, and holds the file to ``ROOM``.
    """

    def __init__(
        self,
        path: Path | None,
        requirements: Mapping[str, Requirement],
        header: Header,
        *,
        appending: bool = False,
    ) -> None:
        self._path, self._requirements, self._header = path, requirements, header
        self._appending = appending
        self._subject = header.subject
        self._failed: list[ScenarioFinished] = []

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunStarted):
            self._subject = event.subject
        elif isinstance(event, ScenarioFinished):
            if event.row.disposition is Disposition.FAIL:
                self._failed.append(event)
        else:
            self._write(event.rows)

    def _write(self, rows: tuple[Row, ...]) -> None:
        blocks = [*self._head(rows), *self._broken(), *self._not_established(rows)]
        blocks += self._evidence(rows)
        table = [self._table_row(row) for row in rows]
        if self._appending and self._path is not None:
            there = self._path.stat().st_size if self._path.is_file() else 0
            if page := fitted(blocks, table, ROOM - there - 1):
                append(self._path, page)
        else:
            put(self._path, joined([*blocks, folded_table(table, len(table))]))

    # ----------------------------------------------------------------------------- blocks

    def _head(self, rows: tuple[Row, ...]) -> Iterator[str]:
        yield f"# openwop-conformance: {code(self._subject)}"
        yield f"**{verdict(rows)}**"
        yield f"{totals(rows)}."

    def _broken(self) -> Iterator[str]:
        if self._failed:
            yield "## Broken rules"
        for finished in sorted(self._failed, key=lambda f: f.row.id):
            requirement = self._requirements.get(finished.row.id)
            yield f"### {text(requirement.rule if requirement else finished.scenario.title)}"
            if requirement:
                yield text(requirement.why)
            yield f"{code(finished.row.id)}, from {text(finished.scenario.source)}"
            for failure in finished.failures[:_SHOWN_CASES]:
                yield from _failure(failure)
            more = len(finished.failures) - _SHOWN_CASES
            if more > 0:
                yield f"… and {more} more case{'s' * (more != 1)} of the same rule."
            command = again(self._subject, self._header.kind, finished.scenario.id)
            yield f"Once more:\n\n{fenced(command, 'sh')}"

    def _not_established(self, rows: tuple[Row, ...]) -> Iterator[str]:
        gathered = {disposition: by_reason(rows, disposition) for disposition in NOT_ESTABLISHED}
        if self._header.left_out or any(gathered.values()):
            yield "## What this run does not establish"
        yield from (f"{limit}." for limit in self._header.limits)
        for disposition, reasons in gathered.items():
            if reasons:
                count = sum(map(len, reasons.values()))
                items = [
                    f"- {text(reason)}: {', '.join(map(code, scenarios))}"
                    for reason, scenarios in reasons.items()
                ]
                yield folded(f"{disposition}: {count} {WORDS[disposition]}", "\n".join(items))

    def _evidence(self, rows: tuple[Row, ...]) -> Iterator[str]:
        header = self._header
        yield "## Evidence"
        yield (
            f"- suite {header.suite}, seed {header.seed}\n"
            f"- corpus {code(header.corpus)}\n"
            f"- digest of the rows {code(digest(rows))}"
        )

    def _table_row(self, row: Row) -> str:
        requirement = self._requirements.get(row.id)
        words = row.reason or (requirement.rule if requirement else "")
        return f"| {code(row.id)} | {row.disposition} | {row.assertions} | {text(words)} |"


def _failure(failure: Failure) -> Iterator[str]:
    yield f"**{text(failure.message)}**"
    told = details(failure)
    yield "\n".join(
        f"- {name}: {text(value) if name == 'rule' else code(value)}"
        for name, value in told
        if name not in _FENCED
    )
    for name, value in told:
        if name in _FENCED:
            yield f"{name.capitalize()}:\n\n{fenced(value)}"


# ---------------------------------------------------------------------------- how it is set


def text(words: str) -> str:
    """Words that a subject may have said, as plain Markdown text on one line."""
    flat = re.sub(r"[\\`*_\[\]<>|#~$&@]", r"\\\g<0>", line(words))
    flat = re.sub(r"(?i)(:)(?=//)|(?<=www)(\.)", r"\\\g<0>", flat)  # a bare address is no link
    return re.sub(r"^(\d*)([-+.)])", r"\1\\\2", flat)  # a list is no list in a list


def code(words: str) -> str:
    """Words on one line, as they are: whatever ticks are in them, more stand around them."""
    flat = line(words)
    ticks = "`" * (_longest_run(flat) + 1)
    pad = " " if flat[:1] == "`" or flat[-1:] == "`" else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def fenced(words: str, language: str = "text") -> str:
    """Lines as they are, in a fence that is longer than any in them."""
    inside = lines(words)
    fence = "`" * max(3, _longest_run(words) + 1)
    return "\n".join([f"{fence}{language}", *inside, fence])


def folded(summary: str, inside: str) -> str:
    """A block that is shown on demand."""
    return f"<details><summary>{summary}</summary>\n\n{inside}\n\n</details>"


def folded_table(table: Sequence[str], shown: int) -> str:
    """The rows as a table, the first ``shown`` of them; where that is not all it says so."""
    head = ["| requirement | outcome | assertions | rule or reason |", "|---|---|---|---|"]
    rest = "" if shown == len(table) else f"\n\n{_CUT}"
    return folded(
        f"All {len(table)} requirements" if len(table) != 1 else "The one requirement",
        "\n".join([*head, *table[:shown]]) + rest,
    )


def joined(blocks: Sequence[str]) -> str:
    """Blocks as one page."""
    return "\n\n".join(blocks) + "\n"


def fitted(blocks: Sequence[str], table: Sequence[str], room: int) -> str:
    """The page in at most ``room`` bytes: without rows of the table, and then without blocks.

    Where something is left out a line says so; where there is no room for that, nothing is left.
    """

    for shown in _fewer(len(table)):
        page = joined([*blocks, folded_table(table, shown)])
        if len(page.encode()) <= room:
            return page
    for kept in _fewer(len(blocks)):
        page = joined([*blocks[:kept], _CUT])
        if len(page.encode()) <= room:
            return page
    return ""


def _fewer(count: int) -> Iterator[int]:
    """All, and then fewer by a sixteenth each time, down to none."""
    while count:
        yield count
        count -= max(1, count // 16)
    yield 0


def _longest_run(words: str) -> int:
    return max(map(len, re.findall("`+", words)), default=0)
