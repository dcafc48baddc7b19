"""What the documents show is what the product does: every example was carried out."""

from __future__ import annotations

import argparse
import asyncio
import io
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path

import pytest
from rich.console import Console

from openwop_conformance import cli
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.cli.listing import matrix_document
from openwop_conformance.engine.run import run as run_scenarios
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.errors import DocumentError
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reference.connect import build_app, credentials_for
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reports.console import ConsoleReport
from openwop_conformance.rulebook.book import Rulebook, case_of
from openwop_conformance.rulebook.breaking import CORPUS_SABOTAGES
from openwop_conformance.rulebook.gates import Check
from openwop_conformance.rulebook.reasons import hold_to_their_reasons, hold_to_upstream
from openwop_conformance.rulebook.upstream import Upstream
from openwop_conformance.scenario.expand import load_scenario
from openwop_conformance.scenario.fixtures import Fixtures
from openwop_conformance.scenario.lint import select

pytestmark = pytest.mark.row("openwop-conformance.corpus.documents-executed")

SHOWN_SABOTAGE = "second-create-inside-admitted"
SHOWN_SCENARIO = "host.v2.fold-inside-envelope"
_COMMAND = re.compile(r"(?<!install )openwop-conformance ([a-z]+)\b")


@pytest.fixture
def folder(book: Rulebook) -> Path:
    """Where the documents are."""
    return book.corpus.documents


def pages(folder: Path) -> Iterator[tuple[str, str]]:
    """Every document with its name."""
    for path in (*sorted(folder.glob("*.md")), *sorted(folder.glob("docs/**/*.md"))):
        yield path.relative_to(folder).as_posix(), path.read_text("utf-8")


def printed_failure(book: Rulebook) -> list[str]:
    """The lines that a run against the sabotaged host of the README prints."""
    settings = Settings()
    policy = SABOTAGES[SHOWN_SABOTAGE].change(Policy())
    host = AsgiHost(build_app(settings, policy), "reference")
    out = io.StringIO()
    console = Console(file=out, width=200)
    report = ConsoleReport(console, read_requirements(book.corpus.requirements), "0")

    async def all_of_it() -> None:
        try:
            session = Session(host, Options(seed=1), credentials_for(settings))
            await run_scenarios(select(book.scenarios, [SHOWN_SCENARIO]), session, report)
        finally:
            await host.close()

    asyncio.run(all_of_it())
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_failure_in_the_readme_is_what_that_sabotage_prints(
    check: Check, book: Rulebook, folder: Path
) -> None:
    text = (folder / "README.md").read_text("utf-8")
    block = text[text.index("    FAIL") :].split("\n\nThe `curl`")[0].splitlines()
    printed = printed_failure(book)
    wanted = [line[4:].rstrip() for line in block if line.strip() and "…" not in line]
    check(len(wanted) == 9, "README.md shows {} lines of the failure, not 9", len(wanted))
    for line in wanted:
        check(line in printed, "README.md shows a line that is not printed: {}", line)
    check(SHOWN_SABOTAGE in text, "README.md names another sabotage than {}", SHOWN_SABOTAGE)


def test_every_command_in_the_documents_is_one(check: Check, folder: Path) -> None:
    named: set[str] = set()
    for _, text in pages(folder):
        named |= set(_COMMAND.findall(" ".join(text.split())))
    known = commands_of(the_parser())
    for word in sorted(named - known):
        check(word in ("is", "lacks", "schema"), "the documents name a command {}", word)
    for word in sorted(known - {"list", "lint"}):
        check(word in named, "no document names the command {}", word)


def test_every_command_line_that_is_shown_parses(check: Check, folder: Path) -> None:
    """The lines of code, and code inside a sentence, as far as they are whole."""
    for name, text in pages(folder):
        shown = re.findall(r"`(openwop-conformance [a-z][^`…]*)`", " ".join(text.split()))
        whole = text.replace("\\\n", "")
        shown += re.findall(r"^ {4}(openwop-conformance [a-z][^#…\n]*)", whole, re.MULTILINE)
        for line in shown:
            check(parses(line), "{}: is no command line: {}", name, line)


@cache
def the_parser() -> argparse.ArgumentParser:
    """The parser of the command line."""
    return cli.parser()


