"""The wheel: it carries the whole corpus, and runs where there is no checkout."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.version import VERSION
from tests.docs.commands import DOCS, parts_of
from tests.shared_data import REPOSITORY


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout with what is installed, so that nothing is fetched."""
    for module in ("build", "hatchling", "pip"):
        pytest.importorskip(module, reason=f"{module} is not installed: it is in the extra 'test'")
    folder = tmp_path_factory.mktemp("wheel")
    command = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder)]
    _run(sys.executable, *command, str(REPOSITORY), cwd=folder)
    (built,) = folder.glob("*.whl")
    return built


def _run(*command: str, cwd: Path) -> str:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("OPENWOP", "PYTHON"))}
    found = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment in which the wheel is installed, and nothing else lies.

    Its dependencies, and pip, are this environment's, by a path file: nothing is fetched.
    """
    venv = tmp_path_factory.mktemp("installed") / "venv"
    _run(sys.executable, "-m", "venv", "--without-pip", str(venv), cwd=venv.parent)
    (_site(venv) / "dependencies.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    install = ["install", "--quiet", "--ignore-installed", "--no-deps", "--no-index"]
    _run(str(venv / "bin" / "python"), "-m", "pip", *install, "--no-compile", str(wheel), cwd=venv)
    return venv


def _site(venv: Path) -> Path:
    (site,) = (venv / "lib").glob("python*/site-packages")
    return site


def carried() -> Iterator[tuple[str, Path]]:
    """Every file that has to be in the wheel, by its name there."""
    package = "openwop_conformance"
    for pattern in (
        "scenarios/**/*.yaml",
        "fixtures/**/*.json",
        "ledger/*",
        "coherence/*.py",
        "docs/**/*.*",
        "README.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ):
        for path in REPOSITORY.glob(pattern):
            yield f"{package}/corpus/{path.relative_to(REPOSITORY).as_posix()}", path
    for pattern in ("*.py", "schemas/*.json", "a2ui/catalogs/*.json", "sdks/*.mjs", "py.typed"):
        for path in (REPOSITORY / package).rglob(pattern):
            yield path.relative_to(REPOSITORY).as_posix(), path
    for folder in ("pages", "starting", "reports/html"):
        for path in (REPOSITORY / package / folder).rglob("*.*"):
            if "__pycache__" not in path.parts:
                yield path.relative_to(REPOSITORY).as_posix(), path


def test_the_wheel_carries_every_file_of_the_corpus_byte_by_byte(wheel: Path) -> None:
    expected = dict(carried())
    kinds = ("corpus/scenarios/", "corpus/fixtures/", "schemas/")
    assert all(sum(kind in name for name in expected) > 5 for kind in kinds)
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert sorted(set(expected) - set(names)) == []
        assert [n for n, path in expected.items() if archive.read(n) != path.read_bytes()] == []
    assert len(names) == len(set(names))
    inside = {name for name in names if name.startswith("openwop_conformance/corpus/")}
    assert inside == {name for name in expected if "/corpus/" in name}


def test_the_wheel_is_of_the_version_that_the_package_names(wheel: Path) -> None:
    assert wheel.name == f"openwop_conformance-{VERSION}-py3-none-any.whl"


def test_the_suite_runs_from_the_wheel_alone(venv: Path, tmp_path: Path) -> None:
    """One rule here; all of them, and how many they are, stand in the tutorial below."""
    where = "import openwop_conformance as it; print(it.__file__)"
    imported = Path(_run(str(venv / "bin" / "python"), "-c", where, cwd=tmp_path).strip())
    assert imported.is_relative_to(_site(venv))

    command = str(venv / "bin" / "openwop-conformance")
    report = json.loads(
        _run(command, "run", "reference", "--json", "--select", "*.limits", cwd=tmp_path)
    )
    assert report["exitCode"] == 0
    assert report["corpus"] == corpus().digest
    assert report["counts"]["executed-pass"] == 1
    assert list(tmp_path.iterdir()) == []


class Reader:
    """Somebody who does what a page says, in a shell in an empty folder."""

    def __init__(self, folder: Path, installed: Path) -> None:
        self.folder, self.installed = folder, installed
        self.path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        self.printed = ""

    def do(self, line: str) -> int:
        """Carry out one line; its exit code. Only how things are installed is not as it stands."""
        words = shlex.split(line)
        if words[0] == "cd":
            self.folder = (self.folder / words[1]).resolve(strict=True)
        elif words[0] == ".":
            programs = self.folder / words[1].removesuffix("/activate")
            assert (programs / "python").is_file()
            self.path = f"{programs}{os.pathsep}{self.path}"
        elif words[:2] == ["pip", "install"]:
            assert words[2:] == ["openwop-conformance"]
            self.path = f"{self.installed / 'bin'}{os.pathsep}{self.path}"
        else:
            if words[:3] == ["python", "-m", "venv"]:
                line += " --without-pip"
            kept = {k: v for k, v in os.environ.items() if not k.startswith(("OPENWOP", "PYTHON"))}
            done = subprocess.run(
                ["sh", "-c", line],
                cwd=self.folder,
                env=kept | {"PATH": self.path},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=110,
                check=False,
            )
            self.printed = done.stdout
            return done.returncode
        return 0


def test_the_tutorial_is_true_from_the_wheel_alone(venv: Path, tmp_path: Path) -> None:
    reader = Reader(tmp_path, venv)
    edits: list[str] = []
    for part in parts_of((DOCS / "tutorial.md").read_text("utf-8")):
        if part.kind == "command":
            assert reader.do(part.text) == part.code, f"{part.text}\n{reader.printed}"
        elif part.kind == "shown":
            printed = [line.rstrip() for line in reader.printed.splitlines()]
            for line in part.text.splitlines():
                wanted = re.compile(re.escape(line).replace("…", ".*"))
                assert any(map(wanted.fullmatch, printed)), f"{line}\n{reader.printed}"
        elif part.kind == "python":
            edits.append(part.text)
            if len(edits) == 2:
                file = reader.folder / "host_adapter.py"
                text = file.read_text("utf-8")
                assert text.count(edits[0]) == 1
                file.write_text(text.replace(edits[0], edits[1]), "utf-8")
    assert len(edits) == 2
    assert (tmp_path / "my-host" / "report.html").is_file()
    assert reader.folder == tmp_path / "stranger"
