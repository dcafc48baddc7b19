"""A run in parts, for as many machines: which scenarios belong to the i-th of n.

Nothing is drawn by chance and nothing is measured: all machines divide alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import UsageError
from ..scenario.model import Scenario
from .run import is_timed


def part_of(scenarios: Sequence[Scenario], index: int, of: int) -> tuple[Scenario, ...]:
    """The ``index``-th of ``of`` parts, counted from 1, by id.

    Dealt out like cards, by id, those that measure time last: no part has two more than another, of
    either kind. Raises ``UsageError`` where there are more parts than scenarios.
    """
    if of > len(scenarios):
        s = "s" * (len(scenarios) != 1)
        raise UsageError(
            f"--shard {index}/{of}: {len(scenarios)} scenario{s} cannot be divided into {of} "
            f"shards; take at most {len(scenarios)}"
        )
    dealt = sorted(scenarios, key=lambda scenario: (is_timed(scenario), scenario.id))
    return tuple(sorted(dealt[index - 1 :: of], key=lambda scenario: scenario.id))
