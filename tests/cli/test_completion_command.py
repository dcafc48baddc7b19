"""``completion``: the scripts are taken by the shells, and complete what they should."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.cli import COMMANDS

Cli = Callable[..., Any]

REPOSITORY = Path(__file__).parents[2]


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    """A folder with the command in it, for a shell that asks it for ids."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "openwop-conformance"
    python = shlex.quote(sys.executable)
    program.write_text(f'#!/bin/sh\nexec {python} -m openwop_conformance "$@"\n')
    program.chmod(0o700)
    return folder


@pytest.fixture
def script(cli: Cli, tmp_path: Path) -> Callable[[str], Path]:
    """The script for a shell, in a file; without the shell or shtab, a skip."""

    def written(shell: str) -> Path:
        pytest.importorskip("shtab", reason="shtab is not installed: it is in the extra 'test'")
        if shutil.which(shell) is None:
            pytest.skip(f"there is no {shell}")
        code, out, err = cli("completion", shell)
        assert (code, err) == (0, "")
        path = tmp_path / f"completion.{shell}"
        path.write_text(out, "utf-8")
        return path

    return written


def said(bin_folder: Path, *command: str) -> str:
    """What a shell prints; it must have nothing to complain about."""
    done = subprocess.run(
        command,
        env={
            "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(bin_folder.parent),
            "PYTHONPATH": str(REPOSITORY),
        },
        cwd=bin_folder.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def in_bash(script: Path, bin_folder: Path, *words: str) -> list[str]:
    """What bash offers for the last of some words."""
    array = " ".join(map(shlex.quote, ("openwop-conformance", *words)))
    program = f"""
        source {shlex.quote(str(script))}
        ask=$(complete -p openwop-conformance | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
        COMP_WORDS=({array}); COMP_CWORD={len(words)}
        $ask openwop-conformance
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    return said(bin_folder, "bash", "--norc", "-c", program).split()


def test_bash_completes_commands_options_choices_files_and_ids(
    script: Callable[[str], Path], bin_folder: Path
) -> None:
    file = script("bash")
    (bin_folder.parent / "kept.jsonl").write_text("")

    names = set(COMMANDS)
    assert set(in_bash(file, bin_folder, "")) >= names
    assert in_bash(file, bin_folder, "do") == ["doctor"]
    assert in_bash(file, bin_folder, "run", "--led") == ["--ledger"]
    assert in_bash(file, bin_folder, "init", "") == ["host", "sdk", "consumer"]
    assert in_bash(file, bin_folder, "diff", "kept") == ["kept.jsonl"]
    wanted = ["host.v2.limits"]
    assert in_bash(file, bin_folder, "explain", "host.v2.lim") == wanted
    assert in_bash(file, bin_folder, "run", "--select", "host.v2.lim") == wanted


def test_fish_completes_commands_options_and_ids(
    script: Callable[[str], Path], bin_folder: Path
) -> None:
    file = script("fish")

    def offered(line: str) -> list[str]:
        words = f"source {shlex.quote(str(file))}; complete -C {shlex.quote(line)}"
        out = said(bin_folder, "fish", "--no-config", "-c", words)
        return [found.split("\t")[0] for found in out.splitlines()]

    assert offered("openwop-conformance doc") == ["doctor"]
    assert "--ledger" in offered("openwop-conformance run --led")
    assert offered("openwop-conformance explain host.v2.lim") == ["host.v2.limits"]


def test_zsh_takes_the_script_and_asks_for_ids_when_it_completes_alone(
    script: Callable[[str], Path], bin_folder: Path
) -> None:
    file = script("zsh")
    (bin_folder / "openwop-conformance").write_text("#!/bin/sh\necho asked >&2\nexit 1\n")
    program = f"""
        autoload -Uz compinit && compinit -D -d {shlex.quote(str(file))}.dump
        eval "$(cat {shlex.quote(str(file))})"
        print $_comps[openwop-conformance]; whence -w _openwop_conformance_ids
    """
    completer, function = said(bin_folder, "zsh", "-f", "-c", program).splitlines()
    assert completer == "_shtab_openwop_conformance"
    assert function == "_openwop_conformance_ids: function"
    assert file.read_text("utf-8").startswith("#compdef openwop-conformance\n")


def test_without_shtab_it_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "shtab", None)
    code, out, err = cli("completion", "bash")

    assert (code, out) == (2, "")
    assert err == (
        "openwop-conformance: shtab, which writes the script, is not installed: "
        "pip install 'openwop-conformance[completion]'\n"
    )


def test_a_shell_that_is_not_known_is_exit_2(cli: Cli) -> None:
    code, out, err = cli("completion", "cmd")
    assert (code, out) == (2, "")
    assert "invalid choice: 'cmd' (choose from 'bash', 'zsh', 'fish')" in err
