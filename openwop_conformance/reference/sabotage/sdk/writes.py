"""How a sabotage writes data: what it needs to know of an update and its model, and no more."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

from ....a2ui.data_model import Undo
from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.state import RendererState
from ...sdk.surface import Surface
from .model import SdkSabotage

Write = Callable[[Any, Surface, JsonValue], Undo]
"""What ``RendererState.write`` is: one updateDataModel's body into a surface."""
WHOLE: Final = ("", "/")
POLLUTING: Final = frozenset({"__proto__", "constructor", "prototype"})
INDEX: Final = re.compile("0|[1-9][0-9]*", re.ASCII)


def write_right(state: Any, surface: Surface, body: JsonValue) -> Undo:
    return RendererState.write(state, surface, body)


def becomes(surface: Surface, root: JsonValue) -> Undo:
    """Put another model in place of a surface's; what undoes it."""
    before, surface.data.root = surface.data.root, root

    def undo() -> None:
        surface.data.root = before

    return undo


def both(last: Undo, first: Undo) -> Undo:
    """What undoes two changes, the last of them first."""

    def undo() -> None:
        last()
        first()

    return undo


def nothing() -> None:
    """Undo what was not done."""


def passing_over(words: str) -> Write:
    """A write that does nothing where the right one refuses with these words."""

    def write(self: Any, surface: Surface, body: JsonValue) -> Undo:
        try:
            return write_right(self, surface, body)
        except CallError as error:
            if words not in str(error):
                raise
            return nothing

    return write


def segments_in(body: JsonValue) -> list[str]:
    """The segments of an update's path; none when they cannot be read."""
    path = body.get("path")
    parts = [part for part in (path or "").split("/") if part]
    return [part.replace("~1", "/").replace("~0", "~") for part in parts]


def found(node: JsonValue, segments: Sequence[str]) -> JsonValue:
    """What stands at segments, with indexes as they should be; ``None`` for what is not there."""
    for segment in segments:
        if isinstance(node, dict):
            node = node.get(segment)
        elif isinstance(node, list) and INDEX.fullmatch(segment) and int(segment) < len(node):
            node = node[int(segment)]
        else:
            return None
    return node


def path_of(segments: Sequence[str]) -> str:
    return "".join("/" + s.replace("~", "~0").replace("/", "~1") for s in segments)


def changed(surface: Surface, segments: Sequence[str], change: Callable[[Any], None]) -> Undo:
    """Change a copy of the container at segments."""
    root = deepcopy(surface.data.root)
    change(found(root, segments))
    return becomes(surface, root)


def of_writing(name: str, breaks: str, write: Write) -> SdkSabotage:
    return SdkSabotage(f"sdk-{name}", breaks, state={"write": write})
