"""Streams for the tests, what they emit, and what their state holds then."""

from __future__ import annotations

import json

import pytest

from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.parser import Parser
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.reference.sdk.stream import ResponseStream, State

from .responses import CREATE, block, components, text_component

CATALOGS = [basic()]
PARSER = Parser(CATALOGS, "v0.9")
ROOT = text_component("root", "Hello")
OPEN = "<a2ui-json>["
HEAD = '{"version":"v0.9","updateComponents":{"surfaceId":"s","components":['


def new_state() -> RendererState:
    return RendererState(CATALOGS, "v0.9")


def new_stream(*keys: str, wrapped: bool = True) -> ResponseStream:
    return ResponseStream(new_state(), wrapped=wrapped, progressive_keys=keys)


def begun(*keys: str) -> ResponseStream:
    """A stream that has made a surface with a root, in a block of its own."""
    stream = new_stream(*keys)
    stream.feed(block(CREATE, components(ROOT)))
    return stream


def messages(parts: list[JsonValue]) -> list[JsonValue]:
    return [message for part in parts for message in part.get("messages", ())]


def text(parts: list[JsonValue]) -> str:
    return "".join(part.get("text", "") for part in parts)


def held(state: State) -> JsonValue:
    assert isinstance(state, RendererState)
    return json.loads(json.dumps(state.snapshot()))


def fold(emitted: list[JsonValue]) -> JsonValue:
    state = new_state()
    state.apply(emitted)
    return held(state)


def kind_of_failure(stream: ResponseStream, chunk: str | None = None) -> str:
    with pytest.raises(CallError) as caught:
        stream.close() if chunk is None else stream.feed(chunk)
    return caught.value.kind


DATA_HEAD = OPEN + '{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/p","value":'
END = "}]</a2ui-json>"
