"""The corpus gates: pytest modules that fill rows, and how they are run.

A gate is a test function marked with the id of its row; it asserts through ``check``, which counts,
goes on after a failure, and keeps what was found. A test that pytest skips says what was not at
hand: its row is blocked.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import pytest

from ..engine.verdict import Disposition, Row
from ..errors import UsageError
from ..evidence.requirements import Requirement, read_requirements
from .book import Rulebook
from .upstream import Upstream

GENERATED: Final = 20_000
SEED: Final = 209
_KEPT: Final = 50
"""How many failures of one row are kept word for word."""


class Check:
    """What a gate asserts with: counts, and collects what does not hold."""

    def __init__(self) -> None:
        self.assertions = 0
        self.failures: list[str] = []
        self.notes: list[str] = []

    def __call__(self, holds: object, message: str, *values: object) -> bool:
        """One assertion; ``message`` is formatted with ``values`` when it does not hold."""
        self.assertions += 1
        if not holds:
            self.failures.append(message.format(*values))
        return bool(holds)

    def note(self, text: str) -> None:
        """Something worth printing beside the row, whatever its outcome."""
        self.notes.append(text)


@dataclass(frozen=True, slots=True)
class GateRow:
    """One row of the corpus gates, with what was found."""

    row: Row
    failures: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class _Found:
    """What one test reported."""

    gate: str
    assertions: int = 0
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    blocked: str = ""


class GateRun:
    """One run of the gates: what they are held to, and what they reported. A pytest plugin."""

    def __init__(
        self,
        book: Rulebook,
        upstream: Upstream,
        *,
        seed: int = SEED,
        generated: int = GENERATED,
    ) -> None:
        self.book, self.upstream = book, upstream
        self.seed, self.generated = seed, generated
        self.gates: dict[str, list[str]] = {}
        """Each row's tests, as they were collected."""
        self._found: dict[str, list[_Found]] = {}
        self._broken: list[str] = []
        self._unmarked: list[str] = []
        self.interrupted = False

    # --------------------------------------------------------------------------- as a plugin

    def pytest_configure(self, config: pytest.Config) -> None:
        """Declare the marker."""
        config.addinivalue_line("markers", "row(id): the requirement whose row the test fills")

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Note which tests fill which row."""
        self._unmarked += [item.nodeid for item in items if not _row_of(item)]
        if self._unmarked:
            items.clear()
        for item in items:
            self.gates.setdefault(_row_of(item), []).append(_gate_of(item))

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """A module that cannot be read is a fault of the suite."""
        if report.failed:
            self._broken.append(f"{report.nodeid}: {report.longreprtext.strip().splitlines()[-1]}")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: Any) -> Generator[None, Any, Any]:
        """Keep what a test found, and how it ended."""
        report: Any = yield
        if report.when == "call" or (report.when == "setup" and not report.passed):
            self._found.setdefault(_row_of(item), []).append(_outcome(item, report, call))
        elif report.when == "teardown" and report.failed:
            found = self._found[_row_of(item)][-1]
            if not found.failures:  # those are what the fixture of the check ends with
                found.blocked = found.blocked or _cause(call.excinfo)
        return report

    def pytest_internalerror(self, excinfo: Any) -> bool:
        """Whatever else breaks off is a fault of the suite, and nothing to print a traceback of."""
        self._broken.append(_cause(excinfo))
        return True

    def pytest_keyboard_interrupt(self, excinfo: Any) -> None:
        """Tell the user's own interruption from pytest's, which stops after what it cannot read."""
        self.interrupted = type(excinfo.value) is KeyboardInterrupt

    # ------------------------------------------------------------------------------- the rows

    def rows(self) -> tuple[GateRow, ...]:
        """A row for each requirement about the corpus, by id; what no gate reported is blocked."""
        if self._unmarked:
            raise UsageError(f"{self._unmarked[0]} says of no row that it fills it")
        requirements = read_requirements(self.book.corpus.requirements)
        wanted = {r.id for r in requirements.values() if r.subject == "corpus"}
        if strange := sorted(self._found.keys() - wanted):
            raise UsageError(f"{strange[0]} is no requirement about the corpus, and a gate's row")
        return tuple(self._row(requirements[name]) for name in sorted(wanted))

    def _row(self, requirement: Requirement) -> GateRow:
        found = self._found.get(requirement.id, [])
        gate = ", ".join(dict.fromkeys(f.gate for f in found)) or "none"
        assertions = sum(f.assertions for f in found)
        failures = tuple(text for f in found for text in f.failures)
        notes = tuple(text for f in found for text in f.notes)
        blocked = next((f.blocked for f in found if f.blocked), "")
        missing = len(self.gates.get(requirement.id, ())) - len(found)
        if missing and not blocked and not self._broken:
            blocked = "not every gate of this row was run to its end"
        if failures:
            disposition, reason = Disposition.FAIL, failures[0]
        elif blocked or self._broken or not assertions:
            disposition = Disposition.BLOCKED
            reason = blocked or next(iter(self._broken), "no gate asserted anything")
        else:
            disposition, reason = Disposition.PASS, ""
        row = Row(requirement.id, gate, disposition, assertions, reason)
        return GateRow(row, failures[:_KEPT], notes)


def run_gates(run: GateRun) -> tuple[GateRow, ...]:
    """Run the gates of the corpus; their rows. Raises ``UsageError`` for a file that is none."""
    run.book.read()
    gates = run.book.corpus.coherence
    with (
        _environment_without("PYTEST_ADDOPTS", "PYTEST_PLUGINS"),
        tempfile.TemporaryDirectory() as folder,
    ):
        pytest.main(
            [
                str(gates),
                f"--basetemp={Path(folder) / 'gates'}",  # and nothing of other runs is cleaned up
                f"--rootdir={gates.parent}",  # so that a gate's name as a module is its own
                f"--confcutdir={gates}",
                f"--config-file={os.devnull}",
                "--disable-plugin-autoload",
                "--import-mode=importlib",
                "--strict-markers",
                "-p",
                "no:cacheprovider",
                "-p",
                "no:terminal",
                "-p",
                "no:unraisableexception",  # it collects garbage five times over
            ],
            plugins=[run],
        )
    if run.interrupted:
        raise KeyboardInterrupt
    return run.rows()


def run_of(config: pytest.Config) -> GateRun:
    """The run that a gate belongs to."""
    return next(p for p in config.pluginmanager.get_plugins() if isinstance(p, GateRun))


def _row_of(item: pytest.Item) -> str:
    marker = item.get_closest_marker("row")
    return str(marker.args[0]) if marker is not None and marker.args else ""


def _gate_of(item: pytest.Item) -> str:
    return f"coherence/{item.path.name}"


def _outcome(item: pytest.Item, report: Any, call: Any) -> _Found:
    check = getattr(item, "funcargs", {}).get("check")
    found = _Found(_gate_of(item))
    if isinstance(check, Check):
        found.assertions = check.assertions
        found.failures, found.notes = check.failures, check.notes
    if report.skipped:
        found.blocked = str(call.excinfo.value)
    elif report.failed and not found.failures:
        found.blocked = _cause(call.excinfo)
    return found


def _cause(excinfo: Any) -> str:
    where, error = excinfo.traceback[-1], excinfo.value
    place = f"{Path(str(where.path)).name}:{where.lineno + 1}"  # a frame may be of no file
    return f"the gate broke off: {type(error).__name__}: {error} ({place})"


@contextmanager
def _environment_without(*names: str) -> Iterator[None]:
    held = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(held)
