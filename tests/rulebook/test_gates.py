"""Gates that fill rows: what a written gate does, and the row that it makes."""

from __future__ import annotations

import itertools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import UsageError
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check, GateRow, GateRun, run_gates
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import REPOSITORY

HEAD = """
import pytest

def row(name):
    return pytest.mark.row(f"rows.{name}")
"""
PASS, FAIL, BLOCKED = Disposition.PASS, Disposition.FAIL, Disposition.BLOCKED
ONE = "@row('a')\ndef test_a(check):\n    check(1, '')\n"
_NUMBERS = itertools.count()


class Interrupted(Exception):
    """The gates were interrupted."""


class Written:
    """A folder of gates, and a corpus of these rows with little else in it."""

    def __init__(self, folder: Path, rows: tuple[str, ...] = ("a", "b")) -> None:
        for part in ("gates", "fixtures", "scenarios", "ledger", "evidence"):
            (folder / part).mkdir()
        self.folder = folder / "gates"
        shutil.copy(corpus().coherence / "conftest.py", self.folder)
        shutil.copy(corpus().fixtures / "upstream.json", folder / "fixtures")
        (folder / "ledger" / "aliases.yaml").write_text("issued: []\naliases: {}\n")
        words = dict.fromkeys(("rule", "source", "why", "breaks"), "x")
        words |= {"level": "MUST", "witness": "corpus"}
        kinds = {**dict.fromkeys(rows, "corpus"), "of-a-host": "host"}
        requirements = {
            "documents": [{"name": "x", "title": "x", "clauses": ["A"]}],
            "requirements": [
                {**words, "id": f"rows.{name}", "subject": kind} for name, kind in kinds.items()
            ],
        }
        (folder / "ledger" / "requirements.yaml").write_text(json.dumps(requirements))
        places = {part: folder / part for part in ("fixtures", "scenarios", "ledger")}
        self.book = Rulebook(replace(corpus(), coherence=self.folder, **places))
        self.upstream = Upstream(self.book, folder / "evidence")

    def write(self, body: str) -> str:
        """Write a module under a name that this process has not imported yet; the name."""
        name = f"test_written_{next(_NUMBERS)}.py"
        (self.folder / name).write_text(f"{HEAD}\n{body}\n", "utf-8")
        return name

    def run(self, body: str = "") -> dict[str, GateRow]:
        """Run the gates that are written; what became of each row, by the end of its id."""
        if body:
            self.write(body)
        try:
            rows = run_gates(GateRun(self.book, self.upstream, seed=77, generated=2))
        except KeyboardInterrupt:  # it would end the run that this test is part of
            raise Interrupted from None
        return {gate.row.id.removeprefix("rows."): gate for gate in rows}


@pytest.fixture
def written(tmp_path: Path) -> Written:
    return Written(tmp_path)


# --------------------------------------------------------------------------------- a check


def test_a_check_counts_goes_on_and_says_whether_it_holds() -> None:
    check = Check()

    assert check(True, "never formatted {}") is True
    assert check("a", "") is True
    assert check([], "{} has {} of {}", "x", 1, "y") is False
    assert check(None, "{}", {"a": "{}"}) is False
    check.note("beside it")
    assert (check.assertions, check.failures) == (4, ["x has 1 of y", "{'a': '{}'}"])
    assert check.notes == ["beside it"]


# ----------------------------------------------------------------------- one row, one outcome

