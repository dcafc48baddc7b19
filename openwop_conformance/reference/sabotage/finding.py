"""Sabotages by their names, and what is near a name that none has."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Protocol, TypeVar

from ...errors import UsageError


class Named(Protocol):
    """Whatever has a name."""

    @property
    def name(self) -> str:
        """Its name, which no other has."""


Sabotage = TypeVar("Sabotage", bound=Named)


def by_name(sabotages: Iterable[Sabotage]) -> Mapping[str, Sabotage]:
    """Sabotages by their names. Raises ``ValueError`` for a name that two have."""
    known: dict[str, Sabotage] = {}
    for sabotage in sabotages:
        if sabotage.name in known:
            raise ValueError(f"there are two sabotages {sabotage.name!r}")
        known[sabotage.name] = sabotage
    return MappingProxyType(known)


def called(known: Mapping[str, Sabotage], name: str) -> Sabotage:
    """The sabotage of a name. Raises ``UsageError`` with near ones."""
    if name not in known:
        near = ", ".join(difflib.get_close_matches(name, known, n=3, cutoff=0.3))
        hint = f"; near it: {near}" if near else ""
        raise UsageError(f"there is no sabotage {name!r}{hint}")
    return known[name]
