"""Restrictions lifted one at a time: each has a name, changes one place, and only admits more."""

from __future__ import annotations

import copy
import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue, first_difference, tokens_of
from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.rulebook.lifting import ALIEN, Grain, Lift, lifts
from openwop_conformance.schemas.generate import Generator, near_miss
from openwop_conformance.schemas.shape import Shape

SCHEMA: JsonValue = {
    "type": "object",
    "required": ["a", "b/c"],
    "additionalProperties": False,
    "properties": {
        "a": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^x", "format": "date"},
        "b/c": {"type": ["integer", "null"], "minimum": 0, "maximum": 9},
        "c": {"type": "string", "enum": ["u"]},
        "d": {
            "type": "array",
            "minItems": 0,
            "maxItems": 2,
            "uniqueItems": True,
            "items": {"const": 1},
            "contains": {"minLength": 0},
        },
        "e": {"additionalProperties": {"anyOf": [{"$ref": "#/$defs/f"}, True]}},
    },
    "$defs": {"f": {"minimum": -1}, "lonely": {"maxLength": 1}},
}
KEYWORDS = [
    "/type",
    "/additionalProperties",
    "/required/a",
    "/required/b~1c",
    "/$defs/f/minimum",
    "/properties/a/minLength",
    "/properties/a/maxLength",
    "/properties/a/pattern",
    "/properties/a/format",
    "/properties/a/type",
    "/properties/b~1c/minimum",
    "/properties/b~1c/maximum",
    "/properties/b~1c/type",
    "/properties/c/enum",
    "/properties/d/minItems",
    "/properties/d/maxItems",
    "/properties/d/uniqueItems",
    "/properties/d/type",
    "/properties/d/contains/minLength",
    "/properties/d/items/const",
]
NODES = [
    "/$defs/f",
    "/properties/a",
    "/properties/b~1c",
    "/properties/c",
    "/properties/d",
    "/properties/d/contains",
    "/properties/d/items",
    "/properties/e",
    "/properties/e/additionalProperties",
    "/properties/e/additionalProperties/anyOf/0",
]
OBJECT = ["null", "boolean", "number", "string", "array"]
WIDER = [
    *(f"/type+{name}" for name in OBJECT),
    "/$defs/f/minimum-1",
    "/properties/a/minLength-1",
    "/properties/a/maxLength+1",
    *(f"/properties/a/type+{name}" for name in ("null", "boolean", "number", "array", "object")),
    "/properties/b~1c/minimum-1",
    "/properties/b~1c/maximum+1",
    *(f"/properties/b~1c/type+{name}" for name in (*OBJECT[1:], "object")),
    "/properties/c/enum+",
    "/properties/d/maxItems+1",
    *(f"/properties/d/type+{name}" for name in (*OBJECT[:4], "object")),
]


@cache
def book() -> Rulebook:
    return Rulebook(corpus())


def found(document: JsonValue, grain: Grain | None = None) -> list[str]:
    return [lift.name for lift in lifts(Shape(document)) if grain in (None, lift.grain)]


def lifted(document: JsonValue, name: str, grain: Grain) -> JsonValue:
    shape = Shape(document)
    (lift,) = (one for one in lifts(shape) if (one.name, one.grain) == (name, grain))
    return lift.of(shape).document


# -------------------------------------------------------------------------- names and grains


def test_every_restriction_has_a_name_and_a_grain_in_a_steady_order() -> None:
    assert found(SCHEMA, Grain.KEYWORD) == KEYWORDS
    assert found(SCHEMA, Grain.NODE) == NODES
    assert found(SCHEMA, Grain.WIDER) == WIDER
    assert len(found(SCHEMA)) == len(KEYWORDS) + len(NODES) + len(WIDER)
    assert found(SCHEMA) == found(copy.deepcopy(SCHEMA))


def test_a_node_s_keywords_come_first_then_what_is_wider_then_the_whole_of_it() -> None:
    grains = [lift.grain for lift in lifts(Shape(SCHEMA)) if lift.node == "/properties/b~1c"]

    assert grains == [Grain.KEYWORD] * 3 + [Grain.WIDER] * 7 + [Grain.NODE]


@pytest.mark.parametrize("name", ENTRIES)
def test_no_two_lifts_of_a_real_shape_have_one_name(name: str) -> None:
    """A case names its restriction by it, and the book keeps its validators under it."""
    names = [lift.name for lift in book().lifts[name]]

    assert len(names) == len(set(names)) > 60


def test_the_type_beside_an_enum_is_not_lifted_apart() -> None:
    assert found({"type": "string", "enum": ["a"]}) == ["/enum", "/enum+"]
    seen = 0
    for name, shape in book().shapes.items():
        names = {lift.name for lift in book().lifts[name]}
        for place, node in shape.nodes.items():
            seen += "enum" in node
            has_a_type = "type" in node and "enum" not in node
            assert (f"{place}/type" in names) is has_a_type
            assert any(n.startswith(f"{place}/type+") for n in names) is has_a_type
    assert seen > 20


@pytest.mark.parametrize("keyword", ["minLength", "minItems"])
def test_a_length_of_0_cannot_be_one_less(keyword: str) -> None:
    assert found({keyword: 0}) == [f"/{keyword}"]
    assert found({keyword: 1}) == [f"/{keyword}", f"/{keyword}-1"]


def test_a_number_of_0_can_be_one_less() -> None:
    assert lifted({"minimum": 0}, "/minimum-1", Grain.WIDER) == {"minimum": -1}


@pytest.mark.parametrize("keyword", ["maxLength", "maxItems", "maximum"])
def test_an_upper_bound_goes_up_also_from_0(keyword: str) -> None:
    assert lifted({keyword: 0}, f"/{keyword}+1", Grain.WIDER) == {keyword: 1}


