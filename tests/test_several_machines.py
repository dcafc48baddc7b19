"""The pytest plugin with its workers elsewhere: by ``--tx``, also over ssh, one digest.

The other machine is this one, reached through an sshd of the test's own. What runs here is forked
from a Python that has the suite ready; the other machine has nothing ready.
"""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from openwop_conformance.cli import main
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.ledger import digest, read_ledger
from openwop_conformance.reference.connect import build_app
from openwop_conformance.reference.settings import Settings
from tests.engine.hostile import serving
from tests.shared_data import REPOSITORY
from tests.test_pytest_plugin import STRICT

KEY, OTHER_KEY, CANARY = "key-of-acme-0123456789", "key-of-globex-0123456789", "canary-of-tests-1"
PATTERNS = [f"host.v2.{name}" for name in ("catalog-*", "limits", "no-secret", "tenant-isolation")]


@dataclass
class Pytest:
    """A pytest run that is over."""

    code: int
    text: str
    rows: tuple[Row, ...]


Run = Callable[..., Pytest]


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """A real host on loopback."""
    settings = Settings(
        keys={"acme": KEY, "globex": OTHER_KEY}, secrets={"conformance-secret": CANARY}
    )
    with serving(build_app(settings)) as found:
        yield found


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    """The keys in a file, as each machine has to have one."""
    path = tmp_path / "keys"
    path.touch(0o600)
    path.write_text(
        f"OPENWOP_API_KEY={KEY}\nOPENWOP_TENANT_B_API_KEY={OTHER_KEY}\n"
        f"OPENWOP_CANARY_SECRET_VALUE={CANARY}\n"
    )
    return path


@pytest.fixture
def one_run(url: str, keys: Path, tmp_path: Path) -> tuple[Row, ...]:
    """The rows of one run by the command line."""
    ledger = tmp_path / "one"
    words = ["run", url, "--credential-file", str(keys), "--ledger", str(ledger), "--select"]
    assert main([*words, *PATTERNS]) == 0
    return read_ledger(ledger)[1]


@pytest.fixture
def run(url: str, keys: Path, tmp_path: Path, python: Path) -> Run:
    """``pytest --dist load --tx …`` in a folder of its own."""
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "pytest.ini").write_text(STRICT)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENWOP", "PYTEST"))}

    def ran(*arguments: str, given: dict[str, str] | None = None) -> Pytest:
        ledger = tmp_path / "ledger"
        ledger.unlink(missing_ok=True)
        without = ("cacheprovider", "benchmark", "hypothesispytest", "timeout")  # slow to start
        ours = [f"--owp-host={url}", f"--owp-ledger={ledger}"]
        ours += [f"--owp-select={pattern}" for pattern in PATTERNS]
        ours += [] if given else [f"--owp-credential-file={keys}"]
        words = [*(f"-pno:{name}" for name in without), "--pyargs", "openwop_conformance", *ours]
        found = subprocess.run(
            [python, "-m", "pytest", *words, "--dist", "load", *arguments],
            cwd=tmp_path / "here",
            env=environment | {"PYTHONPATH": f"{REPOSITORY}:{tmp_path}"} | (given or {}),
            capture_output=True,
            text=True,
            timeout=110,
            check=False,
        )
        text = found.stdout + found.stderr
        assert not any(secret in text for secret in (KEY, OTHER_KEY, CANARY))
        assert "INTERNALERROR" not in text, text
        rows: tuple[Row, ...] = ()
        if ledger.is_file():
            _, rows, footer = read_ledger(ledger)
            assert footer == digest(rows)
        return Pytest(found.returncode, text, rows)

    return ran


@pytest.fixture
def here(python: Path) -> str:
    """What names a worker on this machine to ``--tx``."""
    return f"popen//python={python}"


def test_two_workers_by_tx_give_the_rows_of_one_run(
    run: Run, here: str, one_run: tuple[Row, ...]
) -> None:
    found = run("--tx", f"2*{here}")

    assert found.code == 0, found.text
    assert "2 workers" in found.text
    assert f"digest of the rows {digest(one_run)}" in found.text
    assert found.rows == one_run


