"""The forms of a report by name: each makes a listener, and all listeners hear the same events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, TypeAlias

from ..engine.verdict import Listener
from ..evidence.ledger import Header
from ..evidence.requirements import Requirement
from .badge import BadgeReport
from .html import HtmlReport
from .jsonfile import JsonReport
from .junit import JUnitReport
from .markdown import MarkdownReport

Maker: TypeAlias = Callable[[Path | None, Mapping[str, Requirement], Header], Listener]
"""Where the report goes (``None`` is standard output), the rules by id, the header of the run."""

FORMS: Final[dict[str, Maker]] = {
    "badge": BadgeReport,
    "html": HtmlReport,
    "json": JsonReport,
    "junit": JUnitReport,
    "markdown": MarkdownReport,
}
