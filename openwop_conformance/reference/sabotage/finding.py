"""A sabotage by its name, or what is near it."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import TypeVar

from ...errors import UsageError

Sabotage = TypeVar("Sabotage")


def called(known: Mapping[str, Sabotage], name: str) -> Sabotage:
    """The sabotage of a name. Raises ``UsageError`` with near ones."""
    if name not in known:
        near = ", ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.3))
        hint = f"; near it: {near}" if near else ""
        raise UsageError(f"there is no sabotage {name!r}{hint}")
    return known[name]
