"""A run of the suite from its strings: the corpus, the subject, the keys, the rows.

The command line and the pytest plugin both stand on this.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version

from .adapters.connect import connect_host
from .adapters.host import Host
from .corpus import Corpus, corpus
from .engine.credentials import Credentials
from .engine.run import run
from .engine.session import Options, Session
from .engine.verdict import Listener, Row
from .errors import UsageError
from .evidence.ledger import Header
from .evidence.requirements import check_subjects, read_requirements
from .scenario.lint import load_all, select
from .scenario.model import Scenario

VERSION = version("openwop-conformance")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be run, against whom, and how."""

    subject: str
    scenarios: tuple[Scenario, ...]
    options: Options
    credentials: Credentials
    corpus: Corpus
    left_out: int
    """How many scenarios for such a subject were not chosen."""

    @property
    def header(self) -> Header:
        """The header of this run's ledger."""
        seed = self.options.seed
        return Header(VERSION, self.corpus.digest, self.subject, seed, self.left_out)


def plan(
    subject: str,
    credentials: Credentials,
    *,
    patterns: Sequence[str] = (),
    major: int | None = None,
    options: Options | None = None,
) -> Plan:
    """Choose the scenarios of a run. Raises ``UsageError`` when nothing is chosen."""
    found = corpus()
    known = [s for s in load_all(found) if s.subject == "host"]
    of_major = [s for s in known if major in (None, s.major)]
    if not of_major:
        raise UsageError(f"there is no scenario of major {major} for a host")
    chosen = select(of_major, patterns)
    check_subjects(chosen, read_requirements(found.requirements))
    options = options or Options(seed=fresh_seed())
    return Plan(subject, chosen, options, credentials, found, len(known) - len(chosen))


def fresh_seed() -> int:
    """A seed that no run has had."""
    return secrets.randbits(48)


def open_host(subject: str, credentials: Credentials) -> tuple[Host, Credentials]:
    """The host that a connectable names. The embedded one brings its own keys and canary."""
    host = connect_host(subject)
    if subject.partition("?")[0] == "reference":
        from .reference.connect import credentials_of

        return host, credentials_of(host)
    return host, credentials


async def execute(chosen: Plan, tell: Listener) -> tuple[Row, ...]:
    """Run a plan; the rows, by id."""
    host, credentials = open_host(chosen.subject, chosen.credentials)
    try:
        return await run(chosen.scenarios, Session(host, chosen.options, credentials), tell)
    finally:
        await host.close()
