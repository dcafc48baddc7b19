"""What the real SDKs fail, as facts about their versions: judged again by ``make sdk-results``.

The outcome is kept in ``results.json``, and for people in ``docs/reference/sdk-results.md``.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openwop_conformance.jsonvalue import JsonValue
from tests.results import broken, judged, keep, reasons, result, scenarios, table

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
RESULTS: Final = HERE / "results.json"
PAGE: Final = ROOT / "docs" / "reference" / "sdk-results.md"
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


def main() -> None:
    """Judge all libraries, and write both files."""
    kept: dict[str, JsonValue] = {}
    chosen = [*scenarios("sdk", timed=False), *scenarios("sdk", timed=True)]
    for library in LIBRARIES:
        why = absent(library)
        if why is not None:
            raise SystemExit(f"{library.name}: {why}")
        label, rows, _ = judged(library.connectable, chosen, "sdk")
        kept[library.name] = result(label, rows, reasons(rows))
        failed = len(kept[library.name]["failed"])
        print(f"{library.name}: {label}, fails {failed} of {len(rows)}")  # noqa: T201
    keep(kept, RESULTS, PAGE, page(kept))


def page(kept: JsonValue) -> str:
    """The results for people."""
    lines = [
        "# What the real SDKs keep and break",
        "",
        "Made by `make sdk-results`: each library as it comes, through the adapters in",
        "`openwop_conformance/sdks`. A broken rule is a fact about that version. – means that the",
        "library does not offer what the rule is about.",
        "",
        *table(kept),
        *broken(kept, "sdk"),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
