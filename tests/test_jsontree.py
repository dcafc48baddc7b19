"""Walks through a value: all is seen once, with its place where that counts."""

from __future__ import annotations

from hypothesis import given

from openwop_conformance.jsontree import objects_in, places_of, strings_in, with_texts
from openwop_conformance.jsonvalue import JsonValue, canonical, equal, pointer_of, tokens_of
from tests.json_trees import at, places, values


def test_every_place_of_a_value_is_found_outermost_first() -> None:
    needle = {"a": 1}
    tree = {"x": {"a": 1.0}, "y": [{"b": 2, "a": 1}, {"a": True}, [{"a": 1}]], "z/": {"a": 1}}
    assert [*places_of(needle, tree)] == ["/x", "/y/2/0", "/z~1"]
    assert [*places_of({}, {"a": {}, "b": [{}]})] == ["/a", "/b/0"]
    assert [*places_of([], [[], [[]]])] == ["/0", "/1/0"]
    assert [*places_of(tree, tree)] == [""]


def test_a_number_is_found_however_it_is_written() -> None:
    tree = {"a": 1, "b": 1.0, "c": True, "d": "1", "e": None}
    assert [*places_of(1, tree)] == ["/a", "/b"]
    assert [*places_of(1.0, tree)] == ["/a", "/b"]
    assert [*places_of(True, tree)] == ["/c"]
    assert [*places_of(None, tree)] == ["/e"]


@given(values, values)
def test_the_places_of_a_value_are_all_those_and_only_those_that_equal_it(
    needle: JsonValue, tree: JsonValue
) -> None:
    expected = [p for p in places(tree) if canonical(at(p, tree)) == canonical(needle)]
    assert [*places_of(needle, tree)] == expected


@given(values)
def test_every_string_is_seen_with_its_place_and_every_name_under_its_own(
    tree: JsonValue,
) -> None:
    found = sorted(strings_in(tree))
    texts_there = [(p, at(p, tree)) for p in places(tree) if isinstance(at(p, tree), str)]
    names = [
        (p, tokens_of(p)[-1])
        for p in places(tree)
        if p and isinstance(at(pointer_of(tokens_of(p)[:-1]), tree), dict)
    ]
    assert found == sorted(texts_there + names)


@given(values)
def test_every_object_is_seen_once(tree: JsonValue) -> None:
    expected = [id(at(p, tree)) for p in places(tree) if isinstance(at(p, tree), dict)]
    assert sorted(map(id, objects_in(tree))) == sorted(expected)


@given(values)
def test_with_texts_changes_texts_and_names_and_nothing_else(tree: JsonValue) -> None:
    changed = with_texts(tree, lambda text: text + "!")
    assert sorted(s for _, s in strings_in(changed)) == sorted(s + "!" for _, s in strings_in(tree))
    assert equal(with_texts(changed, lambda text: text[:-1]), tree)
