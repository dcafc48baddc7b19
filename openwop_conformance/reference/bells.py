"""Who waits for news of a run, and how they are woken: by a bell, never by looking again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class Bells:
    """The listeners of each run. They and who rings share one event loop."""

    def __init__(self) -> None:
        self._listeners: dict[str, set[asyncio.Event]] = {}

    @contextmanager
    def listening(self, run_id: str) -> Iterator[asyncio.Event]:
        """An event that is set at each news of the run; the listener clears it."""
        bell = asyncio.Event()
        listeners = self._listeners.setdefault(run_id, set())
        listeners.add(bell)
        try:
            yield bell
        finally:
            listeners.discard(bell)
            if not listeners and self._listeners.get(run_id) is listeners:
                del self._listeners[run_id]

    def ring(self, run_id: str) -> None:
        """Wake every listener of a run."""
        for bell in self._listeners.get(run_id, ()):
            bell.set()
