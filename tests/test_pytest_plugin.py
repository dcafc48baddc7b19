"""The pytest plugin, in real pytest runs: one ledger however it is run, silent unless asked.

Most are forked from a Python that has the suite ready: to start one takes long.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from openwop_conformance.cli import main
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.ledger import digest, read_ledger

KEY, OTHER_KEY, CANARY = "key-of-acme-0123456789", "key-of-globex-0123456789", "canary-of-tests-1"
CHEAP = ("below-floor-strict", "catalog-equality", "discovery-coherent", "surface-id-equality")
PATTERNS = [f"host.v2.{name}" for name in CHEAP]

STRICT = """\
[pytest]
filterwarnings =
    error
    ignore:Module already imported so cannot be rewritten
"""
"""Of what is prepared, nothing is imported again."""

HOSTS = f"""\
import os
from dataclasses import replace

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.reference.connect import build_app
from openwop_conformance.reference.discovery import document
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.refusal import error_answer
from openwop_conformance.reference.sabotage import sabotage_called
from openwop_conformance.reference.settings import Settings

SETTINGS = Settings(
    keys={{"acme": "{KEY}", "globex": "{OTHER_KEY}"}},
    secrets={{"conformance-secret": "{CANARY}"}},
)


def shouting(code, message, details):
    status, body = error_answer(code, message, details)
    return status, {{**body, "error": "\\x1b[31m" + code, "message": "key {KEY}"}}


def broken():
    policy = replace(Policy(), error_answer=shouting)
    return AsgiHost(build_app(SETTINGS, policy), "broken")


def older():
    policy = replace(Policy(), discovery=lambda s: {{**document(s), "protocolVersions": ["1.0"]}})
    return AsgiHost(build_app(SETTINGS, policy), "older")


