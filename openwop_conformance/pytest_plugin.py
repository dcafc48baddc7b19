"""``pytest --pyargs openwop_conformance --owp-host HOST``: the scenarios as pytest items.

Loaded in every pytest run of an environment, so it imports nothing until a host is named. Each item
is one call of the engine; the process that reports gathers the rows and writes the one ledger.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    import asyncio

    from .engine.dialect import Dialect
    from .engine.session import Session
    from .engine.verdict import Row, ScenarioFinished
    from .evidence.ledger import LedgerWriter
    from .jsonvalue import JsonValue
    from .scenario.model import Scenario
    from .suite import Plan

_PACKAGE = Path(__file__).parent
_ROW = "owp_row"
_DIALECT = "owp_dialect"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, under one prefix."""
    group = parser.getgroup("openwop-conformance")
    group.addoption("--owp-host", metavar="HOST", help="the host under test: a URL, reference, …")
    group.addoption("--owp-select", action="append", default=[], metavar="PATTERN")
    group.addoption("--owp-ledger", metavar="FILE", help="write the ledger here")
    group.addoption("--owp-seed", type=int, metavar="N", help="repeat the ids of a run")
    group.addoption("--owp-time-scale", type=float, default=1.0, metavar="X")
    group.addoption("--owp-credential-file", metavar="FILE")
    parser.addini("owp_host", "the host under test, when --owp-host is not given")


def pytest_configure(config: pytest.Config) -> None:
    """Do nothing unless a host is named."""
    host = config.getoption("owp_host") or config.getini("owp_host")
    if host:
        config.pluginmanager.register(_Conformance(config, str(host)), "openwop-conformance-run")


