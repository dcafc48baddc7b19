"""Sabotages of our page in the browser: what each breaks is in ``pages/reference/page.js``.

The page takes ``?sabotage=NAME``; here are the names, and the words for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final


@dataclass(frozen=True, slots=True)
class PageSabotage:
    """One rule that the page breaks, in words."""

    name: str
    breaks: str


_SABOTAGES: Final[tuple[PageSabotage, ...]] = ()

PAGE_SABOTAGES: Final[Mapping[str, PageSabotage]] = MappingProxyType(
    {sabotage.name: sabotage for sabotage in _SABOTAGES}
)
"""Every sabotage of the page by its name."""