GATES = """
def deeper():
    raise OSError("gone")
@pytest.fixture
def evidence(): pytest.skip("no evidence")
@pytest.fixture
def broken(): return 1 / 0
one_of_two = pytest.mark.parametrize("n", [1, 2])

@row("holds")
def test_1(check): check(1, "one"), check(2, "two")
@row("goes-on-after-a-failure")
def test_2(check): check(0, "{} is {}", "first", 1), check(1, ""), check(0, "2nd"), check.note("n")
@row("holds-twice")
@one_of_two
def test_3(check, n): check(n, "")
@row("skips")
def test_4(check): check(1, ""), pytest.skip("no evidence")
@row("is-skipped")
@pytest.mark.skip(reason="no evidence")
def test_5(check): check(0, "")
@row("is-skipped-by-a-fixture")
def test_6(evidence, check): check(0, "")
@row("is-skipped-in-part")
@one_of_two
def test_7(check, n): check(1, ""), n == 1 and pytest.skip("no evidence")
@row("lacks-upstream")
def test_8(check, upstream): check(0, "")
@row("breaks-off")
def test_9(check): check(1, ""), deeper()
@row("asserts-by-itself")
def test_10(check):
    check(1, "")
    assert False
@row("leaves")
def test_11(check): raise SystemExit(3)
@row("cannot-say-what")
def test_12(check): check(0, "{nothing}")
@row("has-a-broken-fixture")
def test_13(broken, check): check(1, "")
@row("checks-nothing")
def test_14(check): check.note("only a note")
@row("asks-for-no-check")
def test_15(): assert True
@row("fails-and-skips")
def test_16(check): check(0, "broken"), pytest.skip("no evidence")
@row("fails-and-breaks-off")
def test_17(check): check(0, "broken"), deeper()
@row("is-skipped-in-part-and-fails")
@one_of_two
def test_18(check, n): n == 1 and pytest.skip("no evidence"), check(0, "broken")
@row("fails-often")
def test_19(check): [check(0, "no {}", n) for n in range(60)]
@row("is-given-its-run")
def test_20(check, run, book):
    check(run.book is book, "another book")
    check.note(f"{run.seed} {run.generated} {len(book.cases)} {sorted(run.gates)[0]}")
"""
BROKE = "the gate broke off: "
OUTCOMES = {
    "holds": (PASS, 2, ""),
    "goes-on-after-a-failure": (FAIL, 3, "first is 1"),
    "holds-twice": (PASS, 2, ""),
    "skips": (BLOCKED, 1, "no evidence"),
    "is-skipped": (BLOCKED, 0, "no evidence"),
    "is-skipped-by-a-fixture": (BLOCKED, 0, "no evidence"),
    "is-skipped-in-part": (BLOCKED, 2, "no evidence"),
    "lacks-upstream": (BLOCKED, 0, "a2ui_agent_sdk-0.7.0-py3-none-any.whl is not in "),
    "breaks-off": (BLOCKED, 1, f"{BROKE}OSError: gone (FILE:9)"),
    "asserts-by-itself": (BLOCKED, 1, f"{BROKE}AssertionError: assert False (FILE:"),
    "leaves": (BLOCKED, 0, f"{BROKE}SystemExit: 3 (FILE:"),
    "cannot-say-what": (BLOCKED, 1, f"{BROKE}KeyError: 'nothing' (gates.py:"),
    "has-a-broken-fixture": (BLOCKED, 0, f"{BROKE}ZeroDivisionError: division by zero (FILE:13)"),
    "checks-nothing": (BLOCKED, 0, "no gate asserted anything"),
    "asks-for-no-check": (BLOCKED, 0, "no gate asserted anything"),
    "fails-and-skips": (FAIL, 1, "broken"),
    "fails-and-breaks-off": (FAIL, 1, "broken"),
    "is-skipped-in-part-and-fails": (FAIL, 1, "broken"),
    "fails-often": (FAIL, 60, "no 0"),
    "is-given-its-run": (PASS, 1, ""),
}
Rows = dict[str, GateRow]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Rows]:
    """The name of the module with these gates, and the rows that it filled."""
    written = Written(tmp_path_factory.mktemp("all"), (*OUTCOMES, "unreported"))
    return written.write(GATES), written.run()


