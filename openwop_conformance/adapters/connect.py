"""One string names a host: the mini-language of connectables, and nothing about what they do."""

from __future__ import annotations

import difflib
import importlib
import inspect
import operator
import os
import re
import sys
import traceback
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import parse_qsl

from ..errors import ConformanceError, UsageError
from .asgi import AsgiHost
from .host import Host
from .http import HttpHost

ENTRY_POINT_GROUP: Final = "openwop_conformance.adapters"
_REFERENCE: Final = "openwop_conformance.reference.connect"
_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PLACE: Final = re.compile(rf"({_DOTTED}):({_DOTTED})(\(\))?")
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

FORMS: Final = f"""A host is one of:
  http://localhost:8080        a URL, https:// too; a path prefix may follow
  asgi:package.module:app      an ASGI application; write app() to call a factory without arguments
  py:package.module:Factory    what Factory() returns; ?key=value&… become its keyword arguments
  reference                    the embedded reference host; ?key=value&… as above
  NAME                         an entry point of the group {ENTRY_POINT_GROUP}; ?… as above"""


def connect_host(connectable: str) -> Host:
    """The host that ``connectable`` names, in one of ``FORMS``. Nothing is sent yet.

    For ``asgi:`` and ``py:`` the current directory goes first on ``sys.path``, as ``python -m``
    puts it there, so that code beside the caller can be named. Arguments are percent-decoded
    strings. Raises ``UsageError`` for every mistake, with what was wrong and the forms.
    """
    try:
        return _connect(connectable)
    except UsageError as error:
        text = str(error)
        raise UsageError(text if FORMS in text else f"{text}\n{FORMS}") from None


def _connect(connectable: str) -> Host:
    scheme, colon, rest = connectable.partition(":")
    if scheme.lower() in ("http", "https") and colon:
        return HttpHost(connectable)
    place, mark, query = (rest if colon else connectable).partition("?")
    if colon and scheme == "asgi":
        if mark:
            raise UsageError(f"an asgi: host takes no arguments, but 'asgi:{place}' has a '?'")
        return _asgi_host(place)
    args = _arguments(query) if mark else {}
    if colon and scheme == "py":
        _, _, called = _split(place, "py")
        if called:
            raise UsageError(f"'py:{place}' needs no '()': what it names is called anyway")
        return _made(_loaded(place, "py"), args, f"py:{place}")
    if colon:
        raise UsageError(_unknown_scheme(scheme, rest))
    if place == "reference":
        return _made(_loaded(f"{_REFERENCE}:reference_host", "py"), args, place)
    if not _WORD.fullmatch(place):
        raise UsageError(f"{place!r} names no host")
    return _made(_entry_point(place), args, place)


def _unknown_scheme(scheme: str, rest: str) -> str:
    if scheme in ("stdio", "browser"):
        return f"'{scheme}:' reaches an SDK or a consumer, not a host"
    if re.match(r"\d+(/|$)", rest) and _WORD.fullmatch(scheme):
        port = rest.partition("/")[0]
        return f"'{scheme}:{port}' is no host; did you mean http://{scheme}:{port}?"
    return f"{scheme!r} is no scheme of a host"


def _arguments(query: str) -> dict[str, str]:
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise UsageError("what follows '?' is not of the form key=value&key=value") from None
    args: dict[str, str] = {}
    for key, value in pairs:
        if not key.isidentifier():
            raise UsageError(f"argument {key!r} is no Python name")
        if key in args:
            raise UsageError(f"argument {key!r} is given twice")
        args[key] = value
    return args


# -------------------------------------------------------------------------------- what is named


def _asgi_host(place: str) -> Host:
    _, attribute, called = _split(place, "asgi")
    app = _loaded(place, "asgi")
    shown = f"asgi:{place}"
    if called:
        app = _called(app, {}, shown)
    if not callable(app):
        raise UsageError(f"{shown} {_kind(app)}, not an ASGI application")
    if not _accepts(app, None, None, None):
        hint = "" if called else f" If it is a factory, write {attribute}()."
        raise UsageError(f"{shown} does not take (scope, receive, send).{hint}")
    return AsgiHost(app, shown)


