"""The pages of ``docs/reference`` that are made from the product, and the figure of the layers.

``python -m tests.docs.reference_pages`` writes them (``make docs-reference``); a test holds them to
what is made now.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from openwop_conformance.cli.listing import matrix_document
from openwop_conformance.corpus import corpus
from tests.docs.command_page import commands_page
from tests.docs.format_page import formats_page
from tests.docs.language_page import language_page
from tests.shared_data import REPOSITORY
from tests.test_layers import LAYERS

DOCS: Final = REPOSITORY / "docs"
ARCHITECTURE: Final = DOCS / "explanation" / "architecture.md"
_FIGURE: Final = re.compile(r"(<!-- layers -->\n\n).*?(\n<!-- /layers -->)", re.DOTALL)


def with_layers(page: str) -> str:
    """The page on architecture with the layers that the imports are held to, the highest first."""
    lines = [f"    {'  '.join(names)}\n" for names in reversed(LAYERS)]
    found, count = _FIGURE.subn(lambda m: m[1] + "".join(lines) + m[2], page)
    if count != 1:
        raise ValueError("the page on architecture has not the one place for the layers")
    return found


PAGES: Final[Mapping[Path, Callable[[], str]]] = {
    DOCS / "reference" / "commands.md": commands_page,
    DOCS / "reference" / "scenario-language.md": language_page,
    DOCS / "reference" / "file-formats.md": formats_page,
    DOCS / "reference" / "requirements.md": lambda: matrix_document(corpus()),
    ARCHITECTURE: lambda: with_layers(ARCHITECTURE.read_text("utf-8")),
}
"""Each page with what makes its text."""

if __name__ == "__main__":
    for path, made in PAGES.items():
        path.write_text(made(), "utf-8")
