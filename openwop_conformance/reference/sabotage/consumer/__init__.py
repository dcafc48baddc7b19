"""Consumers that must not pass: the headless reference with exactly one rule broken, by name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ....errors import UsageError
from . import (
    binding,
    contexts,
    drawing,
    folding,
    frames,
    gating,
    legacy,
    refusing,
    submitting,
    words,
)
from .model import ConsumerSabotage

_MODULES: Final = (
    folding,
    drawing,
    binding,
    contexts,
    submitting,
    gating,
    refusing,
    words,
    legacy,
    frames,
)

CONSUMER_SABOTAGES: Final[Mapping[str, ConsumerSabotage]] = MappingProxyType(
    {sabotage.name: sabotage for module in _MODULES for sabotage in module.SABOTAGES}
)
"""Every sabotage of the headless consumer by its name."""


def consumer_sabotage_called(name: str) -> ConsumerSabotage:
    """The sabotage of a name. Raises ``UsageError`` with near ones."""
    if name not in CONSUMER_SABOTAGES:
        near = ", ".join(difflib.get_close_matches(name, CONSUMER_SABOTAGES, n=3, cutoff=0.3))
        hint = f"; near it: {near}" if near else ""
        raise UsageError(f"there is no sabotage {name!r} of the consumer{hint}")
    return CONSUMER_SABOTAGES[name]


__all__ = ["CONSUMER_SABOTAGES", "ConsumerSabotage", "consumer_sabotage_called"]