def _split(place: str, scheme: str) -> tuple[str, str, bool]:
    match = _PLACE.fullmatch(place)
    if match is None:
        raise UsageError(f"'{scheme}:{place}' is not of the form {scheme}:package.module:attribute")
    return match[1], match[2], bool(match[3])


def _loaded(place: str, scheme: str) -> Any:
    """The attribute that ``package.module:attribute`` names."""
    name, attribute, _ = _split(place, scheme)
    if (here := os.getcwd()) not in sys.path:
        sys.path.insert(0, here)
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name is not None and f"{name}.".startswith(f"{error.name}."):
            where = "the current directory or the installed packages"
            raise UsageError(f"there is no module {error.name!r} in {where}") from None
        raise UsageError(f"importing {name} failed with {_blame(error)}") from None
    except (Exception, SystemExit) as error:
        raise UsageError(f"importing {name} failed with {_blame(error)}") from None
    try:
        return operator.attrgetter(attribute)(module)
    except AttributeError:
        near = difflib.get_close_matches(attribute, dir(module), n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise UsageError(f"module {name!r} has no attribute {attribute!r}{hint}") from None


def _entry_point(name: str) -> Any:
    from importlib.metadata import entry_points

    known = entry_points(group=ENTRY_POINT_GROUP)
    named = {point.value: point for point in known if point.name == name}
    found = list(named.values())
    if not found:
        names = ", ".join(sorted({point.name for point in known})) or "none is installed"
        raise UsageError(f"{name!r} is no entry point of {ENTRY_POINT_GROUP}; known: {names}")
    if len(found) > 1:
        values = ", ".join(sorted(point.value for point in found))
        raise UsageError(f"several packages offer an entry point {name!r}: {values}")
    try:
        return found[0].load()
    except (Exception, SystemExit) as error:
        message = f"loading entry point {name!r} ({found[0].value}) failed with {_blame(error)}"
        raise UsageError(message) from None


# --------------------------------------------------------------------------------- what it makes


def _made(factory: Any, args: dict[str, str], shown: str) -> Host:
    made = _called(factory, args, shown)
    if inspect.iscoroutine(made):
        made.close()
        raise UsageError(f"{shown} is an async function; a plain one that returns a host is needed")
    if not isinstance(made, Host) or isinstance(made, type):
        wanted = ("name", "exchange", "stream", "close")
        lacks = [name for name in wanted if not hasattr(made, name)]
        missing = f": it has no {', '.join(lacks)}" if lacks else ""
        raise UsageError(f"what {shown} made {_kind(made)}, and no host{missing}")
    return made


def _called(factory: Any, args: dict[str, str], shown: str) -> Any:
    if not callable(factory):
        raise UsageError(f"{shown} {_kind(factory)} and cannot be called")
    if not _accepts(factory, **args):
        given = f"the arguments {', '.join(args)}" if args else "a call without arguments"
        takes = inspect.signature(factory)
        raise UsageError(f"{shown} does not take {given}; its signature is {takes}")
    try:
        return factory(**args)
    except ConformanceError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{shown} failed with {_blame(error)}") from None


def _accepts(function: Callable[..., Any], *args: object, **kwargs: object) -> bool:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _kind(value: object) -> str:
    if isinstance(value, type):
        return f"is the class {value.__name__}"
    return f"is of type {type(value).__name__}"


def _blame(error: BaseException) -> str:
    """What went wrong and where, on one line."""
    text = " ".join(str(error).split())[:200]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename[:1] != "<"]
    ours = (os.path.dirname(__file__), os.path.dirname(importlib.__file__))
    last = next((f for f in reversed(frames) if os.path.dirname(f.filename) not in ours), None)
    where = f" ({last.filename}:{last.lineno})" if last else ""
    return f"{type(error).__name__}: {text}{where}"