def test_a_worker_with_other_rules_or_without_the_keys_witnesses_nothing(
    run: Run, here: str, tmp_path: Path
) -> None:
    """The second worker's row is blocked, in words, and nobody starts workers without end."""
    (tmp_path / "another_suite.py").write_text(
        "import pytest\n"
        "@pytest.hookimpl(trylast=True, optionalhook=True)\n"
        "def pytest_configure_node(node):\n"
        "    if node.gateway.id == 'gw1':\n"
        "        node.workerinput['owp_suite'] = 'suite 9.9.9 with corpus 0123456789ab'\n"
    )
    given = {
        "OPENWOP_API_KEY": KEY,
        "OPENWOP_TENANT_B_API_KEY": OTHER_KEY,
        "OPENWOP_CANARY_SECRET_VALUE": CANARY,  # whichever row the first worker has, it keeps it
    }
    workers = (here, here, f"{here}//env:OPENWOP_TENANT_B_API_KEY=")
    found = run("-p", "another_suite", *(f"--tx={worker}" for worker in workers), given=given)
    reasons = {row.reason for row in found.rows if row.disposition is Disposition.BLOCKED}

    assert found.code == 1
    (foreign,) = [reason for reason in reasons if reason.startswith("this worker has suite ")]
    assert foreign.endswith(
        ", and the process that reports has suite 9.9.9 with corpus 0123456789ab"
    )
    keyless = "this worker was not given OPENWOP_TENANT_B_API_KEY: ssh passes none on"
    assert keyless in reasons
    blamed = [row for row in found.rows if row.reason in (foreign, keyless)]
    assert {row.disposition for row in blamed} == {Disposition.BLOCKED}
    rest = [row for row in found.rows if row not in blamed]
    assert rest
    assert {row.disposition for row in rest} == {Disposition.PASS}


# ------------------------------------------------------------------------------------ ssh


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[str]:
    """What names another machine to ``--tx``: the suite lies elsewhere there."""
    sshd = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
    if sshd is None or shutil.which("ssh") is None:
        pytest.skip("ssh or sshd is not installed: apt-get install openssh-server")
    folder, elsewhere = tmp_path / "ssh", tmp_path / "elsewhere"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        made = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(made, check=True, timeout=60)
    shutil.copy(folder / "user.pub", folder / "authorized")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    host_key = (folder / "host.pub").read_text().split()[:2]
    (folder / "known").write_text(f"[127.0.0.1]:{port} {' '.join(host_key)}\n")
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        "PermitRootLogin prohibit-password\n"
    )
    (folder / "config").write_text(
        f"Host machine\n  HostName 127.0.0.1\n  Port {port}\n  User {getpass.getuser()}\n"
        f"  IdentityFile {folder}/user\n  IdentitiesOnly yes\n  BatchMode yes\n"
        f"  UserKnownHostsFile {folder}/known\n  StrictHostKeyChecking yes\n"
    )
    for part in ("openwop_conformance", "scenarios", "fixtures", "ledger", "coherence", "docs"):
        shutil.copytree(REPOSITORY / part, elsewhere / part)
    (elsewhere / "work").mkdir()
    python = elsewhere / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={elsewhere} exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    with listening(sshd, folder / "sshd_config"):
        config = f"ssh_config={folder}/config"
        yield f"ssh=machine//{config}//python={python}//chdir={elsewhere}/work"


@contextlib.contextmanager
def listening(sshd: str, config: Path) -> Iterator[None]:
    """An sshd of our own, until the end of the block."""
    separation = Path("/run/sshd")  # one that runs as root insists on it
    made = os.geteuid() == 0 and not separation.exists()
    if made:
        separation.mkdir(mode=0o755)
    try:
        with subprocess.Popen(
            [sshd, "-D", "-e", "-f", str(config)], stderr=subprocess.PIPE, text=True
        ) as server:
            assert server.stderr
            try:
                first = server.stderr.readline()
                assert first.startswith("Server listening on 127.0.0.1"), first
                yield
            finally:
                server.terminate()
                server.communicate(timeout=60)
    finally:
        if made:
            separation.rmdir()


def test_workers_here_and_over_ssh_give_the_rows_of_one_run(
    run: Run, here: str, machine: str, one_run: tuple[Row, ...]
) -> None:
    found = run("--tx", here, "--tx", machine, "-v")

    assert found.code == 0, found.text
    assert "2 workers" in found.text
    assert all(f"[{worker}]" in found.text for worker in ("gw0", "gw1")), "both had some to do"
    assert f"digest of the rows {digest(one_run)}" in found.text
    assert found.rows == one_run


def test_a_machine_over_ssh_gives_no_verdict_by_other_rules(
    run: Run, machine: str, tmp_path: Path
) -> None:
    with (tmp_path / "elsewhere/scenarios/host/v2/limits.yaml").open("a") as file:
        file.write("# changed\n")
    found = run("--tx", machine)

    assert found.code == 1
    assert {row.disposition for row in found.rows} == {Disposition.BLOCKED}
    assert "blocked: this worker has suite " in found.text