class Deadly:
    \"\"\"Ends the first process that has made 20 exchanges, once.\"\"\"

    name = "deadly"

    def __init__(self, marker):
        self.inner, self.marker, self.seen = AsgiHost(build_app(SETTINGS), self.name), marker, 0

    async def exchange(self, request, bounds):
        self.seen += 1
        if self.seen == 20:
            try:
                os.close(os.open(self.marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass
            else:
                os._exit(1)
        return await self.inner.exchange(request, bounds)

    def stream(self, request, bounds):
        return self.inner.stream(request, bounds)

    async def close(self):
        await self.inner.close()
"""


@dataclass
class Pytest:
    """A pytest run that is over."""

    code: int
    text: str
    rows: tuple[Row, ...]

    def of(self, disposition: Disposition) -> set[str]:
        return {
            row.scenario.removeprefix("host.v2.")
            for row in self.rows
            if row.disposition is disposition
        }

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if row.scenario == f"host.v2.{name}")


Run = Callable[..., Pytest]


@pytest.fixture
def run(tmp_path: Path, python: Path) -> Run:
    """``pytest`` in a folder of its own, where the hosts above can be imported.

    Without a host it is a Python that has loaded nothing yet, and so are the workers of ``-n2``.
    """
    (tmp_path / "pytest.ini").write_text(STRICT)
    (tmp_path / "hosts.py").write_text(HOSTS)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENWOP", "PYTEST"))}
    environment |= {
        "OPENWOP_API_KEY": KEY,
        "OPENWOP_TENANT_B_API_KEY": OTHER_KEY,
        "OPENWOP_CANARY_SECRET_VALUE": CANARY,
    }

    def ran(*arguments: str, host: str | None = None) -> Pytest:
        ledger = tmp_path / "ledger.jsonl"
        ledger.unlink(missing_ok=True)
        ours = [] if host is None else ["--owp-host", host, "--owp-ledger", str(ledger)]
        without = ("cacheprovider", "benchmark", "hypothesispytest", "timeout")  # slow to start
        program = python if host else sys.executable
        plain = ["-m", "pytest", "-c", "pytest.ini", *(f"-pno:{name}" for name in without)]
        found = subprocess.run(
            [program, *plain, "--pyargs", "openwop_conformance", *ours, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        text = found.stdout + found.stderr
        assert not any(secret in text for secret in (KEY, OTHER_KEY, CANARY))
        assert "INTERNALERROR" not in text
        rows: tuple[Row, ...] = ()
        if ledger.is_file():
            _, rows, footer = read_ledger(ledger)
            assert footer == digest(rows)
            assert footer in text
        return Pytest(found.returncode, text, rows)

    return ran


def test_serial_parallel_and_the_command_line_give_one_digest(run: Run, tmp_path: Path) -> None:
    """The first selects by our patterns, the second by pytest's own -k."""
    serial = run("-n0", "--owp-select", *_alternating(PATTERNS), host="reference")
    assert serial.code == 0, serial.text
    assert serial.of(Disposition.INAPPLICABLE) == {"below-floor-strict"}
    assert serial.of(Disposition.PASS) == set(CHEAP) - {"below-floor-strict"}
    assert "3 passed, 1 skipped" in serial.text
    assert re.search(r"openwop-conformance: 4 scenarios, corpus [0-9a-f]{12}, ref", serial.text)

    parallel = run("-n2", "-k", " or ".join(CHEAP), "--owp-seed", "9", host="reference")
    assert parallel.code == 0, parallel.text
    assert "2 workers" in parallel.text

    file = tmp_path / "cli.jsonl"
    assert main(["run", "reference", "--ledger", str(file), "--select", *PATTERNS]) == 0
    _, rows, _ = read_ledger(file)
    assert serial.rows == parallel.rows == rows
    assert digest(serial.rows) == digest(rows)


def _alternating(patterns: list[str]) -> list[str]:
    """``A --owp-select B --owp-select C``."""
    first, *rest = patterns
    return [first, *(word for pattern in rest for word in ("--owp-select", pattern))]


def test_without_a_host_nothing_is_collected_and_nothing_imported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "test_theirs.py").write_text(
        "import sys\n"
        "def test_quiet():\n"
        "    names = [name.split('.') for name in sys.modules]\n"
        "    ours = {n[1] for n in names if n[0] == 'openwop_conformance' and n[1:]}\n"
        "    assert ours <= {'pytest_plugin', 'adapters', 'errors'}\n"
        "    heavy = {'httpx', 'starlette', 'uvicorn', 'jsonschema_rs', 'rfc8785', 'yaml'}\n"
        "    assert not heavy & sys.modules.keys()\n"
    )
    found = run("test_theirs.py")
    assert found.code == 0, found.text
    assert "1 passed" in found.text
    assert "openwop-conformance:" not in found.text
    assert found.rows == ()


def test_a_broken_rule_is_told_in_our_words(run: Run) -> None:
    found = run("-n0", "--owp-select", "*.catalog-equality", host="py:hosts:broken")
    assert found.code == 1
    assert found.of(Disposition.FAIL) == {"catalog-equality"}
    assert "executed-fail: refused for another reason" in found.text
    assert "RFC 0209 §A.2" in found.text
    assert "scenarios/host/v2/catalog-equality.yaml:" in found.text
    assert "$OPENWOP_API_KEY" in found.text
    assert "Traceback" not in found.text
    assert "pytest_plugin.py" not in found.text
    assert "\x1b" not in found.text


def test_a_run_that_witnessed_nothing_did_not_succeed(run: Run) -> None:
    found = run("-n0", "--owp-select", *_alternating(PATTERNS), host="py:hosts:older")
    assert found.of(Disposition.INAPPLICABLE) == set(CHEAP)
    assert "4 skipped" in found.text
    assert found.code == 1


def test_the_rows_of_a_worker_that_died_are_blocked_and_the_others_stay(
    run: Run, tmp_path: Path, python: Path
) -> None:
    host = f"py:hosts:Deadly?marker={tmp_path / 'died'}"
    names = ("auth-*", "catalog-*", "f*", "limits", "re-emission-*", "surface-*", "taint-*")
    patterns = _alternating([f"host.v2.{name}" for name in names])
    workers = ["--dist=load", f"--tx=2*popen//python={python}", "--max-worker-restart=2"]
    found = run(*workers, "--owp-select", *patterns, host=host)
    assert (tmp_path / "died").exists()
    assert found.code == 1
    (lost,) = [row for row in found.rows if row.disposition is Disposition.BLOCKED]
    assert lost.reason == "no report came back: the worker that ran it was lost"
    assert found.of(Disposition.FAIL) == set()
    assert len(found.of(Disposition.PASS)) == len(found.rows) - 1 > 15


def test_a_pattern_that_matches_nothing_is_a_usage_error(run: Run) -> None:
    found = run("--owp-select", "host.v2.no-such-*", host="reference")
    assert found.code == pytest.ExitCode.USAGE_ERROR
    assert "no scenario matches 'host.v2.no-such-*'" in found.text
    assert "Traceback" not in found.text
