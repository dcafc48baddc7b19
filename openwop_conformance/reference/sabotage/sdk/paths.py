"""Sabotages of paths: which place of a data model one means."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final
from urllib.parse import unquote

from ....a2ui.data_model import Undo
from ....jsonvalue import JsonValue
from ...sdk.surface import Surface, refusal
from .writes import (
    INDEX,
    POLLUTING,
    WHOLE,
    Write,
    becomes,
    found,
    nothing,
    of_writing,
    passing_over,
    path_of,
    segments_in,
    write_right,
)


def _with_segments(change: Callable[[str], str]) -> Write:
    """A write whose path has each raw segment read otherwise."""

    def write(self: Any, surface: Surface, body: JsonValue) -> Undo:
        path = body.get("path")
        if path is None or path in WHOLE:
            return write_right(self, surface, body)
        parts = [change(part) for part in path.split("/") if part]
        return write_right(self, surface, {**body, "path": path_of(parts)})

    return write


def _wrong_order(part: str) -> str:
    return part.replace("~0", "~").replace("~1", "/")


def _right(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _each_index(read: Callable[[str, JsonValue], str | None]) -> Write:
    """A write in which each segment is first read as what it means to the container it is in."""

    def write(self: Any, surface: Surface, body: JsonValue) -> Undo:
        segments = segments_in(body)
        for place, segment in enumerate(segments):
            held = found(surface.data.root, segments[:place])
            meant = read(segment, held)
            if meant is None:
                return nothing
            segments[place] = meant
        path = path_of(segments)
        return write_right(self, surface, {**body, "path": path} if segments else body)

    return write


def _parsed(segment: str, held: JsonValue) -> str:
    if isinstance(held, list) and not INDEX.fullmatch(segment):
        try:
            return str(abs(int(float(segment.replace("_", "")))))
        except ValueError:
            return segment
    return segment


def _named(segment: str, held: JsonValue) -> str | None:
    lost = isinstance(held, list) and segment.isascii() and segment.isalpha()
    return None if lost and segment not in POLLUTING else segment


def _name_parsed(segment: str, held: JsonValue) -> str:
    numeral = isinstance(held, dict) and segment.isdecimal() and len(segment) < 5
    return str(int(segment)) if numeral else segment


def _dash(segment: str, held: JsonValue) -> str:
    return str(len(held)) if isinstance(held, list) and segment == "-" else segment


def _appended(segment: str, held: JsonValue) -> str:
    past = isinstance(held, list) and INDEX.fullmatch(segment) and len(segment) < 5
    return str(min(int(segment), len(held))) if past else segment


def _past_end_refused(self: Any, surface: Surface, body: JsonValue) -> Undo:
    segments = segments_in(body)
    for place, segment in enumerate(segments):
        held = found(surface.data.root, segments[:place])
        near = isinstance(held, list) and INDEX.fullmatch(segment) and len(segment) < 5
        if "value" in body and near and int(segment) > len(held):
            raise refusal("data", f"index {segment} is not the next", "/updateDataModel/path")
    return write_right(self, surface, body)


def _slash_is_a_member(self: Any, surface: Surface, body: JsonValue) -> Undo:
    if body.get("path") != "/" or "value" not in body:
        return write_right(self, surface, body)
    root = surface.data.root if isinstance(surface.data.root, dict) else {}
    return becomes(surface, {**root, "": deepcopy(body["value"])})


def _whole_merged(self: Any, surface: Surface, body: JsonValue) -> Undo:
    old, new = surface.data.root, body.get("value")
    if body.get("path", "") in WHOLE and isinstance(old, dict) and isinstance(new, dict):
        kept = {name: old[name] for name in new if isinstance(old.get(name), dict)}
        merged = {k: {**kept[k], **v} if k in kept else v for k, v in new.items()}
        return becomes(surface, deepcopy(merged))
    return write_right(self, surface, body)


def _prototypes(taken: Callable[[Sequence[str], JsonValue], bool]) -> Write:
    """A write that takes some of the paths that reach a prototype, where nobody sees it."""

    def write(self: Any, surface: Surface, body: JsonValue) -> Undo:
        segments = segments_in(body)
        if not POLLUTING.isdisjoint(segments) and taken(segments, body):
            return nothing
        return write_right(self, surface, body)

    return write


SABOTAGES: Final = (
    of_writing(
        "whole-model-merged",
        "the objects of a new data model are merged into the old ones",
        _whole_merged,
    ),
    of_writing("escapes-in-wrong-order", "~0 is read before ~1", _with_segments(_wrong_order)),
    of_writing("escapes-kept", "a path is split and not unescaped", _with_segments(str)),
    of_writing(
        "percent-decoded",
        "a path is decoded like that of a URL",
        _with_segments(lambda part: unquote(_right(part))),
    ),
    of_writing(
        "index-by-number-parser",
        "the language's number parser reads an index",
        _each_index(_parsed),
    ),
    of_writing(
        "list-takes-a-name",
        "a name is set as a property of the list, where nobody sees it",
        _each_index(_named),
    ),
    of_writing(
        "name-by-number-parser", "a name of digits is read as a number", _each_index(_name_parsed)
    ),
    of_writing("index-unbounded", "any index is taken, however far", passing_over(" is over ")),
    of_writing("dash-appends", "- is the place after the last item", _each_index(_dash)),
    of_writing("past-end-refused", "only the next index is accepted", _past_end_refused),
    of_writing("past-end-appends", "a write past the end appends an item", _each_index(_appended)),
    of_writing("slash-is-a-member", "the path / is a member without a name", _slash_is_a_member),
    of_writing(
        "prototype-first-segment-only",
        "only the first segment of a path is kept from prototypes",
        _prototypes(lambda segments, _: segments[0] not in POLLUTING),
    ),
    of_writing(
        "prototype-one-spelling",
        "only __proto__ is refused",
        _prototypes(lambda segments, _: "__proto__" not in segments),
    ),
    of_writing(
        "prototype-removal-taken",
        "only a write is kept from prototypes",
        _prototypes(lambda _, body: "value" not in body),
    ),
)
