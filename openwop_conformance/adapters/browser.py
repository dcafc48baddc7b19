"""A consumer in a real browser: a page in Chromium, asked and operated as a person would.

The page need define only this, each of it plain or async::

    window.openwop = {
      hello(),                 // {name, version, features?}: "major-1", "dates" where they hold
      deliver(envelope),       // an envelope arrives; resolves when the page has taken it
      frame(frame, sequence, run),  // optional: a delta frame of major 1
      submissions(),           // what has left the client, in order, as submissions
      reset(),                 // optional and not asked here: each consumer gets a page of its own
    }

It marks each surface's element with ``data-surface-id``, and may mark what belongs to a component
with ``data-component-id``. All else is done from outside: what is rendered is read from the
accessibility tree, fields are set and buttons pressed as by hand, and what the page tries to reach
or open after it has loaded is seen and blocked.
"""

from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import time
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from ..errors import ExchangeError, UnreachableError, UsageError
from ..jsonvalue import JsonValue, parse
from .calls import answer
from .chromium import Chromium, Tab, Thrown, file_url
from .exchange import same_loop
from .host import Bounds, Request, Response
from .operating import SETTLED, fire, look, set_field

PAGES: Final = Path(__file__).parents[1] / "pages"
RENDERERS: Final = ".venv/renderers"
"""Where ``make renderers`` puts the pages on npm's renderers, unless OPENWOP_RENDERERS says."""
_BUILT: Final = ("lit", "react")
_CALLS: Final = (
    "hello", "open", "deliver", "frame", "rendered", "set", "fire", "submitted", "attempts", "close"
)  # fmt: skip
_WITH_FRAME: Final = ("sequence", "run")
_READY: Final = "typeof globalThis.openwop?.deliver === 'function'"


