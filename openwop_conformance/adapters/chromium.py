"""Debian's Chromium with one page in it, driven so that all it tries to reach is seen and blocked.

What the page means is ``browser``'s business. Playwright drives the browser that is installed and
never fetches one; both are looked for when the first tab is opened.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import json
import os
import re
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Final, TypeVar

from ..errors import AbsentError, ExchangeError, UnreachableError
from ..jsonvalue import JsonValue
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
_OUR_ADDRESS: Final = "openwop-adapter"
OURS: Final = f"\n//# sourceURL={_OUR_ADDRESS}"
"""What follows a script that is run in the page from here: it is not the page's own."""
_PLACELESS: Final = "evaluated"
NO_PLAYWRIGHT: Final = "playwright is not installed: pip install 'openwop-conformance[browser]'"
_ALL: Final = "**/*"
_MOST_ATTEMPTS: Final = 1000
_ENDED_WITHIN: Final = 10.0
_NOTED_WITHIN: Final = 2.0


class Chromium:
    """One browser, started with its first tab. It belongs to one event loop."""

    def __init__(self) -> None:
        self._driver: Any = None
        self._browser: Any = None
        self._starting = asyncio.Lock()
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

    async def close(self) -> None:
        """End the browser and what drives it."""
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
        self._attempts: list[dict[str, JsonValue]] = []
        self._opened: set[str] = set()
        self._left: set[str] = set()
        self._closed: set[str] = set()
        self._asked: set[str] = set()
        self._context: Any = None
        self._crashed = asyncio.Event()
        self._frame = ""
        self._loading = True
        self._not_near = _not_near(url)

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
        await self._context.route(self._not_near, self._on_request)
        await self._context.route_web_socket("**/*", self._on_web_socket)
        self._context.on("page", self._on_page)
        self.page = await self._context.new_page()
        self.page.on("crash", lambda _: self._crashed.set())
        self.page.on("dialog", self._on_dialog)
        self.page.on("download", lambda it: self._note("download", it.url))
        self.cdp = await self._context.new_cdp_session(self.page)
        self.cdp.on("Page.frameRequestedNavigation", self._on_navigation)
        self.cdp.on("Debugger.scriptParsed", self._on_script)
        self.cdp.on("Debugger.paused", self._on_pause)
        self.cdp.on("Network.requestWillBeSent", lambda it: self._asked.add(it["requestId"]))
        for ended in ("responseReceived", "loadingFailed"):
            self.cdp.on(f"Network.{ended}", lambda it: self._asked.discard(it["requestId"]))
        await self.cdp.send("Page.enable")
        frames = await self.cdp.send("Page.getFrameTree")
        self._frame = frames["frameTree"]["frame"]["id"]
        await self.page.goto(self.url, wait_until="load", timeout=bounds.total * 1000)
        await self._context.route(_ALL, self._on_request)
        await self.cdp.send("Debugger.enable")
        await self.cdp.send("Network.enable")
        self._loading = False

    async def load_again(self, bounds: Bounds) -> None:
        """Load the page anew, for another consumer; what it has stored is still there."""
        self._loading = True
        await self._context.unroute(_ALL, self._on_request)
        await self.page.reload(wait_until="load", timeout=bounds.total * 1000)
        await self.call("0")  # its answer comes after what the page told of its own scripts
        await self._context.route(_ALL, self._on_request)
        self._attempts.clear()
        self._left |= await self._others()
        self._opened.clear()
        self._loading = False

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

    # --------------------------------------------------------------------------- attempts

    async def settle(self) -> None:
        """Wait until what was tried is noted.

        A request ends after it was noted; a popup is there before it says where it goes.
        """
        clock = asyncio.get_running_loop().time
        deadline = clock() + _NOTED_WITHIN
        while clock() < deadline:
            if not self._asked and self._popups >= len(await self._others()):
                return
            await asyncio.sleep(0.01)

    async def _others(self) -> set[str]:
        """The pages that have stood beside this one in its context since it was loaded."""
        pages = (await self.cdp.send("Target.getTargets"))["targetInfos"]
        ours = next((p["browserContextId"] for p in pages if p["targetId"] == self._frame), None)
        here = [p for p in pages if p["browserContextId"] == ours and p["type"] == "page"]
        self._opened |= {p["targetId"] for p in here} - {self._frame} - self._left
        return self._opened

    async def _close_others(self) -> None:
        """Close what was opened: Playwright does not tell of a page that has not come to load."""
        for page in await self._others() - self._closed:
            self._closed.add(page)
            await self.cdp.send("Target.closeTarget", {"targetId": page})

    @property
    def _popups(self) -> int:
        return sum(attempt["kind"] == "popup" for attempt in self._attempts)

    @property
    def attempts(self) -> list[dict[str, JsonValue]]:
        """What was tried, in order.

        A script without an address is an ``eval`` or a ``javascript:`` URL, or else Playwright's,
        which answers a WebSocket in the page's place: where there was one, it cannot be told apart.
        """
        sockets = any(a["target"].startswith(("ws:", "wss:")) for a in self._attempts)
        placeless = {"kind": "script", "target": _PLACELESS}
        return [a for a in self._attempts if not sockets or a != placeless]

    def _note(self, kind: str, target: str) -> None:
        if len(self._attempts) < _MOST_ATTEMPTS:
            self._attempts.append({"kind": kind, "target": target[:2000]})

    async def _on_request(self, route: Any, request: Any) -> None:
        with contextlib.suppress(self.error):
            kind, page = "request", None
            if request.is_navigation_request():
                with contextlib.suppress(self.error):  # a popup's first has no frame yet
                    page = request.frame.page
                if page is not self.page:
                    kind = "popup"
                elif request.frame.parent_frame is None:
                    kind = "navigation"
            already = {"kind": kind, "target": request.url[:2000]}
            if kind == "request" or already not in self._attempts:
                self._note(kind, request.url)
            await route.abort("aborted")  # where a page stays as it is
            if kind == "popup":
                await self._close_others()

    def _on_web_socket(self, socket: Any) -> Any:
        self._note("request", socket.url)
        return socket.close()

    async def _on_page(self, page: Any) -> None:
        if self.page is None or page is self.page:
            return
        with contextlib.suppress(self.error):
            if page.url in ("", "about:blank") and self._popups < len(await self._others()):
                self._note("popup", "about:blank")
            await page.close()

    async def _on_dialog(self, dialog: Any) -> None:
        self._note("dialog", f"{dialog.type}: {dialog.message}")
        with contextlib.suppress(self.error):
            await dialog.dismiss()

    def _on_navigation(self, event: Any) -> None:
        """A navigation that the page asks for, whether or not it makes a request."""
        target = event["url"]
        if self._loading or event["frameId"] != self._frame:
            return
        if target.partition("#")[0] == self.url.partition("#")[0]:
            return
        kinds = {"newTab": "popup", "newWindow": "popup", "download": "download"}
        kind = kinds.get(event["disposition"], "navigation")
        if {"kind": kind, "target": target[:2000]} not in self._attempts:
            self._note(kind, target)

    async def _on_pause(self, event: Any) -> None:
        """A ``debugger`` statement does not hold the page up."""
        with contextlib.suppress(self.error):
            await self.cdp.send("Debugger.resume")

    def _on_script(self, event: Any) -> None:
        """Script that was not there when the page had loaded: a handler in markup, an ``eval``.

        Playwright works in a context of its own, and Chromium's error pages are none of ours.
        """
        context, url = event.get("executionContextAuxData") or {}, event["url"]
        if self._loading or context.get("type") != "default" or url == _OUR_ADDRESS:
            return
        if context.get("frameId") == self._frame and not url.startswith("chrome-error:"):
            self._note("script", f"{url}:{event['startLine'] + 1}" if url else _PLACELESS)


class Thrown(Exception):
    """What a page threw, as one line."""


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


def _not_near(url: str) -> re.Pattern[str]:
    """What a page may not load: all but what lies in its folder, or comes from its origin."""
    place = url.partition("?")[0].partition("#")[0]
    if place.startswith("file:"):
        near = place.rpartition("/")[0] + "/"
    else:
        scheme, _, rest = place.partition("://")
        near = f"{scheme}://{rest.partition('/')[0]}/"
    return re.compile(f"^(?!{re.escape(near)})")


def file_url(path: Path) -> str:
    """The URL of a file."""
    return path.resolve().as_uri()
