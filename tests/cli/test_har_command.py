"""``har``: where the archive goes, that it holds every exchange of a run, and what it refuses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.cli import main
from openwop_conformance.evidence.trace import TraceWriter, read_trace

Cli = Callable[..., Any]
HOSTILE = "\x1b[2J\u202e\u2028\r\n</script>\x9b\x00"


@pytest.fixture(scope="module")
def traced(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trace of a run."""
    path = tmp_path_factory.mktemp("har") / "t.jsonl"
    chosen = ["host.v2.limits", "host.v1.delta-agrees"]
    assert main(["run", "reference", "--seed", "5", "--trace", str(path), "--select", *chosen]) == 0
    return path


def test_every_exchange_of_a_run_is_an_entry_on_stdout(cli: Cli, traced: Path) -> None:
    code, out, err = cli("har", traced)

    assert (code, err) == (0, "")
    entries = json.loads(out)["log"]["entries"]
    requests = [r for r in read_trace(traced).records if r["record"] == "request"]
    assert [(e["_exchange"], e["comment"], e["request"]["method"]) for e in entries] == [
        (r["n"], r["scope"], r["method"]) for r in requests
    ]
    assert {e["comment"] for e in entries} >= {"host.v2.limits", "host.v1.delta-agrees"}
    assert all(e["request"]["url"].startswith("http://localhost/") for e in entries)
    assert any("_chunks" in e["response"] for e in entries)


def test_out_is_the_same_in_a_file_and_nothing_is_printed(
    cli: Cli, traced: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "t.har"

    assert cli("har", traced, "--out", out) == (0, "", "")
    assert out.read_text("ascii") == cli("har", traced).out


def test_the_trace_is_never_written_over(cli: Cli, traced: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(traced)
    before = traced.read_bytes()

    for out in (traced, link):
        assert cli("har", traced, "--out", out) == (
            2,
            "",
            f"openwop-conformance: {out} is the trace itself: give --out another file\n",
        )
    assert traced.read_bytes() == before


def test_a_file_that_cannot_be_written_is_exit_2(cli: Cli, traced: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    for out in (tmp_path, tmp_path / "file" / "t.har", tmp_path / ("x" * 300)):
        code, said, err = cli("har", traced, "--out", out)
        assert (code, said) == (2, "")
        assert err.startswith("openwop-conformance: ")
        assert err.count("\n") == 1


def test_what_is_no_trace_is_exit_2_and_writes_nothing(
    cli: Cli, traced: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed"
    changed.write_bytes(traced.read_bytes().replace(b'"method":"GET"', b'"method":"PUT"', 1))
    (tmp_path / "empty").touch()

    for path in (changed, tmp_path / "empty", tmp_path / "gone", tmp_path):
        code, out, err = cli("har", path, "--out", tmp_path / "t.har")
        assert (code, out) == (2, "")
        assert err.startswith("openwop-conformance: ")
        assert not (tmp_path / "t.har").exists()


def test_hostile_text_is_escaped_on_its_way_out(cli: Cli, traced: Path, tmp_path: Path) -> None:
    header = read_trace(traced).header
    named = {name: value for name, value in header.items() if name not in ("prev", "record")}
    writer = TraceWriter(tmp_path / "t", named)
    request = {"scope": HOSTILE, "method": HOSTILE, "target": f"/{HOSTILE}", "body": HOSTILE}
    lines = [[HOSTILE, HOSTILE]]
    writer.write({"record": "request", "n": 1, "at": 0, "headers": lines, **request})
    writer.write(
        {"record": "reply", "n": 1, "at": 0, "status": 200, "headers": lines, "body": HOSTILE}
    )
    writer.close()

    code, out, err = cli("har", tmp_path / "t")
    assert (code, err) == (0, "")
    assert out.rstrip("\n").isprintable()
    assert out.isascii()
    log = json.loads(out)["log"]
    assert log["entries"][0]["response"]["content"]["text"] == HOSTILE
    assert log["entries"][0]["comment"] == HOSTILE
    assert "The run died" in log["comment"]