def commands_of(parser: argparse.ArgumentParser) -> set[str]:
    """The names of the commands."""
    (group,) = (a for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return set(group.choices)


@cache
def parses(line: str) -> bool:
    """Whether the parser takes a command line."""
    words = ["1" if word == "N" else word for word in shlex.split(line)[1:]]
    try:
        with redirect_stderr(io.StringIO()), redirect_stdout(io.StringIO()):
            the_parser().parse_args(words)
    except SystemExit as left:
        return left.code == 0
    return True


def test_the_scenario_that_is_shown_is_sound(
    check: Check, book: Rulebook, folder: Path, tmp_path: Path
) -> None:
    text = (folder / "docs/how-to/write-a-scenario.md").read_text("utf-8")
    block = text[text.index("    scenario: ") :].split("\n\n1. ")[0]
    file = tmp_path / "guide.yaml"
    file.write_text("\n".join(line[4:] for line in block.splitlines()) + "\n", "utf-8")
    try:
        scenario = load_scenario(file, Fixtures(book.corpus.fixtures))
    except DocumentError as error:
        check(False, "the scenario that is shown is wrong: {}", error.message)
    else:
        verbs = [step.verb for step in scenario.steps]
        check(verbs == ["run", "emit"], "the scenario that is shown has {}", verbs)


def test_the_case_on_the_page_about_the_corpus_is_one(
    check: Check, book: Rulebook, upstream: Upstream, folder: Path
) -> None:
    text = (folder / "docs/explanation/corpus.md").read_text("utf-8")
    case = case_of("profile/shown/case.json", parse(text.split("```json\n")[1].split("```")[0]))
    hold_to_their_reasons(check, book, [case])
    hold_to_upstream(check, upstream, [case])


def test_the_host_of_another_kind_is_judged_by_the_command_beside_it(
    check: Check, folder: Path
) -> None:
    text = (folder / "docs/how-to/test-your-host.md").read_text("utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    command = re.search(r"`openwop-conformance (run py:in_memory[^`]*)`", " ".join(text.split()))
    if not check(command, "the page about hosts shows no command beside one") or command is None:
        return
    code_of_exit, said = judged_beside(code, command[1])
    check(code_of_exit == 0, "the command in the page about hosts leaves with {}", code_of_exit)
    kept = "1 requirement: 1 kept" in said
    check(kept, "the host in the page about hosts does not keep its rule: {}", said)


@cache
def judged_beside(code: str, command: str) -> tuple[int, str]:
    """What a command leaves with and prints in a folder with a host: these two decide it alone."""
    out = io.StringIO()
    with tempfile.TemporaryDirectory() as place:
        (Path(place) / "in_memory.py").write_text(code, "utf-8")
        with inside(Path(place)), redirect_stdout(out):
            code_of_exit = cli.main(command.split())
    return code_of_exit, out.getvalue()


@contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in a folder, and import from it."""
    before, path = Path.cwd(), [*sys.path]
    os.chdir(folder)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        os.chdir(before)
        sys.path[:] = path
        sys.modules.pop("in_memory", None)


def test_the_page_of_requirements_is_the_matrix(check: Check, book: Rulebook, folder: Path) -> None:
    page = (folder / "docs/reference/requirements.md").read_text("utf-8")
    current = page == matrix_document(book.corpus)
    check(current, "docs/reference/requirements.md is stale: 'list --matrix --markdown' prints it")


def test_the_architecture_page_names_every_part_of_the_package(check: Check, folder: Path) -> None:
    page = (folder / "docs/explanation/architecture.md").read_text("utf-8")
    parts = {
        path.stem
        for path in Path(cli.__file__).parent.parent.iterdir()
        if not path.name.startswith(("_", "py.")) and path.name != "corpus"
    }
    for part in sorted(parts):
        check(part in page, "docs/explanation/architecture.md does not name {}", part)


def test_the_changelog_counts_the_sabotages_right(check: Check, folder: Path) -> None:
    text = " ".join((folder / "CHANGELOG.md").read_text("utf-8").split())
    for pattern, count in (
        (r"with (\d+) sabotages", len(SABOTAGES)),
        (r"(\d+) ways to break the corpus", len(CORPUS_SABOTAGES)),
    ):
        found = re.search(pattern, text)
        right = found is not None and int(found[1]) == count
        check(right, "CHANGELOG.md does not say {!r} of {}", pattern, count)
