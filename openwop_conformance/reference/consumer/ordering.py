"""What arrives in any order and is taken in the order of its sequence."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Ordered(Generic[Item]):
    """Items by sequence, those of one sequence as they came, and how many of them were taken."""

    def __init__(self) -> None:
        self._sequences: list[int] = []
        self._items: list[Item] = []
        self._taken = 0
        self.disordered = False
        """Whether an item was put among those that were taken; ``rest`` then begins anew."""

    def put(self, sequence: int | None, item: Item) -> None:
        """Put an item in its place; without a sequence, behind all that came before it."""
        if sequence is None:
            sequence = self._sequences[-1] if self._sequences else 0
        place = bisect_right(self._sequences, sequence)
        self._sequences.insert(place, sequence)
        self._items.insert(place, item)
        self.disordered = self.disordered or place < self._taken

    def put_taken(self, item: Item) -> None:
        """Put an item behind all others, all of which were taken, and count it as taken too."""
        assert self._taken == len(self._items)
        self.put(None, item)
        self._taken += 1

    def rest(self) -> Iterator[Item]:
        """The items that were not taken yet, which this does; all of them after a disorder."""
        start = 0 if self.disordered else self._taken
        self._taken, self.disordered = len(self._items), False
        yield from self._items[start:]
