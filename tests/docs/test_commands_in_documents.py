"""Every command line of the documents is carried out, page by page, in the order of the page.

Each page has an empty folder and a host that is served by another process. Runs that select nothing
get a small selection, so that they are quick; all else is as it is shown. The tutorial is carried
out whole, from the wheel (``tests/test_wheel.py``), the recipes of CI by ``tests/test_ci_recipes``.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.cli import main
from tests.docs.commands import DOCS, Part, name_of, pages, parts_of
from tests.serving import Host, served

NOT_RUN: Final = {
    "pip install openwop-conformance": "installs from an index; test_wheel.py installs the wheel",
    "pip install 'openwop-conformance[sdks]'": "installs from an index",
    "make renderers": "builds from npm; the Makefile does it before the tests",
    "openwop-conformance run --consumer browser:lit": "needs what npm has built; tests/consumers",
    "openwop-conformance run --consumer 'browser:react?protections=off'": "the same",
    "openwop-conformance run --sdk 'py:openwop_conformance.sdks.a2ui_core:Core?checks=progressive'":
    "needs the extra sdks; tests/sdks/test_results.py",
    "openwop-conformance run --sdk py:openwop_conformance.sdks.a2ui_agent:Agent": "the same",
    "openwop-conformance serve --port 8080 --sabotage second-create-inside-admitted":
    "ends when it is interrupted; tests/cli/test_serve_command.py",
    "openwop-conformance serve --sabotage second-create-inside-admitted": "the same",
    "openwop-conformance sabotage orphan-admitted": "takes long; tests/test_sabotage.py",
    "openwop-conformance coherence": "takes long; tests/cli/test_coherence_command.py",
    "openwop-conformance coherence --fetch evidence": "brings archives from an index",
    "openwop-conformance coherence --upstream evidence": "needs these archives",
    "openwop-conformance coherence --corpus my-corpus": "takes long, as above",
    "openwop-conformance run https://host.example --ledger ledger.jsonl --resume":
    "goes on with a run that died; tests/evidence/test_killed.py",
    "pytest --pyargs openwop_conformance --owp-host=https://host.example "
    "--owp-credential-file=/etc/openwop-keys --owp-ledger=ledger.jsonl --dist load --tx 2*popen "
    "--tx ssh=build@one.example//python=/opt/venv/bin/python "
    "--tx ssh=build@two.example//python=/opt/venv/bin/python":
    "needs other machines; tests/test_several_machines.py",
}  # fmt: skip
"""Command lines that are not carried out here, with the reason, and what does it instead."""
OTHERWISE: Final = {
    "openwop-conformance run http://localhost:8080 --baseline known.yaml": 1,
}
"""Exit codes that are not the page's: this host breaks neither of the rules that it excuses."""
SELECTED: Final = {
    "host": ["*.catalog-equality", "*.no-secret", "*.tenant-isolation", "*.limits"],
    "--sdk": ["*.data-*", "*.binding-*", "*.component-replaced"],
    "--consumer": ["*.field-check", "*.render-needs-root", "*.collected-target"],
}
ELSEWHERE: Final = {
    "docs/tutorial.md": "tests/test_wheel.py",
    "docs/reference/commands.md": "examples of the help, with files of nobody; tests/cli/test_help",
}
SHOWN: Final = re.compile(r"https?://(localhost:8080|127\.0\.0\.1:8080|host\.example)\b")


def commands(page: Path) -> list[Part]:
    return [part for part in parts_of(page.read_text("utf-8")) if part.kind == "command"]


PAGES: Final = [page for page in pages() if commands(page) and name_of(page) not in ELSEWHERE]


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with served(tmp_path_factory.mktemp("host")) as found:
        yield found


def browser_is_here() -> bool:
    chromium = os.environ.get("CHROMIUM") or DEFAULT_PATH
    return importlib.util.find_spec("playwright") is not None and os.access(chromium, os.X_OK)


def selected(words: list[str]) -> list[str]:
    """The words of a run with a selection, where they have none."""
    if words[0] not in ("run", "certify") or "--select" in words:
        return words
    kind = next((option for option in ("--sdk", "--consumer") if option in words), "host")
    return [*words, "--select", *SELECTED[kind]]


def carried_out(line: str, host: Host, python: Path) -> int:
    """Carry out one line in this process, or for pytest in another; its exit code."""
    name, *words = shlex.split(SHOWN.sub(host.url, line))
    if name == "cd":
        os.chdir(words[0])
        return 0
    if name == "pytest":
        words += ["-p", "no:cacheprovider", "--owp-select", *SELECTED["host"][:1]]
        done = subprocess.run(
            [python, "-m", "pytest", *words], timeout=110, check=False, capture_output=True
        )
        return done.returncode
    assert name == "openwop-conformance", f"nothing here carries out {name}"
    return main(selected(words))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_each_command_leaves_as_the_page_says(
    page: Path, host: Host, python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(("OPENWOP_", "GITHUB_"))]:
        monkeypatch.delenv(name)
    for name, value in host.keys.items():
        monkeypatch.setenv(name, value)
    programs = Path(sys.executable).parent
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    Path("docs").symlink_to(DOCS)
    left_out = []
    for part in parts_of(page.read_text("utf-8")):
        if part.kind == "file":
            Path(part.name).write_text(part.text, "utf-8")
        if part.kind != "command" or part.text in NOT_RUN:
            continue
        if "browser:" in part.text and not browser_is_here():
            left_out.append(part.text)
            continue
        code = carried_out(part.text, host, python)
        assert code == OTHERWISE.get(part.text, part.code), part.text
    if left_out:
        pytest.skip(f"Playwright or Chromium is not installed: {', '.join(left_out)}")


def test_what_is_not_carried_out_still_stands_in_a_page() -> None:
    shown = {part.text for page in PAGES for part in commands(page)}
    assert set(NOT_RUN) - shown == set()
    assert set(OTHERWISE) - shown == set()
    names = {name_of(page) for page in pages() if commands(page)}
    assert set(ELSEWHERE) - names == set()
    assert len(shown - set(NOT_RUN)) > len(NOT_RUN)


def test_a_line_that_no_program_begins_is_noticed_among_commands() -> None:
    (shown,) = parts_of("Do:\n\n    cd a  # exit 3\n")
    assert shown == Part("command", "cd a", 3)
    assert list(parts_of("It prints:\n\n    a: b\n")) == []
    with pytest.raises(ValueError, match="among commands stands what is none: frobnicate"):
        list(parts_of("Do:\n\n    cd a\n    frobnicate b\n"))
