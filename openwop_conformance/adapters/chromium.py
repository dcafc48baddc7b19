"""Debian's Chromium with one page in it, which is loaded, called, photographed and closed.

What the page tries is seen by ``attempts``; what it means is ``browser``'s business. Playwright
drives the browser that is installed and never fetches one; both are looked for when the first tab
is opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
from collections.abc import Coroutine, Iterable
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from ..errors import AbsentError, ExchangeError, UnreachableError
from ..jsonvalue import JsonValue
from .attempts import OURS, Attempts
from .host import Bounds

T = TypeVar("T")

DEFAULT_PATH: Final = "/usr/bin/chromium"
FLAGS: Final = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
)
"""Chromium's own traffic does not pass a page's routes: here it has nowhere to go either."""
WIDTH: Final = 800
HEIGHT: Final = 600
"""What a page has to show itself on, in pixels."""
_TALLEST: Final = 6000
NO_PLAYWRIGHT: Final = "playwright is not installed: pip install 'openwop-conformance[browser]'"
_ENDED_WITHIN: Final = 10.0


class Chromium:
    """One browser, started with its first tab. It belongs to one event loop."""

    def __init__(self) -> None:
        self._driver: Any = None
        self._browser: Any = None
        self._starting = asyncio.Lock()
        self._resting: list[Tab] = []
        self.error: type[Exception] = Exception
        """What Playwright raises, once it is loaded."""

    async def tab(self, url: str, bounds: Bounds) -> Tab:
        """A page with nothing remembered from those before it, at a URL, loaded.

        Raises ``UnreachableError`` where Playwright or the browser is missing, or the page is.
        """
        async with self._starting:
            if self._browser is None or not self._browser.is_connected():
                await self._start(bounds)
        tab = Tab(url, self.error)
        try:
            await tab.within(tab.load(self._browser, bounds), bounds, "loading the page")
        except self.error as error:
            await tab.close()
            raise UnreachableError(f"{url} cannot be loaded: {said(error)}") from None
        except BaseException:
            await tab.close()
            raise
        return tab

    def rest(self, tabs: Iterable[Tab]) -> None:
        """Keep tabs that nobody uses any more."""
        self._resting += tabs

    def resting(self, url: str) -> Tab | None:
        """A tab that was kept, of the page at a URL, whatever query it has; to be loaded again."""
        for tab in self._resting:
            if _page(tab.url) == _page(url):
                self._resting.remove(tab)
                return tab
        return None

    async def close(self) -> None:
        """End the browser and what drives it."""
        self._resting.clear()
        browser, driver = self._browser, self._driver
        self._browser = self._driver = None
        with contextlib.suppress(self.error, TimeoutError):
            async with asyncio.timeout(_ENDED_WITHIN):
                if browser is not None:
                    await browser.close()
        if driver is not None:
            await driver.stop()

    async def _start(self, bounds: Bounds) -> None:
        await self.close()
        try:
            playwright = importlib.import_module("playwright.async_api")
        except ImportError:
            raise AbsentError(NO_PLAYWRIGHT) from None
        path = browser_path()
        self.error = playwright.Error
        self._driver = await playwright.async_playwright().start()
        try:
            self._browser = await self._driver.chromium.launch(
                executable_path=path,
                args=list(FLAGS),
                chromium_sandbox=os.geteuid() != 0,
                env={k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")},
                timeout=bounds.total * 1000,
                handle_sigint=False,
            )
        except self.error as error:
            await self.close()
            raise UnreachableError(f"{path} cannot be started: {said(error)}") from None


class Tab:
    """One page in a context of its own, and what it tried to reach or open."""

    def __init__(self, url: str, error: type[Exception]) -> None:
        self.url, self.error = url, error
        self.page: Any = None
        self.cdp: Any = None
        self.tried = Attempts(url, error)
        self._context: Any = None
        self._crashed = asyncio.Event()

    async def load(self, browser: Any, bounds: Bounds) -> None:
        """Open the page. Until it is loaded it may read files beside its own, and below."""
        self._context = await browser.new_context(
            accept_downloads=False,
            service_workers="block",
            locale="en-US",
            timezone_id="UTC",
            reduced_motion="reduce",
            viewport={"width": WIDTH, "height": HEIGHT},
        )
        await self.tried.watch_context(self._context)
        self.page = await self._context.new_page()
        self.page.on("crash", lambda _: self._crashed.set())
        self.cdp = await self._context.new_cdp_session(self.page)
        await self.tried.watch_page(self.page, self.cdp)
        await self.page.goto(self.url, wait_until="load", timeout=bounds.total * 1000)
        await self.tried.loaded(self._context)

    async def load_again(self, url: str, bounds: Bounds) -> None:
        """Load the page anew, for another consumer; what it has stored is still there."""
        await self.tried.loads_again(self._context)
        load = self.page.reload if url == self.url else partial(self.page.goto, url)
        self.url = self.tried.url = url
        await load(wait_until="load", timeout=bounds.total * 1000)
        await self.tried.loaded_again(self._context)

    async def call(self, expression: str) -> JsonValue:
        """The value of a JavaScript expression in the page, awaited, as JSON has it.

        Raises ``Thrown`` with what the page throws.
        """
        sent = {
            "expression": f"(async () => JSON.stringify((await {expression}) ?? null))(){OURS}",
            "awaitPromise": True,
            "returnByValue": True,
        }
        answered = await self.cdp.send("Runtime.evaluate", sent)
        if (thrown := answered.get("exceptionDetails")) is not None:
            description = thrown.get("exception", {}).get("description") or thrown.get("text", "")
            raise Thrown(str(description).partition("\n")[0][:500])
        return json.loads(answered["result"].get("value", "null"))

    async def picture(self) -> bytes:
        """The page as a PNG: the whole of it, or as much of its beginning as is of any use."""
        height = await self.call("document.documentElement.scrollHeight")
        clip = {"x": 0, "y": 0, "width": WIDTH, "height": min(max(height, HEIGHT), _TALLEST)}
        png: bytes = await self.page.screenshot(full_page=True, clip=clip, animations="disabled")
        return png

    async def within(self, work: Coroutine[Any, Any, T], bounds: Bounds, what: str) -> T:
        """The result of work on the page, if it comes in time; else the tab is closed.

        Raises ``ExchangeError``: ``timeout``, or ``crashed`` where the tab broke down.
        """
        task = asyncio.ensure_future(work)
        crash = asyncio.ensure_future(self._crashed.wait())
        try:
            await asyncio.wait(
                {task, crash}, timeout=bounds.total, return_when=asyncio.FIRST_COMPLETED
            )
            if task.done() and not self._crashed.is_set():
                return task.result()
        finally:
            crash.cancel()
            if not task.done():
                await self.close()
                await asyncio.wait({task}, timeout=_ENDED_WITHIN)
                task.cancel()
            if task.done() and not task.cancelled():
                task.exception()
        if self._crashed.is_set():
            raise ExchangeError("crashed", f"the tab crashed during {what}")
        raise ExchangeError("timeout", f"{what} took more than {bounds.total:g} s")

    async def close(self) -> None:
        """Close the context and all in it, a page that hangs too."""
        context, self._context = self._context, None
        if context is not None:
            with contextlib.suppress(self.error, TimeoutError):
                async with asyncio.timeout(_ENDED_WITHIN):
                    await context.close()


class Thrown(Exception):
    """What a page threw, as one line."""


def _page(url: str) -> str:
    """The page at a URL, without what is for it to read."""
    return url.partition("?")[0]


def browser_path() -> str:
    """Where the browser is. Raises ``AbsentError`` where it is not."""
    path = os.environ.get("CHROMIUM") or DEFAULT_PATH
    if not os.access(path, os.X_OK):
        hint = "apt-get install chromium, or name another in CHROMIUM"
        raise AbsentError(f"there is no browser {path}: {hint}")
    return path


def said(error: BaseException) -> str:
    """What Playwright says, without its log of calls."""
    return " ".join(str(error).partition("Call log:")[0].split())[:500]


def file_url(path: Path) -> str:
    """The URL of a file."""
    return path.resolve().as_uri()
