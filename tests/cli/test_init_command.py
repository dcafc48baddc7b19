"""``init``: what it writes works at once, says what to do next, and writes over nothing."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.starting import ADAPTERS, SUBJECTS, files_of, write

Cli = Callable[..., Any]

REPOSITORY = Path(__file__).parents[2]
KINDS = ["host", "sdk", "consumer"]
SEEN = {
    "host": "discovery has no ETag",
    "sdk": "the components of surface 'a', at /root",
    "consumer": "the button 'Approve' can be pressed",
}
"""Why the red test of each kind is red."""


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """Each kind that can be begun with here."""
    kind: str = request.param
    if kind == "consumer":
        if importlib.util.find_spec("playwright") is None:
            pytest.skip("playwright is not installed: install openwop-conformance[browser]")
        if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
            pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    return kind


def in_folder(folder: Path, line: str, python: Path) -> tuple[int, str]:
    """A command line as a person in a folder types it: the exit code and all that is printed."""
    name, *words = shlex.split(line)
    if name == "openwop-conformance" and words[0] == "run" and "--consumer" in words:
        words += ["--select", "consumer.partial-no-action"]  # the whole takes a while in a browser
    modules = {"openwop-conformance": "openwop_conformance", "pytest": "pytest"}
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["PYTHONPATH"] = str(REPOSITORY)
    done = subprocess.run(
        [python, "-m", modules[name], *words],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=110,
        check=False,
    )
    assert "Traceback" not in done.stdout
    return done.returncode, done.stdout


def mended(folder: Path, kind: str) -> None:
    """Do what the red test says: each line after ``replace`` gives way to those after ``with``."""
    test = (folder / f"test_{kind}.py").read_text("utf-8")
    comment = [line[6:] for line in test.splitlines() if line.startswith("    # ")]
    steps = "\n".join(comment).split("replace\n")[1:]
    text = (folder / ADAPTERS[kind]).read_text("utf-8")
    for step in steps:
        old, new = (
            re.findall(r"^ {4}(.*)$", part, re.MULTILINE) for part in step.split("\nwith\n")
        )
        assert len(old) == 1
        (indent,) = re.findall(rf"^( *){re.escape(old[0])}$", text, re.MULTILINE)
        text = text.replace(f"{indent}{old[0]}\n", "".join(f"{indent}{line}\n" for line in new))
    assert steps
    (folder / ADAPTERS[kind]).write_text(text, "utf-8")


def test_what_is_written_is_judged_at_once_and_turns_green_as_it_says(
    cli: Cli, tmp_path: Path, python: Path, kind: str
) -> None:
    folder = tmp_path / "a project"
    code, out, err = cli("init", kind, folder)
    assert (code, err) == (0, "")
    assert sorted(path.name for path in folder.iterdir()) == sorted(files_of(kind))

    assert shlex.split(out.splitlines()[-4]) == ["cd", str(folder)]
    doctor, run, pytest_line = (line.strip() for line in out.splitlines()[-3:])
    assert in_folder(folder, doctor, python)[0] == 0
    code, said = in_folder(folder, run, python)
    assert code == 1
    assert SEEN[kind] in said
    tests = f"{pytest_line} -p no:cacheprovider"
    code, said = in_folder(folder, tests, python)
    assert code == 1
    assert "1 failed, 1 passed" in said
    assert SEEN[kind] in said

    mended(folder, kind)
    code, said = in_folder(folder, tests, python)
    assert code == 0, said
    assert "2 passed" in said


@pytest.mark.parametrize("kind", KINDS)
def test_the_readme_shows_the_commands_that_are_printed_and_each_parses(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = [line.strip() for line in cli("init", kind).out.splitlines()[-3:]]
    readme = (tmp_path / "README.md").read_text("utf-8")
    shown = re.findall(r"^ {4}(\S.*)$", readme, re.MULTILINE)
    assert shown[:3] == printed
    assert printed[0] == f"openwop-conformance doctor {SUBJECTS[kind]}"
    for line in shown:
        name, *words = shlex.split(line)
        if name != "pytest":
            assert name == "openwop-conformance"
            assert cli(words[0], "--help").code == 0
    for line in shown[3:]:
        if " explain " in line or " schema " in line:
            assert cli(*shlex.split(line)[1:]).code == 0, line


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_lint_clean(cli: Cli, tmp_path: Path, kind: str) -> None:
    pytest.importorskip("ruff", reason="ruff is not installed: it is in the extra 'test'")
    cli("init", kind, tmp_path)
    command = ["check", "--isolated", "--line-length=100", "--select=E,W,F,I,B,UP,SIM", tmp_path]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *map(str, command)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


def test_the_adapter_of_a_host_is_typed(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy is not installed: it is in the extra 'test'")
    cli("init", "host", tmp_path)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, "."],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(REPOSITORY)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    found = [line for line in done.stdout.splitlines() if line.startswith(("host_", "test_"))]
    assert found == []
    assert "2 source files" in done.stdout, done.stdout + done.stderr


# ------------------------------------------------------------------------ nothing is lost


@pytest.mark.parametrize("name", list(files_of("sdk")))
def test_a_file_that_is_there_stays_and_nothing_else_is_written(
    cli: Cli, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("mine")
    assert cli("init", "sdk", tmp_path) == (
        2,
        "",
        f"openwop-conformance: {tmp_path / name} is there already: nothing was written; "
        "name another folder\n",
    )
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_link_to_nowhere_is_there_too(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "README.md").symlink_to(tmp_path / "elsewhere")
    assert cli("init", "host", tmp_path).code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]


def test_a_folder_that_cannot_be_made_is_exit_2(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    code, out, err = cli("init", "host", tmp_path / "file" / "below")
    assert (code, out) == (2, "")
    assert "cannot be written (" in err
    assert err.endswith("name another folder\n")


def test_where_one_file_fails_none_is_left(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="cannot be written"):
        write({"a": "one", "b/c": "two"}, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("arguments", [[], ["renderer"]])
def test_a_kind_that_is_none_is_exit_2(cli: Cli, arguments: list[str]) -> None:
    code, out, err = cli("init", *arguments)
    assert (code, out) == (2, "")
    assert "host" in err or "kind" in err
