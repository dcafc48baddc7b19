"""A bound on how long a part of an exchange may take, by the loop's own time."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from types import TracebackType

from ..errors import ExchangeError


class within(AbstractAsyncContextManager[None]):
    """Bound the block to the loop time ``until``; ``ExchangeError("timeout")`` when it passes."""

    __slots__ = ("_scope", "_seconds", "_until", "_what")

    def __init__(self, seconds: float, until: float, what: str) -> None:
        self._seconds, self._until, self._what = seconds, until, what
        self._scope = asyncio.timeout_at(until)

    async def __aenter__(self) -> None:
        if asyncio.get_running_loop().time() >= self._until:
            raise self._broken()
        await self._scope.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            await self._scope.__aexit__(kind, error, traceback)
        except TimeoutError:
            raise self._broken() from None
        if isinstance(error, TimeoutError) and self._scope.expired():
            raise self._broken() from None

    def _broken(self) -> ExchangeError:
        return ExchangeError("timeout", f"{self._what} took longer than {self._seconds:g} s")
