"""A stream that is refused something: what is held, what is undone, and where it ends."""

from __future__ import annotations

import json

import pytest

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.stream import ResponseStream

from .responses import CREATE, block, components, cut, data, text_component
from .streams import (
    HEAD,
    OPEN,
    ROOT,
    begun,
    fold,
    held,
    kind_of_failure,
    messages,
    new_state,
    new_stream,
    text,
)

# ---------------------------------------------------------------------------------- refusal


def test_a_refused_message_is_held_with_what_follows_until_the_block_closes() -> None:
    stream = new_stream()
    early = components(ROOT)
    assert stream.feed(f"{OPEN}{json.dumps(early)},{json.dumps(CREATE)},") == []
    assert stream.feed(f"{json.dumps(early)}]") == []
    assert held(stream.state) == {"surfaces": {}}
    assert kind_of_failure(stream, "</a2ui-json>") == "integrity"


def test_a_refused_component_leaves_those_before_it_and_is_told_by_its_place() -> None:
    stream = begun()
    good = text_component("a", "")
    assert messages(stream.feed(OPEN + HEAD + json.dumps(good))) == [components(good)]
    assert stream.feed(',{"id":"b","component":"Text","text":7}') == []
    assert stream.feed("," + json.dumps(text_component("c", ""))) == []
    with pytest.raises(CallError) as caught:
        stream.feed("]}}]</a2ui-json>")
    assert caught.value.kind == "validation"
    assert caught.value.details[0]["path"].startswith("/updateComponents/components/1/text")


@pytest.mark.parametrize(
    "end",
    [
        '],"more":1}}]',  # in the body
        ']},"more":1}]',  # in the message
        ',{"id":"root","component":"Text","text":"again"}]}}]',
        ",7]}}]",
    ],
)
@pytest.mark.parametrize("size", [1, 16, 999])
def test_what_makes_the_whole_message_wrong_is_seen_though_its_parts_were_right(
    end: str, size: int
) -> None:
    stream = begun()
    for chunk in cut(OPEN + HEAD + json.dumps(ROOT) + end, size):
        stream.feed(chunk)
    kinds = {kind_of_failure(stream, "</a2ui-json>")}
    assert kinds <= {"validation", "integrity"}


def test_a_piece_that_is_refused_may_still_be_right_as_part_of_the_whole() -> None:
    def card(name: str, child: str) -> JsonValue:
        return {"id": name, "component": "Card", "child": child}

    stream = new_stream()
    stream.feed(block(CREATE, components(card("root", "b"), text_component("b", ""))))
    assert stream.feed(OPEN + HEAD + json.dumps(card("b", "root"))) == []  # a circle, for now
    swapped = components(card("b", "root"), text_component("root", ""))
    assert stream.feed("," + json.dumps(text_component("root", "")) + "]}}") == [
        {"messages": [swapped]}
    ]


@pytest.mark.parametrize("content", ["[{]", "nonsense", "", '[{"a":1,"a":2}]', "[1]"])
def test_an_unreadable_block_raises_at_its_close_tag(content: str) -> None:
    stream = new_stream()
    assert stream.feed("text<a2ui-json>" + content) == [{"text": "text"}]
    assert kind_of_failure(stream, "</a2ui-json>") in ("parse", "validation")


def test_the_tree_is_checked_when_the_block_closes() -> None:
    stream = new_stream()
    rootless = [CREATE, components(text_component("a", ""))]
    assert messages(stream.feed(block(*rootless)[: -len("</a2ui-json>")])) == rootless
    assert kind_of_failure(stream, "</a2ui-json>") == "integrity"  # no root


def test_a_cut_block_raises_at_the_end() -> None:
    for chunk in ("<a2ui-json>", "<a2ui-json>[", block(CREATE)[:-1]):
        stream = new_stream()
        stream.feed(chunk)
        assert kind_of_failure(stream) == "parse"
    stream = new_stream(wrapped=False)
    stream.feed("[{}")
    assert kind_of_failure(stream) == "parse"


# ---------------------------------------------------------------------------------- failure


def test_a_failing_chunk_undoes_only_what_it_applied_also_blocks_that_closed_in_it() -> None:
    stream = begun()
    before = held(stream.state)
    chunk = (
        "x" + block(components(text_component("root", "2"))) + block(data("/x", 1)) + block(CREATE)
    )
    assert kind_of_failure(stream, chunk) == "integrity"
    assert held(stream.state) == before


def test_after_a_failure_what_was_emitted_before_counts_as_checked() -> None:
    state = new_state()
    stream = ResponseStream(state)
    stream.feed(OPEN + json.dumps(CREATE) + "," + HEAD + json.dumps(ROOT))
    stream.feed("," + json.dumps(text_component("orphan", "")))
    with pytest.raises(CallError):
        stream.feed("]}}]</a2ui-json>")
    state.check_topology(["s"])
    again = ResponseStream(state)
    again.feed(block(data("/x", 1)))
    again.close()


def test_a_stream_ends_with_a_failure_or_its_end() -> None:
    failed = new_stream()
    assert kind_of_failure(failed, block(1)) == "validation"
    closed = new_stream()
    assert closed.feed("a <a2u") == [{"text": "a "}]
    assert closed.close() == [{"text": "<a2u"}]
    for stream in (failed, closed):
        assert kind_of_failure(stream, "more") == "ended"
        assert kind_of_failure(stream) == "ended"


def test_bytes_may_be_cut_within_a_character() -> None:
    raw = ("é " + block(CREATE, components(text_component("root", "é😀")))).encode()
    stream = new_stream()
    parts = [part for byte in raw for part in stream.feed(bytes([byte]))] + stream.close()
    assert text(parts) == "é "
    assert fold(messages(parts))["surfaces"]["s"]["components"]["root"]["text"] == "é😀"
