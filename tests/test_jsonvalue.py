"""JSON as a value: what is refused as text, the canonical form, and the first difference."""

from __future__ import annotations

import json
import math
import struct
import sys

import pytest
import rfc8785
from hypothesis import assume, given
from hypothesis import strategies as st

from openwop_conformance.errors import JsonError
from openwop_conformance.jsonvalue import (
    MAX_DEPTH,
    MISSING,
    Difference,
    JsonValue,
    brief,
    canonical,
    compact,
    equal,
    first_difference,
    parse,
    pointer_of,
    tokens_of,
)
from tests.json_trees import LARGEST, at, places, texts, values

# ------------------------------------------------------------------------------------- text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"a":1,"a":1}', "duplicate key 'a'"),
        ('{"a":1,"\\u0061":2}', "duplicate key 'a'"),
        ('[{"x":{"b":1,"c":2,"b":3}}]', "duplicate key 'b'"),
        ("NaN", "NaN is not JSON"),
        ("[Infinity]", "Infinity is not JSON"),
        ('{"a":-Infinity}', "-Infinity is not JSON"),
        ("1e999", "not a finite number"),
        ("[-1e999]", "not a finite number"),
        ("1" * 400 + ".0", "not a finite number"),
        ('"\\ud800"', "lone surrogate"),
        ('"\\udc00\\ud800"', "lone surrogate"),
        ('{"\\udfff":1}', "lone surrogate"),
        ("\ufeff{}", "BOM"),
        (b"\xef\xbb\xbf{}", "BOM"),
        (b'"\xff"', "not UTF-8 at byte 1"),
        (b'"\xed\xa0\x80"', "not UTF-8 at byte 1"),
        (b'"\xc0\x80"', "not UTF-8 at byte 1"),
        ("{}".encode("utf-16"), "not UTF-8"),
        ("9" * 5000, "digits"),
        ("{} x", "Extra data"),
        ("[1][2]", "Extra data"),
        ("[1,]", "."),
        ('{"a":1,}', "."),
        ("{'a':1}", "."),
        ("{a:1}", "."),
        ("01", "Extra data"),
        ("+1", "."),
        (".5", "."),
        ("1.", "Extra data"),
        ("0x10", "Extra data"),
        ("True", "."),
        ('"\t"', "control character"),
        ('"\\x41"', "escape"),
        ("[1 /* one */]", "."),
        ("", "."),
        (b"", "."),
        ("   ", "."),
        ('["', "."),
        ("\xa01", "."),
    ],
)
def test_text_that_is_not_strict_json_is_refused(text: str | bytes, reason: str) -> None:
    with pytest.raises(JsonError, match=reason):
        parse(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (' {"a" : [1, 2.0, null, true, false]} \r\n\t', {"a": [1, 2.0, None, True, False]}),
        ('"\\ud83d\\ude80"', "\N{ROCKET}"),
        ('"\N{ROCKET}"'.encode(), "\N{ROCKET}"),
        ('"\\u0000\\/\\b"', "\0/\b"),
        ('"\ufeff"', "\ufeff"),
        ("-0", 0),
        ("1e2", 100),
        ("5e-324", 5e-324),
        ("1e-999", 0),
        ("9007199254740993", 9007199254740993),
        ('{"":{"":[]}}', {"": {"": []}}),
    ],
)
def test_strict_json_is_read(text: str | bytes, value: JsonValue) -> None:
    assert parse(text) == value


def nested(depth: int, *, arrays: bool = True, inside: str = "") -> str:
    return "[" * depth + inside + "]" * depth if arrays else '{"a":' * depth + "1" + "}" * depth


@pytest.mark.parametrize("inside", ["", "1", '"x"'])
def test_the_depth_cap_counts_arrays_and_objects_alone(inside: str) -> None:
    parse(nested(MAX_DEPTH, inside=inside))
    with pytest.raises(JsonError, match=f"deeper than {MAX_DEPTH}"):
        parse(nested(MAX_DEPTH + 1, inside=inside))
    parse(nested(MAX_DEPTH, arrays=False))
    with pytest.raises(JsonError, match=f"deeper than {MAX_DEPTH}"):
        parse(nested(MAX_DEPTH + 1, arrays=False))
    assert parse("[[]]", max_depth=2) == [[]]
    with pytest.raises(JsonError):
        parse("[[]]", max_depth=1)
    assert parse("1", max_depth=0) == 1


@pytest.mark.parametrize("depth", [10_000, 1_000_000])
@pytest.mark.parametrize("closed", [True, False])
def test_a_depth_bomb_is_an_error_and_no_crash(depth: int, closed: bool) -> None:
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        with pytest.raises(JsonError):
            parse(opening * depth + (closing * depth if closed else ""))


