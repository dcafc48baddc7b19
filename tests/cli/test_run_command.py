"""``run``: its exit codes, what it prints and writes, and every way to ask it wrongly."""

from __future__ import annotations

import json
import os
import re
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.evidence.ledger import digest, read_ledger

Cli = Callable[..., Any]
ONE = ("--select", "host.v2.limits")


@pytest.fixture
def closed_port() -> int:
    """A port on which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def test_a_scenario_against_the_embedded_host_is_exit_0(cli: Cli) -> None:
    code, out, err = cli("run", "reference", *ONE, "--seed", "7")

    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].endswith(": 1 scenario against reference (seed 7)")
    assert lines[-3] == "Conformant: the 1 rule that binds this subject was witnessed, and kept."
    assert lines[-2].startswith("1 requirement: 1 kept; ")
    assert lines[-1].endswith(" scenarios were left out by what was selected")


def test_the_ledger_is_written_where_it_is_said_and_can_be_read(cli: Cli, tmp_path: Path) -> None:
    file = tmp_path / "new" / "ledger.jsonl"

    code, out, _ = cli("run", "reference", *ONE, "--seed", "7", "--ledger", file)
    header, rows, total = read_ledger(file)
    assert code == 0
    assert (header["subject"], header["seed"]) == ("reference", 7)
    assert [(row.scenario, row.disposition) for row in rows] == [
        ("host.v2.limits", Disposition.PASS)
    ]
    assert total == digest(rows)
    assert out.splitlines()[-1] == f"ledger {file}, digest {total}"


def test_json_is_one_document_on_standard_output_and_nothing_else(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("run", "reference", *ONE, "--json", "--ledger", tmp_path / "l")

    found = json.loads(out)
    assert (code, err) == (0, "")
    assert found["exitCode"] == 0
    assert [row["scenario"] for row in found["rows"]] == ["host.v2.limits"]
    assert found["sha256"] == read_ledger(tmp_path / "l")[2]
    assert found["failures"] == []


def test_reports_are_written_beside_what_is_printed(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    page, document, whole = folder / "a.md", folder / "a:b.json", folder / "a.html"
    forms = (f"markdown:{page}", f"json:{document}", f"html:{whole}")

    code, out, _ = cli(
        "run", "reference", *ONE, *(word for form in forms for word in ("--report", form))
    )
    assert code == 0
    assert "Conformant: " in out
    assert page.read_text("utf-8").startswith("# openwop-conformance: reference\n\n**Conformant: ")
    assert json.loads(document.read_text("utf-8"))["subject"] == "reference"
    assert "<h1>Conformant: " in whole.read_text("utf-8")


def test_several_patterns_and_a_second_option_choose_the_union(cli: Cli) -> None:
    code, out, _ = cli("run", "reference", "--json", "--select", "*.limits", "host.v2.family")

    assert code == 0
    assert [row["scenario"] for row in json.loads(out)["rows"]] == [
        "host.v2.limits",
        "host.v2.family",
    ]


def test_what_the_operator_opts_out_of_is_skipped_and_the_rest_decides(cli: Cli) -> None:
    code, out, _ = cli(
        "run", "reference", "--select", "*.no-secret", "*.limits", "--opt-out", "canary", "--json"
    )

    found = json.loads(out)
    assert code == 0
    assert {row["scenario"]: row.get("reason") for row in found["rows"]} == {
        "host.v2.limits": None,
        "host.v2.no-secret": "the operator opted out of canary",
    }
    assert found["counts"]["skipped"] == 1


def test_a_run_in_which_nothing_was_witnessed_is_incomplete(cli: Cli) -> None:
    code, out, _ = cli("run", "reference", "--select", "*.no-secret", "--opt-out", "canary")

    assert code == 3
    assert "skipped: opted out of\n" in out
    assert "Incomplete: no rule was witnessed.\n" in out


def test_a_facet_that_the_host_does_not_claim_is_inapplicable(cli: Cli) -> None:
    code, out, _ = cli("run", "reference?floor=1", *ONE)

    assert code == 3
    assert "inapplicable: do not bind this subject\n" in out
    assert "      schemaVersions.kinds advertises 1 for ui.a2ui-surface, not 2\n" in out


def test_the_same_seed_gives_the_same_digest_whatever_the_concurrency(
    cli: Cli, tmp_path: Path
) -> None:
    digests = set()
    for jobs in ("1", "8"):
        chosen = ("--select", "*.fold-*", "*.taint-*", "--seed", "3")
        assert cli("run", *chosen, "--jobs", jobs, "--ledger", tmp_path / jobs).code == 0
        digests.add(read_ledger(tmp_path / jobs)[2])

    assert len(digests) == 1
    assert (tmp_path / "1").read_bytes() == (tmp_path / "8").read_bytes()


BROKEN = """\
from openwop_conformance.reference.connect import build_app
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import sabotage_called
from openwop_conformance.reference.settings import Settings

