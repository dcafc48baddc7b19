"""Sabotages of the data model's rules: each replaces how one update of data is written.

Those of paths stand in ``paths``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from ....a2ui.data_model import Undo
from ....jsonvalue import JsonValue
from ...sdk.surface import Surface
from . import paths
from .writes import (
    INDEX,
    POLLUTING,
    WHOLE,
    Write,
    becomes,
    both,
    changed,
    found,
    nothing,
    of_writing,
    passing_over,
    path_of,
    segments_in,
    write_right,
)

# ------------------------------------------------------------------------------- removals


def _null_removes(self: Any, surface: Surface, body: JsonValue) -> Undo:
    null = "value" in body and body["value"] is None
    return write_right(self, surface, _without_value(body) if null else body)


def _without_value(body: JsonValue) -> JsonValue:
    return {name: value for name, value in body.items() if name != "value"}


def _null_in_items_dropped(self: Any, surface: Surface, body: JsonValue) -> Undo:
    given = body.get("value") is not None
    return write_right(self, surface, _without_nulls(body) if given else body)


def _without_nulls(value: JsonValue, in_list: bool = False) -> JsonValue:
    """A value in which the items of lists have no member that is null."""
    if isinstance(value, dict):
        kept = {k: v for k, v in value.items() if v is not None or not in_list}
        return {name: _without_nulls(item) for name, item in kept.items()}
    return [_without_nulls(item, True) for item in value] if isinstance(value, list) else value


def _removal_stores_null(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    holder = found(surface.data.root, segments[:-1]) if segments else None
    if "value" not in body and isinstance(holder, dict) and segments[-1] in holder:
        return write_right(self, surface, {**body, "value": None})
    return write_right(self, surface, body)


def _removal_prunes(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    if "value" in body or not segments:
        return write_right(self, surface, body)
    while len(segments) > 1:
        held = found(surface.data.root, segments[:-1])
        if not isinstance(held, dict) or list(held) != segments[-1:]:
            break
        segments = segments[:-1]
    return write_right(self, surface, {**body, "path": path_of(segments)})


def _falsy_removes(self: Any, surface: Surface, body: JsonValue) -> Undo:
    falsy = body.get("value") in ("", False, 0) and body.get("value") is not None
    return write_right(self, surface, _without_value(body) if falsy else body)


def _removal_makes_parents(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    if "value" in body or found(surface.data.root, segments) is not None:
        return write_right(self, surface, body)
    undo = write_right(self, surface, {**body, "value": 0})
    return both(write_right(self, surface, body), undo)


def _removal_fills_list(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    held = found(surface.data.root, segments[:-1])
    if "value" not in body and isinstance(held, list) and INDEX.fullmatch(segments[-1]):
        return write_right(self, surface, {**body, "value": None})
    return write_right(self, surface, body)


def _item_removed(body: JsonValue, surface: Surface) -> int | None:
    """The index of the item of a list that an update removes."""
    segments = segments_in(body)
    if "value" in body or not segments or not INDEX.fullmatch(segments[-1]):
        return None
    held, index = found(surface.data.root, segments[:-1]), int(segments[-1])
    return index if isinstance(held, list) and index < len(held) else None


def _item_spliced_out(self: Any, surface: Surface, body: JsonValue) -> Undo:
    index = _item_removed(body, surface)
    if index is None:
        return write_right(self, surface, body)
    return changed(surface, segments_in(body)[:-1], lambda held: held.pop(index))


def _last_item_popped(self: Any, surface: Surface, body: JsonValue) -> Undo:
    index, segments = _item_removed(body, surface), segments_in(body)
    held: Any = found(surface.data.root, segments[:-1])
    if index is None or index != len(held) - 1:
        return write_right(self, surface, body)
    return changed(surface, segments[:-1], lambda held: held.pop())


def _whole_removed_null(self: Any, surface: Surface, body: JsonValue) -> Undo:
    whole = "value" not in body and body.get("path", "") in WHOLE
    return becomes(surface, None) if whole else write_right(self, surface, body)


def _whole_removal_ignored(self: Any, surface: Surface, body: JsonValue) -> Undo:
    whole = "value" not in body and body.get("path", "") in WHOLE
    return nothing if whole else write_right(self, surface, body)


# -------------------------------------------------------------------------------- parents


def _replaced(is_replaced: Callable[[JsonValue], bool]) -> Write:
    """A write in whose way some scalars are objects, or lists, as the path likes."""

    def write(self: Any, surface: Surface, body: JsonValue) -> Undo:
        segments = segments_in(body)
        if "value" in body:
            for place in range(1, len(segments)):
                held = found(surface.data.root, segments[:place])
                if isinstance(held, str | int | float) and is_replaced(held):
                    put = {"path": path_of(segments[:place]), "value": {}}
                    undo = write_right(self, surface, put)
                    return both(write_right(self, surface, body), undo)
        return write_right(self, surface, body)

    return write


def _inner_objects(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    if "value" not in body or not POLLUTING.isdisjoint(segments):
        return write_right(self, surface, body)
    value, place = body["value"], len(segments) - 1
    while place > 1 and found(surface.data.root, segments[: place - 1]) is None:
        value = {segments[place]: value}
        place -= 1
    path = path_of(segments[: place + 1])
    return write_right(self, surface, {"path": path, "value": value} if segments else body)


def _objects_turned_to_lists(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    held = found(surface.data.root, segments[:-1]) if segments else None
    if "value" in body and held == {} and segments[-1] == "0" and len(segments) > 1:
        return write_right(
            self, surface, {"path": path_of(segments[:-1]), "value": [body["value"]]}
        )
    return write_right(self, surface, body)


SABOTAGES: Final = (
    of_writing("null-removes", "a value of null removes the member", _null_removes),
    of_writing(
        "null-in-items-dropped",
        "members of the items of a list are left out when they are null",
        _null_in_items_dropped,
    ),
    of_writing(
        "removal-stores-null", "a member that is removed becomes null", _removal_stores_null
    ),
    of_writing(
        "removal-prunes", "an object that loses its last member is removed too", _removal_prunes
    ),
    of_writing(
        "falsy-removes", "a value of false, 0 or an empty text counts as none", _falsy_removes
    ),
    of_writing(
        "removal-makes-parents",
        "the path of a removal is made before the member is looked for",
        _removal_makes_parents,
    ),
    of_writing(
        "removal-fills-list",
        "a removal past the end of a list fills it up to there",
        _removal_fills_list,
    ),
    of_writing(
        "item-spliced-out", "an item that is removed is taken out of its list", _item_spliced_out
    ),
    of_writing(
        "last-item-popped", "removing the last item makes its list shorter", _last_item_popped
    ),
    of_writing(
        "whole-removed-null", "a removed data model is null, and no object", _whole_removed_null
    ),
    of_writing("whole-removal-ignored", "only a member can be removed", _whole_removal_ignored),
    of_writing(
        "scalar-replaced",
        "a scalar gives way to an object so that the path can go on",
        _replaced(lambda _: True),
    ),
    of_writing(
        "falsy-scalar-replaced",
        "false, 0 and an empty text count as missing parents",
        _replaced(lambda held: not held),
    ),
    of_writing(
        "scalar-write-ignored",
        "a write through a scalar is passed over",
        passing_over("stands in the way"),
    ),
    of_writing(
        "inner-parents-objects",
        "a missing list in a missing list becomes an object",
        _inner_objects,
    ),
    of_writing(
        "objects-turned-to-lists",
        "an empty object becomes a list when an index is written",
        _objects_turned_to_lists,
    ),
    *paths.SABOTAGES,
)
