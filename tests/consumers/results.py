"""What the real renderers fail, as facts about their versions, by ``make renderer-results``.

The outcome is kept in ``results.json``, and for people in ``docs/reference/renderer-results.md``.
"""

from __future__ import annotations

import importlib.util
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from openwop_conformance.adapters.browser import RENDERERS
from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.jsonvalue import JsonValue
from tests.results import broken, judged, keep, reasons, result, scenarios, seen, table

HERE: Final = Path(__file__).parent
ROOT: Final = HERE.parent.parent
RESULTS: Final = HERE / "results.json"
PAGE: Final = ROOT / "docs" / "reference" / "renderer-results.md"
BUILT: Final = Path(os.environ.get("OPENWOP_RENDERERS") or ROOT / RENDERERS)
TIME_SCALE: Final = 2.0
"""The large surfaces take one of the renderers half the time there is; slowness is no verdict."""
OFF: Final = "without protections"


@dataclass(frozen=True, slots=True)
class Renderer:
    """A renderer as it is judged, and how it is reached."""

    name: str
    connectable: str
    package: str


RENDERERS_JUDGED: Final = tuple(
    Renderer(f"{package}{title}", f"browser:{page}{query}", package)
    for page, package in (("lit", "@a2ui/lit"), ("react", "@a2ui/react"))
    for title, query in (("", ""), (f", {OFF}", "?protections=off"))
)
NOTES: Final = {
    **{
        (f"@a2ui/react{title}", "cycle-ends"): "A reading: A2UI v0.9 has clients skip invalid "
        "references, and it does end. What is shown here is no tree, which is why we ask for none."
        for title in ("", f", {OFF}")
    },
    **{
        (f"{package}{title}", "field-check"): "A SHOULD, and a reading: in A2UI v0.9 a button has "
        "checks of its own."
        for package in ("@a2ui/lit", "@a2ui/react")
        for title in ("", f", {OFF}")
    },
    **{
        (f"{package}, {OFF}", row): note
        for package in ("@a2ui/lit", "@a2ui/react")
        for row, note in {
            "0209.render-needs-root": "Before any root it shows nothing: this one was deleted, and "
            "nobody took it away.",
            "deleted-gone": "Taking the element of a deleted surface away is left to the page.",
        }.items()
    },
}
"""What to know of a red row, by name and row."""
_WITH: Final = ("@a2ui/web_core", "@a2ui/markdown-it")


def absent() -> str | None:
    """Why no renderer can be judged here, or ``None``."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed: install openwop-conformance[browser]"
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        return "Chromium is not installed: apt-get install chromium, or set CHROMIUM"
    if not (BUILT / "lit" / "index.html").is_file():
        return f"{BUILT} holds no renderers: make renderers builds them"
    return None


def version(renderer: Renderer) -> str:
    """The npm packages that a page was built of, each with its version."""

    def of(package: str) -> str:
        document = (BUILT / "node_modules" / package / "package.json").read_text("utf-8")
        return f"{package} {json.loads(document)['version']}"

    core, markdown = map(of, _WITH)
    return f"{of(renderer.package)} with {core} and {markdown}"


def main() -> None:
    """Judge all renderers, and write both files."""
    why = absent()
    if why is not None:
        raise SystemExit(why)
    os.environ["OPENWOP_RENDERERS"] = str(BUILT)
    kept: dict[str, JsonValue] = {}
    chosen = scenarios("consumer", timed=False)
    for renderer in RENDERERS_JUDGED:
        _, rows, failures = judged(renderer.connectable, chosen, "consumer", time_scale=TIME_SCALE)
        told = {row: seen(failures[row]) for row in reasons(rows)}
        kept[renderer.name] = result(version(renderer), rows, told)
        print(f"{renderer.name}: fails {len(told)} of {len(rows)}")  # noqa: T201
    keep(kept, RESULTS, PAGE, page(kept))


def page(kept: JsonValue) -> str:
    """The results for people."""
    lines = [
        "# What the real renderers keep and break",
        "",
        "Made by `make renderer-results`: each renderer on",
        "[a page](../how-to/test-your-renderer.md#the-real-ones) that delivers to it as a host",
        "has to, and once more with everything handed straight to it. What is broken in both",
        "columns is the renderer's to keep; what is broken only without protections is what the",
        "renderer leaves to the page around it. Of each broken rule the first thing that was seen",
        "is told. – means that the renderer does not offer what the rule is about.",
        "",
        *table(kept),
        *broken(kept, "consumer", NOTES),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
