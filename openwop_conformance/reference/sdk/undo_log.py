"""Transactions over one log of what undoes each change; nothing is ever copied."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from ...a2ui.data_model import Undo
from ...errors import CallError

Result = TypeVar("Result")


class UndoLog:
    """What changes through ``record`` can be taken back while a transaction is open."""

    __slots__ = ("_depth", "_log")

    def __init__(self) -> None:
        self._log: list[Undo] = []
        self._depth = 0

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing for what is done inside; nests as positions in one log."""
        mark = len(self._log)
        self._depth += 1
        try:
            yield
        except BaseException:
            self.revert(mark)
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._log.clear()

    def revert(self, mark: int) -> None:
        """Undo what was logged after ``mark``, the last first."""
        while len(self._log) > mark:
            self._log.pop()()

    def run(self, callback: Callable[[], Result]) -> Result:
        """Call back within a transaction and return what it returns.

        A callback that returns an awaitable would act after the transaction is over: it is undone
        and refused with ``state``.
        """
        with self.transaction():
            result = callback()
            if inspect.isawaitable(result):
                if inspect.iscoroutine(result):
                    result.close()
                raise CallError("state", "a transaction's callback must not be asynchronous")
        return result

    def record(self, undo: Undo) -> None:
        """Keep what undoes a change for as long as a transaction is open."""
        if self._depth:
            self._log.append(undo)
