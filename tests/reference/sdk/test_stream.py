"""Streaming a response into a state: what is emitted when, what is held, what is undone."""

from __future__ import annotations

import itertools
import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.parser import Parser
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.reference.sdk.stream import ResponseStream, State

from .responses import CREATE, WRAPPED, block, components, cut, data, pieces, text_component

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


# ------------------------------------------------------------------------------------- data


DATA_HEAD = OPEN + '{"version":"v0.9","updateDataModel":{"surfaceId":"s","path":"/p","value":'
END = "}]</a2ui-json>"


def written(path: str, value: JsonValue) -> list[JsonValue]:
    return [{"messages": [data(path, value)]}]


def data_of(stream: ResponseStream) -> JsonValue:
    return held(stream.state)["surfaces"]["s"]["data"]


def test_data_is_shown_member_by_member_each_of_them_once() -> None:
    stream = begun()
    stream.feed(block(data("/p", {"old": 1})))
    assert stream.feed(DATA_HEAD + "{") == []
    assert stream.feed('"a":[1],"b":{"x":2') == written("/p", {"a": [1]})
    assert stream.feed('},"c/d":nu') == written("/p/b", {"x": 2})
    assert stream.feed("ll") == []
    assert stream.feed(',"e":"') == written("/p/c~1d", None)
    assert stream.feed('"}') == written("/p/e", "")
    assert stream.feed("}") == []
    assert stream.feed(END) == []
    assert list(data_of(stream)["p"].items()) == [
        ("a", [1]),
        ("b", {"x": 2}),
        ("c/d", None),
        ("e", ""),
    ]


def test_a_progressive_key_of_data_is_shown_as_it_grows() -> None:
    stream = begun("note")
    assert stream.feed(DATA_HEAD + '{"name":"A') == []
    assert stream.feed('da","note":"Hel') == [
        {"messages": [data("/p", {"name": "Ada"}), data("/p/note", "Hel")]}
    ]
    assert stream.feed("lo") == written("/p/note", "Hello")
    assert stream.feed('"') == []
    assert stream.feed(',"note2":"x"}') == written("/p/note2", "x")
    assert stream.feed("}" + END) == []
    assert data_of(stream) == {"p": {"name": "Ada", "note": "Hello", "note2": "x"}}

    whole = begun("value")
    assert whole.feed(DATA_HEAD + '"Hel') == written("/p", "Hel")
    assert whole.feed("lo") == written("/p", "Hello")
    assert whole.feed('"}') == []
    assert whole.feed(END) == []
    assert data_of(whole) == {"p": "Hello"}


@pytest.mark.parametrize("names", [*itertools.permutations(["", "a", "__proto__", "c~d/"], 2)])
@pytest.mark.parametrize("path", ["", "/", "/p/", "/l/0", "/s/x", "/" + "n/" * 49 + "n"])
def test_the_pieces_of_data_do_what_the_whole_does(path: str, names: tuple[str, str]) -> None:
    value: JsonValue = {names[0]: "x", names[1]: {"y": 1}, "z": "12"}
    before = [CREATE, components(ROOT), data("/l", [{}]), data("/s", "scalar")]
    response = block(*before, data(path, value))
    whole = new_state()
    try:
        PARSER.parse_response(response, state=whole)
        expected = held(whole)
    except CallError as error:
        expected = error.kind
    for size, keys in ((3, ["a"]), (8, [])):
        stream = new_stream(*keys)
        parts: list[JsonValue] = []
        try:
            for chunk in cut(response, size):
                parts += stream.feed(chunk)
            found = held(stream.state)
            assert json.dumps(fold(messages(parts))) == json.dumps(found)
        except CallError as error:
            found = error.kind
        assert json.dumps(found) == json.dumps(expected)


def test_data_whose_path_may_still_come_is_held() -> None:
    stream = begun("a")
    open_data = '{"version":"v0.9","updateDataModel":{"surfaceId":"s","value":{"a":"x"'
    assert stream.feed(OPEN + open_data) == []
    assert stream.feed('},"path":"/p"}}') == written("/p", {"a": "x"})
    assert data_of(stream) == {"p": {"a": "x"}}


@pytest.mark.parametrize("end", ['"b":2},"more":1}}', f'"b":{"[" * 50}{"]" * 50}' + "}}}"])
def test_what_makes_whole_data_wrong_is_seen_though_its_members_were_right(end: str) -> None:
    stream = begun()
    assert stream.feed(DATA_HEAD + '{"a":1,') == written("/p", {"a": 1})
    assert stream.feed(end) == []
    assert kind_of_failure(stream, "]</a2ui-json>") in ("validation", "recursion")


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