@pytest.mark.parametrize("name", OUTCOMES)
def test_a_row_is_what_its_gate_found(ran: tuple[str, Rows], name: str) -> None:
    module, rows = ran
    disposition, assertions, reason = OUTCOMES[name]
    row = rows[name].row

    assert (row.disposition, row.assertions) == (disposition, assertions)
    assert row.scenario == f"coherence/{module}"
    assert row.reason.startswith(reason.replace("FILE", module))
    assert (row.reason == "") is (disposition is PASS)


def test_every_failure_is_kept_and_of_very_many_the_first(ran: tuple[str, Rows]) -> None:
    rows = ran[1]

    assert rows["goes-on-after-a-failure"].failures == ("first is 1", "2nd")
    assert rows["fails-often"].failures == tuple(f"no {n}" for n in range(50))
    for name, (disposition, *_) in OUTCOMES.items():
        assert bool(rows[name].failures) is (disposition is FAIL)


def test_notes_stay_with_their_row_and_a_gate_is_given_its_run(ran: tuple[str, Rows]) -> None:
    assert {name: gate.notes for name, gate in ran[1].items() if gate.notes} == {
        "goes-on-after-a-failure": ("n",),
        "checks-nothing": ("only a note",),
        "is-given-its-run": ("77 2 0 rows.asks-for-no-check",),
    }


def test_every_row_about_the_corpus_is_there_and_what_no_gate_reports_is_blocked(
    ran: tuple[str, Rows],
) -> None:
    row = Row("rows.unreported", "none", BLOCKED, 0, "no gate asserted anything")

    assert list(ran[1]) == sorted([*OUTCOMES, "unreported"])
    assert ran[1]["unreported"] == GateRow(row)


def test_gates_of_one_row_in_two_modules_add_up(written: Written) -> None:
    one = written.write(f"{ONE}    check.note('n')\n@row('b')\ndef test_b(check): check(1, '')")
    two = written.write("@row('a')\ndef test_c(check):\n    check(0, 'c')\n    check(0, 'd')")
    rows = written.run()

    row = Row("rows.a", f"coherence/{one}, coherence/{two}", FAIL, 3, "c")
    assert rows["a"] == GateRow(row, ("c", "d"), ("n",))
    assert rows["b"] == GateRow(Row("rows.b", f"coherence/{one}", PASS, 1))


# --------------------------------------------------------------- what is no gate of the corpus


@pytest.mark.parametrize("name", ["of-a-host", "of-nothing"])
def test_a_gate_s_row_has_to_be_about_the_corpus(written: Written, name: str) -> None:
    written.write(f"@row({name!r})\ndef test_a(check): check(1, '')")

    with pytest.raises(UsageError, match=f"^rows.{name} is no requirement about the corpus, "):
        written.run()


@pytest.mark.parametrize(
    "body",
    ["def test_a(check:", "import no_such_module", "raise RuntimeError('a')", "@pytest.mark.rwo"],
)
def test_a_module_that_cannot_be_read_blocks_every_row_and_is_named(
    written: Written, body: str
) -> None:
    name = written.write(f"{body}\ndef test_b(check): pass")
    rows = written.run(ONE)

    assert {gate.row.disposition for gate in rows.values()} == {BLOCKED}
    assert all(gate.row.reason.startswith(f"gates/{name}: ") for gate in rows.values())


# ------------------------------------------------------------------- nobody else has a say


@pytest.mark.parametrize(
    "options", ["-k nothing", "--collect-only", "--no-such-option", "-p no_such_plugin"]
)
def test_the_options_of_the_environment_change_nothing(
    written: Written, monkeypatch: pytest.MonkeyPatch, options: str
) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", options)
    monkeypatch.setenv("PYTEST_PLUGINS", "no_such_plugin")

    assert written.run(ONE)["a"].row.disposition is PASS
    assert os.environ["PYTEST_ADDOPTS"] == options
    assert os.environ["PYTEST_PLUGINS"] == "no_such_plugin"