settings = Settings(keys={"acme": "the-key-of-acme", "globex": "the-key-of-globex"})
broken = sabotage_called("second-create-admitted")
app = broken.wrap(build_app(settings, broken.change(Policy())), settings)
"""


def test_a_broken_rule_is_exit_1_and_is_shown_with_what_reproduces_it(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_broken_host.py").write_text(BROKEN, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("OPENWOP_API_KEY", "the-key-of-acme")

    code, out, err = cli("run", "asgi:a_broken_host:app", "--select", "*.fold-guarded", "*.limits")
    assert (code, err) == (1, "")
    words = [line.strip() for line in out.splitlines()]
    assert words[2] == "FAIL  A host refuses an envelope that would break a surface's fold."
    assert "rule      createSurface on a live surface" in words
    assert "expected  refused (envelope_invalid, rule fold)" in words
    assert any(re.fullmatch(r'got +201 \{"sequence": \d+\}', word) for word in words)
    assert any(word.startswith("at        scenarios/host/v2/fold-guarded.yaml:") for word in words)
    assert "exchange  POST /conformance/seams/sample/a2ui/emit-surface → 201" in words
    assert "curl      HOST=http://127.0.0.1:8080  # its URL" in words
    assert any(word.startswith("RUN1=$(curl -sS -X POST ") for word in words)
    assert words[-3] == "Not conformant: 1 rule is broken."
    assert "the-key-of" not in out


# ------------------------------------------------------------------------------- the host


def test_an_address_where_nothing_listens_is_exit_2_in_words(cli: Cli, closed_port: int) -> None:
    code, out, err = cli("run", f"http://127.0.0.1:{closed_port}")

    assert code == 2
    assert "Conformant" not in out
    assert err == (
        f"openwop-conformance: cannot reach http://127.0.0.1:{closed_port}: connection refused. "
        "Start the host, or check its address and port.\n"
    )


def test_json_of_an_unreachable_host_is_no_half_of_a_document(cli: Cli, closed_port: int) -> None:
    code, out, err = cli("run", f"http://127.0.0.1:{closed_port}", "--json")

    assert (code, out) == (2, "")
    assert "cannot reach" in err


def test_the_environment_names_the_host_when_the_line_does_not(
    cli: Cli, closed_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENWOP_BASE_URL", f"http://127.0.0.1:{closed_port}")
    assert cli("run").code == 2
    assert "against reference " in cli("run", "reference", *ONE).out

    monkeypatch.setenv("OPENWOP_BASE_URL", "")
    assert "against reference " in cli("run", *ONE).out


@pytest.mark.parametrize(
    ("connectable", "said"),
    [
        ("ftp://x", "'ftp' is no scheme of a host"),
        ("localhost:8080", "did you mean http://localhost:8080?"),
        ("asgi:no_such_module:app", "there is no module 'no_such_module'"),
        ("reference?flor=1", "reference has no argument 'flor'"),
        ("http://user:hunter2@127.0.0.1:9", "it holds a user name or password"),
        ("", "against reference"),
    ],
)
def test_a_host_that_names_none_is_exit_2_and_shows_the_forms(
    cli: Cli, connectable: str, said: str
) -> None:
    code, out, err = cli("run", connectable, *ONE)

    if not connectable:
        assert (code, said in out) == (0, True)
        return
    assert code == 2
    assert said in err
    assert "A host is one of:\n  http://localhost:8080 " in err
    assert "hunter2" not in err


# ---------------------------------------------------------------------- what is asked wrongly


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--select", "nothing.*"], "no scenario matches 'nothing.*'; 'openwop-conformance list' "),
        (["--select", "host.v2.limits", "x"], "no scenario matches 'x'; "),
        (["--major", "1", "--select", "host.v2.*"], "no scenario matches 'host.v2.*'; "),
        (["--opt-out", "canari"], "'canari' cannot be opted out of; second-tenant and canary can"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_choice_of_nothing_is_exit_2_before_anything_is_sent(
    cli: Cli, arguments: list[str], said: str
) -> None:
    code, out, err = cli("run", "reference", *arguments)

    assert (code, out) == (2, "")
    assert err.startswith(f"openwop-conformance: {said}")


def test_a_file_that_cannot_be_written_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    for option in (["--ledger", tmp_path / "file" / "x"], ["--report", f"json:{tmp_path}/file/x"]):
        code, _, err = cli("run", "reference", *ONE, *option)
        assert code == 2
        assert "cannot be written" in err


# ------------------------------------------------------------------------------- pictures


def test_pictures_of_a_page_are_written_and_told(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    one = ("--consumer", "browser:reference", "--select", "consumer.missing-child")
    code, out, err = cli("run", *one, "--pictures", tmp_path / "seen")

    pictures = sorted((tmp_path / "seen").iterdir())
    names = [f"consumer.missing-child-{number}.png" for number in range(1, len(pictures) + 1)]
    assert (code, err) == (0, "")
    assert [path.name for path in pictures] == names
    assert len(names) >= 2
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in pictures)
    assert out.endswith(f"pictures {tmp_path / 'seen'} ({len(names)})\n")


@pytest.mark.parametrize("subject", [["reference"], ["--consumer"], ["--consumer", "stdio:x"]])
def test_there_are_pictures_of_a_page_alone(cli: Cli, tmp_path: Path, subject: list[str]) -> None:
    code, out, err = cli("run", "--pictures", tmp_path / "seen", *subject)

    assert (code, out) == (2, "")
    assert err.startswith("openwop-conformance: --pictures goes with --consumer browser:…")


def test_a_folder_of_pictures_that_is_a_file_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = cli("run", "--consumer", "browser:reference", "--pictures", tmp_path / "file")

    assert (code, out) == (2, "")
    assert "cannot be written" in err


# ---------------------------------------------------------------------------- credentials


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "credentials"
    path.touch(0o600)
    return path


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o660, 0o777])
def test_a_credential_file_that_others_can_open_is_exit_2(cli: Cli, file: Path, mode: int) -> None:
    file.write_text("a-secret-key\n")
    file.chmod(mode)

    assert cli("run", "reference", *ONE, "--credential-file", file) == (
        2,
        "",
        f"openwop-conformance: {file} can be read by others: run 'chmod 600 {file}' first\n",
    )


@pytest.mark.parametrize(
    "text",
    [
        "a-secret-key",
        "# a comment\n\na-secret-key\n",
        "OPENWOP_API_KEY=a-secret-key\nOPENWOP_TENANT_B_API_KEY=another=key\n",
        "OPENWOP_CANARY_SECRET_VALUE=a secret canary\n",
    ],
)
def test_a_private_credential_file_is_taken(cli: Cli, file: Path, text: str) -> None:
    file.write_text(text)

    assert cli("run", "reference", *ONE, "--credential-file", file).code == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("OPENWOP_API_KEY=a secret key", "OPENWOP_API_KEY is no bearer key"),
        ("OPENWOP_API_KEY=sëcret", "OPENWOP_API_KEY is no bearer key"),
        ("API_KEY=secret\nx", "a line is NAME=VALUE with one of OPENWOP_API_KEY, "),
        ("secret\nsecret", "a line is NAME=VALUE with one of OPENWOP_API_KEY, "),
        (
            "OPENWOP_API_KEY=secret\nOPENWOP_TENANT_B_API_KEY=secret",
            "OPENWOP_TENANT_B_API_KEY equals OPENWOP_API_KEY",
        ),
        ("OPENWOP_CANARY_SECRET_VALUE=secret", "OPENWOP_CANARY_SECRET_VALUE is shorter than 8 "),
    ],
)
def test_credentials_that_make_no_sense_are_exit_2_and_are_not_repeated(
    cli: Cli, file: Path, text: str, said: str
) -> None:
    file.write_text(text, "utf-8")

    code, out, err = cli("run", "reference", *ONE, "--credential-file", file)
    assert (code, out) == (2, "")
    assert said in err
    assert "secret" not in err.lower().replace("_secret_", "")


def test_credentials_come_from_the_environment_too(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENWOP_API_KEY", "a b")

    code, _, err = cli("run", "reference", *ONE)
    assert code == 2
    assert err.startswith("openwop-conformance: OPENWOP_API_KEY is no bearer key")


def test_a_credential_file_that_is_not_there_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    code, _, err = cli("run", "reference", *ONE, "--credential-file", tmp_path / "gone")

    assert code == 2
    assert "cannot read the credential file" in err


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('raise ValueError("no such luck")', "the adapter failed: ValueError: no such luck"),
        ("return None", "the adapter answered with NoneType, not a Response"),
    ],
)
def test_an_adapter_that_breaks_its_promise_blocks_the_rows_and_shows_no_traceback(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, body: str, said: str
) -> None:
    name = f"broken_adapter_{len(body)}"
    (tmp_path / f"{name}.py").write_text(
        "class Host:\n"
        "    name = 'broken'\n"
        f"    async def exchange(self, request, bounds):\n        {body}\n"
        "    def stream(self, request, bounds):\n        raise OSError\n"
        "    async def close(self):\n        pass\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))

    code, out, err = cli("run", f"py:{name}:Host", "--select", "*.limits", "*.seam-contract")

    assert (code, err) == (3, "")
    assert said in out
    assert "Traceback" not in out
