"""One string names a subject: the mini-language of connectables, and nothing about what they do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

from ..errors import UsageError
from .asgi import AsgiHost
from .host import Host, Subject
from .http import HttpHost
from .loading import accepts, arguments, called, entry_point, kind_of, loaded, split

T = TypeVar("T")

ENTRY_POINT_GROUP: Final = "openwop_conformance.adapters"
SDK_ENTRY_POINT_GROUP: Final = "openwop_conformance.sdks"
CONSUMER_ENTRY_POINT_GROUP: Final = "openwop_conformance.consumers"
_REFERENCE: Final = "openwop_conformance.reference.connect:reference_host"
_REFERENCE_SDK: Final = "openwop_conformance.reference.sdk.connect:reference_sdk"
_REFERENCE_CONSUMER: Final = "openwop_conformance.reference.consumer.connect:reference_consumer"
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

FORMS: Final = f"""A host is one of:
  http://localhost:8080        a URL, https:// too; a path prefix may follow
  asgi:package.module:app      an ASGI application; write app() to call a factory without arguments
  py:package.module:Factory    what Factory() returns; ?key=value&… become its keyword arguments
  reference                    the embedded reference host; ?key=value&… as above
  NAME                         an entry point of the group {ENTRY_POINT_GROUP}; ?… as above"""

SDK_FORMS: Final = f"""An SDK is one of:
  stdio:COMMAND                a program that speaks JSON lines; its words as a shell splits them
  py:package.module:Factory    what Factory() returns; ?key=value&… become its keyword arguments
  reference                    the embedded reference SDK; ?key=value&… as above
  NAME                         an entry point of the group {SDK_ENTRY_POINT_GROUP}; ?… as above"""

CONSUMER_FORMS: Final = f"""A consumer is one of:
  browser                      browser:reference, our own page in Chromium
  browser:lit, browser:react   pages of ours on two real renderers
  browser:PAGE                 any page that has the window contract: a file, or a loopback URL
  stdio:COMMAND                a program that speaks JSON lines; its words as a shell splits them
  py:package.module:Factory    what Factory() returns; ?key=value&… become its keyword arguments
  reference                    the embedded headless consumer; ?key=value&… as above
  NAME                         an entry point of the group {CONSUMER_ENTRY_POINT_GROUP}"""


def connect_host(connectable: str) -> Host:
    """The host that ``connectable`` names, in one of ``FORMS``. Nothing is sent yet.

    For ``asgi:`` and ``py:`` the current directory goes first on ``sys.path``, as ``python -m``
    puts it there, so that code beside the caller can be named. Arguments are percent-decoded
    strings. Raises ``UsageError`` for every mistake, with what was wrong and the forms.
    """
    return _with_forms(_host, connectable, FORMS)


def connect_sdk(connectable: str) -> Subject:
    """The SDK that ``connectable`` names, in one of ``SDK_FORMS``. Nothing is started yet.

    Raises ``UsageError`` as ``connect_host`` does.
    """
    return _with_forms(_sdk, connectable, SDK_FORMS)


def connect_consumer(connectable: str, *, pictures: bool = False) -> Subject:
    """The consumer that ``connectable`` names, in one of ``CONSUMER_FORMS``.

    In a browser it can give ``pictures`` of itself. Raises ``UsageError`` as ``connect_host`` does.
    """
    return _with_forms(lambda named: _consumer(named, pictures), connectable, CONSUMER_FORMS)


def _with_forms(connect: Callable[[str], T], connectable: str, forms: str) -> T:
    try:
        return connect(connectable)
    except UsageError as error:
        text = str(error)
        raise UsageError(text if forms in text else f"{text}\n{forms}") from None


def _host(connectable: str) -> Host:
    scheme, colon, rest = connectable.partition(":")
    if scheme.lower() in ("http", "https") and colon:
        return HttpHost(connectable)
    place, mark, _ = (rest if colon else connectable).partition("?")
    if colon and scheme == "asgi":
        if mark:
            raise UsageError(f"an asgi: host takes no arguments, but 'asgi:{place}' has a '?'")
        return _asgi_host(place)
    if colon and scheme != "py":
        raise UsageError(_unknown_scheme(scheme, rest))
    made, shown = _made(connectable, _REFERENCE, ENTRY_POINT_GROUP, "host")
    if not isinstance(made, Host) or isinstance(made, type):
        wanted = ("name", "exchange", "stream", "close")
        lacks = [name for name in wanted if not hasattr(made, name)]
        missing = f": it has no {', '.join(lacks)}" if lacks else ""
        raise UsageError(f"what {shown} made {kind_of(made)}, and no host{missing}")
    return made


def _sdk(connectable: str) -> Subject:
    return _library(connectable, "SDK", _REFERENCE_SDK, SDK_ENTRY_POINT_GROUP)


def _consumer(connectable: str, pictures: bool) -> Subject:
    scheme, colon, rest = connectable.partition(":")
    if scheme == "browser":
        from .browser import BrowserConsumer

        return BrowserConsumer(rest if colon else "reference", pictures=pictures)
    if pictures:
        raise UsageError(f"{connectable!r} is not in a browser: there are no pictures of it")
    return _library(connectable, "consumer", _REFERENCE_CONSUMER, CONSUMER_ENTRY_POINT_GROUP)


def _library(connectable: str, what: str, reference: str, group: str) -> Subject:
    """What answers calls: a program, a subject of its own, or an object with their methods."""
    from .calls import InProcess

    scheme, colon, rest = connectable.partition(":")
    if colon and scheme == "stdio":
        from .stdio import Stdio

        return Stdio(rest)
    article = "an" if what == "SDK" else "a"
    if colon and scheme != "py":
        raise UsageError(f"{scheme!r} is no scheme of {article} {what}")
    made, shown = _made(connectable, reference, group, what)
    if isinstance(made, Subject) and not isinstance(made, type):
        return made
    if not callable(getattr(made, "hello", None)) or isinstance(made, type):
        raise UsageError(f"what {shown} made {kind_of(made)}, and no {what}: it has no hello()")
    return InProcess(made, connectable)


def _made(connectable: str, reference: str, group: str, what: str) -> tuple[Any, str]:
    """What a factory makes that is named by ``py:``, as the reference, or as an entry point."""
    scheme, colon, rest = connectable.partition(":")
    place, mark, query = (rest if colon else connectable).partition("?")
    args = arguments(query) if mark else {}
    if colon:
        _, _, has_call = split(place, scheme)
        if has_call:
            raise UsageError(f"'py:{place}' needs no '()': what it names is called anyway")
        return called(loaded(place, scheme), args, f"py:{place}"), f"py:{place}"
    if place == "reference":
        return called(loaded(reference, "py"), args, place), place
    if not _WORD.fullmatch(place):
        raise UsageError(f"{place!r} names no {what}")
    return called(entry_point(group, place), args, place), place


def _unknown_scheme(scheme: str, rest: str) -> str:
    if scheme in ("stdio", "browser"):
        return f"'{scheme}:' reaches an SDK or a consumer, not a host"
    if re.match(r"\d+(/|$)", rest) and _WORD.fullmatch(scheme):
        port = rest.partition("/")[0]
        return f"'{scheme}:{port}' is no host; did you mean http://{scheme}:{port}?"
    return f"{scheme!r} is no scheme of a host"


def _asgi_host(place: str) -> Host:
    _, attribute, has_call = split(place, "asgi")
    app = loaded(place, "asgi")
    shown = f"asgi:{place}"
    if has_call:
        app = called(app, {}, shown)
    if not callable(app):
        raise UsageError(f"{shown} {kind_of(app)}, not an ASGI application")
    if not accepts(app, None, None, None):
        hint = "" if has_call else f" If it is a factory, write {attribute}()."
        raise UsageError(f"{shown} does not take (scope, receive, send).{hint}")
    return AsgiHost(app, shown)
