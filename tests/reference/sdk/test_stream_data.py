"""Streaming an update of the data model: shown member by member, as the whole would be."""

from __future__ import annotations

import itertools
import json

import pytest

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.stream import ResponseStream

from .responses import CREATE, block, components, cut, data
from .streams import (
    DATA_HEAD,
    END,
    OPEN,
    PARSER,
    ROOT,
    begun,
    fold,
    held,
    kind_of_failure,
    messages,
    new_state,
    new_stream,
)


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
