"""Random instances: valid, everywhere, repeatable; near misses of them; and the smallest fault."""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue, canonical, parse
from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.schemas import compiled
from openwop_conformance.schemas.generate import (
    DATES,
    NUMBERS,
    PATTERNS,
    TEXTS,
    Generator,
    any_value,
    near_miss,
    smallest,
)
from openwop_conformance.schemas.shape import Shape

SHAPES = [*ENTRIES, "message"]
RANDOMS = st.randoms(use_true_random=False)


@cache
def book() -> Rulebook:
    return Rulebook(corpus())


def shape_of(name: str) -> Shape:
    return book().message if name == "message" else book().shapes[name]


def drawn(document: JsonValue, count: int = 60) -> list[JsonValue]:
    generator = Generator(Shape(document), random.Random(1))
    return [generator.instance() for _ in range(count)]


# ------------------------------------------------------------------------------- instances


@pytest.mark.parametrize("name", SHAPES)
@given(draw=RANDOMS)
def test_whatever_is_generated_is_valid_and_can_be_sent(name: str, draw: random.Random) -> None:
    shape = shape_of(name)
    instance = Generator(shape, draw).instance()

    assert shape.check.is_valid(instance)
    assert canonical(parse(canonical(instance))) == canonical(instance)


@pytest.mark.parametrize("name", SHAPES)
def test_every_node_is_reached_before_long(name: str) -> None:
    shape = shape_of(name)
    generator = Generator(shape, random.Random(209))
    for _ in range(400):
        assert shape.check.is_valid(generator.instance())

    assert generator.reached == shape.nodes.keys()


def test_what_was_not_walked_through_is_not_among_what_was_reached() -> None:
    shape = Shape({"anyOf": [{"type": "string"}, {"type": "array", "items": {"enum": [1]}}]})
    generator = Generator(shape, random.Random(1))
    assert generator.reached == set()

    made = generator.instance()
    branch = "/anyOf/0" if isinstance(made, str) else "/anyOf/1"
    assert generator.reached - {"/anyOf/1/items"} == {"", branch}


@pytest.mark.parametrize("name", SHAPES)
def test_the_same_seed_makes_the_same_instances_and_another_seed_others(name: str) -> None:
    def made(seed: int) -> list[JsonValue]:
        generator = Generator(shape_of(name), random.Random(seed))
        return [generator.instance() for _ in range(20)]

    assert made(7) == made(7)
    assert made(7) != made(8)


def test_an_entry_that_says_nothing_is_any_value() -> None:
    for document in (True, {}, {"description": "anything"}):
        kinds = {type(value) for value in drawn(document)}
        assert kinds == {type(None), bool, int, str, list, dict}


@pytest.mark.parametrize(
    ("document", "values"),
    [
        ({"type": "integer", "minimum": 3, "maximum": 7}, {3, 4, 7}),
        ({"type": "integer", "minimum": -1}, {-1, 0, 2**53 - 1}),
        ({"type": "number"}, set(NUMBERS)),
        ({"type": "boolean"}, {True, False}),
        ({"type": "string"}, set(TEXTS)),
        ({"type": "string", "format": "date-time"}, set(DATES)),
        ({"type": "string", "enum": ["a", "b"]}, {"a", "b"}),
        ({"enum": [1, "1", None]}, {1, "1", None}),
        ({"anyOf": [{"enum": [1]}, {"enum": [2]}]}, {1, 2}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"enum": ["x"]}}}, {"x"}),
    ],
)
def test_every_value_that_it_knows_for_a_node_is_made(
    document: JsonValue, values: set[JsonValue]
) -> None:
    assert set(drawn(document, 200)) == values


def test_texts_lists_and_members_keep_their_bounds() -> None:
    texts = drawn({"type": "string", "minLength": 1, "maxLength": 3})
    assert {len(text) for text in texts} <= {1, 2, 3}
    lists = drawn({"type": "array", "minItems": 2, "maxItems": 3, "items": {"enum": [7]}})
    assert {tuple(one) for one in lists} == {(7, 7), (7, 7, 7)}
    assert {len(x) for x in drawn({"type": "array", "minItems": 1})} == {1, 2, 3, 4}


def test_a_member_is_there_when_it_is_required_and_sometimes_when_it_is_not() -> None:
    document = {
        "type": "object",
        "required": ["a"],
        "properties": {"a": {"enum": [1]}, "b": {"enum": [2]}},
        "additionalProperties": False,
    }
    made = drawn(document)

    assert {tuple(one) for one in made} == {("a",), ("a", "b")}


