"""What the page says, as values, in the order in which it says it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ...engine.steps.costing import GROWTH
from ...engine.verdict import Disposition, Row, RunFinished, exit_code, verdict
from ...evidence.ledger import digest
from ...jsonvalue import brief
from .broken import Broken, broken_rules
from .charts import Chart, charts
from .legible import Shown, cut
from .limits import Limit, limits, summary, where
from .story import KINDS, ONE, WORDS, Story, some

_ORDER: Final = (
    Disposition.FAIL,
    Disposition.BLOCKED,
    Disposition.PASS,
    Disposition.SKIPPED,
    Disposition.INAPPLICABLE,
)
_TONES: Final = {0: "kept", 1: "broken", 3: "open"}
_REASON: Final = 1500
"""Bytes of the page that a reason takes in the matrix."""
_OTHER: Final = "another source"


@dataclass(frozen=True, slots=True)
class Count:
    """How many rows have a disposition."""

    disposition: str
    words: str
    count: int


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the matrix."""

    id: str
    rule: str
    words: str
    disposition: str
    source: str
    sources: tuple[str, ...]
    subject: str
    level: str
    assertions: int
    scenario: str
    place: str
    reason: Shown
    why: str
    breaks: str


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template sets."""

    title: str
    tone: str
    verdict: str
    subject: str
    kind: str
    asked: str
    began: str
    counts: tuple[Count, ...]
    broken: tuple[Broken, ...]
    summary: str
    limits: tuple[Limit, ...]
    remarks: tuple[str, ...]
    measured: tuple[tuple[str, str, tuple[Chart, ...]], ...]
    growth: int
    rules: tuple[Rule, ...]
    subjects: tuple[str, ...]
    sources: tuple[str, ...]
    facts: tuple[tuple[str, str], ...]
    check: tuple[str, ...]


def page_of(story: Story, end: RunFinished) -> Page:
    """The page of a run that is over."""
    header, rows = story.header, end.rows
    said = verdict(rows)
    found = limits(story, rows)
    near, remark = where(header)
    rules = _rules(story, rows)
    known = [source for rule in rules for source in rule.sources]
    return Page(
        title=f"{said.partition(':')[0].removesuffix('.')}: {story.subject[:200]}",
        tone=_TONES[exit_code(rows)],
        verdict=said,
        subject=story.subject,
        kind=KINDS[header.kind],
        asked=f"{some(len(rows), 'rule')} in {end.seconds:.1f} s",
        began=f"{story.began:%-d %B %Y, %H:%M} UTC" if story.began else "",
        counts=tuple(
            Count(str(d), WORDS[d], sum(row.disposition is d for row in rows)) for d in _ORDER
        ),
        broken=broken_rules(story),
        summary=summary(found, near),
        limits=found,
        remarks=(
            "This is one run at one moment. A later build, another configuration or another load "
            "may behave otherwise.",
            remark,
            "A rule that is kept was kept in the cases that the suite asked for; no finite number "
            "of cases shows that it always is.",
            "This page can be edited by whoever has it, and proves nothing by itself. A trace can "
            "be judged again, and a signed bundle verified.",
        ),
        measured=tuple(
            (row.id, story.rule_of(row.id), drawn)
            for row in rows
            if (drawn := tuple(charts(row.measured)))
        ),
        growth=int(GROWTH),
        rules=rules,
        subjects=tuple(sorted({rule.subject for rule in rules})),
        sources=tuple(sorted(dict.fromkeys(known), key=lambda s: (s == _OTHER, s))),
        facts=_facts(story, end),
        check=_check(story),
    )


def _rules(story: Story, rows: Sequence[Row]) -> tuple[Rule, ...]:
    cited = {row.id: _families(_source(story, row.id)) for row in rows}
    counted = [family for families in cited.values() for family in families]
    often = {family for family in counted if counted.count(family) > 1}
    return tuple(
        _rule(story, row, tuple(dict.fromkeys(f if f in often else _OTHER for f in cited[row.id])))
        for row in sorted(rows, key=lambda row: (_ORDER.index(row.disposition), row.id))
    )


def _rule(story: Story, row: Row, sources: tuple[str, ...]) -> Rule:
    known, scenario = story.requirements.get(row.id), story.scenarios.get(row.id)
    kind = KINDS[story.header.kind]
    of_host = story.header.kind == "host" and scenario is not None
    return Rule(
        id=row.id,
        rule=story.rule_of(row.id),
        words=ONE[row.disposition],
        disposition=str(row.disposition),
        source=_source(story, row.id),
        sources=sources,
        subject=f"{kind}, major {scenario.major}" if of_host and scenario else kind,
        level=known.level if known else "",
        assertions=row.assertions,
        scenario=row.scenario,
        place=scenario.place.path if scenario else "",
        reason=cut(row.reason, _REASON)[0],
        why=known.why if known else "",
        breaks=known.breaks if known else "",
    )


def _source(story: Story, row: str) -> str:
    known, scenario = story.requirements.get(row), story.scenarios.get(row)
    return known.source if known else scenario.source if scenario else ""


def _families(source: str) -> list[str]:
    """The documents that a source cites, without the clauses: ``RFC 0209``, ``spec/v2``…"""
    parts = [part.strip() for part in source.split(";")]
    return [
        part.partition("§")[0].strip() if "§" in part else re.split(r"[\s#,]", part)[0]
        for part in parts
        if part and not part.startswith("§")
    ]


def _facts(story: Story, end: RunFinished) -> tuple[tuple[str, str], ...]:
    header = story.header
    facts = [
        ("Suite", f"openwop-conformance {header.suite}"),
        ("Digest of the corpus", header.corpus),
        ("Digest of the rows", digest(end.rows)),
        ("Seed", str(header.seed)),
        ("Scenarios", f"{len(story.scenarios)} run, {header.left_out} left out"),
        ("Began", f"{story.began:%Y-%m-%dT%H:%M:%SZ}" if story.began else ""),
        ("Took", f"{end.seconds:.1f} s"),
    ]
    if story.seed != header.seed:
        facts.insert(4, ("Went on with the seed", str(story.seed)))
    if isinstance(end.dialect, dict):
        spoken = ", ".join(f"{name} {brief(value)}" for name, value in end.dialect.items())
        facts.append(("Dialect of major 1", spoken[:1000]))
    return tuple(facts)


def _check(story: Story) -> tuple[str, ...]:
    """The lines that make the run again and judge what was exchanged."""
    again = f"{story.command} --seed {story.header.seed} --trace trace.jsonl"
    if story.header.left_out:
        chosen = [scenario.id for scenario in story.scenarios.values()]
        few = len(chosen) <= 5
        again += f" --select {' '.join(chosen)}" if few else " --select …"
    return again, "openwop-conformance rederive trace.jsonl"
