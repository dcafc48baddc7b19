"""What the documents show is what the product does."""

from __future__ import annotations

import asyncio
import io
import re
import sys
from pathlib import Path

import pytest
from rich.console import Console

from openwop_conformance import cli
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.run import run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.reference.connect import build_app, credentials_for
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reports.console import ConsoleReport
from openwop_conformance.scenario.expand import load_scenario
from openwop_conformance.scenario.lint import load_all, select

ROOT = Path(__file__).parent.parent


def printed_failure(sabotage: str, scenario: str) -> list[str]:
    """The lines that a run against a sabotaged host prints."""
    settings = Settings()
    host = AsgiHost(build_app(settings, SABOTAGES[sabotage].change(Policy())), "reference")
    out = io.StringIO()
    console = Console(file=out, width=200)
    found = corpus()
    report = ConsoleReport(console, read_requirements(found.requirements), "0")

    async def all_of_it() -> None:
        try:
            session = Session(host, Options(seed=1), credentials_for(settings))
            await run(select(load_all(found), [scenario]), session, report)
        finally:
            await host.close()

    asyncio.run(all_of_it())
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_the_failure_in_the_readme_is_what_that_sabotage_prints() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    shown = text[text.index("    FAIL") :].split("\n\nThe `curl`")[0].splitlines()
    printed = printed_failure("second-create-inside-admitted", "host.v2.fold-inside-envelope")
    wanted = [line[4:].rstrip() for line in shown if line.strip() and "…" not in line]
    assert len(wanted) == 9
    assert [line for line in wanted if line not in printed] == []


def test_every_command_in_the_documents_exists() -> None:
    known = {command.__name__.rpartition(".")[2] for command in cli.COMMANDS}
    known = (known - {"listing"}) | {"list"}
    named: set[str] = set()
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")]:
        flat = " ".join(path.read_text("utf-8").split())
        named |= set(re.findall(r"openwop-conformance ([a-z]+)\b", flat))
    assert named - {"schema"} <= known
    assert known - {"list", "lint"} <= named


def test_the_scenario_in_the_contributors_guide_is_sound(tmp_path: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    block = text[text.index("    scenario: ") :].split("\n\n1. ")[0]
    file = tmp_path / "guide.yaml"
    file.write_text("\n".join(line[4:] for line in block.splitlines()) + "\n", "utf-8")
    scenario = load_scenario(file, corpus().fixtures)
    assert scenario.id == "host.v2.fold-guarded"
    assert [step.verb for step in scenario.steps] == ["run", "emit"]


def test_the_host_of_another_kind_is_judged_by_the_command_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (ROOT / "docs/using.md").read_text("utf-8")
    code = text.split("```python\n")[1].split("```")[0]
    command = re.search(r"`openwop-conformance (run py:in_memory[^`]*)`", " ".join(text.split()))
    assert command is not None
    (tmp_path / "in_memory.py").write_text(code, "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    assert cli.main(command[1].split()) == 0
    assert "1 requirement: 1 kept" in capsys.readouterr().out


def test_the_architecture_page_names_every_module_of_the_top_level() -> None:
    page = (ROOT / "docs/architecture.md").read_text("utf-8")
    names = {
        path.stem
        for path in (ROOT / "openwop_conformance").iterdir()
        if not path.name.startswith(("_", "py.")) and path.name != "corpus"
    }
    assert {name for name in names if name not in page} == set()


def test_the_changelog_counts_the_sabotages_right() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    counted = re.search(r"with (\d+) sabotages", text)
    assert counted is not None
    assert int(counted[1]) == len(SABOTAGES)
