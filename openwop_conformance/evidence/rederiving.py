"""Judging a trace again, with no subject at hand: the same rows, or what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ..corpus import Corpus
from ..engine.credentials import API_KEY, CANARY, OTHER_KEY, Credentials
from ..engine.run import run
from ..engine.session import Options, Session
from ..engine.verdict import Disposition, Event, Row, RunFinished, ScenarioFinished
from ..errors import UsageError
from ..jsonvalue import JsonValue, equal
from ..scenario.lint import heads, load
from .ledger import Header, Shard, digest
from .replaying import ReplayedClock, ReplayedHost
from .trace import Trace, read_trace


@dataclass(frozen=True, slots=True)
class Rederived:
    """The rows that a trace gives here, and in what they are not those of the run."""

    header: Header
    rows: tuple[Row, ...]
    complete: bool
    """Whether the run came to its end: a trace without a footer has rows that nobody judged."""
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    """What is not as it was in the run, and may be why."""


async def rederive(path: Path, suite: str, corpus: Corpus) -> Rederived:
    """Run a trace's scenarios against what it holds. Raises ``UsageError`` for no trace."""
    trace = read_trace(path)
    head = trace.header
    wanted = set(head["scenarios"])
    found = load(corpus, (outline for outline in heads(corpus) if outline.id in wanted))
    scenarios = {scenario.id: scenario for scenario in found}
    unknown = [f"this suite has no scenario {i}" for i in head["scenarios"] if i not in scenarios]
    chosen = tuple(scenarios[i] for i in head["scenarios"] if i in scenarios)
    if not chosen:
        raise UsageError(f"{path}: this suite has none of the scenarios that were run")
    kind = chosen[0].subject
    options = Options(
        seed=head["seed"],
        jobs=head["jobs"],
        time_scale=head["timeScale"],
        opted_out=frozenset(head["optedOut"]),
    )
    host, dialect = ReplayedHost(trace), None

    def note(event: Event) -> None:
        nonlocal dialect
        if isinstance(event, ScenarioFinished):
            host.give_up(event.scenario.id)
        elif isinstance(event, RunFinished):
            dialect = event.dialect

    credentials = _placeholders(head["given"])
    session = Session(host, options, credentials, ReplayedClock(trace), kind)
    rows = await run(chosen, session, note)
    if trace.footer is None:
        rows = _reached(trace, rows)
    head_of = (suite, corpus.digest, head["subject"], head["seed"], head["leftOut"], dialect)
    shard = Shard(**head["shard"]) if "shard" in head else None
    header = Header(*head_of, kind=kind, shard=shard)
    return Rederived(
        header,
        rows,
        trace.footer is not None,
        (*unknown, *_differences(trace, rows)),
        tuple(_notes(head, header, host, complete=trace.footer is not None)),
    )


def _placeholders(given: list[str]) -> Credentials:
    """The names in place of the values, as the trace holds them."""
    owner, other, canary = (
        f"${name}" if name in given else None for name in (API_KEY, OTHER_KEY, CANARY)
    )
    return Credentials(owner, other, canary)


def _reached(trace: Trace, rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Of a run that died, what it had judged; the rest is blocked."""
    judged = {row["scenario"] for row in trace.rows}
    lost = "the run died before it was judged"
    return tuple(
        row
        if row.scenario in judged
        else replace(row, disposition=Disposition.BLOCKED, assertions=0, reason=lost)
        for row in rows
    )


def _differences(trace: Trace, rows: tuple[Row, ...]) -> Iterator[str]:
    here = {row.id: row.as_json() for row in rows}
    for before in trace.rows:
        now = here.get(before["id"])
        if now is None:
            yield f"{before['id']}: no row here"
        elif not equal(before, now):
            members = [
                m for m in ("disposition", "assertions", "reason") if _differs(m, before, now)
            ]
            said = "; ".join(f"{m} {before.get(m)!r} then, {now.get(m)!r} now" for m in members)
            yield f"{before['id']}: {said or 'another scenario'}"
    if trace.footer is not None:
        for missing in sorted(set(here) - {row["id"] for row in trace.rows}):
            yield f"{missing}: no row then"
        if not set(here) ^ {row["id"] for row in trace.rows} and trace.footer["rows"] != digest(
            rows
        ):
            yield f"the digest of the rows: {trace.footer['rows']} then, {digest(rows)} now"


def _differs(member: str, one: JsonValue, other: JsonValue) -> bool:
    return not equal(one.get(member), other.get(member))


def _notes(head: JsonValue, header: Header, host: ReplayedHost, *, complete: bool) -> Iterator[str]:
    if head["suite"]["version"] != header.suite:
        yield f"the suite was {head['suite']['version']} then, and is {header.suite} now"
    if head["corpus"] != header.corpus:
        yield f"the corpus was {head['corpus'][:12]} then, and is {header.corpus[:12]} now"
    for asked in dict.fromkeys(host.unknown) if complete else ():
        yield f"asked here, and never in the run: {asked}"
    if host.stalls:
        yield f"{host.stalls} exchanges could not be kept in the order of the run"
