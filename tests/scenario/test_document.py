"""Scenario files are JSON written as YAML: what reads as what, and where the rest is wrong."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.errors import DocumentError
from openwop_conformance.jsonvalue import equal
from openwop_conformance.scenario.document import MAX_BYTES, MAX_DEPTH, load, read


def fault(data: bytes) -> str:
    with pytest.raises(DocumentError) as caught:
        read(data, "f")
    return str(caught.value)


VALUES: dict[str, Any] = {
    "a: no-one": "no-one",
    "a: y": "y",
    "a: 0o17": "0o17",
    "a: '010'": "010",
    "a: 'no'": "no",
    'a: "null"': "null",
    "a: '12:30:45'": "12:30:45",
    "a: ''": "",
    'a: "2024-01-01"': "2024-01-01",
    "a: |\n  x\n  y\n": "x\ny\n",
    "a: >-\n  x\n  y\n": "x y",
    "a: |-\n  no": "no",
    "a: null": None,
    "a: true": True,
    "a: false": False,
    "a: 0": 0,
    "a: -1": -1,
    "a: 1.5": 1.5,
    "a: -1.25e-2": -0.0125,
    "a: 1e5": 100000.0,
    "a: 1E+5": 100000.0,
    "a: 99999999999999999999": 99999999999999999999,
    "a: []": [],
    "a: {}": {},
    "a: [1, {b: [c]}]": [1, {"b": ["c"]}],
    '{"a":{"b":1,"c":[true,null]}}': {"b": 1, "c": [True, None]},
    "a: $name": "$name",
    'a: "\\u00e4\\n"': "ä\n",
    "a:\t1": 1,
    "a: 1 # b": 1,
    "a: b#c": "b#c",
    "a: http://x:1/y": "http://x:1/y",
    "\ufeffa: 1": 1,
}


@pytest.mark.parametrize("text", VALUES)
def test_a_scalar_that_json_has_is_that_value_and_a_quoted_one_a_string(text: str) -> None:
    (got,) = read(text.encode(), "f.yaml").value.values()

    assert equal(got, VALUES[text])
    assert type(got) is type(VALUES[text])


YAML_1_1 = "would be read as {} by YAML 1.1: quote it"
TRAPS: dict[str, tuple[int, int, str]] = {
    **{
        f"a: {word}": (1, 4, f"{word!r} {YAML_1_1.format(kind)}")
        for word, kind in {
            "no": "bool",
            "on": "bool",
            "Yes": "bool",
            "OFF": "bool",
            "TRUE": "bool",
            "~": "null",
            "Null": "null",
            "010": "int",
            "00": "int",
            "+1": "int",
            "0x10": "int",
            "0b11": "int",
            "1_000": "int",
            "12:30:45": "int",
            "1:30": "int",
            ".5": "float",
            "1.": "float",
            ".inf": "float",
            "-.Inf": "float",
            ".nan": "float",
            "2024-01-01": "timestamp",
            "2024-01-01T00:00:00Z": "timestamp",
            "=": "value",
        }.items()
    },
    "a: 1e999": (1, 4, "1e999 is not a finite number"),
    "x: 1\na:": (2, 3, "nothing stands here: write a value, or null"),
    "a:\n- 1\n-\n": (3, 2, "nothing stands here: write a value, or null"),
    "a:\n  <<: {b: 1}": (2, 3, "merge keys are not allowed"),
    "a: !!str 1": (1, 4, "the tag tag:yaml.org,2002:str is not allowed"),
    "a: !!python/object:os.system 1": (
        1,
        4,
        "the tag tag:yaml.org,2002:python/object:os.system is not allowed",
    ),
    "a: !local [1]": (1, 4, "the tag !local is not allowed"),
    "a: ! 1": (1, 4, "the tag ! is not allowed"),
    "a: !!map {b: 1}": (1, 4, "the tag tag:yaml.org,2002:map is not allowed"),
    "!!str a: 1": (1, 1, "anchors and tags are not allowed"),
    "a: &x 1": (1, 4, "anchors and aliases are not allowed: write the value, or use let:"),
    "a:\n  - &x {b: 1}": (
        2,
        5,
        "anchors and aliases are not allowed: write the value, or use let:",
    ),
    "a: *x": (1, 4, "anchors and aliases are not allowed: write the value, or use let:"),
    "&x a: 1": (1, 1, "anchors and tags are not allowed"),
    "*x : 1": (1, 1, "a key is text"),
    "a: 1\nb: 2\na: 3": (3, 1, "duplicate key 'a'"),
    "{b: {a: 1, 'a': 2}}": (1, 12, "duplicate key 'a'"),
    "b:\n  1: x": (2, 3, "a key is text: quote '1'"),
    "null: x": (1, 1, "a key is text: quote 'null'"),
    "no: x": (1, 1, f"'no' {YAML_1_1.format('bool')}"),
    "? [a]\n: 1": (1, 3, "a key is text"),
    "a: 1\n---\nb: 2": (2, 1, "a file holds one document"),
    "": (1, 1, "the file is empty"),
    "# nothing\n": (2, 1, "the file is empty"),
    "---\n": (2, 1, "nothing stands here: write a value, or null"),
    "a:\n\tb: 1": (2, 1, "found character that cannot start any token"),
    "a: @b": (1, 4, "found character that cannot start any token"),
    "- a\nb: 1": (2, 1, "did not find expected '-' indicator"),
    "a: 'b": (1, 6, "found unexpected end of stream"),
    'a: "\\ud800"': (1, 7, "found invalid Unicode character escape code"),
    "ä: b\x07": (1, 5, "the character U+0007 is not allowed: escape it, in double quotes"),
    "a: 1\r\nb: '\x7f'": (2, 5, "the character U+007F is not allowed: escape it, in double quotes"),
    "a: 'x\x85y'": (1, 6, "the character U+0085 is not allowed: escape it, in double quotes"),
    "a: 'x\u2028y'": (1, 6, "the character U+2028 is not allowed: escape it, in double quotes"),
    "a: \ufffe": (1, 4, "the character U+FFFE is not allowed: escape it, in double quotes"),
    "ä: ö\nü: {é: *x}": (2, 8, "anchors and aliases are not allowed: write the value, or use let:"),
}


@pytest.mark.parametrize("text", TRAPS)
def test_what_yaml_has_and_json_has_not_is_an_error_at_its_place(text: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read(text.encode(), "dir/f.yaml")

    line, column, message = TRAPS[text]
    assert str(caught.value) == f"dir/f.yaml:{line}:{column}: {message}"
    assert (caught.value.path, caught.value.line, caught.value.column) == (
        "dir/f.yaml",
        line,
        column,
    )


def test_bytes_that_are_not_utf_8_are_an_error_at_the_first_of_them() -> None:
    assert fault("a: b\nc: ä".encode() + b"\xff\n") == "f:2:5: not UTF-8"


def test_an_integer_of_more_digits_than_python_reads_is_an_error_at_its_place() -> None:
    assert fault(b"a: 1\nb: " + b"9" * 5000).startswith("f:2:4: Exceeds the limit")


def test_nesting_has_a_cap_and_the_error_is_at_the_first_level_beyond() -> None:
    assert read(b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH, "f").value

    deeper = b"[" * (MAX_DEPTH + 1) + b"1" + b"]" * (MAX_DEPTH + 1)
    assert fault(deeper) == f"f:1:{MAX_DEPTH + 2}: nested deeper than {MAX_DEPTH}"
    assert fault(b"[" * 200_000).startswith("f:1:")


def test_a_file_larger_than_the_cap_is_refused_before_it_is_parsed() -> None:
    assert read(b"a: " + b"x" * (MAX_BYTES - 3), "f").value

    assert fault(b"*" + b"x" * MAX_BYTES) == "f:1:1: larger than 1048576 bytes"


def test_a_file_that_is_not_there_is_an_error_with_its_name(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"^gone\.yaml:1:1: No such file or directory$"):
        load(tmp_path / "gone.yaml", "gone.yaml")


def test_every_value_has_its_place() -> None:
    text = b"""\
