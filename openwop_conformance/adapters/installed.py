"""Which Playwright and which Chromium are installed, for whoever asks before a page is opened."""

from __future__ import annotations

import asyncio
import importlib.metadata
import importlib.util
import subprocess
from typing import Final

from ..errors import AbsentError
from .chromium import NO_PLAYWRIGHT

_WITHIN: Final = 10.0


async def version_of(path: str) -> str:
    """What a browser calls itself. Raises ``AbsentError`` where it does not run."""

    def ask() -> subprocess.CompletedProcess[bytes]:
        nothing = subprocess.DEVNULL
        return subprocess.run(  # noqa: S603 - the browser that would be driven
            [path, "--version"], stdin=nothing, capture_output=True, timeout=_WITHIN
        )

    try:
        asked = await asyncio.to_thread(ask)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise AbsentError(f"{path} does not say its version: {error}") from None
    if asked.returncode or not asked.stdout.strip():
        raise AbsentError(f"{path} does not say its version: it ends with {asked.returncode}")
    return asked.stdout.decode(errors="replace").strip()


def playwright_version() -> str:
    """The version of what drives the browser. Raises ``AbsentError`` where it is not installed."""
    if importlib.util.find_spec("playwright") is None:
        raise AbsentError(NO_PLAYWRIGHT)
    return importlib.metadata.version("playwright")
