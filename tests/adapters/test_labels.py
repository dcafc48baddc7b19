"""A field is found by its name, or by the words before one that has no name."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.adapters.labels import boxes_behind, labelled, nodes_of
from openwop_conformance.jsonvalue import JsonValue


def text(words: str) -> JsonValue:
    return {"role": "text", "text": words}


def field(name: str = "", role: str = "textbox", value: JsonValue = "") -> JsonValue:
    return {"role": role, "name": name, "value": value, "enabled": True}


def group(*children: JsonValue) -> JsonValue:
    return {"role": "group", "children": list(children)}


def test_a_field_is_found_by_its_name_wherever_its_label_stands() -> None:
    named = field("Full name")
    assert labelled([field(), group(text("Full name"), named)], " Full  name") == [named]


def test_a_nameless_field_is_found_by_the_text_directly_before_it() -> None:
    nameless = field()
    assert labelled([text("Name"), group(nameless)], "Name") == [nameless]
    assert labelled([text("Name"), text("a hint"), nameless], "Name") == []
    assert labelled([nameless, text("Name")], "Name") == []


def test_a_field_with_another_name_is_not_taken_for_the_one_that_a_text_promises() -> None:
    assert labelled([text("Name"), field("Town")], "Name") == []


def test_where_a_name_fits_texts_do_not_count() -> None:
    named = field("Name")
    assert labelled([text("Name"), field(), named], "Name") == [named]


def test_check_boxes_behind_a_label_are_a_choice_of_several() -> None:
    boxes = [field("Milk", "checkbox", True), field("Sugar", "checkbox", False)]
    shown = [text("Extras"), *boxes, field("Name"), field("Tea", "checkbox", True)]
    (choice,) = labelled(shown, "Extras")
    assert (choice["role"], choice["value"]) == ("listbox", ["Milk"])
    assert boxes_behind(shown, "Extras") == boxes
    assert boxes_behind(shown, "Name") == []


@given(st.recursive(st.builds(field), lambda below: st.builds(group, below, below), max_leaves=20))
def test_every_node_is_read_once(tree: JsonValue) -> None:
    read = list(nodes_of([tree]))
    assert len({id(node) for node in read}) == len(read)
    assert sum(node["role"] == "textbox" for node in read) >= 1
