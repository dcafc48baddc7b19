"""What the real SDKs fail, as facts about their versions: judged again by ``make sdk-results``.

The outcome is kept in ``results.json``, and for people in ``docs/sdk-results.md``.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.hello import HELLO, offer_of
from openwop_conformance.engine.run import is_timed, run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.suite import open_subject

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
RESULTS: Final = HERE / "results.json"
PAGE: Final = ROOT / "docs" / "sdk-results.md"
NODE_MODULES: Final = Path(os.environ.get("WEB_CORE_DIR", ROOT / ".venv" / "node"))
WEB_CORE: Final = ROOT / "openwop_conformance" / "sdks" / "web_core.mjs"
CORE: Final = "py:openwop_conformance.sdks.a2ui_core:Core"


@dataclass(frozen=True, slots=True)
class Library:
    """A library as it is judged, and how it is reached."""

    name: str
    connectable: str
    module: str | None = None
    """What Python has to be able to import."""


LIBRARIES: Final = (
    Library("a2ui-core", f"{CORE}?checks=none", "a2ui.core"),
    Library("a2ui-core, progressive checks", f"{CORE}?checks=progressive", "a2ui.core"),
    Library("a2ui-agent-sdk", "py:openwop_conformance.sdks.a2ui_agent:Agent", "a2ui.utils"),
    Library("@a2ui/web_core", f"stdio:node '{WEB_CORE}' '{NODE_MODULES}'"),
)


def absent(library: Library) -> str | None:
    """Why a library cannot be judged here, or ``None``."""
    if library.module is None:
        if shutil.which("node") is None:
            return "there is no node"
        found = NODE_MODULES / "node_modules" / "@a2ui" / "web_core"
        return None if found.is_dir() else f"npm has installed no @a2ui/web_core in {NODE_MODULES}"
    try:
        __import__(library.module)
    except ImportError as error:
        return f"{error}: install openwop-conformance[sdks]"
    return None


def scenarios(*, timed: bool) -> list[Scenario]:
    """Those for an SDK: the ones that measure, or the others."""
    found = [s for s in load_all(corpus()) if s.subject == "sdk"]
    return [s for s in found if is_timed(s) is timed]


def judged(library: Library, chosen: Sequence[Scenario]) -> tuple[str, tuple[Row, ...]]:
    """What a library calls itself, and its rows."""

    async def whole() -> tuple[str, tuple[Row, ...]]:
        subject, _ = open_subject(library.connectable, Credentials(), "sdk")
        options = Options(seed=1)
        try:
            label = offer_of(await subject.exchange(HELLO, options.bounds)).label
            session = Session(subject, options, Credentials(), kind="sdk")
            return label, await run(chosen, session, lambda event: None)
        finally:
            await subject.close()

    return asyncio.run(whole())


def outcomes(rows: Sequence[Row]) -> dict[str, str]:
    """The disposition of each row, by its short id."""
    return {short(row.id): str(row.disposition) for row in rows}


def short(identifier: str) -> str:
    return identifier.removeprefix("openwop-conformance.sdk.")


def main() -> None:
    """Judge all libraries, and write both files."""
    kept: dict[str, JsonValue] = {}
    chosen = [*scenarios(timed=False), *scenarios(timed=True)]
    for library in LIBRARIES:
        why = absent(library)
        if why is not None:
            raise SystemExit(f"{library.name}: {why}")
        label, rows = judged(library, chosen)
        failed = {short(r.id): r.reason for r in rows if r.disposition is Disposition.FAIL}
        kept[library.name] = {"version": label, "outcomes": outcomes(rows), "failed": failed}
        print(f"{library.name}: {label}, fails {len(failed)} of {len(rows)}")  # noqa: T201
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    PAGE.write_text(page(kept), "utf-8")


def page(kept: JsonValue) -> str:
    """The results for people."""
    rules = {short(i): r.rule for i, r in read_requirements(corpus().requirements).items()}
    marks = {"executed-pass": "kept", "executed-fail": "**broken**", "inapplicable": "–"}
    lines = [
        "# What the real SDKs keep and break",
        "",
        "Made by `make sdk-results`: each library as it comes, through the adapters in",
        "`openwop_conformance/sdks`. A broken rule is a fact about that version. – means that the",
        "library does not offer what the rule is about.",
        "",
        "| rule | " + " | ".join(f"{name}" for name in kept) + " |",
        "|---|" + "---|" * len(kept),
    ]
    first = next(iter(kept.values()))["outcomes"]
    for row in first:
        cells = [marks.get(k["outcomes"][row], k["outcomes"][row]) for k in kept.values()]
        lines.append(f"| {row} | " + " | ".join(cells) + " |")
    for name, result in kept.items():
        lines += ["", f"## {name}: {result['version']}", ""]
        for row, reason in result["failed"].items():
            lines += [f"- **{row}**: {rules[row]}", f"  Seen: {_plain(reason)}."]
        if not result["failed"]:
            lines.append("Nothing is broken of what binds it.")
    return "\n".join(lines) + "\n"


def _plain(reason: str) -> str:
    """A reason, which quotes a library, as text on one line."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|#" else c for c in " ".join(reason.split()))


if __name__ == "__main__":
    main()
