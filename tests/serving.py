"""The reference host, served by a process of its own for as long as a test needs it."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tests.shared_data import REPOSITORY

PYTHON: Final = [sys.executable, "-m", "openwop_conformance"]


@dataclass
class Host:
    """A host that is served by a process of its own."""

    url: str
    keys: dict[str, str] = field(repr=False)


@contextmanager
def served(folder: Path, *arguments: str) -> Iterator[Host]:
    """``serve`` until the end of the block."""
    file = folder / "keys"
    with subprocess.Popen(
        [*PYTHON, "serve", "--credential-file", str(file), *arguments],
        stdout=subprocess.PIPE,
        text=True,
        cwd=REPOSITORY,
    ) as server:
        try:
            assert server.stdout
            found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
            assert found
            lines = [line.partition("=") for line in file.read_text("utf-8").splitlines()]
            yield Host(found[0], {name: value for name, _, value in lines})
        finally:
            server.terminate()
            server.communicate(timeout=60)
