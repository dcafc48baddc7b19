"""A page as what a reader does with it, in order: command lines, what they print, files, edits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from tests.shared_data import REPOSITORY

DOCS: Final = REPOSITORY / "docs"
PROGRAMS: Final = frozenset({
    "openwop-conformance", "python", "pip", "pytest", "make", "npm", "git",
    "cd", "mkdir", "cp", "sed", "export", ".",
})  # fmt: skip
"""A block that begins with one of these is commands from its first line to its last."""

_FENCE: Final = re.compile(
    r"^```(\w*)\n(.*?)^```$|^((?: {4}[^\n]*\n|\n)+)", re.MULTILINE | re.DOTALL
)
_EXIT: Final = re.compile(r"#.*\bexit (\d)\b")
_FILE: Final = re.compile(r"# ([\w-]+\.\w+)\n")


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a page: a command with its exit code, or the text of a block."""

    kind: Literal["command", "shown", "python", "file"]
    text: str
    code: int = 0
    name: str = ""
    """Of a file: where it goes."""


def pages() -> list[Path]:
    """Every page that people read, sorted."""
    return [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted(DOCS.rglob("*.md"))]


def name_of(page: Path) -> str:
    """The page's name in the repository."""
    return page.relative_to(REPOSITORY).as_posix()


def parts_of(text: str) -> Iterator[Part]:
    """What a page has to do or to see, in order. Raises ``ValueError`` for a line among commands
    that is none."""
    for language, fenced, indented in _FENCE.findall(text):
        if indented.strip():
            yield from _commands(indented)
        elif named := _FILE.match(fenced):
            yield Part("file", fenced, name=named[1])
        elif language == "text":
            yield Part("shown", fenced)
        elif language == "python":
            yield Part("python", fenced)


def _commands(block: str) -> Iterator[Part]:
    lines = [line[4:] for line in block.replace("\\\n", "").splitlines() if line.strip()]
    if lines[0].split()[0] not in PROGRAMS:
        return
    for line in lines:
        if line.split()[0] not in PROGRAMS:
            raise ValueError(f"among commands stands what is none: {line}")
        said = _EXIT.search(line)
        words = line.partition("  #")[0].rstrip()
        yield Part("command", " ".join(words.split()), int(said[1]) if said else 0)