@given(values)
def test_what_is_sent_is_read_back(value: JsonValue) -> None:
    assert equal(parse(compact(value)), value)
    assert equal(parse(canonical(value)), value)


@given(st.text() | st.binary())
def test_any_text_is_read_or_refused_and_what_is_read_others_read_too(text: str | bytes) -> None:
    try:
        value = parse(text)
    except JsonError:
        return
    assert equal(json.loads(text), value)


# ---------------------------------------------------------------------------------- canonical


@pytest.mark.parametrize(
    ("bits", "text"),
    [
        # RFC 8785, appendix B
        ("0000000000000000", "0"),
        ("8000000000000000", "0"),
        ("0000000000000001", "5e-324"),
        ("8000000000000001", "-5e-324"),
        ("7fefffffffffffff", "1.7976931348623157e+308"),
        ("ffefffffffffffff", "-1.7976931348623157e+308"),
        ("4340000000000000", "9007199254740992"),
        ("c340000000000000", "-9007199254740992"),
        ("4430000000000000", "295147905179352830000"),
        ("44b52d02c7e14af5", "9.999999999999997e+22"),
        ("44b52d02c7e14af6", "1e+23"),
        ("44b52d02c7e14af7", "1.0000000000000001e+23"),
        ("444b1ae4d6e2ef4e", "999999999999999700000"),
        ("444b1ae4d6e2ef4f", "999999999999999900000"),
        ("444b1ae4d6e2ef50", "1e+21"),
        ("3eb0c6f7a0b5ed8c", "9.999999999999997e-7"),
        ("3eb0c6f7a0b5ed8d", "0.000001"),
        ("41b3de4355555553", "333333333.3333332"),
        ("41b3de4355555554", "333333333.33333325"),
        ("41b3de4355555555", "333333333.3333333"),
        ("41b3de4355555556", "333333333.3333334"),
        ("41b3de4355555557", "333333333.33333343"),
        ("becbf647612f3696", "-0.0000033333333333333333"),
        ("43143ff3c1cb0959", "1424953923781206.2"),
    ],
)
def test_numbers_have_the_form_of_rfc_8785(bits: str, text: str) -> None:
    (number,) = struct.unpack(">d", bytes.fromhex(bits))
    assert canonical(number) == text.encode()


def test_members_are_sorted_by_utf_16_and_strings_are_escaped_as_in_rfc_8785() -> None:
    members = {
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\U0001f600": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis",
    }
    names = [json.loads(part.partition(b":")[0]) for part in canonical(members)[1:-1].split(b",")]
    assert names == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]
    text = "\u20ac$\u000f\u000aA'\u0042\u0022\u005c\\\u0022/"
    assert canonical(text) == '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()
    literals = {"numbers": [333333333.33333329, 1e30, 4.50, 2e-3, 1e-27], "b": [None, True, False]}
    assert canonical(literals) == (
        b'{"b":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27]}'
    )


@pytest.mark.parametrize(
    "value", [2**53, -(2**53), math.nan, math.inf, [-math.inf], "\ud800", {"\udc00": 1}]
)
def test_what_i_json_excludes_has_no_canonical_form(value: JsonValue) -> None:
    with pytest.raises(JsonError):
        canonical(value)


# ------------------------------------------------------------------------------------ pointers


@pytest.mark.parametrize(
    ("pointer", "tokens"),
    [
        ("", ()),
        ("/", ("",)),
        ("/foo/0", ("foo", "0")),
        ("/a~1b", ("a/b",)),
        ("/m~0n", ("m~n",)),
        ("/~01", ("~1",)),
        ("/c%d", ("c%d",)),
        ("/ //", (" ", "", "")),
        ('/k"l', ('k"l',)),
    ],
)
def test_pointers_are_those_of_rfc_6901(pointer: str, tokens: tuple[str, ...]) -> None:
    assert tokens_of(pointer) == tokens
    assert pointer_of(tokens) == pointer


@pytest.mark.parametrize("pointer", ["a", "~", "/~", "/~2", "/a~/b", "#/a", "/~~1"])
def test_text_that_is_no_pointer_is_refused(pointer: str) -> None:
    with pytest.raises(JsonError):
        tokens_of(pointer)


@given(st.lists(texts))
def test_any_tokens_make_a_pointer_that_gives_them_back(tokens: list[str]) -> None:
    assert tokens_of(pointer_of(tuple(tokens))) == tuple(tokens)


edges = st.sampled_from(
    [0.0, -0.0, 1.0, 1e16, 1e21, 0.1, 10**15, LARGEST, -LARGEST, "1.5", '"', "\\", "\x7f", "1e5"]
)
names = texts | st.sampled_from(["\U0001f600", "\ufb01", "\ue000", '\\"', "1.0"])


