"""SDKs that must not pass: the reference SDK with exactly one rule broken, each by its name."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from ....errors import UsageError
from . import bindings, costs, data, lifetimes, messages, payloads, responses, state, trees
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
)

SDK_SABOTAGES: Final[Mapping[str, SdkSabotage]] = MappingProxyType(
    {sabotage.name: sabotage for module in _MODULES for sabotage in module.SABOTAGES}
)
"""Every sabotage of the SDK by its name."""


def sdk_sabotage_called(name: str) -> SdkSabotage:
    """The sabotage of a name. Raises ``UsageError`` with near ones."""
    if name not in SDK_SABOTAGES:
        near = ", ".join(difflib.get_close_matches(name, SDK_SABOTAGES, n=3, cutoff=0.3))
        hint = f"; near it: {near}" if near else ""
        raise UsageError(f"there is no sabotage {name!r} of the SDK{hint}")
    return SDK_SABOTAGES[name]


__all__ = ["SDK_SABOTAGES", "SdkSabotage", "sdk_sabotage_called"]
