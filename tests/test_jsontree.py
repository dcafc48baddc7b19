"""Walks through a value: all is seen once, with its place where that counts."""

from __future__ import annotations

from hypothesis import given

from openwop_conformance.jsontree import copied, objects_in, strings_in, with_texts
from openwop_conformance.jsonvalue import JsonValue, equal, pointer_of, tokens_of
from tests.json_trees import at, places, values


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


@given(values)
def test_a_copy_is_the_same_value_and_shares_nothing_that_can_be_changed(tree: JsonValue) -> None:
    other = copied(tree)
    assert repr(other) == repr(tree)
    theirs, ours = (
        {id(part) for p in places(t) if isinstance(part := at(p, t), (dict, list))}
        for t in (tree, other)
    )
    assert theirs.isdisjoint(ours)