# a comment
first: one
list:
- x
-   deep: {key: [1, 'two']}
"quoted": >
  folded
"""
    document = read(text, "f")

    assert {at: (document.at(*at).line, document.at(*at).column) for at in document.marks} == {
        (): (2, 1),
        ("first",): (2, 8),
        ("list",): (4, 1),
        ("list", 0): (4, 3),
        ("list", 1): (5, 5),
        ("list", 1, "deep"): (5, 11),
        ("list", 1, "deep", "key"): (5, 17),
        ("list", 1, "deep", "key", 0): (5, 18),
        ("list", 1, "deep", "key", 1): (5, 21),
        ("quoted",): (6, 11),
    }
    assert str(document.at("list", 1, "deep")) == "f:5:11"


def test_what_has_no_place_of_its_own_is_placed_at_the_nearest_around_it() -> None:
    document = read(b"a:\n  b: 1\n", "f")

    assert document.at("a", "c", 0) == document.at("a")
    assert document.at("z") == document.at()


# YAML 1.1 has line breaks and a key length that JSON has not: those are errors, never other values.
texts = st.text(
    st.characters(
        exclude_categories=["Cs", "Cc"], exclude_characters="\x85\u2028\u2029\ufeff\ufffe\uffff"
    ),
    max_size=20,
)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts | st.sampled_from(["no", "1", "~", "\n", '\t\\"']),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(values, st.sampled_from([None, 1, 4]))
def test_json_text_reads_as_the_json_it_is(value: Any, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent)

    got = read(text.encode(), "f").value

    assert equal(got, value)
    assert json.dumps(got) == json.dumps(value)


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=10))
def test_a_string_is_read_as_it_is_or_refused_and_never_changed(value: str) -> None:
    text = json.dumps(value, ensure_ascii=False)
    if re.search("[\x7f-\x9f\u2028\u2029\ufffe\uffff]", text):
        assert "is not allowed: escape it" in fault(text.encode())
    else:
        assert read(text.encode(), "f").value == value
