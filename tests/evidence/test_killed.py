"""A run that is killed, at whatever moment, leaves what it had witnessed and nothing more.

One process imports the suite once and forks every run that is killed: two hundred are cheap.
"""

from __future__ import annotations

import gc
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pytest

from openwop_conformance import suite
from openwop_conformance.cli import main
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.verdict import Disposition, Row, exit_code
from openwop_conformance.evidence import requirements
from openwop_conformance.evidence.ledger import read_ledger, read_unfinished
from openwop_conformance.evidence.trace import Trace, read_trace
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.scenario.lint import heads, load_all
from tests.shared_data import REPOSITORY

KILLS = 200
QUICK = (
    *("auth-*", "catalog-*", "discovery-*", "fold-inside-*", "fork-*", "legacy-*", "limits"),
    *("locked-b*", "re-emission-*", "seam-*", "unknown-*"),
)
SELECT = tuple(f"host.v2.{name}" for name in QUICK)
"""Many rows of few exchanges each, and one of large ones: most kills fall between two rows."""
SEED = 5


def run(folder: Path, *more: str, seed: int = SEED, trace: bool = True) -> int:
    """``run`` in this process, with its files in a folder."""
    files = ["--ledger", str(folder / "ledger")]
    files += ["--trace", str(folder / "trace")] if trace else []
    return main(["run", "reference", "--seed", str(seed), "--select", *SELECT, *files, *more])


def kill_many(folder: Path, kills: int) -> None:
    """An unbroken run in ``whole``, then as many killed ones, each in a folder of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    rules = corpus()
    found, loaded = heads(rules), {scenario.id: scenario for scenario in load_all(rules)}
    rows = requirements.read_requirements(rules.requirements)
    assert rules.digest
    vars(suite)["corpus"] = lambda: rules  # what comes before a run is not what is killed
    vars(suite)["heads"] = lambda _: found
    vars(suite)["load"] = lambda _, chosen: tuple(loaded[head.id] for head in chosen)
    for module in (suite, requirements):
        vars(module)["read_requirements"] = lambda _: rows
    for _ in range(2):  # the first also warms up
        began = time.monotonic()
        assert run(folder / "whole") == 0
        took = time.monotonic() - began
    gc.collect()
    gc.freeze()  # a child that collects garbage would copy all that it shares with its parent
    chance = random.Random(7)
    for number in range(kills):
        ledger = folder / str(number) / "ledger"
        child = os.fork()
        if not child:
            os._exit(run(ledger.parent))
        if number % 10:  # the others are killed at any moment, and may not have begun
            while not ledger.exists():
                time.sleep(0.001)
        time.sleep(chance.uniform(0.0, took))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


@dataclass(frozen=True)
class Left:
    """What a run left, read once."""

    folder: Path

    @cached_property
    def began(self) -> bool:
        """Whether it had come as far as its ledger."""
        return (self.folder / "ledger").exists()

    @cached_property
    def ledger(self) -> tuple[dict[str, JsonValue], tuple[Row, ...], str | None]:
        """The header, the rows and the digest of the ledger."""
        return read_ledger(self.folder / "ledger")

    @cached_property
    def witnessed(self) -> tuple[Row, ...]:
        """The rows that it had reached."""
        _, rows, footer = self.ledger
        return rows if footer else read_unfinished(self.folder / "ledger").rows

    @cached_property
    def trace(self) -> Trace:
        """The trace, of which only the rows are kept."""
        trace = read_trace(self.folder / "trace")
        kept = tuple(record for record in trace.records if record["record"] == "row")
        return replace(trace, records=kept)


@dataclass(frozen=True)
class Killed:
    """What was left of the runs, and of the one that was not killed."""

    whole: Left
    runs: tuple[Left, ...]


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    folder = tmp_path_factory.mktemp("killed")
    code = (
        "import sys; from pathlib import Path; from tests.evidence.test_killed import kill_many; "
        "kill_many(Path(sys.argv[1]), int(sys.argv[2]))"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")}
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder), str(KILLS)],
        cwd=REPOSITORY,
        env=environment,
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    runs = tuple(Left(folder / str(number)) for number in range(KILLS))
    return Killed(Left(folder / "whole"), runs)


def test_the_kills_hit_at_many_moments(killed: Killed) -> None:
    found = Counter(len(run.witnessed) if run.began else -1 for run in killed.runs)
    print("rows witnessed: kills", dict(sorted(found.items())))  # noqa: T201

    assert len(found) >= 6
    total = len(killed.whole.witnessed)
    assert sum(n for rows, n in found.items() if 0 <= rows < total) > KILLS // 3


def test_the_ledger_of_a_killed_run_always_reads_and_claims_nothing_that_was_not_witnessed(
    killed: Killed,
) -> None:
    by_id = {row.id: row for row in killed.whole.witnessed}
    for one in killed.runs:
        if not one.began:
            continue
        header, rows, footer = one.ledger
        reached = one.witnessed
        assert header["seed"] == SEED
        assert {row.id for row in rows} == by_id.keys()
        assert all(row == by_id[row.id] for row in reached)
        lost = set(rows) - set(reached)
        assert all(row.disposition is Disposition.BLOCKED for row in lost)
        assert {row.reason for row in lost} <= {"the run died before it was judged"}
        assert exit_code(rows) == (3 if lost else 0)
        assert not (lost and footer)
        told = [row["id"] for row in one.trace.rows]
        assert {row.id for row in reached} <= set(told)
        assert len(told) - len(reached) <= 1 or footer


def test_the_trace_of_a_killed_run_always_reads_and_begins_like_any_other(killed: Killed) -> None:
    whole = killed.whole.trace
    rows, died = whole.rows, 0
    for one in killed.runs:
        if not (one.folder / "trace").exists():
            assert not one.began
            continue
        died += one.trace.footer is None
        assert all(row in rows for row in one.trace.rows)
        assert {**one.trace.header, "began": 0} == {**whole.header, "began": 0}
    assert died > KILLS // 3


def test_what_was_killed_is_resumed_to_the_rows_of_an_unbroken_run(
    killed: Killed, capsys: pytest.CaptureFixture[str]
) -> None:
    _, _, digest = killed.whole.ledger
    by_rows: dict[int, Left] = {}
    for dead in killed.runs:
        if dead.began and dead.ledger[2] is None:
            by_rows.setdefault(len(dead.witnessed), dead)
    chosen = sorted(by_rows.items())[:: max(1, len(by_rows) // 6)]
    assert len(chosen) >= 4

    for number, (_, dead) in enumerate(chosen):
        assert run(dead.folder, "--resume", seed=100 + number, trace=False) == 0
        header, rows, total = read_ledger(dead.folder / "ledger")
        assert total == digest
        assert set(dead.witnessed) <= set(rows)
        assert (header["seed"], header["resumed"]) == (SEED, [100 + number])
    assert "Traceback" not in capsys.readouterr().err
