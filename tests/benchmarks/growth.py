"""How a cost grows, judged so that a busy machine is not taken for growth.

A cost is a list of seconds of processor time, one for each stretch of the work: a stretch is so
short that other work leaves some round of it alone. Noise adds to a cost and never takes away, so
the least counts; and as soon as the larger work is within its limit, no other round can change it.
"""

from __future__ import annotations

import gc
import math
from collections.abc import Callable
from typing import TypeAlias

Costs: TypeAlias = Callable[[], list[float]]

ROUNDS = 6
"""How often the larger work is done before it counts as too slow."""
FEW_ROUNDS = 5
"""How often the smaller one is done each time: if it came out too large, growth would go unseen."""


def growth(few: Costs, many: Costs, limit: float) -> float:
    """The cost of the larger work over that of the smaller, by their least costs so far."""
    gc.collect()
    gc.disable()
    try:
        small, large, found = few(), many(), math.inf
        for _ in range(ROUNDS):
            for _ in range(FEW_ROUNDS):
                small = list(map(min, small, few()))
            found = sum(large) / sum(small)
            if found < limit:
                break
            large = list(map(min, large, many()))
    finally:
        gc.enable()
    return found
