"""The names of all sabotages, by the kind of subject that they break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...scenario.model import Subject
from . import SABOTAGES
from .consumer import CONSUMER_SABOTAGES
from .page import PAGE_SABOTAGES
from .sdk import SDK_SABOTAGES

SABOTAGES_OF: Final[Mapping[Subject, frozenset[str]]] = {
    "host": frozenset(SABOTAGES),
    "sdk": frozenset(SDK_SABOTAGES),
    "consumer": frozenset((*CONSUMER_SABOTAGES, *PAGE_SABOTAGES)),
}
