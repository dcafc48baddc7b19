"""Markdown that GitHub and the site read alike: tables, and text that stays text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """The lines of a table; cells are Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    escaped = [[cell.replace("|", r"\|") for cell in line] for line in lines]
    return [f"| {' | '.join(line)} |" for line in escaped]


def code(text: str) -> str:
    """Text as code."""
    return f"`{text}`"


def plain(text: str) -> str:
    """Text in which nothing is markup; a Sphinx literal in it becomes code."""
    parts = re.split(r"``(.+?)``", " ".join(text.split()))
    marked = (re.sub(r"([*_<>\[\]`])", r"\\\1", part) for part in parts[::2])
    return "".join(
        part for pair in zip(marked, [*map(code, parts[1::2]), ""], strict=True) for part in pair
    )
