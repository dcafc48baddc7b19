"""How messages travel in other protocols: as A2A data parts, as AG-UI events, as JSON Lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator
from typing import Final

from ..errors import JsonError, Violation
from ..jsonvalue import JsonValue, compact, parse
from .message import kind_of

MIME_TYPES: Final = {
    "v0.8": "application/json+a2ui",
    "v0.9": "application/json+a2ui",
    "v0.9.1": "application/a2ui+json",
}
"""The media type of an A2A part, by the version of its messages."""
EVENT_NAME: Final = "a2ui"


def to_part(message: JsonValue, version: str) -> JsonValue:
    """A message as one A2A data part."""
    return {"kind": "data", "data": message, "metadata": {"mimeType": MIME_TYPES[version]}}


def from_parts(parts: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """The messages of A2A parts, of either media type: a part holds one, or a list of them."""
    for part in parts:
        if not isinstance(part, dict) or part.get("kind") != "data":
            continue
        metadata = part.get("metadata")
        named = metadata.get("mimeType") if isinstance(metadata, dict) else None
        if named in MIME_TYPES.values():
            data = part.get("data")
            yield from data if isinstance(data, list) else [data]


def to_event(message: JsonValue) -> JsonValue:
    """A message as one AG-UI custom event."""
    return {"type": "CUSTOM", "name": EVENT_NAME, "value": message}


def from_events(events: Iterable[JsonValue]) -> Iterator[JsonValue]:
    """The messages of AG-UI events; events of other types or names carry none."""
    for event in events:
        if not isinstance(event, dict) or event.get("type") != "CUSTOM":
            continue
        if event.get("name") == EVENT_NAME and _is_message(event.get("value")):
            yield event["value"]


def to_lines(messages: Iterable[JsonValue]) -> str:
    """Messages as JSON Lines, each with its newline."""
    return "".join(compact(message).decode() + "\n" for message in messages)


def from_lines(chunks: Iterable[str | bytes]) -> Iterator[JsonValue]:
    """The messages of JSON Lines, wherever the chunks are cut; a last line may lack its newline.

    Raises ``JsonError`` for a line that holds no JSON value, or more than one.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    rest: list[str] = []
    for chunk in chunks:
        try:
            text = decoder.decode(chunk) if isinstance(chunk, bytes) else chunk
        except UnicodeDecodeError as error:
            raise JsonError(f"not UTF-8 at byte {error.start} of a chunk") from None
        *lines, last = text.split("\n")
        for line in lines:
            rest.append(line)
            yield from _line("".join(rest))
            rest = []
        rest.append(last)
    yield from _line("".join(rest))


def _line(line: str) -> Iterator[JsonValue]:
    if line.strip():
        yield parse(line)


def _is_message(value: JsonValue) -> bool:
    try:
        kind_of(value)
    except Violation:
        return False
    return True