def test_only_a_closed_object_is_opened() -> None:
    assert found({"additionalProperties": True}) == []
    assert found({"additionalProperties": {}}) == ["/additionalProperties"]
    assert found({"additionalProperties": False}, Grain.KEYWORD) == ["/additionalProperties"]


def test_the_entry_is_not_lifted_as_a_whole_unless_it_is_a_place_of_the_document() -> None:
    assert found({"minLength": 2}, Grain.NODE) == []
    part = Shape({"$defs": {"a": {"minLength": 2}}}, "/$defs/a")
    assert [lift.name for lift in lifts(part) if lift.grain is Grain.NODE] == ["/$defs/a"]


# --------------------------------------------------------------------------- what a lift does


@pytest.mark.parametrize(
    ("name", "grain", "place", "value"),
    [
        ("/properties/d/contains", Grain.NODE, ("properties", "d", "contains"), True),
        ("/$defs/f", Grain.NODE, ("$defs", "f"), True),
        ("/required/b~1c", Grain.KEYWORD, ("required",), ["a"]),
        ("/required/a", Grain.KEYWORD, ("required",), ["b/c"]),
        ("/type+null", Grain.WIDER, ("type",), ["object", "null"]),
        (
            "/properties/b~1c/type+array",
            Grain.WIDER,
            ("properties", "b/c", "type"),
            ["integer", "null", "array"],
        ),
        ("/properties/c/enum+", Grain.WIDER, ("properties", "c", "enum"), ["u", ALIEN]),
        ("/properties/a/minLength-1", Grain.WIDER, ("properties", "a", "minLength"), 0),
    ],
)
def test_a_lift_puts_something_else_in_its_place(
    name: str, grain: Grain, place: tuple[str, ...], value: JsonValue
) -> None:
    wanted = copy.deepcopy(SCHEMA)
    node = wanted
    for token in place[:-1]:
        node = node[token]
    node[place[-1]] = value

    assert first_difference(wanted, lifted(SCHEMA, name, grain)) is None


def test_a_keyword_that_is_lifted_is_gone() -> None:
    wanted = copy.deepcopy(SCHEMA)
    del wanted["properties"]["b/c"]["maximum"]

    assert lifted(SCHEMA, "/properties/b~1c/maximum", Grain.KEYWORD) == wanted
    assert lifted({"anyOf": [{}, {"enum": [1]}]}, "/anyOf/1/enum", Grain.KEYWORD) == {
        "anyOf": [{}, {}]
    }


def test_a_lifted_shape_keeps_its_entry() -> None:
    shape = Shape({"$defs": {"a": {"minLength": 2}, "b": {"minLength": 2}}}, "/$defs/a")
    (lift, *_) = lifts(shape)

    assert lift.of(shape).entry == "/$defs/a"
    assert lift.of(shape).check.is_valid("")
    assert not shape.check.is_valid("")
    assert lift.of(shape).at("/$defs/b") == {"minLength": 2}


# ------------------------------------------------------------------------ on the real shapes


def parted(original: JsonValue, changed: JsonValue, place: str) -> tuple[JsonValue, JsonValue]:
    """What both hold at a place; everywhere else they are equal, or this fails."""
    for token in tokens_of(place):
        key = int(token) if isinstance(original, list) else token
        others = range(len(original)) if isinstance(original, list) else original.keys()
        assert len(changed) == len(others)
        for other in others:
            if other != key:
                same = changed[other] is original[other]
                assert same or first_difference(original[other], changed[other]) is None
        original, changed = original[key], changed[key]
    return original, changed


def hold_to_its_name(lift: Lift, node: JsonValue, changed: JsonValue) -> None:
    """At the node that the lift changes there is what its name says, and nothing else is new."""
    if lift.grain is Grain.NODE:
        assert lift.name == lift.node
        assert changed is True
        return
    rest = {key for key in node if key != lift.keyword}
    assert {key: node[key] for key in rest} == {
        key: value for key, value in changed.items() if key != lift.keyword
    }
    before, after = node[lift.keyword], changed.get(lift.keyword)
    name = lift.name.removeprefix(f"{lift.node}/{lift.keyword}")
    if lift.keyword == "required":
        (gone,) = tokens_of(name)
        assert after == [member for member in before if member != gone] != before
    elif lift.grain is Grain.KEYWORD:
        assert name == ""
        assert lift.keyword not in changed
    elif lift.keyword == "enum":
        assert name == "+"
        assert after == [*before, ALIEN]
    elif lift.keyword == "type":
        assert after == [*(before if isinstance(before, list) else [before]), name[1:]]
    else:
        assert f"{after - before:+}" == name


@pytest.mark.parametrize("name", ENTRIES)
def test_each_lift_changes_the_place_that_it_names_and_nothing_else(name: str) -> None:
    shape = book().shapes[name]
    before = copy.deepcopy(shape.document)

    for lift in book().lifts[name]:
        other = lift.of(shape)
        assert other.entry == shape.entry
        hold_to_its_name(lift, *parted(shape.document, other.document, lift.node))
    assert first_difference(before, shape.document) is None


@pytest.mark.parametrize("name", ENTRIES)
@given(draw=st.randoms(use_true_random=False))
def test_what_is_valid_stays_valid_whatever_is_lifted(name: str, draw: random.Random) -> None:
    shape, every = book().shapes[name], book().lifts[name]
    instances = [Generator(shape, draw).instance()]
    instances += [
        one for _ in range(4) if shape.check.is_valid(one := near_miss(instances[0], draw))
    ]

    for lift in draw.sample(every, 25):
        for instance in instances:
            assert book().without(name, lift).is_valid(instance), lift.name
