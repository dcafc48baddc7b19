"""Sabotages of what carries messages elsewhere: JSON Lines, A2A, AG-UI, and the builder."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from ....a2ui.catalog import BASIC_CATALOG
from ....errors import CallError, JsonError
from ....jsonvalue import JsonValue, parse
from ...sdk.operations import ReferenceSdk
from .model import SdkSabotage

Chunks = Sequence[JsonValue]
_OLD: Final = "application/json+a2ui"
_NOT_LISTED: Final = ("accessibility", "weight")


def _text(chunks: Chunks) -> str:
    raw = (c.encode() if isinstance(c, str) else base64.b64decode(c["base64"]) for c in chunks)
    return b"".join(raw).decode()


def _read(lines: Sequence[str], read: Callable[[str], JsonValue]) -> JsonValue:
    try:
        return {"messages": [read(line) for line in lines if line.strip()]}
    except (JsonError, ValueError) as error:
        raise CallError("parse", str(error)) from None


def _first_value(line: str) -> JsonValue:
    value, _ = json.JSONDecoder().raw_decode(line.strip())
    return value


def _first_values(self: Any, chunks: Chunks) -> JsonValue:
    return _read(_text(chunks).split("\n"), _first_value)


def _by_chunk(self: Any, chunks: Chunks) -> JsonValue:
    def lines(chunk: JsonValue) -> list[str]:
        raw = base64.b64decode(chunk["base64"]) if isinstance(chunk, dict) else chunk.encode()
        return str(raw.decode(errors="replace")).split("\n")

    return _read([line for chunk in chunks for line in lines(chunk)], parse)


def _newlines_dropped(self: Any, chunks: Chunks) -> JsonValue:
    return ReferenceSdk.decode_lines(self, [chunk for chunk in chunks if chunk != "\n"])


def _any_line_end(self: Any, chunks: Chunks) -> JsonValue:
    return _read(_text(chunks).splitlines(), parse)


def _last_dropped(self: Any, chunks: Chunks) -> JsonValue:
    return _read(_text(chunks).split("\n")[:-1], parse)


def _one_type(self: Any, messages: Sequence[JsonValue], version: str = "v0.9") -> JsonValue:
    return ReferenceSdk.to_a2a(self, messages, "v0.9.1")


def _type_of(part: JsonValue) -> JsonValue:
    return (part.get("metadata") or {}).get("mimeType")


def _old_type_alone(self: Any, parts: Sequence[JsonValue]) -> JsonValue:
    return ReferenceSdk.from_a2a(self, [part for part in parts if _type_of(part) == _OLD])


def _lists_dropped(self: Any, parts: Sequence[JsonValue]) -> JsonValue:
    single = [part for part in parts if not isinstance(part.get("data"), list)]
    return ReferenceSdk.from_a2a(self, single)


def _any_data(self: Any, parts: Sequence[JsonValue]) -> JsonValue:
    return ReferenceSdk.from_a2a(self, [{**p, "metadata": {"mimeType": _OLD}} for p in parts])


def _without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, dict):
        return {k: _without_nulls(item) for k, item in value.items() if item is not None}
    return value


def _parts_without_nulls(self: Any, parts: Sequence[JsonValue]) -> JsonValue:
    return _without_nulls(ReferenceSdk.from_a2a(self, parts))


def _any_custom(self: Any, events: Sequence[JsonValue]) -> JsonValue:
    custom = [e["value"] for e in events if e.get("type") == "CUSTOM"]
    return {"messages": [value for value in custom if isinstance(value, dict)]}


def _events_without_nulls(self: Any, messages: Sequence[JsonValue]) -> JsonValue:
    return _without_nulls(ReferenceSdk.to_agui(self, messages))


def _unchecked(self: Any, surface: JsonValue, version: str = "v0.9") -> JsonValue:
    given = {name: surface[name] for name in ("theme", "sendDataModel") if name in surface}
    name = {"surfaceId": surface["surfaceId"]}
    catalog = surface.get("catalogId", BASIC_CATALOG)
    bodies = [
        {"createSurface": {**name, "catalogId": catalog, **given}},
        {"updateComponents": {**name, "components": surface["components"]}},
        *({"updateDataModel": {**name, **written}} for written in surface.get("data", ())),
    ]
    return {"messages": [{"version": version, **body} for body in bodies]}


def _data_first(self: Any, **given: Any) -> JsonValue:
    messages = ReferenceSdk.build(self, **given)["messages"]
    return {"messages": sorted(messages, key=lambda message: "updateDataModel" not in message)}


def _own_properties(self: Any, surface: JsonValue, version: str = "v0.9") -> JsonValue:
    listed = [
        {name: value for name, value in component.items() if name not in _NOT_LISTED}
        for component in surface["components"]
    ]
    return ReferenceSdk.build(self, {**surface, "components": listed}, version)


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-lines-first-value",
        "what follows the first JSON value of a line is ignored",
        sdk={"decode_lines": _first_values},
    ),
    SdkSabotage(
        "sdk-lines-by-chunk",
        "each chunk of JSON Lines is read alone",
        sdk={"decode_lines": _by_chunk},
    ),
    SdkSabotage(
        "sdk-lone-newline-dropped",
        "a chunk of a lone newline is passed over",
        sdk={"decode_lines": _newlines_dropped},
    ),
    SdkSabotage(
        "sdk-lines-cut-anywhere",
        "a line ends wherever Unicode sees a line end",
        sdk={"decode_lines": _any_line_end},
    ),
    SdkSabotage(
        "sdk-last-line-dropped",
        "a last line without a newline is dropped",
        sdk={"decode_lines": _last_dropped},
    ),
    SdkSabotage(
        "sdk-one-media-type",
        "an A2A part has the newer media type, whatever the version",
        sdk={"to_a2a": _one_type},
    ),
    SdkSabotage(
        "sdk-new-media-type-unknown",
        "an A2A part of the newer media type is not read",
        sdk={"from_a2a": _old_type_alone},
    ),
    SdkSabotage(
        "sdk-a2a-list-dropped",
        "an A2A part that holds a list of messages is dropped",
        sdk={"from_a2a": _lists_dropped},
    ),
    SdkSabotage(
        "sdk-a2a-any-data",
        "any data part is taken for messages, whatever its media type",
        sdk={"from_a2a": _any_data},
    ),
    SdkSabotage(
        "sdk-a2a-null-dropped",
        "members whose value is null are lost in an A2A part",
        sdk={"from_a2a": _parts_without_nulls},
    ),
    SdkSabotage(
        "sdk-agui-any-custom",
        "any CUSTOM event with an object as its value is taken for a message",
        sdk={"from_agui": _any_custom},
    ),
    SdkSabotage(
        "sdk-agui-null-dropped",
        "members whose value is null are lost in an AG-UI event",
        sdk={"to_agui": _events_without_nulls},
    ),
    SdkSabotage(
        "sdk-builder-unchecked",
        "the builder builds whatever it is given",
        sdk={"build": _unchecked},
    ),
    SdkSabotage(
        "sdk-builder-data-first",
        "the builder writes the data before the surface is created",
        sdk={"build": _data_first},
    ),
    SdkSabotage(
        "sdk-builder-own-properties",
        "the builder keeps a list of properties of its own, without those that all components have",
        sdk={"build": _own_properties},
    ),
)
