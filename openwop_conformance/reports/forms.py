"""The forms of a report by name: each makes a listener, and all listeners hear the same events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Final, TypeAlias

from ..engine.verdict import Listener
from ..evidence.ledger import Header
from ..evidence.requirements import Requirement

Maker: TypeAlias = Callable[[Path | None, Mapping[str, Requirement], Header], Listener]
"""Where the report goes (``None`` is standard output), the rules by id, the header of the run."""


def _when_asked(module: str, name: str) -> Maker:
    """A report whose module is loaded for a run that asks for it."""

    def made(
        path: Path | None, requirements: Mapping[str, Requirement], header: Header
    ) -> Listener:
        maker: Maker = getattr(import_module(f".{module}", __package__), name)
        return maker(path, requirements, header)

    return made


FORMS: Final[dict[str, Maker]] = {
    "badge": _when_asked("badge", "BadgeReport"),
    "html": _when_asked("html", "HtmlReport"),
    "json": _when_asked("jsonfile", "JsonReport"),
    "junit": _when_asked("junit", "JUnitReport"),
    "markdown": _when_asked("markdown", "MarkdownReport"),
}
