"""How a project begins: an adapter, two tests and a few lines to read, as files to write.

The adapters are the examples of the documents. The tests are templates, and end in ``.txt`` here.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..corpus import corpus
from ..errors import UsageError

ADAPTERS: Final = {
    "host": "host_adapter.py",
    "sdk": "sdk_adapter.py",
    "consumer": "consumer_page.html",
}
"""The adapter that each kind of subject begins with."""
SUBJECTS: Final = {
    "host": "py:host_adapter:MyHost",
    "sdk": "--sdk 'stdio:python sdk_adapter.py'",
    "consumer": "--consumer browser:consumer_page.html",
}
"""How a command names it, from inside the folder."""


def files_of(kind: str) -> dict[str, str]:
    """The files of a kind, by their names: the adapter, the tests, the README."""
    examples, templates = corpus().documents / "docs" / "examples", Path(__file__).parent / kind
    test = f"test_{kind}.py"
    return {
        ADAPTERS[kind]: (examples / ADAPTERS[kind]).read_text("utf-8"),
        test: (templates / f"{test}.txt").read_text("utf-8"),
        "README.md": (templates / "README.md").read_text("utf-8"),
    }


def write(files: Mapping[str, str], folder: Path) -> None:
    """Write all files into a folder, which is made if need be, or none of them.

    Raises ``UsageError`` where one is there already or cannot be written.
    """
    there = [name for name in files if os.path.lexists(folder / name)]
    if there:
        more = f", and so are {len(there) - 1} more" if len(there) > 1 else ""
        raise UsageError(
            f"{folder / there[0]} is there already{more}: nothing was written; name another folder"
        )
    written: list[Path] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            with (folder / name).open("x", encoding="utf-8") as file:
                written.append(folder / name)
                file.write(text)
    except OSError as error:
        for path in written:
            with contextlib.suppress(OSError):
                path.unlink()
        raise UsageError(
            f"{error.filename or folder} cannot be written ({error.strerror}): name another folder"
        ) from None