@given(
    st.recursive(
        values | edges,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=4),
        max_leaves=8,
    )
)
def test_the_canonical_form_is_what_the_library_for_it_says(value: JsonValue) -> None:
    """Most values are written without it."""
    assert canonical(value) == rfc8785.dumps(value)


# ---------------------------------------------------------------------------------- comparison


@given(values)
def test_a_value_equals_itself_read_again(value: JsonValue) -> None:
    assert first_difference(value, json.loads(json.dumps(value))) is None


@given(values, values)
def test_two_values_are_equal_exactly_when_their_canonical_forms_are(
    left: JsonValue, right: JsonValue
) -> None:
    assert equal(left, right) is (canonical(left) == canonical(right))
    assert equal(left, right) is (first_difference(left, right) is None)
    assert equal(left, right) is equal(right, left)


@given(values, st.data())
def test_one_change_is_found_where_it_was_made(value: JsonValue, data: st.DataObject) -> None:
    other = json.loads(json.dumps(value))
    place = data.draw(st.sampled_from(places(value)))
    new = data.draw(values)
    assume(not equal(at(place, value), new))
    if not place:
        other = new
    else:
        *above, last = tokens_of(place)
        holder = at(pointer_of(tuple(above)), other)
        holder[int(last) if isinstance(holder, list) else last] = new
    found = first_difference(value, other)
    assert found is not None
    assert found.pointer == place or found.pointer.startswith(place + "/")
    assert at(found.pointer, value) is found.expected or equal(
        at(found.pointer, value), found.expected
    )
    assert at(found.pointer, other) is found.got or equal(at(found.pointer, other), found.got)


@given(values, values)
def test_a_difference_names_a_place_that_is_in_one_of_the_two(
    left: JsonValue, right: JsonValue
) -> None:
    found = first_difference(left, right)
    if found is None:
        return
    assert at(found.pointer, left) is found.expected
    assert at(found.pointer, right) is found.got
    assert (found.expected is MISSING) + (found.got is MISSING) < 2


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (1e21, 10**21, True),
        (2.0**68, 295147905179352830000, True),
        (2.0**68, 295147905179352925856, False),
        (1.5, 10**400, False),
        (2**53, 2**53 + 1, False),
        (True, 1, False),
        (1, True, False),
        (False, 0, False),
        (0.0, False, False),
        (True, True, True),
        (None, False, False),
        (None, 0, False),
        (None, "", False),
        ("1", 1, False),
        ([], {}, False),
        ("", [], False),
        ({}, None, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ([None], [], False),
        ({"a": None}, {}, False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1.0}, True),
        ("\u00e9", "e\u0301", False),
        (0.1 + 0.2, 0.3, False),
        ([[1]], [[True]], False),
    ],
)
def test_what_is_one_json_value_and_what_is_not(
    left: JsonValue, right: JsonValue, same: bool
) -> None:
    assert equal(left, right) is same
    assert equal(right, left) is same
    assert (first_difference(left, right) is None) is same


@pytest.mark.parametrize(
    ("expected", "got", "difference"),
    [
        ({"a": 1, "b": 2}, {"b": 3, "a": 4}, Difference("/a", 1, 4)),
        ({"b": 1, "a": 2}, {"a": 3, "b": 4}, Difference("/b", 1, 4)),
        ({"a": {"x~/": [0, 1]}}, {"a": {"x~/": [0, 2]}}, Difference("/a/x~0~1/1", 1, 2)),
        ([1, 2], [1], Difference("/1", 2, MISSING)),
        ([1], [1, None], Difference("/1", MISSING, None)),
        ({}, {"": 0}, Difference("/", MISSING, 0)),
        (1, "1", Difference("", 1, "1")),
        ({"a": [{}, 1]}, {"a": [{"b": 1}, 2]}, Difference("/a/0/b", MISSING, 1)),
    ],
)
def test_the_first_difference_is_the_first_of_what_was_expected(
    expected: JsonValue, got: JsonValue, difference: Difference
) -> None:
    assert first_difference(expected, got) == difference


def test_a_difference_reads_as_a_sentence() -> None:
    said = str(Difference("/a", {"long": "x" * 500}, MISSING))
    assert said.startswith('at \'/a\': expected {"long": "xxx')
    assert said.endswith("…, got nothing")
    assert len(said) < 160


def test_deep_values_are_compared_without_recursion() -> None:
    depth = sys.getrecursionlimit() * 3
    left: JsonValue = 1
    right: JsonValue = 2
    for _ in range(depth):
        left, right = [left], {"a": [right]}["a"]
    found = first_difference(left, right)
    assert found is not None
    assert found.pointer == "/0" * depth


def test_a_brief_is_one_line_and_short() -> None:
    assert brief(MISSING) == "nothing"
    assert brief({"a": "\n"}) == '{"a": "\\n"}'
    assert brief("é" * 500, limit=10) == '"éééééééé…'
    assert brief(object()).startswith('"<object')
