"""Streaming a response into a state: what is emitted when, and at what cost."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue

from .responses import CREATE, WRAPPED, block, components, cut, data, pieces, text_component
from .streams import (
    HEAD,
    OPEN,
    PARSER,
    ROOT,
    begun,
    fold,
    held,
    messages,
    new_state,
    new_stream,
    text,
)

# ------------------------------------------------------------------------------------- laws


@given(WRAPPED, st.data(), st.booleans())
def test_wherever_chunks_are_cut_text_and_surfaces_are_those_of_the_whole(
    response: str, draw: st.DataObject, progressive: bool
) -> None:
    state = new_state()
    expected = PARSER.parse_response(response, state=state)
    for chunks in (draw.draw(pieces(response)), list(response)):
        stream = new_stream(*(["text"] if progressive else []))
        parts = [part for chunk in chunks for part in stream.feed(chunk)] + stream.close()
        assert text(parts) == text(expected)
        assert held(stream.state) == held(state) == fold(messages(parts))


@given(WRAPPED, st.data())
def test_one_chunk_emits_the_messages_of_the_whole(response: str, draw: st.DataObject) -> None:
    stream = new_stream()
    parts = stream.feed(response) + stream.close()
    assert messages(parts) == messages(PARSER.parse_response(response))


@given(WRAPPED, st.integers(0, 300), st.sampled_from(["}", "</a2ui-json>", '"', "\\", "1"]))
def test_a_spoilt_response_fails_in_chunks_if_it_fails_whole(
    response: str, at: int, spoil: str
) -> None:
    spoilt = response[:at] + spoil + response[at:]
    kinds = []
    for chunks in ([spoilt], cut(spoilt, 3)):
        stream = new_stream()
        try:
            for chunk in chunks:
                stream.feed(chunk)
            stream.close()
            kinds.append("read")
        except CallError as error:
            kinds.append(error.kind)
    assert kinds[0] == kinds[1]


# --------------------------------------------------------------------------------- emission


def test_only_what_may_grow_is_emitted_before_its_object_closes() -> None:
    stream = new_stream()
    create = json.dumps(CREATE)
    assert stream.feed(OPEN + create[:-1]) == []
    assert stream.feed("}") == [{"messages": [CREATE]}]
    assert stream.feed("," + HEAD + json.dumps(ROOT)) == [{"messages": [components(ROOT)]}]
    assert stream.feed("]}}") == []
    remove = json.dumps({"version": "v0.9", "deleteSurface": {"surfaceId": "s"}})
    assert stream.feed("," + remove[:-1]) == []
    assert messages(stream.feed("}")) == [json.loads(remove)]
    assert stream.feed("]</a2ui-json> bye") == [{"text": " bye"}]
    assert stream.close() == []


def test_a_chunk_emits_the_components_that_closed_in_it_as_one_message() -> None:
    stream = new_stream()
    stream.feed(OPEN + json.dumps(CREATE) + "," + HEAD)
    a, b, c = (text_component(name, "") for name in "abc")
    both = json.dumps(ROOT) + "," + json.dumps(a)
    assert stream.feed(both) == [{"messages": [components(ROOT, a)]}]
    assert stream.feed(",") == []
    rest = json.dumps(b) + "," + json.dumps(c)
    assert stream.feed(rest + "]}}") == [{"messages": [components(b, c)]}]


def test_parts_come_in_the_order_of_the_response() -> None:
    second = components(text_component("root", "2"))
    response = f"a {block(CREATE, components(ROOT))}{block(second)} b {block()}c"
    assert new_stream().feed(response) == [
        {"text": "a "},
        {"messages": [CREATE, components(ROOT)]},
        {"messages": [second]},
        {"text": " b c"},
    ]


def test_lines_parted_by_a_chunk_of_their_own_are_messages_and_no_text() -> None:
    for wrapped in (True, False):
        stream = new_stream(wrapped=wrapped)
        chunks = [json.dumps(CREATE), "\n", json.dumps(components(ROOT))]
        if wrapped:
            chunks = ["<a2ui-json>", *chunks, "</a2ui-json>"]
        parts = [part for chunk in chunks for part in stream.feed(chunk)] + stream.close()
        assert parts == [{"messages": [CREATE]}, {"messages": [components(ROOT)]}]


# ------------------------------------------------------------------------------ progressive


def test_a_progressive_key_is_shown_as_it_grows_and_when_it_changed() -> None:
    stream = begun("text")
    assert stream.feed(OPEN + HEAD + '{"id":"root","text":"Hel') == []
    assert stream.feed('lo","component":"Tex') == []
    shown = stream.feed('t"')
    assert messages(shown) == [components(text_component("root", "Hello"))]
    assert stream.feed(" ") == []
    assert stream.feed("}") == []
    assert stream.feed(',{"component":"Text","id":"a","text":"1\\') == [
        {"messages": [components(text_component("a", "1"))]}
    ]
    assert stream.feed("u00") == []
    assert messages(stream.feed("e9x")) == [components(text_component("a", "1éx"))]
    whole = text_component("a", "1éxy")
    assert messages(stream.feed('y"}')) == [components(whole)]
    assert held(stream.state)["surfaces"]["s"]["components"]["a"] == whole


@pytest.mark.parametrize(
    "start",
    [
        '{"id":"ro',
        '{"component":"Text","text":"x","id":"ro',
        '{"id":"root","component":"Text","text":{"path":"/us',
        '{"id":"root","component":"Card","child":"ro',
        '{"id":"root","component":"Column","children":["x',
        '{"id":"root","component":"Button","text":"no child yet',
        '{"id":"root","component":"Text","text":"Hello","variant":"cap',
        '{"id":"root","component":"Text","text":"Hello","variant":',
        '{"id":"root","component":"Text","text":"Hello","vari',
        '{"id":"root","component":"Text","text":"Hello","weight":1',
    ],
)
def test_a_component_waits_for_any_member_that_must_not_be_shown_in_part(start: str) -> None:
    keys = ("text", "id", "path", "child", "children", "component")
    assert begun(*keys).feed(OPEN + HEAD + start) == []


def test_nothing_is_shown_in_part_unless_asked_for() -> None:
    assert begun().feed(OPEN + HEAD + '{"id":"root","component":"Text","text":"He') == []


# ------------------------------------------------------------------------------------- cost


def seconds(count: int, size: int) -> float:
    """How long one growing message of so many components takes in chunks of a size."""
    names = [f"t{number:05}" for number in range(count)]
    root: JsonValue = {"id": "root", "component": "Column", "children": names}
    response = block(CREATE, components(root, *(text_component(name, name) for name in names)))
    chunks = cut(response, size)
    best = 9.0
    for _ in range(3):
        stream = new_stream()
        start = time.process_time()
        for chunk in chunks:
            stream.feed(chunk)
        stream.close()
        best = min(best, time.process_time() - start)
        assert stream.work == len(response)
    return best


def data_seconds(count: int) -> float:
    """How long one growing update of so many members takes."""
    response = block(CREATE, data("/p", {f"m{number}": [number] for number in range(count)}))
    chunks = cut(response, 16)
    best = 9.0
    for _ in range(3):
        stream = new_stream()
        start = time.process_time()
        parts = [part for chunk in chunks for part in stream.feed(chunk)]
        best = min(best, time.process_time() - start)
        assert len(json.dumps(parts)) < 12 * len(response)
    return best


def test_growing_data_takes_time_and_space_in_proportion() -> None:
    assert data_seconds(600) / data_seconds(150) < 8


@pytest.mark.parametrize(("count", "size"), [(50, 1), (200, 16)])
def test_a_growing_message_takes_time_in_proportion(count: int, size: int) -> None:
    assert seconds(4 * count, size) / seconds(count, size) < 8
