"""How much a surface may come to before it is not shown at all."""

from __future__ import annotations

from typing import Final

from ...jsonvalue import JsonValue

MOST_STEPS: Final = 50_000
"""How many components, references and options, repeated ones each time."""
MOST_CHARACTERS: Final = 2_000_000
"""How many characters of ids, names, texts and values, as often as they are shown."""


class TooLarge(Exception):
    """The surface comes to more than is shown of one."""


class Budget:
    """What is left for one look at a surface. Both methods raise ``TooLarge``."""

    __slots__ = ("characters", "steps")

    def __init__(self) -> None:
        self.steps, self.characters = MOST_STEPS, MOST_CHARACTERS

    def step(self, count: int = 1) -> None:
        """Count what was looked at."""
        self.steps -= count
        if self.steps < 0:
            raise TooLarge

    def weigh(self, *values: JsonValue) -> None:
        """Count the characters of those values that are texts."""
        for value in values:
            if isinstance(value, str):
                self.characters -= len(value)
        if self.characters < 0:
            raise TooLarge
