"""``diff``: its exit codes, what it prints, what it refuses, and how little it loads."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.ledger import Header, write_ledger
from tests.shared_data import shared

Cli = Callable[..., Any]
PASS, FAIL, SKIPPED, INAPPLICABLE, BLOCKED = Disposition
HEADER = Header("0.1.0", "a" * 64, "reference", 7)


def ledger(path: Path, header: Header = HEADER, /, **rows: tuple[Disposition, str]) -> Path:
    made = [Row(f"r.{name}", f"s.{name}", d, 1, reason) for name, (d, reason) in rows.items()]
    write_ledger(path, header, made)
    return path


def test_the_same_twice_is_exit_0(cli: Cli, tmp_path: Path) -> None:
    one = ledger(tmp_path / "one", a=(PASS, ""), b=(FAIL, "broken"))

    code, out, err = cli("diff", one, one)
    assert (code, err) == (0, "")
    assert out == (
        f"A: {one}, a ledger of reference, 2 rows, by openwop-conformance 0.1.0\n"
        f"B: {one}, a ledger of reference, 2 rows, by openwop-conformance 0.1.0\n"
        "\n"
        "Nothing regressed: 2 of 2 rows are the same.\n"
    )


def test_every_change_is_told_under_its_name_and_a_regression_is_exit_1(
    cli: Cli, tmp_path: Path
) -> None:
    one = ledger(
        tmp_path / "one", a=(PASS, ""), b=(FAIL, "x"), c=(BLOCKED, "no key"), d=(FAIL, "y")
    )
    two = ledger(
        tmp_path / "two",
        Header("0.2.0", "b" * 64, "reference", 8, 3),
        a=(FAIL, "200, not 422"),
        b=(PASS, ""),
        d=(FAIL, "z"),
        e=(PASS, ""),
    )

    code, out, err = cli("diff", one, two)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "The suite changed: openwop-conformance 0.1.0, then openwop-conformance 0.2.0.",
        f"The corpus changed: {'a' * 64}, then {'b' * 64}.",
        f"A: {one}, a ledger of reference, 4 rows, by openwop-conformance 0.1.0",
        f"B: {two}, a ledger of reference, 4 rows, by openwop-conformance 0.2.0",
        "B is a selection: 3 scenarios were left out of its run.",
        "",
        "regressed: 1",
        "  r.a  (worse)",
        "      was  executed-pass",
        "      is   executed-fail: 200, not 422",
        "",
        "vanished: 1",
        "  r.c",
        "      was  blocked: no key",
        "",
        "fixed: 1",
        "  r.b",
        "      was  executed-fail: x",
        "      is   executed-pass",
        "",
        "reason changed: 1",
        "  r.d",
        "      was  executed-fail: y",
        "      is   executed-fail: z",
        "",
        "appeared: 1",
        "  r.e",
        "      is   executed-pass",
        "",
        "Regressed: 1 of 5 rows is worse; 0 are the same.",
    ]


@pytest.mark.parametrize("became", [FAIL, SKIPPED, INAPPLICABLE, BLOCKED, None])
def test_a_pass_that_is_lost_is_exit_1_whatever_became_of_it(
    cli: Cli, tmp_path: Path, became: Disposition | None
) -> None:
    one = ledger(tmp_path / "one", a=(PASS, ""))
    two = ledger(tmp_path / "two", HEADER, **({"a": (became, "why")} if became else {}))

    assert cli("diff", one, two).code == 1
    assert cli("diff", two, one).code == 0


def test_a_run_that_died_is_said_to_be_incomplete(cli: Cli, tmp_path: Path) -> None:
    one = ledger(tmp_path / "one", a=(PASS, ""), b=(PASS, ""))
    two = tmp_path / "two"
    two.write_bytes(b"".join(one.read_bytes().splitlines(keepends=True)[:2]))

    code, out, _ = cli("diff", one, two)
    assert code == 1
    assert "B is incomplete: its run died, and the rows that it lacks are blocked.\n" in out
    assert "newly blocked: 1\n  r.b  (worse)\n" in out
    assert "      is   blocked: the run died before this row\n" in out


def test_json_is_one_document(cli: Cli, tmp_path: Path) -> None:
    one = ledger(tmp_path / "one", a=(PASS, ""), b=(PASS, ""))
    two = ledger(tmp_path / "two", a=(FAIL, "\x1b[2J\u202e"), b=(PASS, ""))

    code, out, err = cli("diff", one, two, "--json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert out.isascii()
    assert found["exitCode"] == found["worse"] == found["same"] == 1
    assert found["changed"] == []
    assert found["before"]["file"] == str(one)
    assert found["rows"] == [
        {
            "id": "r.a",
            "formerId": None,
            "change": "regressed",
            "worse": True,
            "before": {"disposition": "executed-pass"},
            "after": {"disposition": "executed-fail", "reason": "\x1b[2J\u202e"},
        }
    ]


HOSTILE = "\x1b[2J\u202e\u2028\r\n[bold red]ok[/]\x9b"


def test_what_a_recording_says_is_printed_as_text(cli: Cli, tmp_path: Path) -> None:
    header = Header(HOSTILE, "a" * 64, HOSTILE, 1)
    one = ledger(tmp_path / "one", header, **{HOSTILE: (PASS, "")})
    two = ledger(tmp_path / "two", HEADER, **{HOSTILE: (FAIL, HOSTILE)})

    for pair in ((one, two), (two, one)):
        _, out, _ = cli("diff", *pair)
        assert all(c.isprintable() for c in out.replace("\n", ""))
        assert "[bold red]ok[/]" in out
        assert not any(line.startswith("[bold") for line in out.splitlines())


@pytest.mark.parametrize(
    "data", [b"", b"no", b'{"bundleVersion": "\x1b"}', b'{"bundleVersion": 9}']
)
def test_what_is_no_recording_is_exit_2(cli: Cli, tmp_path: Path, data: bytes) -> None:
    one, two = ledger(tmp_path / "one"), tmp_path / "two"
    two.write_bytes(data)

    for pair in ((one, two), (two, one), (one, tmp_path / "gone"), (one, tmp_path)):
        code, out, err = cli("diff", *pair)
        assert (code, out) == (2, "")
        assert err.startswith("openwop-conformance: ")
        assert err.count("\n") == 1
        assert err.rstrip("\n").isprintable()


def test_a_ledger_that_was_tampered_with_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    one = ledger(tmp_path / "one", a=(FAIL, "broken"))
    two = tmp_path / "two"
    two.write_bytes(one.read_bytes().replace(b"broken", b"mended"))

    assert cli("diff", one, two) == (
        2,
        "",
        f"openwop-conformance: {two}: the footer's digest is not that of the rows\n",
    )


def test_one_file_is_not_enough(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli("diff", tmp_path)

    assert code == 2
    assert "the following arguments are required: B" in err


def test_two_published_bundles_are_compared(cli: Cli) -> None:
    one = shared("openwop/samples/v1-bundle-v2.in-memory.json")
    two = shared("openwop/samples/v1-bundle-v2.python.json")

    code, out, _ = cli("diff", one, two)
    assert code == 1
    assert out.startswith("The subject changed: openwop-host-in-memory 1.1.7, then ")
    assert out.splitlines()[-1].startswith("Regressed: ")


PROGRAM = """\
import sys
from openwop_conformance.cli import main
code = main(["diff", *sys.argv[1:]])
print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)
sys.exit(code)
"""
SLOW = {"httpx", "starlette", "hypothesis", "pytest", "rich", "jsonschema", "asyncio"}


def test_it_loads_none_of_what_a_run_needs_and_answers_at_once(tmp_path: Path) -> None:
    one = ledger(tmp_path / "one", a=(PASS, ""))
    line = [sys.executable, "-c", PROGRAM, str(one), str(one)]
    seconds = []
    for _ in range(5):
        started = time.perf_counter()
        done = subprocess.run(line, capture_output=True, text=True, timeout=60, check=True)
        seconds.append(time.perf_counter() - started)

    assert set(done.stderr.split()) & SLOW == set()
    assert min(seconds) < 1, "150 ms where nothing else runs"
