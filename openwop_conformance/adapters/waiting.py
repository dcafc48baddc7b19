"""Waiting for a host that is still starting: it is asked until it answers anything at all."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Final

from ..errors import ExchangeError, UnreachableError
from .host import Bounds, Subject
from .operations import V2

PAUSE: Final = 0.25
"""Seconds between two questions."""


async def until_it_answers(
    host: Subject,
    seconds: float,
    *,
    now: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
) -> None:
    """Ask for the discovery document until an answer comes, of whatever status.

    What is no whole answer counts as none: a proxy takes connections before its host does. Raises
    ``UnreachableError`` with the last reason when none has come within ``seconds``.
    """
    until = now() + seconds
    while True:
        left, usual = max(until - now(), PAUSE), Bounds()
        bounds = Bounds(min(usual.connect, left), min(usual.read, left), min(usual.total, left))
        try:
            await host.exchange(V2.discovery(), bounds)
        except (UnreachableError, ExchangeError) as error:
            if now() + PAUSE >= until:
                why = f"waited {seconds:g} s for an answer, and none came: {error}"
                raise UnreachableError(why) from None
        else:
            return
        await sleep(PAUSE)
