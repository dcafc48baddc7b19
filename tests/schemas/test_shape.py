"""A schema as a thing to walk through: what is reached, what is allowed, and who uses it."""

from __future__ import annotations

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.schemas import compiled
from openwop_conformance.schemas.generate import Generator
from openwop_conformance.schemas.shape import Shape, Visits, allowances, type_of

SCHEMA: JsonValue = {
    "type": "object",
    "required": ["kind"],
    "properties": {
        "kind": {"type": "string", "enum": ["leaf", "node"]},
        "value": {"type": ["string", "number", "null"]},
        "a/b": {"$ref": "#/$defs/tree"},
        "extra": {
            "type": "object",
            "properties": {"own": {"type": "string"}},
            "additionalProperties": {"$ref": "#/$defs/either"},
        },
        "anything": True,
    },
    "$defs": {
        "tree": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "name": {"type": "string"},
                "below": {"type": "array", "items": {"$ref": "#/$defs/tree"}},
            },
        },
        "either": {"anyOf": [{"type": "boolean"}, {"$ref": "#/$defs/tree"}]},
        "lonely": {"type": "string"},
    },
}
SHAPE = Shape(SCHEMA)
TREE = ["/$defs/tree/properties/name", "/$defs/tree/properties/below"]
WHOLE: JsonValue = {
    "kind": "leaf",
    "value": 1.5,
    "a/b": {"name": "x", "below": [{"below": [{"name": "y"}]}]},
    "extra": {"own": "o", "one": True, "two": {"name": "z"}},
    "anything": None,
}


@cache
def book() -> Rulebook:
    return Rulebook(corpus())


def unused(*instances: JsonValue, place: str | None = None) -> list[str]:
    return Visits(SHAPE, instances).unused(places=None if place is None else [place])


# -------------------------------------------------------------------------------- the nodes


def test_the_nodes_are_what_the_entry_reaches_by_any_keyword_in_order() -> None:
    assert list(SHAPE.nodes) == [
        "",
        "/$defs/either",
        "/$defs/either/anyOf/0",
        "/$defs/either/anyOf/1",
        "/$defs/tree",
        "/$defs/tree/properties/below",
        "/$defs/tree/properties/below/items",
        "/$defs/tree/properties/name",
        "/properties/a~1b",
        "/properties/extra",
        "/properties/extra/additionalProperties",
        "/properties/extra/properties/own",
        "/properties/kind",
        "/properties/value",
    ]


def test_a_node_is_the_schema_itself_and_true_is_none() -> None:
    for place, node in SHAPE.nodes.items():
        assert node is SHAPE.at(place)
    assert SHAPE.at("/properties/anything") is True
    assert Shape(True).nodes == {}


def test_alone_a_place_has_the_same_nodes_and_no_definition_that_it_does_not_reach() -> None:
    tree = SHAPE.part("/$defs/tree")
    assert tree.alone.nodes == tree.nodes
    assert tree.alone.document == {"$defs": {"tree": SCHEMA["$defs"]["tree"]}}
    assert SHAPE.part("/$defs/either").alone.document["$defs"].keys() == {"either", "tree"}
    assert SHAPE.alone is SHAPE


def test_alone_a_place_keeps_a_definition_that_takes_anything() -> None:
    list_of_any = {"items": {"$ref": "#/$defs/any"}}
    definitions = {"list": list_of_any, "any": True, "none": False}
    alone = Shape({"$defs": definitions}, "/$defs/list").alone
    assert alone.document == {"$defs": {"list": list_of_any, "any": True}}
    assert alone.check.is_valid([1])


@pytest.mark.parametrize("keyword", ["items", "contains", "propertyNames", "not"])
def test_every_keyword_that_holds_a_schema_is_walked_into(keyword: str) -> None:
    assert list(Shape({keyword: {"minLength": 1}}).nodes) == ["", f"/{keyword}"]