class _Conformance:
    """The plugin of one pytest process: it collects and runs; the controller also gathers."""

    def __init__(self, config: pytest.Config, host: str) -> None:
        from .engine.credentials import Credentials, read_credentials
        from .engine.session import Options
        from .errors import ConformanceError
        from .suite import fresh_seed, plan

        self.config = config
        self.worker = hasattr(config, "workerinput")
        file = config.getoption("owp_credential_file")
        seed = config.getoption("owp_seed")
        if seed is None:
            seed = config.workerinput["owp_seed"] if self.worker else fresh_seed()  # type: ignore[attr-defined]
        options = Options(seed=seed, time_scale=config.getoption("owp_time_scale"))
        self.unfit = ""
        """Why this machine can witness nothing: a worker that left would be started again."""
        credentials = Credentials()
        try:
            credentials = read_credentials(os.environ, Path(file) if file else None)
        except ConformanceError as error:
            self._refuse(str(error))
        patterns = config.getoption("owp_select")
        try:
            self.plan: Plan = plan(host, credentials, patterns=patterns, options=options)
        except ConformanceError as error:
            self._refuse(str(error))
            self.plan = plan(host, credentials, options=options)
        if self.worker:
            self._compare(config.workerinput)  # type: ignore[attr-defined]
        self.rows: dict[str, Row] = {}
        self.dialect: JsonValue = None
        self.collected: set[str] = set()
        self._runner: asyncio.Runner | None = None
        self._session: Session | None = None
        self._ledger: LedgerWriter | None = None

    def _refuse(self, reason: str) -> None:
        """End the run, or in a worker, block all that it is given."""
        if not self.worker:
            raise pytest.UsageError(reason)
        self.unfit = reason

    def _compare(self, reporting: dict[str, Any]) -> None:
        """Refuse where this worker's rules or keys are not those of the process that reports."""
        here, there = self._suite(), reporting["owp_suite"]
        if here != there:
            self._refuse(f"this worker has {here}, and the process that reports has {there}")
        lacking = sorted(set(reporting["owp_keys"]) - self.plan.credentials.names())
        if lacking and not self.unfit:
            self._refuse(f"this worker was not given {', '.join(lacking)}: ssh passes none on")

    def _suite(self) -> str:
        """The suite and its rules: those of all machines have to be the same."""
        return f"suite {self.plan.header.suite} with corpus {self.plan.corpus.digest[:12]}"

    # ------------------------------------------------------------------------ collecting

    def pytest_report_header(self) -> str:
        """What is run against whom."""
        count, digest = len(self.plan.scenarios), self.plan.corpus.digest[:12]
        return f"openwop-conformance: {count} scenarios, corpus {digest}, {self.plan.subject}"

    def pytest_collect_directory(
        self, path: Path, parent: pytest.Collector
    ) -> pytest.Collector | None:
        """The package's directory stands for its scenarios, wherever their files are.

        Its id is the same on every machine, or xdist would take them for other tests.
        """
        if path != _PACKAGE:
            return None
        directory: pytest.Collector = ScenarioDirectory.from_parent(
            parent, path=path, nodeid=path.name
        )
        return directory

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Remember which scenarios were chosen, after -k and -m."""
        self.collected |= {i.scenario.id for i in session.items if isinstance(i, ScenarioItem)}

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: list[str]) -> None:
        """The same, as a worker tells it."""
        known = {scenario.id for scenario in self.plan.scenarios}
        self.collected |= known & {nodeid.rpartition("::")[2] for nodeid in ids}

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Every worker draws its ids from one seed, and judges by the same rules."""
        node.workerinput["owp_seed"] = self.plan.options.seed
        node.workerinput["owp_suite"] = self._suite()
        node.workerinput["owp_keys"] = sorted(self.plan.credentials.names())

    # --------------------------------------------------------------------------- running

    def run(self, scenario: Scenario) -> ScenarioFinished:
        """One scenario, in this process's own event loop and session."""
        import asyncio

        from .engine.run import run_one
        from .engine.session import Session
        from .engine.verdict import Disposition, Row, ScenarioFinished
        from .suite import open_subject

        if self.unfit:
            blocked = (Disposition.BLOCKED, 0, self.unfit)
            return ScenarioFinished(scenario, Row(scenario.requirement, scenario.id, *blocked))
        if self._runner is None:
            self._runner = asyncio.Runner()
        if self._session is None:
            host, credentials = open_subject(self.plan.subject, self.plan.credentials)
            self._session = Session(host, self.plan.options, credentials)
        return self._runner.run(run_one(scenario, self._session))

    def spoken(self) -> Dialect | None:
        """How the host speaks major 1, where that was found out."""
        return None if self._session is None else self._session.known_dialect

    def pytest_unconfigure(self) -> None:
        """Close the host and the loop."""
        if self._runner is not None:
            if self._session is not None:
                self._runner.run(self._session.host.close())
            self._runner.close()

    # ------------------------------------------------------------------------- gathering

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take a row from the report that brings it."""
        from .engine.verdict import Disposition, Row

        for name, value in report.user_properties:
            if name == _DIALECT and isinstance(value, str):
                self.dialect = json.loads(value)
            if name == _ROW and isinstance(value, str):
                row = json.loads(value)
                disposition = Disposition(row["disposition"])
                reason = row.get("reason", "")
                self.rows[row["scenario"]] = Row(
                    row["id"], row["scenario"], disposition, row["assertions"], reason
                )
                self.ledger_row(self.rows[row["scenario"]])

    def ledger_row(self, row: Row) -> None:
        """The controller appends a row to the ledger in the making."""
        file = self.config.getoption("owp_ledger")
        if self.worker or not file:
            return
        if self._ledger is None:
            from .evidence.ledger import LedgerWriter

            planned = [s for s in self.plan.scenarios if s.id in self.collected]
            self._ledger = LedgerWriter(Path(file), self.plan.header, planned)
        self._ledger.add(row)

    def all_rows(self) -> tuple[Row, ...]:
        """A row for each scenario that was collected; what brought none is blocked."""
        from .engine.verdict import Disposition, Row

        lost = "no report came back: the worker that ran it was lost"
        rows = [
            self.rows.get(s.id) or Row(s.requirement, s.id, Disposition.BLOCKED, 0, lost)
            for s in self.plan.scenarios
            if s.id in self.collected
        ]
        return tuple(sorted(rows, key=lambda row: row.id))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """The controller writes the ledger; a run that witnessed too little did not succeed."""
        from .engine.verdict import exit_code

        file = self.config.getoption("owp_ledger")
        if self.worker:
            return
        rows = self.all_rows()
        if file:
            from dataclasses import replace

            from .evidence.ledger import write_ledger

            header = replace(self.plan.header, dialect=self.dialect)
            if self._ledger is None:
                write_ledger(Path(file), header, rows)
            else:
                self._ledger.finish(header, rows)
        if rows and exit_code(rows) != 0 and session.exitstatus == 0:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """The counts, and the digest that any other run of the same rows has."""
        from .evidence.ledger import counts, digest

        rows = self.all_rows()
        if rows:
            found = ", ".join(f"{n} {name}" for name, n in counts(rows).items() if n)
            terminalreporter.write_sep("-", "openwop-conformance")
            terminalreporter.write_line(f"{found}; digest of the rows {digest(rows)}")


class ScenarioDirectory(pytest.Directory):
    """Collects an item for each scenario of the plan."""

    def collect(self) -> Iterator[pytest.Item]:
        """The items, by scenario id."""
        for scenario in _conformance(self.config).plan.scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.id, scenario=scenario)


class ScenarioItem(pytest.Item):
    """One scenario."""

    def __init__(self, *, scenario: Scenario, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.scenario = scenario

    def runtest(self) -> None:
        """Run it: fail and blocked raise, inapplicable and skipped skip, each with its reason."""
        from .engine.verdict import Disposition

        finished = _conformance(self.config).run(self.scenario)
        self.user_properties.append((_ROW, json.dumps(finished.row.as_json())))
        dialect = _conformance(self.config).spoken()
        if dialect is not None:
            self.user_properties.append((_DIALECT, json.dumps(dialect.as_json())))
        if finished.row.disposition in (Disposition.FAIL, Disposition.BLOCKED):
            raise NotKept(finished)
        if finished.row.disposition is not Disposition.PASS:
            pytest.skip(f"{finished.row.disposition}: {finished.row.reason}")

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """What was wrong, without a traceback of this suite."""
        if isinstance(excinfo.value, NotKept):
            return excinfo.value.text()
        return super().repr_failure(excinfo)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where the scenario stands, and its id."""
        return self.path, self.scenario.place.line - 1, self.scenario.id


class NotKept(Exception):
    """A scenario that failed or was blocked."""

    def __init__(self, finished: ScenarioFinished) -> None:
        super().__init__(finished.row.reason)
        self.finished = finished

    def text(self) -> str:
        """The reason and each failure, for the terminal."""
        row = self.finished.row
        lines = [
            f"{row.disposition}: {row.reason}",
            f"  {row.id}",
            f"  {self.finished.scenario.source}",
        ]
        for failure in self.finished.failures:
            lines.append(f"  {failure.place}: {failure.message}")
            for name, value in (("expected", failure.expected), ("got", failure.got)):
                if value:
                    lines.append(f"    {name}: {value}")
        return "\n".join(lines)


def _conformance(config: pytest.Config) -> _Conformance:
    plugin = config.pluginmanager.get_plugin("openwop-conformance-run")
    assert isinstance(plugin, _Conformance)
    return plugin
