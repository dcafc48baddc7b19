"""Consumers that must not pass: the headless reference with exactly one rule broken, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..finding import by_name
from . import (
    binding,
    contexts,
    drawing,
    folding,
    frames,
    gating,
    legacy,
    locking,
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
    locking,
)

CONSUMER_SABOTAGES: Final[Mapping[str, ConsumerSabotage]] = by_name(
    sabotage for module in _MODULES for sabotage in module.SABOTAGES
)
"""Every sabotage of the headless consumer by its name."""

__all__ = ["CONSUMER_SABOTAGES", "ConsumerSabotage"]