@pytest.mark.parametrize(
    ("document", "places"),
    [
        ({"properties": {"self": {"$ref": "#"}}}, ["", "/properties/self"]),
        (
            {"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"items": {"$ref": "#"}}}},
            ["", "/$defs/a", "/$defs/a/items", "/items"],
        ),
    ],
)
def test_a_schema_that_refers_to_itself_comes_to_an_end(
    document: JsonValue, places: list[str]
) -> None:
    assert list(Shape(document).nodes) == places


@pytest.mark.parametrize("name", ENTRIES)
def test_every_node_of_a_real_shape_is_a_part_that_can_judge(name: str) -> None:
    shape = book().shapes[name]
    assert len(shape.nodes) > 8

    for place, node in shape.nodes.items():
        part = shape.part(place)
        assert part.at(part.entry) is node
        assert part.nodes.keys() <= shape.nodes.keys()
        assert part.check is shape.part(place).check


def test_a_part_stands_alone_with_the_definitions_it_refers_to() -> None:
    tree = SHAPE.part("/$defs/tree")

    assert tree.standalone == {**SCHEMA["$defs"]["tree"], "$defs": SCHEMA["$defs"]}
    assert tree.check.is_valid({"below": [{"name": "x"}]})
    assert not tree.check.is_valid({"below": [{"name": 1}]})
    assert "$defs" in SCHEMA
    assert "$defs" not in SCHEMA["$defs"]["tree"]


def test_the_whole_document_and_a_bare_true_stand_alone_as_they_are() -> None:
    assert SHAPE.standalone is SCHEMA
    assert SHAPE.part("/properties/anything").standalone is True
    assert SHAPE.part("/properties/anything").check.is_valid([])
    assert Shape({"items": {"minLength": 1}}, "/items").check.is_valid("x")


# -------------------------------------------------------------------------- what is allowed


def test_members_values_branches_and_types_are_allowed_by_name() -> None:
    assert allowances("/x", {"properties": {"a/b": True, "~": {}}}) == {
        "/x/properties/a~1b": ("member", "a/b"),
        "/x/properties/~0": ("member", "~"),
    }
    assert allowances("", {"enum": ["a", 1]}) == {
        "/enum/a": ("value", "a"),
        "/enum/1": ("value", 1),
    }
    assert allowances("/y", {"anyOf": [{}, True]}) == {
        "/y/anyOf/0": ("branch", 0),
        "/y/anyOf/1": ("branch", 1),
    }
    assert allowances("", {"type": ["string", "null"]}) == {
        "/type/string": ("type", "string"),
        "/type/null": ("type", "null"),
    }


@pytest.mark.parametrize(
    "node", [{}, {"type": "string"}, {"minLength": 1, "required": ["a"]}, {"$ref": "#/$defs/a"}]
)
def test_a_restriction_alone_allows_nothing_that_can_be_used(node: JsonValue) -> None:
    assert allowances("", node) == {}


# ------------------------------------------------------------------------------- the visits


def test_without_instances_everything_is_unused_and_nothing_is_there_twice() -> None:
    names = unused()

    assert len(names) == len(set(names)) == 15
    assert names == [n for p, node in SHAPE.nodes.items() for n in allowances(p, node)]


def test_what_no_instance_uses_is_told_by_name() -> None:
    assert unused(WHOLE) == [
        "/properties/kind/enum/node",
        "/properties/value/type/string",
        "/properties/value/type/null",
    ]
    others = [{"kind": "node", "value": ""}, {"value": None}]
    assert unused(WHOLE, *others) == []


def test_values_reach_a_node_through_references_lists_and_additional_members() -> None:
    values = Visits(SHAPE, [WHOLE]).values

    assert values["/$defs/tree/properties/name"].count("x") == 1
    assert sorted(values["/$defs/tree/properties/name"]) == ["x", "y", "z"]
    assert values["/$defs/tree/properties/below/items"] == [
        {"below": [{"name": "y"}]},
        {"name": "y"},
    ]
    assert values["/$defs/either"] in ([True, {"name": "z"}], [{"name": "z"}, True])
    assert values["/properties/extra/properties/own"] == ["o"]


def test_a_declared_member_is_no_additional_one() -> None:
    values = Visits(SHAPE, [{"extra": {"own": True}}]).values

    assert values["/properties/extra/additionalProperties"] == []
    assert values["/properties/extra/properties/own"] == [True]


@pytest.mark.parametrize(
    ("value", "left"),
    [
        (True, ["/$defs/either/anyOf/1"]),
        ({}, ["/$defs/either/anyOf/0"]),
        ({"name": "x"}, ["/$defs/either/anyOf/0"]),
        ({"name": 1}, ["/$defs/either/anyOf/0", "/$defs/either/anyOf/1"]),
        (1, ["/$defs/either/anyOf/0", "/$defs/either/anyOf/1"]),
        (None, ["/$defs/either/anyOf/0", "/$defs/either/anyOf/1"]),
    ],
)
def test_a_branch_is_used_by_what_fits_it(value: JsonValue, left: list[str]) -> None:
    assert unused({"extra": {"k": value}}, place="/$defs/either") == left


def test_a_branch_is_walked_into_by_what_does_not_fit_it() -> None:
    visits = Visits(SHAPE, [{"extra": {"k": {"name": 1}}}])

    assert visits.values["/$defs/tree/properties/name"] == [1]
    assert visits.values["/$defs/either/anyOf/0"] == [{"name": 1}]
    assert visits.unused(places=["/$defs/tree"]) == TREE[1:]


@pytest.mark.parametrize(
    ("value", "used"),
    [("", "string"), (None, "null"), (1.5, "number"), (1, "number"), (1e21, "number")],
)
def test_a_type_is_used_by_a_value_of_it_and_a_number_by_an_integer(
    value: JsonValue, used: str
) -> None:
    left = {f"/properties/value/type/{name}" for name in ("string", "number", "null")}
    left.remove(f"/properties/value/type/{used}")

    assert set(unused({"value": value}, place="/properties/value")) == left


@pytest.mark.parametrize("value", [True, [], {}])
def test_a_value_of_another_type_uses_none(value: JsonValue) -> None:
    assert len(unused({"value": value}, place="/properties/value")) == 3


@pytest.mark.parametrize(("value", "used"), [(1, True), (1.0, True), (True, False), ("1", False)])
def test_a_value_of_an_enum_is_used_by_an_equal_one(value: JsonValue, used: bool) -> None:
    visits = Visits(Shape({"enum": [1]}), [value])

    assert visits.unused() == ([] if used else ["/enum/1"])


@pytest.mark.parametrize("instance", [None, [], "a/b", 3])
def test_an_instance_of_another_form_uses_no_member(instance: JsonValue) -> None:
    assert len(unused(instance)) == 15


def test_the_allowances_of_a_changed_copy_are_held_to_the_same_values() -> None:
    wider = Shape({"enum": ["a", "b"]})
    visits = Visits(Shape({"enum": ["a"]}), ["a"])

    assert visits.unused() == []
    assert visits.unused(wider, [""]) == ["/enum/b"]
    with_branches = Shape({"anyOf": [{"type": "string"}, {"type": "null"}]})
    assert visits.unused(with_branches, [""]) == ["/anyOf/1"]


@pytest.mark.parametrize("name", ENTRIES)
@given(draw=st.randoms(use_true_random=False), count=st.integers(0, 4))
def test_two_piles_together_leave_unused_what_both_do(
    name: str, draw: random.Random, count: int
) -> None:
    shape = book().shapes[name]
    generator = Generator(shape, draw)
    one = [generator.instance() for _ in range(count)]
    other = [generator.instance()]

    both = set(Visits(shape, one).unused()) & set(Visits(shape, other).unused())
    assert set(Visits(shape, [*one, *other]).unused()) == both


# -------------------------------------------------------------------------------- the types


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (None, "null"),
        (True, "boolean"),
        (False, "boolean"),
        (0, "integer"),
        (1.0, "integer"),
        (-1e300, "integer"),
        (0.5, "number"),
        ("", "string"),
        ([], "array"),
        ({}, "object"),
    ],
)
def test_the_type_of_a_value_is_the_one_that_json_schema_has(value: JsonValue, name: str) -> None:
    assert type_of(value) == name


def json_values() -> st.SearchStrategy[JsonValue]:
    plain = (
        st.none()
        | st.booleans()
        | st.integers(-(2**63), 2**63)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text()
    )
    return st.recursive(
        plain, lambda below: st.lists(below) | st.dictionaries(st.text(), below), max_leaves=5
    )


@given(json_values())
def test_the_type_of_any_value_is_the_one_type_that_admits_it(value: JsonValue) -> None:
    names = ("null", "boolean", "integer", "string", "array", "object", "number")
    admitting = [name for name in names if compiled({"type": name}).is_valid(value)]

    assert admitting[0] == type_of(value)
    assert admitting[1:] == (["number"] if type_of(value) == "integer" else [])
