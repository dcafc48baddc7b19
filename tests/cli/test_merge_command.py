"""``run --shard`` and ``merge``: the parts of a run, and the one ledger that they make together."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.cli import main
from openwop_conformance.evidence.ledger import read_ledger, read_unfinished

Cli = Callable[..., Any]
SOME = ("--select", "host.v2.c*", "host.v2.l*", "--seed", "5")


def body(ledger: Path) -> list[bytes]:
    """The lines below the header."""
    return ledger.read_bytes().splitlines()[1:]


def shards(cli: Cli, folder: Path, of: int, *arguments: object) -> list[Path]:
    """The ledgers of all shards of a run."""
    paths = [folder / f"{index}.jsonl" for index in range(1, of + 1)]
    for index, path in enumerate(paths, 1):
        code, _, err = cli("run", "--shard", f"{index}/{of}", "--ledger", path, *arguments)
        assert err == ""
        assert code in (0, 1, 3)
    return paths


def test_five_shards_are_one_run_byte_for_byte_below_the_header(cli: Cli, tmp_path: Path) -> None:
    one, whole = tmp_path / "one", tmp_path / "whole"
    assert cli("run", "reference", "--seed", 5, "--ledger", one).code == 0
    paths = shards(cli, tmp_path, 5, "reference", "--seed", 5)

    code, out, err = cli("merge", *paths[::-1], "--ledger", whole)
    assert (code, err) == (0, "")
    assert body(whole) == body(one)
    header, rows, total = read_ledger(whole)
    assert header == {**read_ledger(one)[0], "shards": [5] * 5}
    lines = out.splitlines()
    assert lines[0] == "5 shards of one run against reference"
    assert lines[1].startswith("Conformant: the ")
    assert lines[2].startswith(f"{len(rows)} requirements: ")
    assert lines[3] == f"ledger {whole}, digest {total}"


@pytest.mark.parametrize(
    "subject",
    [("--consumer",), ("--sdk", "--select", "sdk.m*", "sdk.r*")],
    ids=["consumer", "sdk"],
)
def test_so_are_those_of_a_library(cli: Cli, tmp_path: Path, subject: tuple[str, ...]) -> None:
    whole = tmp_path / "whole"
    assert cli("run", *subject, "--ledger", tmp_path / "one").code == 0
    paths = shards(cli, tmp_path, 3, *subject)

    assert cli("merge", *paths, "--ledger", whole).code == 0
    assert read_ledger(whole)[1:] == read_ledger(tmp_path / "one")[1:]
    assert read_ledger(whole)[0]["kind"] == subject[0].removeprefix("--")


def test_a_shard_says_that_it_is_one_in_its_ledger_its_trace_and_on_the_terminal(
    cli: Cli, tmp_path: Path
) -> None:
    ledger, trace, again = tmp_path / "l", tmp_path / "t", tmp_path / "again"
    code, out, _ = cli("run", *SOME, "--shard", "2/3", "--ledger", ledger, "--trace", trace)
    header, rows, _ = read_ledger(ledger)
    shard = header["shard"]

    assert code == 0
    assert (shard["index"], shard["of"]) == (2, 3)
    others = shard["scenarios"] - len(rows)
    assert others > len(rows)
    assert f"shard 2 of 3: {others} scenarios are in the others; " in out
    assert f"{header['leftOut'] - others} scenarios were left out by what was selected\n" in out
    assert cli("rederive", trace, "--ledger", again).code == 0
    assert again.read_bytes() == ledger.read_bytes()
    told = cli("diff", ledger, ledger).out
    assert f"A is shard 2 of 3: {header['leftOut']} scenarios were left out of its run." in told
    document = json.loads(cli("diff", ledger, ledger, "--json").out)
    assert document["after"]["shard"] == {"index": 2, "of": 3}


def test_a_broken_rule_in_one_shard_is_exit_1_of_the_whole_and_a_baseline_knows_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken_host_in_shards.py").write_text(
        "from openwop_conformance.reference.connect import build_app\n"
        "from openwop_conformance.reference.policy import Policy\n"
        "from openwop_conformance.reference.sabotage import sabotage_called\n"
        "from openwop_conformance.reference.settings import Settings\n"
        "settings = Settings(keys={'acme': 'the-key-of-acme'})\n"
        "broken = sabotage_called('second-create-admitted')\n"
        "def app():\n"
        "    return broken.wrap(build_app(settings, broken.change(Policy())), settings)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENWOP_API_KEY", "the-key-of-acme")
    name = "openwop.requirement.0209.fold-guarded"
    known = tmp_path / "known.yaml"
    known.write_text(f"known:\n- requirement: {name}\n  reason: our ticket\n")
    chosen = (
        "asgi:broken_host_in_shards:app()",
        "--select",
        "*.fold-guarded",
        "*.limits",
        "*.family",
    )

    codes = []
    for index in (1, 2):
        ledger = tmp_path / f"{index}.jsonl"
        more = ("--shard", f"{index}/2", "--ledger", ledger, "--baseline", known)
        codes.append(cli("run", *chosen, *more).code)
    assert codes == [0, 0], "an entry about a row of another shard is not wrong"

    paths = [tmp_path / "1.jsonl", tmp_path / "2.jsonl"]
    code, out, err = cli("merge", *paths, "--ledger", tmp_path / "whole")
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[1] == f"executed-fail  {name}"
    assert "admitted what has to be refused" in lines[2]
    assert "Not conformant: 1 rule is broken." in lines
    assert " scenarios were left out by what was selected" in lines[-2]

    code, out, _ = cli("merge", *paths, "--ledger", tmp_path / "whole", "--baseline", known)
    assert code == 0
    assert out.endswith(f"1 rule is broken, and it is known (baseline {known}).\n")
    document = json.loads(cli("merge", *paths, "--ledger", tmp_path / "w", "--json").out)
    assert document["exitCode"] == 1
    assert document["counts"]["executed-fail"] == 1
    assert document["sha256"] == read_ledger(tmp_path / "whole")[2]


def test_a_shard_that_died_is_resumed_or_counted_as_blocked(cli: Cli, tmp_path: Path) -> None:
    one, two = shards(cli, tmp_path, 2, *SOME)
    whole = tmp_path / "whole"
    header, rows, _ = read_ledger(two)
    planned = {"rows": {row.id: row.scenario for row in rows}}
    first = json.dumps({"record": "row", **rows[0].as_json()})
    two.write_text(f"{json.dumps({**header, **planned})}\n{first}\n")

    code, out, err = cli("merge", one, two, "--ledger", whole)
    assert (code, out) == (2, "")
    assert f"{two}: the run of shard 2/2 died; " in err
    assert not whole.exists()

    code, out, _ = cli("merge", one, two, "--ledger", whole, "--allow-died")
    assert code == 3
    assert "the run of shard 2/2 died: what it had not reached is blocked\n" in out
    assert out.count("\n      the run died before it was judged\n") == len(rows) - 1

    patterns = SOME[:3]
    resumed = ("run", *patterns, "--resume", "--seed", "6", "--ledger", two)
    assert "its shard is not that of this run" in cli(*resumed, "--shard", "1/2").err
    assert read_unfinished(two).rows == rows[:1]
    assert cli(*resumed, "--shard", "2/2").code == 0
    assert cli("merge", one, two, "--ledger", whole).code == 0
    assert cli("run", *SOME, "--ledger", tmp_path / "one").code == 0
    assert body(whole) == body(tmp_path / "one")
    assert read_ledger(whole)[0]["resumed"] == [6]


@pytest.mark.parametrize("text", ["0/5", "6/5", "1", "1/", "/5", "-1/5", "1/5/6", "a/b", "1/10000"])
def test_what_is_no_shard_is_exit_2(cli: Cli, text: str) -> None:
    code, out, err = cli("run", f"--shard={text}")

    assert (code, out) == (2, "")
    assert f"{text!r} is not I/N, as 2/5 for the second of five" in err


def test_more_shards_than_scenarios_are_exit_2(cli: Cli) -> None:
    code, out, err = cli("run", "--select", "*.limits", "--shard", "1/2")

    assert (code, out) == (2, "")
    assert err == (
        "openwop-conformance: --shard 1/2: 1 scenario cannot be divided into 2 shards; "
        "take at most 1\n"
    )


def test_the_merged_ledger_takes_the_place_of_no_shard(cli: Cli, tmp_path: Path) -> None:
    (path,) = shards(cli, tmp_path, 1, *SOME)
    before = path.read_bytes()

    code, out, err = cli("merge", path, "--ledger", path)
    assert (code, out) == (2, "")
    assert err.endswith("is one of the shards: give --ledger another file\n")
    assert path.read_bytes() == before


def test_no_shard_is_certified(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "bundle.json"
    words = ("certify", "reference", "--out", out, "--host-build", "commit:1", "--shard", "1/2")

    code, _, err = cli(*words, "--signing-key", tmp_path / "key", "--key-id", "k")
    assert code == 2
    assert "there is no certify --shard: a bundle is about one run and its one trace" in err
    assert not out.exists()


def test_a_second_option_chooses_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--json", "--select=*.limits", "--select=host.v2.family"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["scenario"] for row in rows] == ["host.v2.limits", "host.v2.family"]
