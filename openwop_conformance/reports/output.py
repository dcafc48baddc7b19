"""Where a report goes: into a file, or to standard output."""

from __future__ import annotations

import sys
from pathlib import Path

from ..errors import UsageError


def put(path: Path | None, text: str) -> None:
    """Write a whole report; ``None`` is standard output. Raises ``UsageError``."""
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise UsageError(f"the report cannot be written: {error}") from None


def append(path: Path, text: str) -> None:
    """Put a text at the end of a file, below a blank line. Raises ``UsageError``."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n{text}" if file.tell() else text)
    except OSError as error:
        raise UsageError(f"the report cannot be written: {error}") from None
