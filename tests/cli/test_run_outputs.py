"""What ``run`` writes beside its verdict: reports in every form, where each goes, and waiting."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from openwop_conformance.jsonvalue import parse
from openwop_conformance.reports.forms import FORMS
from openwop_conformance.schemas import problems, validator

Cli = Callable[..., Any]
ONE = ("--select", "host.v2.limits")


# -------------------------------------------------------------------------------- reports


def test_reports_of_every_form_are_written_beside_what_is_printed(cli: Cli, tmp_path: Path) -> None:
    files = {form: tmp_path / "new" / f"a:b.{form}" for form in FORMS}
    asked = [word for form, file in files.items() for word in ("--report", f"{form}:{file}")]

    code, out, err = cli("run", "reference", *ONE, *asked)
    assert (code, err) == (0, "")
    assert "Conformant: " in out
    assert out.splitlines()[-len(files) :] == [
        f"report {file} ({form})" for form, file in files.items()
    ]
    page = files["markdown"].read_text("utf-8")
    assert page.startswith("# openwop-conformance: `reference`\n\n**Conformant: ")
    report = parse(files["json"].read_bytes())
    assert problems(validator("report"), report) == []
    suite = ET.parse(files["junit"]).getroot()[0]
    digest = [p.get("value") for p in suite.iter("property") if p.get("name") == "digest"]
    assert digest == [report["sha256"]]
    (case,) = suite.iter("testcase")
    assert float(case.get("time", "")) > 0
    assert json.loads(files["badge"].read_text())["message"] == "conformant"


@pytest.mark.parametrize("form", FORMS)
def test_a_report_on_standard_output_stands_there_alone(
    cli: Cli, tmp_path: Path, form: str
) -> None:
    asked = ("--report", f"{form}:-", "--report", f"{form}:{tmp_path / 'report'}")

    code, out, err = cli("run", "reference", *ONE, *asked, "--ledger", tmp_path / "l")
    assert (code, err) == (0, "")
    assert out == (tmp_path / "report").read_text("utf-8")


def test_json_is_the_report_of_that_form_on_standard_output(cli: Cli) -> None:
    run = ("run", "reference", *ONE, "--seed", "7")

    assert cli(*run, "--json") == cli(*run, "--report", "json:-")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--report", "json:-", "--report", "junit:-"], "json and junit would share "),
        (["--report", "markdown:-", "--json"], "markdown and json would share "),
    ],
)
def test_two_reports_do_not_share_standard_output(cli: Cli, asked: list[str], said: str) -> None:
    code, out, err = cli("run", "reference", *ONE, *asked)

    assert (code, out) == (2, "")
    assert err == f"openwop-conformance: {said}standard output: give all but one a file\n"


@pytest.mark.parametrize(
    ("asked", "both"),
    [
        (["--report", "json:r", "--report", "json:r"], "--report json and by --report json"),
        (["--report", "json:r", "--report", "badge:n/../r"], "--report json and by --report badge"),
        (["--report", "junit:r", "--ledger", "r"], "--report junit and by --ledger"),
        (["--trace", "r", "--ledger", "r"], "--ledger and by --trace"),
        (["--report", "markdown:summary"], "--report markdown and by GITHUB_STEP_SUMMARY"),
    ],
)
def test_two_do_not_write_one_file(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked: list[str], both: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary"))

    code, out, err = cli("run", "reference", *ONE, *asked)
    assert (code, out) == (2, "")
    assert err.endswith(f" would be written twice, by {both}\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--ledger", "--trace", *FORMS])
def test_a_file_that_cannot_be_written_is_exit_2(cli: Cli, tmp_path: Path, option: str) -> None:
    file = tmp_path / "file" / "x"
    (tmp_path / "file").write_text("")
    asked = (option, file) if option.startswith("--") else ("--report", f"{option}:{file}")

    code, out, err = cli("run", "reference", *ONE, *asked)
    assert (code, out) == (2, "")
    assert err == f"openwop-conformance: {file} cannot be written\n"


# ---------------------------------------------------------------------- a step's summary


@pytest.fixture
def summary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "summary.md"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(path))
    return path


def test_a_page_in_markdown_is_shown_beside_the_step_too(
    cli: Cli, tmp_path: Path, summary: Path
) -> None:
    summary.write_text("Before.\n")
    code, out, _ = cli("run", "reference", *ONE, "--report", f"markdown:{tmp_path / 'page'}")

    assert code == 0
    assert summary.read_text("utf-8") == "Before.\n\n" + (tmp_path / "page").read_text("utf-8")
    assert out.endswith(f"report {summary} (markdown, at the end of it)\n")


def test_nothing_is_shown_beside_a_step_that_asks_for_no_page(
    cli: Cli, tmp_path: Path, summary: Path
) -> None:
    cli("run", "reference", *ONE, "--report", f"json:{tmp_path / 'report'}")

    assert not summary.exists()


# ---------------------------------------------------------------------------------- waiting

HOST = "http://127.0.0.1"


@contextmanager
def answering(times: int) -> Iterator[str]:
    """A host that breaks off some connections, and then says that it is not there (503)."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            left = times
            while True:
                try:
                    connection, _ = listener.accept()
                except OSError:
                    return
                with connection:
                    if left:
                        left -= 1
                        continue
                    connection.recv(65536)
                    head = b"HTTP/1.1 503 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
                    connection.sendall(head)

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"{HOST}:{listener.getsockname()[1]}"
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def test_a_run_begins_when_the_host_answers_anything(cli: Cli) -> None:
    with answering(times=1) as url:
        code, out, err = cli("run", url, *ONE, "--wait", "30")

    assert code == 3
    assert "discovery answers 503 instead of its document" in out
    assert err == f"openwop-conformance: waiting up to 30 s for {url} to answer\n"


def test_a_host_that_does_not_come_up_is_exit_2_and_no_half_of_a_report(
    cli: Cli, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"{HOST}:{listener.getsockname()[1]}"
    report = tmp_path / "report"
    code, out, err = cli("run", url, *ONE, "--wait", "0.3", "--report", f"junit:{report}")

    assert (code, out) == (2, "")
    assert err.splitlines() == [
        f"openwop-conformance: waiting up to 0.3 s for {url} to answer",
        "openwop-conformance: waited 0.3 s for an answer, and none came: "
        f"cannot reach {url}: connection refused. Start the host, or check its address and port.",
    ]
    assert not report.exists()


@pytest.mark.parametrize("subject", [["reference"], ["asgi:a:b"], ["--sdk"], ["--consumer", "x"]])
def test_only_a_host_at_a_url_is_waited_for(cli: Cli, subject: list[str]) -> None:
    code, out, err = cli("run", *subject, "--wait", "1")

    assert (code, out) == (2, "")
    assert err.startswith("openwop-conformance: --wait goes with a host at a URL: ")


def test_a_key_in_an_address_is_not_repeated_by_who_waits(cli: Cli) -> None:
    code, out, err = cli("run", "http://user:hunter2@127.0.0.1:9", "--wait", "1")

    assert (code, out) == (2, "")
    assert "waiting" not in err
    assert "hunter2" not in err
