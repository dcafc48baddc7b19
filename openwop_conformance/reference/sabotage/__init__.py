"""Subjects that must not pass: the reference host with exactly one rule broken, each by its name.

Which rows a sabotage has to turn red is declared where the rows are: each scenario lists its
sabotages. What is here only breaks things.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from . import (
    admission,
    delta,
    fold,
    locks,
    major_one,
    profile,
    recording,
    service,
    subscribing,
    trust,
)
from .finding import by_name, called
from .model import Sabotage

_MODULES: Final = (
    admission,
    fold,
    profile,
    recording,
    trust,
    service,
    major_one,
    delta,
    subscribing,
    locks,
)

SABOTAGES: Final[Mapping[str, Sabotage]] = by_name(s for m in _MODULES for s in m.SABOTAGES)
"""Every sabotage by its name."""


def sabotage_called(name: str) -> Sabotage:
    """The sabotage of a name. Raises ``UsageError`` with near ones."""
    return called(SABOTAGES, name)


__all__ = ["SABOTAGES", "Sabotage", "sabotage_called"]
