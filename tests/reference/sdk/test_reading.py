"""Reading a response in chunks: tags, text, blocks and what is told while a message grows."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.block import Component, Member, MessageClosed
from openwop_conformance.reference.sdk.reading import BlockClosed, Event, ResponseReader, Text

from .responses import WRAPPED, cut, pieces

GROWING = '<a2ui-json>{"version":"v0.9","updateComponents":{"surfaceId":"s","components":['


def read(chunks: list[str] | list[bytes], *, wrapped: bool = True) -> list[Event]:
    reader = ResponseReader(wrapped)
    events = [event for chunk in chunks for event in reader.feed(chunk)] + reader.close()
    joined: list[Event] = []
    for event in events:
        if isinstance(event, Text) and joined and isinstance(joined[-1], Text):
            joined[-1] = Text(joined[-1].text + event.text)
        elif isinstance(event, BlockClosed) and event.problem is not None:
            joined.append(Text(f"problem: {event.problem}"))
        else:
            joined.append(event)
    return joined


@given(WRAPPED, st.data())
def test_events_do_not_depend_on_where_chunks_are_cut(response: str, data: st.DataObject) -> None:
    whole = read([response])
    assert read(data.draw(pieces(response))) == whole
    assert read(list(response)) == whole


@given(st.text(st.sampled_from('<a2ui-json>/ xy"{}[]:,\\\n'), max_size=60), st.data())
def test_nor_do_they_for_what_is_no_response_at_all(text: str, data: st.DataObject) -> None:
    text = text.replace("x", "<a2ui-json>").replace("y", "<a2ui-json")
    assert read(data.draw(pieces(text))) == read([text])


@given(st.text(max_size=20), st.integers(1, 4))
def test_bytes_may_be_cut_within_a_character(text: str, size: int) -> None:
    raw = (
        f"{text} é😀<a2ui-json>{json.dumps({'x': text}, ensure_ascii=False)}</a2ui-json>é".encode()
    )
    chunks = [raw[at : at + size] for at in range(0, len(raw), size)]
    assert read(chunks) == read([raw.decode()])


@pytest.mark.parametrize("chunks", [[b"\xff"], [b"a\xc3"], [b"\xc3", b"a"]])
def test_bytes_that_are_no_text_are_refused(chunks: list[bytes]) -> None:
    with pytest.raises(CallError) as caught:
        read(chunks)
    assert caught.value.kind == "parse"


def test_text_waits_only_for_what_may_be_a_tag() -> None:
    reader = ResponseReader()
    assert reader.feed("Talking <a2u") == [Text("Talking ")]
    assert reader.feed("i-jso") == []
    assert reader.feed("x <") == [Text("<a2ui-jsox ")]
    assert reader.feed("<a2ui-json>[") == [Text("<")]
    assert reader.feed("]</a2ui-json>") == [BlockClosed(None)]
    assert reader.feed("<a2ui-json") == []
    assert reader.close() == [Text("<a2ui-json")]


@pytest.mark.parametrize("size", [1, 3, 99])
def test_an_open_tag_may_have_attributes_and_never_leaks(size: int) -> None:
    for tag in ("<a2ui-json >", '<a2ui-json version="v0.9">', "<a2ui-json\n<a2ui-json>"):
        assert read(cut(f"a{tag}[]</a2ui-json>b", size)) == [
            Text("a"),
            BlockClosed(None),
            Text("b"),
        ]
    for text in ("<a2ui-jsonp>", "<a2ui-json/>", "<a2ui-json<", "<a2ui-json and on", "<a2ui-json "):
        assert read(cut(f"a{text}", size)) == [Text(f"a{text}")]


def test_a_close_tag_within_a_string_does_not_end_the_block() -> None:
    message = {"x": '</a2ui-json> \\" </a2ui-json>'}
    events = read([f"<a2ui-json>{json.dumps(message)}</a2ui-json> after"])
    assert events == [MessageClosed(message), BlockClosed(None), Text(" after")]


def test_a_close_tag_outside_a_block_is_text() -> None:
    assert read(["a </a2ui-json> b"]) == [Text("a </a2ui-json> b")]


@pytest.mark.parametrize(
    "content",
    [
        '[{"a":1},{"b":2}]',
        '{"a":1}\n{"b":2}',
        '{"a":1}{"b":2}\n',
        '{"messages": [{"a":1}, {"b":2}]}',
        '```json\n[{"a":1},{"b":2}]\n```\n',
        ' ```\n{"a":1}\n{"b":2}```',
    ],
)
@pytest.mark.parametrize("size", [1, 7, 99])
def test_a_block_holds_messages_in_any_of_its_forms(content: str, size: int) -> None:
    closed: list[Event] = [MessageClosed({"a": 1}), MessageClosed({"b": 2}), BlockClosed(None)]
    assert read(cut(f"<a2ui-json>{content}</a2ui-json>", size)) == closed
    assert read(cut(content, size), wrapped=False) == closed


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("", "parse"),
        (" ```json\n``` ", "parse"),
        ("hello", "parse"),
        ('{"a":1},{"b":2}', "parse"),
        ("[{},]", "parse"),
        ('{"a":1', "parse"),
        ('{"a":1,"a":2}', "parse"),
        ('{"messages":[],"x":1}', "parse"),
        ("{} ``` {}", "parse"),
        ("{} < {}", "parse"),
        ("[1]", "validation"),
        ("1", "validation"),
        ('"x"', "validation"),
        ("[[{}]]", "validation"),
        ('{"messages":{}}', "validation"),
    ],
)
def test_what_is_no_list_of_messages_is_a_problem_of_the_block(content: str, kind: str) -> None:
    for size in (1, 5, 99):
        reader = ResponseReader()
        events = [
            e for c in cut(f"<a2ui-json>{content}</a2ui-json>t", size) for e in reader.feed(c)
        ]
        (closed,) = (event for event in events if isinstance(event, BlockClosed))
        assert closed.problem is not None
        assert closed.problem.kind == kind
        assert events[-1] == Text("t")


def test_a_block_that_is_unreadable_ends_at_the_next_close_tag() -> None:
    assert read(['<a2ui-json>{"a": "\n}</a2ui-json> after'])[-1] == Text(
        "problem: a control character in a string after"
    )


def test_components_are_told_as_they_close_once_the_head_is_known() -> None:
    reader = ResponseReader()
    assert reader.feed(GROWING + '{"id":"a"') == []
    first: JsonValue = {"id": "a"}
    assert reader.feed("},{") == [Component("v0.9", "s", 0, first)]
    assert reader.feed('"id":{"b":{}}}]') == [Component("v0.9", "s", 1, {"id": {"b": {}}})]
    (closed, ended) = reader.feed("}}</a2ui-json>")
    assert isinstance(closed, MessageClosed)
    assert ended == BlockClosed(None)
    assert closed.message["updateComponents"]["components"] == [first, {"id": {"b": {}}}]


def test_members_of_data_are_told_as_they_close_once_the_head_is_known() -> None:
    reader = ResponseReader(wrapped=False)
    head = '{"version":"v0.9","updateDataModel":{"path":"/p","surfaceId":"s","value":{'
    assert reader.feed(head + '"a":{"x":[1],"y":{}') == []
    assert reader.feed('},"b":1') == [Member("v0.9", "s", "/p", "a", {"x": [1], "y": {}})]
    assert reader.feed(',"c":"d') == [Member("v0.9", "s", "/p", "b", 1)]
    assert reader.open_member(frozenset("b")) is None
    assert reader.open_member(frozenset("c")) == Member("v0.9", "s", "/p", "c", "d")
    (member, closed) = reader.feed('"}}}')
    assert member == Member("v0.9", "s", "/p", "c", "d")
    assert isinstance(closed, MessageClosed)


@pytest.mark.parametrize(
    "text",
    [
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","value":{"a":1}}}',
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","value":{"a":1},"path":"/p"}}',
        '{"version":"v0.9","updateDataModel":{"path":"/p","value":{"a":1},"surfaceId":"s"}}',
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":null,"value":{"a":1}}}',
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/p","value":[{"a":1}]}}',
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/p","values":{"a":1}}}',
        '{"updateDataModel":{"surfaceId":"s","path":"/p","value":{"a":1}},"version":"v0.9"}',
        '{"updateComponents":{"surfaceId":"s","components":[{}]},"version":"v0.9"}',
        '{"version":"v0.9","updateComponents":{"components":[{}],"surfaceId":"s"}}',
        '{"version":9,"updateComponents":{"surfaceId":"s","components":[{}]}}',
        '{"version":"v0.9","createSurface":{},"updateComponents":{"surfaceId":"s","components":[{}]}}',
        '{"version":"v0.9","updateComponents":{"surfaceId":"s","components":[1,{}]}}',
        '{"version":"v0.9","updateDataModel":{"surfaceId":"s","components":[{}]}}',
        '{"version":"v0.9","updateComponents":{"surfaceId":"s","components":{"x":[{}]}}}',
    ],
)
def test_nothing_is_told_of_a_message_whose_head_is_not_known(text: str) -> None:
    assert read([text], wrapped=False) == [MessageClosed(json.loads(text)), BlockClosed(None)]


@pytest.mark.parametrize("kind", ["string", "number", "text", "tag", "list", "space", "ruins"])
def test_reading_takes_time_in_proportion_to_the_text(kind: str) -> None:
    bodies = {
        "string": ('<a2ui-json>{"x":"', "ab\\u00e9é"),
        "number": ('<a2ui-json>{"x":', "1234567"),
        "text": ("", "a < b <a2ui "),
        "tag": ("<a2ui-json ", "a = 'b' "),
        "list": ('<a2ui-json>{"x":[1', ',[true,"\\n"]'),
        "space": ("<a2ui-json>[", "       \n"),
        "ruins": ("<a2ui-json>?", '</a2ui-"<'),
    }
    head, body = bodies[kind]

    def seconds(times: int) -> float:
        best = 9.0
        for _ in range(3):
            reader = ResponseReader()
            start = time.process_time()
            for char in head + body * times:
                reader.feed(char)
            best = min(best, time.process_time() - start)
            assert reader.work == len(head) + len(body) * times
        return best

    assert seconds(2000) / seconds(500) < 8