def strew(folder: Path) -> None:
    (folder / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")
    (folder / "pyproject.toml").write_text("[tool.pytest.ini_options]\naddopts = '-k nothing'\n")


def test_what_lies_where_somebody_works_changes_nothing(
    written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    strew(tmp_path / "evidence")
    (tmp_path / "evidence" / "conftest.py").write_text("raise RuntimeError('not mine')")
    monkeypatch.chdir(tmp_path / "evidence")

    assert written.run(ONE)["a"].row.disposition is PASS


def test_options_that_lie_above_the_gates_change_nothing(written: Written, tmp_path: Path) -> None:
    strew(tmp_path)

    assert written.run(ONE)["a"].row.disposition is PASS


def test_code_that_lies_above_the_gates_is_not_run(written: Written, tmp_path: Path) -> None:
    """As where the package is installed inside of somebody's project."""
    (tmp_path / "conftest.py").write_text("raise RuntimeError('not mine')")

    assert written.run(ONE)["a"].row.disposition is PASS


def test_nothing_that_a_gate_prints_appears(
    written: Written, capfd: pytest.CaptureFixture[str]
) -> None:
    body = """
import os, sys
print("while it is imported")
@row("a")
def test_a(check):
    print("out"), print("err", file=sys.stderr), os.write(1, b"raw"), check(0, "a failure")
"""
    assert written.run(body)["a"].row.disposition is FAIL
    assert capfd.readouterr() == ("", "")


def test_an_interrupted_run_is_no_verdict(written: Written) -> None:
    written.write(f"{ONE}\n@row('a')\ndef test_b(check): raise KeyboardInterrupt")

    with pytest.raises(Interrupted):
        written.run()


def test_run_by_pytest_alone_a_gate_holds_the_corpus_of_this_package(written: Written) -> None:
    written.write(
        """
@row("a")
def test_a(check, book): check(len(book.cases) > 600, "")
@row("b")
def test_b(check): check(0, "this is what does not hold")
"""
    )
    alone = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(written.folder)]
    done = subprocess.run(alone, capture_output=True, text=True, check=False, cwd=REPOSITORY)

    assert done.returncode == 1
    assert "this is what does not hold" in done.stdout
    assert "2 passed, 1 error" in done.stdout


def test_a_gate_that_breaks_off_where_no_file_is_blocks_its_row(written: Written) -> None:
    gone = "    import importlib\n    importlib.import_module('no_such_module')"
    rows = written.run(f"{ONE}{gone}\n@row('b')\ndef test_b(check): check(1, '')")

    assert rows["a"].row.disposition is BLOCKED
    assert "ModuleNotFoundError: No module named 'no_such_module'" in rows["a"].row.reason
    assert rows["b"].row.disposition is PASS


def test_a_gate_that_says_of_no_row_that_it_fills_it_is_an_error_of_usage(
    written: Written, capfd: pytest.CaptureFixture[str]
) -> None:
    name = written.write(f"{ONE}\ndef test_b(check): check(1, '')")

    with pytest.raises(UsageError, match=f"^gates/{name}::test_b says of no row that it fills it$"):
        written.run()
    assert capfd.readouterr() == ("", "")


def test_a_fixture_that_breaks_off_at_its_end_blocks_the_row(written: Written) -> None:
    late = "@pytest.fixture\ndef late():\n    yield\n    1 / 0\n"
    row = written.run(f"{late}\n{ONE}".replace("(check)", "(late, check)"))["a"].row

    assert row.disposition is BLOCKED
    assert row.reason.startswith("the gate broke off: ZeroDivisionError")


def test_a_gate_that_leaves_in_the_middle_passes_no_row(written: Written) -> None:
    rows = written.run(f"{ONE}\n@row('a')\ndef test_b(check): pytest.exit('enough')")

    assert rows["a"].row.disposition is BLOCKED


def test_a_module_of_the_same_name_elsewhere_is_not_taken_for_a_gate(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = written.write(ONE).removesuffix(".py")
    monkeypatch.setitem(sys.modules, name, ModuleType(name))

    assert written.run()["a"].row.disposition is PASS
