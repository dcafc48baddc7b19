"""``certify``: three files that verify, its exit codes, and every way to ask it wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance import suite
from openwop_conformance.engine.verdict import Disposition, Row, RunFinished

Cli = Callable[..., Any]
ONE = ("--select", "host.v2.limits", "--seed", "7")
BUILD = ("--host-build", "commit:abc")


@pytest.fixture
def key(cli: Cli, tmp_path: Path) -> Path:
    file = tmp_path / "key"
    cli("keygen", file)
    return file


@pytest.fixture
def signing(key: Path) -> tuple[Any, ...]:
    return ("--signing-key", key, "--key-id", "k1")


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the run end with certain rows and a certain document."""

    def end(*rows: Row, document: Any = None, trace: bytes = b"{}\n") -> None:
        async def execute(plan: Any, tell: Any, trace_: Path | None = None, **named: Any) -> Any:
            path = trace_ or named["trace"]
            path.write_bytes(trace)
            found = {"protocolVersions": ["2.0"], "preferredVersion": "2.0"}
            url = "http://127.0.0.1:1/.well-known/openwop"
            tell(RunFinished(rows, 0.0, None, document or found, url))
            return rows

        monkeypatch.setattr(suite, "execute", execute)

    return end


def test_a_run_leaves_a_trace_a_bundle_and_an_envelope_that_verify(
    cli: Cli, tmp_path: Path, key: Path, signing: tuple[Any, ...]
) -> None:
    out_file = tmp_path / "new" / "bundle.json"

    code, out, err = cli("certify", "reference", "--out", out_file, *BUILD, *signing, *ONE)
    assert (code, err) == (0, "")
    assert out.splitlines()[:3] == [
        f"bundle {out_file}, signed as k1",
        f"envelope {out_file}.dsse.json",
        f"trace {out_file}.trace.jsonl",
    ]
    assert "Conformant: the 1 rule" in out
    assert "left out" in out
    trace = f"{out_file}.trace.jsonl"
    code, out, _ = cli("verify", out_file, "--key", f"{key}.pub", "--trace", trace)
    assert code == 0
    assert "covered by no signature" not in out
    assert "not checked" not in out


def test_what_failed_or_was_blocked_is_written_and_is_the_exit_code(
    cli: Cli, tmp_path: Path, signing: tuple[Any, ...], ran: Callable[..., None]
) -> None:
    passed = Row("openwop-conformance.host.v2.limits", "s", Disposition.PASS, 2)
    blocked = Row("openwop.it.b", "s", Disposition.BLOCKED, 0, "no key")
    failed = Row("openwop.it.c", "s", Disposition.FAIL, 1, "broken")

    for name, rows, expected in (
        ("blocked", (passed, blocked), 3),
        ("failed", (passed, failed, blocked), 1),
    ):
        ran(*rows)
        file = tmp_path / name
        assert cli("certify", "reference", "--out", file, *BUILD, *signing).code == expected
        totals = json.loads(file.read_bytes())["results"]["totals"]
        assert totals["executedFail"] == (expected == 1)
        assert totals["blocked"] == 1


def test_a_bundle_that_does_not_verify_is_put_aside(
    cli: Cli, tmp_path: Path, signing: tuple[Any, ...], ran: Callable[..., None]
) -> None:
    ran(Row("openwop.it.b", "s", Disposition.BLOCKED, 0, "no key"))  # not one assertion
    file = tmp_path / "bundle.json"

    code, out, err = cli("certify", "reference", "--out", file, *BUILD, *signing)
    assert (code, out) == (2, "")
    assert "rejected (schema): /assertionCount" in err
    assert not file.exists()
    assert not Path(f"{file}.dsse.json").exists()
    assert json.loads(Path(f"{file}.rejected.json").read_bytes())["bundleVersion"] == "3"


def test_a_secret_in_the_discovery_document_is_never_signed(
    cli: Cli,
    tmp_path: Path,
    signing: tuple[Any, ...],
    ran: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENWOP_API_KEY", "key-0123456789")
    document = {"protocolVersions": ["2.0"], "preferredVersion": "2.0", "x": "a key-0123456789 b"}
    ran(Row("openwop.it.a", "s", Disposition.PASS, 1), document=document)
    file = tmp_path / "bundle.json"

    code, out, err = cli("certify", "reference", "--out", file, *BUILD, *signing)
    assert code == 2
    assert "the bundle would hold the value of OPENWOP_API_KEY, at " in err
    assert "key-0123456789" not in out + err
    assert not file.exists()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"--host-build": "main"}, "is not KIND:ID"),
        ({"--key-id": "a b"}, "is no key id"),
        ({"--signing-key": "nowhere"}, "cannot read the signing key"),
        ({"--seed": "-1"}, "--seed"),
        ({"--select": "nothing.*"}, "nothing.*"),
    ],
)
def test_what_makes_no_sense_is_said_before_anything_is_run(
    cli: Cli, tmp_path: Path, key: Path, change: dict[str, str], said: str
) -> None:
    options = {
        "--out": str(tmp_path / "o" / "bundle.json"),
        "--host-build": "commit:abc",
        "--signing-key": str(key),
        "--key-id": "k1",
        **change,
    }
    code, _, err = cli("certify", "reference", *(word for pair in options.items() for word in pair))

    assert code == 2
    assert said in err
    assert list((tmp_path / "o").glob("*")) == []


def test_a_trace_that_is_there_is_not_written_over(
    cli: Cli, tmp_path: Path, signing: tuple[Any, ...]
) -> None:
    (tmp_path / "bundle.json.trace.jsonl").write_text("mine")

    code, _, err = cli("certify", "reference", "--out", tmp_path / "bundle.json", *BUILD, *signing)
    assert code == 2
    assert "is there already" in err
    assert (tmp_path / "bundle.json.trace.jsonl").read_text() == "mine"
