"""SDKs that must not pass: the reference SDK with exactly one rule broken, each by its name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ..finding import by_name
from . import bindings, costs, data, lifetimes, locking, messages, payloads, responses, state, trees
from .model import SdkSabotage

_MODULES: Final = (
    messages,
    data,
    state,
    trees,
    lifetimes,
    payloads,
    responses,
    bindings,
    costs,
    locking,
)

SDK_SABOTAGES: Final[Mapping[str, SdkSabotage]] = by_name(
    sabotage for module in _MODULES for sabotage in module.SABOTAGES
)
"""Every sabotage of the SDK by its name."""

__all__ = ["SDK_SABOTAGES", "SdkSabotage"]
