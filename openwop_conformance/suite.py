"""A run of the suite from its strings: the corpus, the subject, the keys, the rows.

The command line and the pytest plugin both stand on this.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from .adapters.connect import connect_consumer, connect_host, connect_sdk
from .adapters.host import Subject
from .corpus import Corpus, corpus
from .engine.credentials import Credentials
from .engine.run import run
from .engine.session import Options, Session, WallClock
from .engine.shards import part_of
from .engine.verdict import (
    Disposition,
    Event,
    Failure,
    Listener,
    Row,
    RunFinished,
    RunStarted,
    ScenarioFinished,
)
from .errors import UsageError
from .evidence.ledger import Header, Shard, Unfinished, digest, planned_digest
from .evidence.redaction import Redaction, without_secrets
from .evidence.requirements import check_subjects, read_requirements
from .jsonvalue import JsonValue
from .scenario.lint import heads, load, select
from .scenario.model import Scenario
from .scenario.model import Subject as Kind
from .version import VERSION as VERSION


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, against whom, and how."""

    subject: str
    scenarios: tuple[Scenario, ...]
    options: Options
    credentials: Credentials
    corpus: Corpus
    left_out: int
    """How many scenarios for such a subject were not selected."""
    kept: tuple[Row, ...] = ()
    """What a run that died had witnessed, and this one goes on with."""
    first_seed: int | None = None
    """The seed of the run that died."""
    kind: Kind = "host"
    pictures: bool = False
    """Whether a consumer in a browser gives pictures of itself."""
    shard: Shard | None = None
    """Which part of the run this is; ``None`` for a whole one."""

    @property
    def to_come(self) -> tuple[Scenario, ...]:
        """The scenarios that are still to be run."""
        had = {row.scenario for row in self.kept}
        return tuple(scenario for scenario in self.scenarios if scenario.id not in had)

    @property
    def header(self) -> Header:
        """The header of this run's ledger."""
        seed = self.options.seed if self.first_seed is None else self.first_seed
        left_out = self.left_out + (self.shard.elsewhere if self.shard else 0)
        head = (VERSION, self.corpus.digest, self.subject, seed, left_out)
        return Header(*head, kind=self.kind, shard=self.shard)

    @property
    def planned(self) -> dict[str, str]:
        """The rows to come by id, each with its scenario."""
        return {scenario.requirement: scenario.id for scenario in self.scenarios}


def plan(
    subject: str,
    credentials: Credentials,
    *,
    patterns: Sequence[str] = (),
    major: int | None = None,
    options: Options | None = None,
    kind: Kind = "host",
    shard: tuple[int, int] | None = None,
) -> Plan:
    """Choose the scenarios of a run, or of its i-th of n shards: ``(i, n)``.

    Raises ``UsageError`` when nothing is chosen.
    """
    found = corpus()
    known = [head for head in heads(found) if head.subject == kind]
    of_major = [head for head in known if major in (None, head.major)]
    if not of_major:
        raise UsageError(f"there is no scenario of major {major} for this kind of subject")
    chosen = load(found, select(of_major, patterns))
    check_subjects(chosen, read_requirements(found.requirements))
    options = options or Options(seed=fresh_seed())
    left_out = len(known) - len(chosen)
    whole = Plan(subject, chosen, options, credentials, found, left_out, kind=kind)
    return whole if shard is None else _sharded(whole, *shard)


def _sharded(whole: Plan, index: int, of: int) -> Plan:
    shard = Shard(index, of, len(whole.scenarios), planned_digest(whole.planned))
    return replace(whole, scenarios=part_of(whole.scenarios, index, of), shard=shard)


def fresh_seed() -> int:
    """A seed that no run has had."""
    return secrets.randbits(48)


def open_subject(
    subject: str, credentials: Credentials, kind: Kind = "host", *, pictures: bool = False
) -> tuple[Subject, Credentials]:
    """The subject that a connectable names. The embedded host brings its own keys and canary."""
    if kind == "sdk":
        return connect_sdk(subject), Credentials()
    if kind == "consumer":
        return connect_consumer(subject, pictures=pictures), Credentials()
    host = connect_host(subject)
    if subject.partition("?")[0] == "reference":
        from .reference.connect import credentials_of

        return host, credentials_of(host)
    return host, credentials


