"""Code that a connectable names: found, called, and in words what is wrong with it."""

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

_DOTTED: Final = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_PLACE: Final = re.compile(rf"({_DOTTED}):({_DOTTED})(\(\))?")


def arguments(query: str) -> dict[str, str]:
    """The keyword arguments that follow a ``?``, percent-decoded."""
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


def split(place: str, scheme: str) -> tuple[str, str, bool]:
    """The module, the attribute, and whether ``()`` follows."""
    match = _PLACE.fullmatch(place)
    if match is None:
        raise UsageError(f"'{scheme}:{place}' is not of the form {scheme}:package.module:attribute")
    return match[1], match[2], bool(match[3])


def loaded(place: str, scheme: str) -> Any:
    """The attribute that ``package.module:attribute`` names.

    The current directory goes first on ``sys.path``, as ``python -m`` puts it there.
    """
    name, attribute, _ = split(place, scheme)
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


def entry_point(group: str, name: str) -> Any:
    """What the one entry point of a name loads."""
    from importlib.metadata import entry_points

    known = entry_points(group=group)
    named = {point.value: point for point in known if point.name == name}
    found = list(named.values())
    if not found:
        names = ", ".join(sorted({point.name for point in known})) or "none is installed"
        raise UsageError(f"{name!r} is no entry point of {group}; known: {names}")
    if len(found) > 1:
        values = ", ".join(sorted(point.value for point in found))
        raise UsageError(f"several packages offer an entry point {name!r}: {values}")
    try:
        return found[0].load()
    except (Exception, SystemExit) as error:
        message = f"loading entry point {name!r} ({found[0].value}) failed with {_blame(error)}"
        raise UsageError(message) from None


def called(factory: Any, args: dict[str, str], shown: str) -> Any:
    """What a factory returns for keyword arguments."""
    if not callable(factory):
        raise UsageError(f"{shown} {kind_of(factory)} and cannot be called")
    if not accepts(factory, **args):
        given = f"the arguments {', '.join(args)}" if args else "a call without arguments"
        takes = inspect.signature(factory)
        raise UsageError(f"{shown} does not take {given}; its signature is {takes}")
    try:
        made = factory(**args)
    except ConformanceError:
        raise
    except (Exception, SystemExit) as error:
        raise UsageError(f"{shown} failed with {_blame(error)}") from None
    if inspect.iscoroutine(made):
        made.close()
        raise UsageError(f"{shown} is an async function; a plain one is needed")
    return made


def accepts(function: Callable[..., Any], *args: object, **kwargs: object) -> bool:
    """Whether a function can be called so, as far as its signature tells."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return True
    try:
        signature.bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def kind_of(value: object) -> str:
    """What a value is, for a sentence that begins with its name."""
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
