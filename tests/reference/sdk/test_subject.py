"""The reference SDK as its users reach it: in process, over JSON lines, from the command line."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.host import Bounds
from openwop_conformance.cli import main
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.run import is_timed, run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.ledger import digest, read_ledger
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reference.library_matrix import scenarios_of
from openwop_conformance.reference.matrix import in_turn
from openwop_conformance.schemas import schema
from openwop_conformance.suite import open_subject

STDIO = f"stdio:{sys.executable} -m openwop_conformance.reference.sdk.connect"
ROOT = Path(__file__).parents[3]
EXAMPLE = f"stdio:{sys.executable} {ROOT / 'docs' / 'examples' / 'sdk_adapter.py'}"


def rows_of(connectable: str) -> tuple[Row, ...]:
    """All that is not measured, with a few cases of each, against a subject."""

    async def whole() -> tuple[Row, ...]:
        subject, _ = open_subject(connectable, Credentials(), "sdk")
        chosen = [in_turn(s, 0, 3) for s in scenarios_of("sdk") if not is_timed(s)]
        session = Session(subject, Options(seed=5), Credentials(), kind="sdk")
        try:
            return await run(chosen, session, lambda event: None)
        finally:
            await subject.close()

    return asyncio.run(whole())


def test_the_same_rows_come_in_process_and_over_lines() -> None:
    here, there = rows_of("reference"), rows_of(STDIO)
    assert {row.disposition for row in here} == {Disposition.PASS}
    assert digest(here) == digest(there)


def test_hello_offers_every_call_there_is() -> None:
    async def ask() -> Sequence[str]:
        subject, _ = open_subject("reference", Credentials(), "sdk")
        hello = await subject.exchange(call("hello", {"protocol": 1}), Bounds())
        offered: Sequence[str] = parse(hello.body)["result"]["operations"]
        return offered

    known = schema("sdk-line")["$defs"]["call"]["properties"]["call"]["enum"]
    assert sorted(asyncio.run(ask())) == sorted(known)


def test_a_trace_of_an_sdk_gives_the_same_ledger_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was measured too: the clock is in the trace."""
    trace, ledger, again = (str(tmp_path / name) for name in ("t", "l", "again"))
    chosen = ["--select", "sdk.data-n*", "sdk.stream-e*", "sdk.cost-update"]
    assert main(["run", "--sdk", "reference", "--trace", trace, "--ledger", ledger, *chosen]) == 0
    assert main(["rederive", trace, "--ledger", again]) == 0
    assert Path(ledger).read_bytes() == Path(again).read_bytes()
    header, rows, _ = read_ledger(Path(ledger))
    assert header["kind"] == "sdk"
    (measured,) = [row.measured for row in rows if row.measured]
    assert measured[0]["work"] == "updates"
    assert main(["har", trace]) == 2
    assert "make no HAR" in capsys.readouterr().err


def test_a_broken_sdk_is_shown_with_the_lines_that_show_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    broken = "reference?sabotage=sdk-null-removes"
    assert main(["run", "--sdk", broken, "--select", "sdk.data-null-kept"]) == 1
    told = capsys.readouterr().out
    assert "FAIL  A value of null is stored as null." in told
    assert f"run --sdk '{broken}' --select sdk.data-null-kept" in told
    start = told.index("lines     ") + len("lines     ")
    lines = [line.strip() for line in told[start : told.index("again ")].splitlines()]
    calls = [json.loads(line) for line in lines if line]
    assert [each["call"] for each in calls] == ["new_state", "apply", "read"]
    assert [each["id"] for each in calls] == [1, 2, 3]


def test_the_worked_example_is_judged_and_breaks_what_it_says(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["run", "--sdk", EXAMPLE, "--select", "sdk.*", "--json"]) == 1
    rows = {row["scenario"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert rows["sdk.data-null-kept"]["disposition"] == "executed-fail"
    assert rows["sdk.data-whole-removed"]["disposition"] == "executed-pass"
    assert rows["sdk.stream-tags"]["reason"] == "it does not offer stream"
    assert not [row for row in rows.values() if row["disposition"] == "blocked"]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["http://127.0.0.1:1", "--sdk", "reference"], "one run has one subject"),
        (["--sdk", "http://127.0.0.1:1"], "no scheme of an SDK"),
        (["--sdk", "reference", "--major", "1"], "no scenario of major 1"),
        (["--sdk", "reference", "--select", "host.*"], "no scenario matches"),
        (["--sdk", "stdio:/no/such/program"], "cannot be started"),
        (["--sdk", f"stdio:{sys.executable} -c 'import nothing'"], "does not say hello"),
    ],
)
def test_a_mistake_is_told_and_exits_2(
    arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", *arguments]) == 2
    assert why in capsys.readouterr().err