async def execute(chosen: Plan, tell: Listener, trace: Path | None = None) -> tuple[Row, ...]:
    """Run a plan; the rows, by id. What is exchanged is written to a new file ``trace``."""
    host, credentials = open_subject(
        chosen.subject, chosen.credentials, chosen.kind, pictures=chosen.pictures
    )
    redaction = Redaction(credentials)
    tell = without_secrets(tell, redaction)
    try:
        if trace is not None:
            return await _execute_recorded(chosen, host, credentials, redaction, tell, trace)
        told = _with_kept(chosen, tell)
        session = Session(host, chosen.options, credentials, kind=chosen.kind)
        rows = await run(chosen.to_come, session, told)
        return _merged(chosen, rows)
    finally:
        await host.close()


def _merged(chosen: Plan, rows: Sequence[Row]) -> tuple[Row, ...]:
    return tuple(sorted((*chosen.kept, *rows), key=lambda row: row.id))


def _with_kept(chosen: Plan, tell: Listener) -> Listener:
    """Tell of a run as of the whole: what was witnessed before it died comes first."""

    def told(event: Event) -> None:
        if isinstance(event, RunStarted):
            tell(replace(event, scenarios=chosen.scenarios))
            by_id = {scenario.id: scenario for scenario in chosen.scenarios}
            for row in chosen.kept:
                scenario = by_id[row.scenario]
                failed = row.disposition is Disposition.FAIL
                failures = (Failure(row.reason, str(scenario.place)),) if failed else ()
                tell(ScenarioFinished(scenario, row, failures))
        elif isinstance(event, RunFinished):
            tell(replace(event, rows=_merged(chosen, event.rows)))
        else:
            tell(event)

    return told if chosen.kept else tell


def resumed(chosen: Plan, unfinished: Unfinished) -> Plan:
    """The plan of a run that died, without what it had witnessed.

    Raises ``UsageError`` where the plan, the suite or the rules are not those of the run.
    """
    before, now = unfinished.header, chosen.header
    pairs = (
        ("suite", before["suite"]["version"], now.suite),
        ("corpus", before["corpus"], now.corpus),
        ("subject", before["subject"], now.subject),
        ("kind of subject", before.get("kind", "host"), now.kind),
        ("shard", before.get("shard"), now.shard and now.shard.as_json()),
        ("rows", before.get("rows"), chosen.planned),
    )
    for what, then, here in pairs:
        if then != here:
            raise UsageError(
                f"{unfinished.path} cannot be resumed: its {what} is not that of this run"
            )
    if chosen.options.seed in (before["seed"], *unfinished.seeds):
        raise UsageError("a run that goes on takes another seed: its ids must not come twice")
    return replace(chosen, kept=unfinished.rows, first_seed=before["seed"])


async def _execute_recorded(
    chosen: Plan,
    host: Subject,
    credentials: Credentials,
    redaction: Redaction,
    tell: Listener,
    path: Path,
) -> tuple[Row, ...]:
    from .evidence.recording import RecordingClock, RecordingHost
    from .evidence.trace import TraceWriter

    trace = TraceWriter(path, trace_header(chosen, credentials))

    def note(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            trace.write({"record": "row", "row": event.row.as_json()})
        tell(event)

    recording = RecordingHost(host, trace, redaction)
    clock = RecordingClock(WallClock(), trace)
    try:
        session = Session(recording, chosen.options, credentials, clock, chosen.kind)
        rows = await run(chosen.scenarios, session, note)
        trace.write({"record": "footer", "rows": digest(rows)})
    finally:
        trace.close()
    return rows


def trace_header(chosen: Plan, credentials: Credentials) -> dict[str, JsonValue]:
    """What a rederivation has to know of a plan."""
    options, header = chosen.options, chosen.header
    return {
        "suite": {"name": "openwop-conformance", "version": header.suite},
        "corpus": header.corpus,
        "subject": header.subject,
        "seed": header.seed,
        "leftOut": header.left_out,
        "scenarios": [scenario.id for scenario in chosen.scenarios],
        "jobs": options.jobs,
        "timeScale": options.time_scale,
        "optedOut": sorted(options.opted_out),
        "given": sorted(credentials.names()),
        **({"shard": header.shard.as_json()} if header.shard else {}),
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
    }