def test_additional_members_are_made_as_their_schema_has_it() -> None:
    made = drawn({"type": "object", "additionalProperties": {"type": "boolean"}})

    assert {len(one) for one in made} == {0, 1, 2}
    assert {type(value) for one in made for value in one.values()} == {bool}


@given(RANDOMS)
def test_a_text_of_a_pattern_fits_it(draw: random.Random) -> None:
    for pattern, make in PATTERNS.items():
        assert re.search(pattern, make(draw))


def test_every_pattern_of_a_real_shape_can_be_made_and_every_one_here_is_of_one() -> None:
    shapes = book().shapes.values()
    patterns = {n["pattern"] for shape in shapes for n in shape.nodes.values() if "pattern" in n}

    assert patterns == PATTERNS.keys()


def test_the_dates_are_dates() -> None:
    check = compiled({"format": "date-time"})

    assert all(check.is_valid(date) for date in DATES)
    assert not check.is_valid("yesterday")


# ----------------------------------------------------------------------------- near misses


@pytest.mark.parametrize("name", SHAPES)
def test_some_near_misses_are_valid_and_some_are_not(name: str) -> None:
    shape, draw = shape_of(name), random.Random(3)
    generator = Generator(shape, draw)
    valid = sum(shape.check.is_valid(near_miss(generator.instance(), draw)) for _ in range(400))

    assert 20 < valid < 380


@pytest.mark.parametrize("name", SHAPES)
@given(draw=RANDOMS)
def test_a_near_miss_leaves_what_it_was_made_of_as_it_was(name: str, draw: random.Random) -> None:
    instance = Generator(shape_of(name), draw).instance()
    before = copy.deepcopy(instance)

    for _ in range(5):
        assert near_miss(instance, draw) is not instance
        assert instance == before


@given(RANDOMS)
def test_a_near_miss_of_any_value_is_a_value_that_can_be_sent(draw: random.Random) -> None:
    value = near_miss(any_value(draw), draw)

    assert canonical(parse(canonical(value))) == canonical(value)


@given(RANDOMS)
def test_a_near_miss_of_an_object_is_in_one_member_alone(draw: random.Random) -> None:
    instance = {"a": {"b": "x", "c": [1, 2]}, "d": True, "e": "text"}
    made = near_miss(instance, draw)

    assert isinstance(made, dict)
    keys = {*instance, *made}
    changed = [k for k in keys if k not in made or k not in instance or made[k] != instance[k]]
    assert len(changed) <= 1


# ---------------------------------------------------------------------------- the smallest

STRINGS = Shape({"type": "array", "items": {"type": "string"}})


def strings_in(value: JsonValue) -> list[str]:
    if isinstance(value, dict):
        return [text for held in value.values() for text in strings_in(held)]
    if isinstance(value, list):
        return [text for held in value for text in strings_in(held)]
    return [value] if isinstance(value, str) else []


def test_the_smallest_list_that_holds_a_text_holds_nothing_else() -> None:
    found = ["a", "Hello", "0", "Hello"]

    assert smallest(STRINGS, lambda value: "Hello" in value, found) == ["Hello"]
    assert found == ["a", "Hello", "0", "Hello"]


@pytest.mark.parametrize(
    ("shows", "least"),
    [
        (lambda value: len(value) >= 2, ["a", "a"]),
        (lambda value: value.count("Hello") > 1, ["Hello", "Hello"]),
        (lambda value: True, []),
    ],
)
def test_what_is_found_is_as_short_as_it_can_be(
    shows: Callable[[JsonValue], bool], least: list[str]
) -> None:
    assert smallest(STRINGS, shows, ["never", "looked", "at"]) == least


def test_a_fault_deep_in_a_payload_comes_without_what_does_not_belong_to_it() -> None:
    shape = book().shapes["frame"]

    def moves(frame: JsonValue) -> bool:
        return any(operation["op"] == "move" for operation in frame["patch"])

    least = smallest(shape, moves, {})
    assert shape.check.is_valid(least)
    assert [operation["op"] for operation in least["patch"]] == ["move"]
    assert set(strings_in(least)) == {"a", "move"}


def test_what_was_found_stays_when_hypothesis_finds_no_such_instance() -> None:
    found: JsonValue = {"found": "elsewhere"}

    assert smallest(Shape({"type": "boolean"}), lambda value: False, found) is found
