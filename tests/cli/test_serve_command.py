"""``serve``: the reference host in one terminal, and the line to copy into another."""

from __future__ import annotations

import asyncio
import os
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from openwop_conformance.evidence.ledger import read_ledger

Cli = Callable[..., Any]
PYTHON = [sys.executable, "-m", "openwop_conformance"]
START = 60
"""Seconds for a process to start on a machine that has much else to do."""


def test_what_serve_prints_works_in_another_terminal_and_ctrl_c_ends_it(
    tmp_path: Path, python: Path
) -> None:
    file = tmp_path / "a folder" / "keys"
    file.parent.mkdir()
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")}
    with subprocess.Popen(
        [*PYTHON, "serve", "--credential-file", str(file)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=tmp_path,
    ) as server:
        try:
            assert server.stdout
            first, _, line = (server.stdout.readline() for _ in range(3))
            assert first.startswith("The reference host is at http://127.0.0.1:")
            assert file.stat().st_mode & 0o777 == 0o600
            words = shlex.split(line)
            assert words[:2] == ["openwop-conformance", "run"]
            assert words[3:] == ["--credential-file", str(file)]

            ledgers = tmp_path / "served", tmp_path / "embedded"
            chosen = ["--seed", "5", "--select", "*.limits", "*.no-secret", "*.tenant-isolation"]
            for host, ledger in zip((words[2:], ["reference"]), ledgers, strict=True):
                done = subprocess.run(
                    [python, *PYTHON[1:], "run", *host, *chosen, "--ledger", str(ledger)],
                    capture_output=True,
                    text=True,
                    timeout=START,
                    env=environment,
                    check=False,
                )
                assert (done.returncode, done.stderr) == (0, "")
            served, embedded = (read_ledger(ledger)[2] for ledger in ledgers)
            assert served == embedded
        finally:
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=START)

    assert server.returncode == 130
    assert err == "openwop-conformance: interrupted\n"
    keys = [line.partition("=")[2] for line in file.read_text("utf-8").splitlines()]
    assert len(keys) == 3
    for key in keys:
        assert len(key) > 16
        assert key not in first + line + out + err


def test_small_answers_are_not_held_back_for_more(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nagle's algorithm against a delayed acknowledgement costs 40 ms an exchange."""
    found: list[int] = []

    async def accepted(listener: socket.socket) -> None:
        def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            held = writer.get_extra_info("socket")
            found.append(held.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        async with await asyncio.start_server(take, sock=listener):
            reader, writer = await asyncio.open_connection(*listener.getsockname())
            await reader.read()
            writer.close()

    def run(_: uvicorn.Server, sockets: list[socket.socket]) -> None:
        asyncio.run(accepted(sockets[0]))

    monkeypatch.setattr(uvicorn.Server, "run", run)
    assert cli("serve", "--credential-file", tmp_path / "keys")[0] == 0
    assert [bool(option) for option in found] == [True]


def test_a_port_that_is_taken_is_exit_2_and_writes_no_keys(cli: Cli, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        code, out, err = cli("serve", "--port", port, "--credential-file", tmp_path / "keys")

    assert (code, out) == (2, "")
    assert err == f"openwop-conformance: port {port} cannot be had: Address already in use\n"
    assert not (tmp_path / "keys").exists()


def test_keys_that_cannot_be_written_are_exit_2(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli("serve", "--credential-file", tmp_path / "gone" / "keys")

    assert (code, out) == (2, "")
    assert err.endswith("keys cannot be written: No such file or directory\n")


def test_a_sabotage_that_is_none_is_exit_2_with_near_ones(cli: Cli, tmp_path: Path) -> None:
    code, out, err = cli(
        "serve", "--sabotage", "second-create", "--credential-file", tmp_path / "keys"
    )

    assert (code, out) == (2, "")
    assert "there is no sabotage 'second-create'; near it: second-create-" in err
    assert not (tmp_path / "keys").exists()
