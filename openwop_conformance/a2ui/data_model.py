"""A surface's data model: A2UI's pointer rules, each write atomic and undoable.

The paths are RFC 6901 with A2UI's differences: ``/`` (and an absent path) is the whole model, empty
segments are dropped, missing or null parents are made, arrays keep their length when an item is
removed. What v0.9 leaves open is read as both reference SDKs do (see docs/explanation/readings.md).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from ..errors import JsonError, Violation
from ..jsontree import copied
from ..jsonvalue import MISSING, JsonValue, unescape

Undo = Callable[[], None]

MAX_INDEX: Final = 10_000
"""The largest array index a write may name: a path of a few bytes must not fill the memory."""
_INDEX: Final = re.compile("0|[1-9][0-9]*", re.ASCII)
_POLLUTING: Final = frozenset({"__proto__", "constructor", "prototype"})


def segments_of(path: str | None) -> tuple[str, ...]:
    """The segments of an A2UI path; ``()`` is the whole model.

    Raises ``Violation`` (``data-path``) for a relative path, a bad escape, or a segment that would
    reach a prototype in a JavaScript renderer.
    """
    if path is None or path in ("", "/"):
        return ()
    if not path.startswith("/"):
        raise _refused(path, "an update's path is absolute: it begins with '/'")
    try:
        segments = tuple(unescape(part) for part in path.split("/") if part)
    except JsonError as error:
        raise _refused(path, str(error)) from None
    if not _POLLUTING.isdisjoint(segments):
        raise _refused(path, "a segment reaches into an object's prototype")
    return segments


class DataModel:
    """One JSON document. Values are copied in, so that no message is changed by a later one."""

    __slots__ = ("root",)

    def __init__(self, root: JsonValue = None) -> None:
        self.root: JsonValue = {} if root is None else root

    def get(self, path: str | None = None) -> JsonValue:
        """The value at a path, or ``MISSING``. The value is the model's own: do not change it."""
        node = self.root
        for segment in segments_of(path):
            if isinstance(node, dict):
                node = node.get(segment, MISSING)
            elif isinstance(node, list):
                place = place_in(node, segment) if is_index(segment) else None
                node = node[place] if place is not None and place < len(node) else MISSING
            else:
                return MISSING
        return node

    def put(self, path: str | None, value: JsonValue) -> Undo:
        """Write a value (``null`` is one) at a path and return what undoes it.

        Raises ``Violation`` (``data-path``) and changes nothing when a primitive stands in the way,
        an array is indexed by anything but a plain index, or an index is over ``MAX_INDEX``.
        """
        segments = segments_of(path)
        value = copied(value)
        if not segments:
            return self._replace_root(value)
        node, depth = self._descend(path, segments)
        for below in reversed(segments[depth + 1 :]):
            value = _made_for(path, below, value)
        return self._store(path, node, segments[depth], value)

    def remove(self, path: str | None) -> Undo:
        """Remove what is at a path and return what undoes it; a missing path changes nothing.

        An item of an array becomes ``null`` and the length stays. Without a path the model is empty
        again. Raises ``Violation`` (``data-path``) as ``put`` does.
        """
        segments = segments_of(path)
        if not segments:
            return self._replace_root({})
        node, depth = self._descend(path, segments)
        if depth < len(segments) - 1:
            return _nothing
        last = segments[-1]
        if isinstance(node, list):
            index = _index(path, last)
            return self._store(path, node, last, None) if index < len(node) else _nothing
        if not isinstance(node, dict) or last not in node:
            return _nothing
        before = node.pop(last)

        def undo() -> None:
            node[last] = before

        return undo

    def _descend(self, path: str | None, segments: tuple[str, ...]) -> tuple[JsonValue, int]:
        """The deepest container on the way to the last segment, and the segment to take there."""
        node = self.root
        for depth, segment in enumerate(segments):
            if isinstance(node, list):
                index = _index(path, segment)
                below = node[index] if index < len(node) else None
            elif isinstance(node, dict):
                below = node.get(segment)
            elif node is None:  # only the root can be null here: a null child is not entered
                return node, depth
            else:
                raise _refused(path, "a primitive stands in the way")
            if below is None or depth == len(segments) - 1:
                return node, depth
            node = below
        raise AssertionError("a path without segments is handled before")

    def _store(self, path: str | None, node: JsonValue, segment: str, value: JsonValue) -> Undo:
        """Put one value into one container; ``None`` as the container is a model that is null."""
        if node is None:
            return self._replace_root(_made_for(path, segment, value))
        if isinstance(node, dict):
            before = node.get(segment, MISSING)
            node[segment] = value

            def undo() -> None:
                if before is MISSING:
                    del node[segment]
                else:
                    node[segment] = before

            return undo
        index, length = _index(path, segment), len(node)
        replaced = node[index] if index < length else MISSING
        node.extend([None] * (index + 1 - length))
        node[index] = value

        def undo_item() -> None:
            if replaced is not MISSING:
                node[index] = replaced
            del node[length:]

        return undo_item

    def _replace_root(self, value: JsonValue) -> Undo:
        before, self.root = self.root, value

        def undo() -> None:
            self.root = before

        return undo


def _made_for(path: str | None, segment: str, value: JsonValue) -> JsonValue:
    """The container that holds ``value`` under ``segment``: an array when it is an index."""
    if not is_index(segment):
        return {segment: value}
    return [*[None] * _index(path, segment), value]


def is_index(segment: str) -> bool:
    """Whether a segment names an item of an array."""
    return _INDEX.fullmatch(segment) is not None


def place_in(items: list[JsonValue], index: str) -> int | None:
    """Where an index leads in a list: to an item, to its end, or (``None``) behind that."""
    near = len(index) <= len(str(len(items)))  # so that no long number is ever read
    return int(index) if near and int(index) <= len(items) else None


def _index(path: str | None, segment: str) -> int:
    if not is_index(segment):
        raise _refused(path, f"{segment!r} is not an array index")
    if len(segment) > len(str(MAX_INDEX)) or int(segment) > MAX_INDEX:
        raise _refused(path, f"index {segment} is over {MAX_INDEX}")
    return int(segment)


def _refused(path: str | None, why: str) -> Violation:
    return Violation("data-path", f"{path!r}: {why}")


def _nothing() -> None:
    """Undo a change that changed nothing."""