class BrowserConsumer:
    """The page that ``place`` names: ``reference``, ``lit``, ``react``, a path, or a URL.

    What follows a ``?`` is for the page. A URL is of a file or of this machine. With ``pictures``
    each look at the page comes with a picture. It belongs to one event loop. A ``chromium`` that is
    given is one of several consumers, and whoever gave it ends it; a tab that is closed is loaded
    again for another consumer then, which is quicker, and right for a page that stores nothing.
    """

    def __init__(
        self, place: str, *, pictures: bool = False, chromium: Chromium | None = None
    ) -> None:
        self.name = f"browser:{place}"
        self._place, self._pictures = place, pictures
        self._url = url_of(place) if place.partition("?")[0] not in _BUILT else ""
        self._chromium, self._shared = chromium or Chromium(), chromium is not None
        self._tabs: dict[str, Tab] = {}
        self._spare: Tab | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = asyncio.Lock()
        self._closed = False

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Make one call. Raises ``ExchangeError`` and ``UnreachableError``."""
        if self._closed:
            raise UsageError(f"{self.name} was closed; connect again")
        self._loop = self._loop or asyncio.get_running_loop()
        same_loop(self._loop, self.name)
        async with self._lock:
            began = time.perf_counter()
            given = parse(request.body or b"{}")
            try:
                answered = answer({"result": await self._answer(request.target, given, bounds)})
            except _Refused as refused:
                answered = answer({"error": {"kind": refused.kind, "message": str(refused)}})
            if len(answered.body) > bounds.body:
                raise ExchangeError("too-large", f"an answer of more than {bounds.body} bytes")
            return replace(answered, seconds=time.perf_counter() - began)

    async def close(self) -> None:
        """Close every page, and the browser, unless it is shared."""
        self._closed = True
        tabs = [*self._tabs.values(), self._spare]
        self._tabs.clear()
        self._spare = None
        if self._shared:
            await asyncio.gather(*(tab.close() for tab in tabs if tab is not None))
        else:
            await self._chromium.close()

    def rest(self) -> None:
        """No consumer that was opened is asked any more: those to come may have their tabs.

        Those to come may be of another adapter to the same page, with the same ``chromium``.
        """
        self._chromium.rest(self._tabs.values())
        self._tabs.clear()

    # ------------------------------------------------------------------------------ calls

    async def _answer(self, name: str, given: JsonValue, bounds: Bounds) -> JsonValue:
        if name not in _CALLS:
            raise _Refused("unsupported", f"there is no {name}")
        if name == "hello":
            self._spare = self._spare or await self._opened(bounds)
            return await self._within("", self._spare, _hello(self._spare), bounds, name)
        handle = str(given.get("consumer"))
        if name == "open":
            if handle in self._tabs:
                await self._tabs.pop(handle).close()
            self._tabs[handle] = self._spare or await self._opened(bounds)
            self._spare = None
            return {}
        tab = self._tabs.get(handle)
        if tab is None:
            raise _Refused("state", f"there is no consumer {handle!r}")
        if name == "close":
            del self._tabs[handle]
            if self._shared:
                self._chromium.rest([tab])
            else:
                await tab.close()
            return {}
        if name == "attempts":
            await self._within(handle, tab, _settled(tab), bounds, name)
            return {"attempts": tab.tried.listed}
        return await self._within(handle, tab, self._done(tab, name, given), bounds, name)

    async def _opened(self, bounds: Bounds) -> Tab:
        """A fresh page that speaks the contract."""
        url = self._url or url_of(self._place)
        if (resting := self._chromium.resting(url)) is not None:
            tab = resting
            await self._within("", tab, tab.load_again(url, bounds), bounds, "loading the page")
        else:
            tab = await self._chromium.tab(url, bounds)
        deadline = time.perf_counter() + min(bounds.read, bounds.total)
        while not await self._within("", tab, tab.call(_READY), bounds, "loading the page"):
            if time.perf_counter() > deadline:
                await tab.close()
                raise UnreachableError(f"{url} defines no window.openwop with deliver()")
            await asyncio.sleep(0.02)
        return tab

    async def _within(self, handle: str, tab: Tab, work: Any, bounds: Bounds, what: str) -> Any:
        """Work on a tab; a tab that is lost is forgotten, and opened again with the next."""
        try:
            return await tab.within(work, bounds, what)
        except Thrown as error:
            raise _Refused("crash", f"{what}: {error}") from None
        except ExchangeError:
            self._forget(handle, tab)
            raise
        except tab.error as error:
            self._forget(handle, tab)
            await tab.close()
            raise ExchangeError("crashed", f"{what}: {error}"[:500]) from None

    def _forget(self, handle: str, tab: Tab) -> None:
        self._tabs.pop(handle, None)
        if self._spare is tab:
            self._spare = None

    async def _done(self, tab: Tab, name: str, given: JsonValue) -> JsonValue:
        match name:
            case "deliver":
                envelope = _literal(given["envelope"])
                await tab.call(f"(async () => void await openwop.deliver({envelope}))()")
                return {}
            case "frame":
                if not await tab.call("typeof openwop.frame === 'function'"):
                    raise _Refused("unsupported", "the page takes no frames")
                rest = [_literal(given[m]) if m in given else "undefined" for m in _WITH_FRAME]
                sent = ", ".join([_literal(given["frame"]), *rest])
                await tab.call(f"(async () => void await openwop.frame({sent}))()")
                return {}
            case "submitted":
                return {"submissions": await tab.call("openwop.submissions()")}
            case "rendered":
                return await self._rendered(tab)
            case "set":
                wanted = (given["role"], given["name"])
                return {"done": await set_field(tab, given["surface"], wanted, given["value"])}
            case _:
                return {"done": await fire(tab, given["surface"], given["name"])}

    async def _rendered(self, tab: Tab) -> JsonValue:
        shown: dict[str, list[JsonValue]] = {}
        for surface_id, surface in await look(tab):
            if surface.nodes:
                shown.setdefault(surface_id, []).extend(surface.nodes)
        picture = {}
        if self._pictures:
            picture["picture"] = base64.b64encode(await tab.picture()).decode()
        return {"surfaces": shown, **picture}


class _Refused(Exception):
    """A call that the page, or this adapter, does not do."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def url_of(place: str) -> str:
    """The URL of a page. Raises ``UsageError``, or ``UnreachableError`` where it is not there."""
    path, mark, query = place.partition("?")
    if re.match(r"(?i)https?://", path):
        if urlsplit(path).hostname not in ("127.0.0.1", "localhost"):
            raise UsageError(
                f"'{place}' is not on this machine: http://127.0.0.1 and localhost are"
            )
        return place
    if path.startswith("file:"):
        return place
    if path in ("", "."):
        raise UsageError("'browser:' is followed by reference, lit, react, or the path of a page")
    if path in _BUILT:
        folder = Path(os.environ.get("OPENWOP_RENDERERS") or RENDERERS) / path
        if not (folder / "index.html").is_file():
            raise UnreachableError(f"{folder} holds no page: make renderers builds it")
    else:
        folder = PAGES / "reference" if path == "reference" else Path(path)
    page = folder / "index.html" if folder.is_dir() else folder
    if not page.is_file():
        raise UsageError(f"there is no page {page}")
    return file_url(page) + mark + query


async def _settled(tab: Tab) -> None:
    await tab.call(SETTLED)
    await tab.tried.settle()


async def _hello(tab: Tab) -> JsonValue:
    said = await tab.call("openwop.hello()")
    takes_frames = await tab.call("typeof openwop.frame === 'function'")
    features = [f for f in said.get("features", []) if f in ("major-1", "dates")]
    return {
        "name": said.get("name") or "page",
        "version": str(said.get("version", "")),
        "operations": [name for name in _CALLS if name != "frame" or takes_frames],
        "features": [*features, *["deltas"] * takes_frames, "network", "accessibility"],
    }


def _literal(value: JsonValue) -> str:
    """A value as an expression: parsed in the page, so that each member is its own."""
    return f"JSON.parse({json.dumps(json.dumps(value))})"
