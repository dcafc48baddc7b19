"""Text that a subject said, so that a person sees all of it: no control, nothing turned around.

How long a text may be is said in bytes of the page, and drawn from a ``Room``.
"""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import lru_cache
from typing import Final


def legible(text: str) -> str:
    """Text with each character that does not show, or that rules how others do, as ``⟨U+202E⟩``.

    Spaces and line feeds stay. What is left can be written as UTF-8: no lone surrogate is.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else f"⟨U+{ord(c):04X}⟩" for c in text)


_MORE: Final = 90
"""Bytes of the page in which it says that there is more."""


@lru_cache(maxsize=4096)
def _bytes_of(letter: str) -> int:
    return len(html.escape(legible(letter)).encode())


@dataclass(frozen=True, slots=True)
class Shown:
    """As much of a text as is shown, and how many characters of it are not."""

    text: str
    more: int = 0


def cut(text: str, most: int) -> tuple[Shown, int]:
    """The beginning of a text that takes up to ``most`` bytes in the page; how many it takes."""
    size = 0
    for index, letter in enumerate(text):
        more = _bytes_of(letter)
        if size + more > most:
            return Shown(text[:index], len(text) - index), size
        size += more
    return Shown(text), size


class Room:
    """Bytes of the page that may still be filled."""

    def __init__(self, left: int) -> None:
        self.left = left

    def text(self, text: str, most: int, least: int = 0) -> Shown:
        """A text that takes up to ``most`` bytes of what is left, and up to ``least`` anyhow."""
        shown, size = cut(text, max(least, min(most, self.left)))
        self.left -= size + (_MORE if shown.more else 0)
        return shown

    def take(self, size: int) -> bool:
        """Whether there was room for so many bytes; where there was, they are taken."""
        if self.left < size:
            return False
        self.left -= size
        return True


def in_words(size: int) -> str:
    """A number of bytes for a person."""
    if size < 1000:
        return f"{size} B"
    return f"{size / 1000:.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"
