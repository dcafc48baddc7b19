"""Text that came from elsewhere, on a terminal: never a control character of it."""

from __future__ import annotations


def printable(text: str) -> str:
    """The text with a replacement for whatever a terminal would act on."""
    return "".join(c if c.isprintable() else "�" for c in text)
