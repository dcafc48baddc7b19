"""Strict JSON cut anywhere: what it accepts and how it reads it is what ``jsonvalue`` says."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.errors import JsonError
from openwop_conformance.jsonvalue import JsonValue, equal, parse
from openwop_conformance.reference.sdk.block import Block, MessageClosed
from openwop_conformance.reference.sdk.lexing import STRING, Lexer

LEAVES = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    LEAVES | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4).filter(lambda k: k != "messages"), VALUES, max_size=4)
ODD = [
    *("-0", "01", "1.", ".5", "1e5", "1E+2", "-1.5e-3", "+1", "1e999", "0x1", "1_0", "\u0661"),
    *(
        "NaN",
        "Infinity",
        "-Infinity",
        "nul",
        "true",
        "False",
        "\xa0",
        "1\x0b2",
        '"\\u00e9"',
        '"\\ud83d\\ude00"',
        '"\\ud83d"',
        '"\\q"',
        '"\\u12"',
    ),
    *('"a\tb"', '"\\\\"', '"\\""', '"\ud800"', '"', "[1,]", "[,1]", "[1 2]", "[", "]", "{", "}"),
    *('{"a":1,}', '{"a"}', '{"a":1"b":2}', '{"a":1,"a":2}', "{1:2}", "1 2"),
]


def read(text: str, cuts: list[int]) -> list[JsonValue] | None:
    """The messages of a block's content read in pieces; ``None`` when it cannot be read."""
    block = Block()
    places = sorted({min(cut, len(text)) for cut in cuts})
    for start, end in zip([0, *places], [*places, len(text)], strict=True):
        if block.problem is None and block.read(text[start:end], 0) < end - start:
            return None
    block.finish()
    if block.problem is not None:
        return None
    return [event.message for event in block.events if isinstance(event, MessageClosed)]


@given(OBJECTS, st.booleans(), st.lists(st.integers(0, 200)))
def test_a_value_cut_anywhere_is_the_value(value: JsonValue, plain: bool, cuts: list[int]) -> None:
    text = json.dumps(value, ensure_ascii=plain, indent=None if plain else 1)
    got = read(text, cuts)
    assert got is not None
    assert len(got) == 1
    assert equal(got[0], value)


@given(OBJECTS, st.data())
def test_a_spoilt_text_is_accepted_exactly_if_strict_json_accepts_it(
    value: JsonValue, data: st.DataObject
) -> None:
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(1, max(len(text) - 1, 1)))
    spoilt = (
        text[:at] + data.draw(st.sampled_from(['"', "\\", ",", "}", "1", " ", "\n"])) + text[at:]
    )
    try:
        expected = [parse(spoilt)]
    except JsonError:
        expected = None
    got = read(spoilt, data.draw(st.lists(st.integers(0, 100), max_size=3)))
    if got is None or len(got) == 1:
        assert got == expected
    else:  # two texts, where strict JSON reads one
        assert expected is None


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("cuts", [[], list(range(40))])
def test_odd_spellings_are_as_strict_json_has_them(odd: str, cuts: list[int]) -> None:
    text = f'{{"x": {odd} }}'
    try:
        expected = [parse(text)]
    except JsonError:
        expected = None
    assert read(text, cuts) == expected


@pytest.mark.parametrize(("depth", "fits"), [(127, True), (128, False)])
def test_depth_is_bounded_as_in_strict_json(depth: int, fits: bool) -> None:
    text = '{"x":' + "[" * depth + "]" * depth + "}"
    assert (read(text, []) is not None) is fits


def test_a_long_integer_is_refused_not_a_crash() -> None:
    assert read('{"x":' + "9" * 5000 + "}", []) is None


@given(st.text(min_size=1, max_size=12), st.booleans(), st.integers(0, 80))
def test_an_open_string_reads_as_a_beginning_of_the_whole(text: str, plain: bool, cut: int) -> None:
    lexer = Lexer()
    raw = json.dumps(text, ensure_ascii=plain)
    assert [*lexer.tokens(raw[:-1][: cut + 1], 0)] == []
    shown = lexer.open_string()
    assert shown is not None
    assert text.startswith(shown)
    assert [*lexer.tokens(raw[len(raw[:-1][: cut + 1]) :], 0)] == [(STRING, text)]
