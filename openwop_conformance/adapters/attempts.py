"""What a page tries to reach, to open or to run: noted as it does, and blocked.

It is told of by Playwright and by the DevTools protocol, of a page and its context in ``chromium``.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any, Final

from ..jsonvalue import JsonValue

_OUR_ADDRESS: Final = "openwop-adapter"
OURS: Final = f"\n//# sourceURL={_OUR_ADDRESS}"
"""What follows a script that is run in the page from here: it is not the page's own."""
_PLACELESS: Final = "evaluated"
_ALL: Final = "**/*"
_MOST: Final = 1000
_NOTED_WITHIN: Final = 2.0


class Attempts:
    """The attempts of one page at a URL, and of whatever it opens; none while it loads."""

    def __init__(self, url: str, error: type[Exception]) -> None:
        self.url, self.error = url, error
        self.page: Any = None
        self.cdp: Any = None
        self._noted: list[dict[str, JsonValue]] = []
        self._opened: set[str] = set()
        self._left: set[str] = set()
        self._closed: set[str] = set()
        self._asked: set[str] = set()
        self._frame = ""
        self._loading = True

    async def watch_context(self, context: Any) -> None:
        """Look at a context before it has a page, which may load what is near it."""
        await context.route(_not_near(self.url), self._on_request)
        await context.route_web_socket(_ALL, self._on_web_socket)
        context.on("page", self._on_page)

    async def watch_page(self, page: Any, cdp: Any) -> None:
        """Look at the page, before it loads."""
        self.page, self.cdp = page, cdp
        page.on("dialog", self._on_dialog)
        page.on("download", lambda it: self._note("download", it.url))
        cdp.on("Page.frameRequestedNavigation", self._on_navigation)
        cdp.on("Debugger.scriptParsed", self._on_script)
        cdp.on("Debugger.paused", self._on_pause)
        cdp.on("Network.requestWillBeSent", lambda it: self._asked.add(it["requestId"]))
        for ended in ("responseReceived", "loadingFailed"):
            cdp.on(f"Network.{ended}", lambda it: self._asked.discard(it["requestId"]))
        await cdp.send("Page.enable")
        frames = await cdp.send("Page.getFrameTree")
        self._frame = frames["frameTree"]["frame"]["id"]

    async def loaded(self, context: Any) -> None:
        """From now on everything is an attempt."""
        await self._watch_all(context)
        self._loading = False

    async def loads_again(self, context: Any) -> None:
        """The page is about to be loaded anew: what it does then is no attempt, and not told."""
        self._loading = True
        await context.unroute(_ALL, self._on_request)
        await self.cdp.send("Debugger.disable")
        await self.cdp.send("Network.disable")
        self._asked.clear()

    async def loaded_again(self, context: Any) -> None:
        """From now on everything is an attempt, and those before are forgotten."""
        await self._watch_all(context)
        self._noted.clear()
        self._left |= await self._others()
        self._opened.clear()
        self._loading = False

    async def _watch_all(self, context: Any) -> None:
        await context.route(_ALL, self._on_request)
        await self.cdp.send("Debugger.enable")  # it first tells of the scripts that are there
        await self.cdp.send("Network.enable")

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
        return sum(attempt["kind"] == "popup" for attempt in self._noted)

    @property
    def listed(self) -> list[dict[str, JsonValue]]:
        """What was tried, in order.

        A script without an address is an ``eval`` or a ``javascript:`` URL, or else Playwright's,
        which answers a WebSocket in the page's place: where there was one, it cannot be told apart.
        """
        sockets = any(a["target"].startswith(("ws:", "wss:")) for a in self._noted)
        placeless = {"kind": "script", "target": _PLACELESS}
        return [a for a in self._noted if not sockets or a != placeless]

    def _note(self, kind: str, target: str) -> None:
        if len(self._noted) < _MOST:
            self._noted.append({"kind": kind, "target": target[:2000]})

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
            if kind == "request" or already not in self._noted:
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
        if {"kind": kind, "target": target[:2000]} not in self._noted:
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


def _not_near(url: str) -> re.Pattern[str]:
    """What a page may not load: all but what lies in its folder, or comes from its origin."""
    place = url.partition("?")[0].partition("#")[0]
    if place.startswith("file:"):
        near = place.rpartition("/")[0] + "/"
    else:
        scheme, _, rest = place.partition("://")
        near = f"{scheme}://{rest.partition('/')[0]}/"
    return re.compile(f"^(?!{re.escape(near)})")
