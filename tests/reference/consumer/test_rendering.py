"""What a person has before them: roles, names, values, and what is not shown."""

from __future__ import annotations

import time

import pytest

from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.consumer.budget import MOST_CHARACTERS
from openwop_conformance.reference.consumer.rendering import DEEPEST

from .envelopes import (
    Asked,
    button,
    column,
    create,
    data,
    delete,
    payload,
    readable,
    required,
    text,
    textbox,
    update,
)


def shown(*components: JsonValue, model: JsonValue = None) -> Asked:
    """A client with a surface of these components in one column."""
    asked = Asked()
    names = [c["id"] for c in components if not c["id"].endswith("-label")]
    asked.gives(create(), update(column(*names), *components), data(model or {}))
    return asked


OPTIONS = [{"label": "One", "value": "1"}, {"label": {"path": "/two"}, "value": "2"}]
CHOICE = {"id": "p", "component": "ChoicePicker", "label": "Pick", "options": OPTIONS}


@pytest.mark.parametrize(
    ("component", "node"),
    [
        (text("t", "a"), {"role": "text", "text": "a"}),
        (text("t", "a", variant="h5"), {"role": "heading", "text": "a"}),
        (text("t", "a", variant="caption"), {"role": "text", "text": "a"}),
        (text("t", {"path": "/n"}), {"role": "text", "text": "7"}),
        (text("t", {"path": "n"}), {"role": "text", "text": "7"}),
        (text("t", {"path": "/o"}), {"role": "text", "text": '{"é": [true]}'}),
        (text("t", {"path": "/missing"}), {"role": "text", "text": ""}),
        (text("t", {"path": "/__proto__/x"}), {"role": "text", "text": ""}),
        (text("t", {"path": "/bad~2"}), {"role": "text", "text": ""}),
        ({"id": "t", "component": "Divider"}, {"role": "separator"}),
        (
            textbox("t", "/n", variant="number"),
            {"role": "textbox", "name": "t", "value": "7", "enabled": True},
        ),
        (
            {"id": "t", "component": "TextField", "label": "L", "value": "fixed"},
            {"role": "textbox", "name": "L", "value": "fixed", "enabled": False},
        ),
        (
            {"id": "t", "component": "TextField", "label": "L"},
            {"role": "textbox", "name": "L", "value": "", "enabled": False},
        ),
        (
            {"id": "t", "component": "CheckBox", "label": "L", "value": {"path": "/yes"}},
            {"role": "checkbox", "name": "L", "value": True, "enabled": True},
        ),
        (
            {"id": "t", "component": "CheckBox", "label": "L", "value": {"path": "/n"}},
            {"role": "checkbox", "name": "L", "value": False, "enabled": True},
        ),
        (
            {"id": "t", "component": "DateTimeInput", "value": {"path": "/day"}},
            {"role": "date", "name": "", "value": "2026-12-01", "enabled": True},
        ),
    ],
)
def test_each_component_has_its_role_name_and_value(
    component: JsonValue, node: dict[str, JsonValue]
) -> None:
    model = {"n": 7, "yes": "TRUE", "o": {"é": [True]}, "day": "2026-12-01"}

    _, found = shown(component, model=model).flat()

    assert found == {"id": "t", **node}


@pytest.mark.parametrize(
    ("variant", "model", "role", "value"),
    [
        ({}, ["2"], "combobox", ["2"]),
        ({}, ["2", "1"], "combobox", ["1"]),
        ({"variant": "mutuallyExclusive"}, "1", "combobox", ["1"]),
        ({"variant": "multipleSelection"}, ["2", "1", "x", 3], "listbox", ["1", "2"]),
        ({"variant": "multipleSelection"}, None, "listbox", []),
    ],
)
def test_a_picker_has_its_options_below_and_the_chosen_values(
    variant: dict[str, JsonValue], model: JsonValue, role: str, value: JsonValue
) -> None:
    picker = {**CHOICE, **variant, "value": {"path": "/chosen"}}
    asked = shown(picker, model={"chosen": model, "two": "Two"})

    found = asked.one(role)

    assert (found["name"], found["value"], found["enabled"]) == ("Pick", value, True)
    assert found["children"] == [
        {"role": "option", "name": "One", "value": "1"},
        {"role": "option", "name": "Two", "value": "2"},
    ]


def test_a_button_is_named_by_the_texts_below_it_and_not_shown_a_second_time() -> None:
    parts = {"id": "b-label", "component": "Row", "children": ["x", "gone", "y"]}
    named, _ = button("b")

    asked = Asked()
    below = (text("x", "Send"), text("y", {"path": "/to"}))
    asked.gives(create(), update(column("b"), named, parts, *below), data({"to": "all"}))

    assert asked.flat()[1:] == [
        {"role": "button", "id": "b", "name": "Send all", "enabled": True},
    ]


def test_what_is_for_assistive_technology_comes_before_the_label() -> None:
    told = {"accessibility": {"label": "Full name", "description": {"path": "/hint"}}}
    plain, label = button("b")
    pressed = {**plain, **told}

    asked = shown(textbox("t", "/x", **told), pressed, label, model={"hint": "as in a passport"})

    for node in asked.flat()[1:]:
        assert (node["name"], node["description"]) == ("Full name", "as in a passport")


@pytest.mark.parametrize("empty", [None, "", []])
def test_a_check_that_fails_is_told_at_the_field_and_disables_the_button(empty: JsonValue) -> None:
    pressed, label = button("b")
    fields = (textbox("one", "/one", **required("/one", "one!")), textbox("two", "/two"))
    asked = shown(pressed, label, *fields, model={"one": empty})

    assert asked.one("button") | {"enabled": False, "description": "one!"} == asked.one("button")
    assert [node.get("invalid") for node in asked.flat() if node["role"] == "textbox"] == [
        True,
        None,
    ]
    assert not asked.fires("b")

    assert asked.sets("textbox", "one", "x")
    assert asked.one("button") == {"role": "button", "id": "b", "name": "b", "enabled": True}
    assert asked.fires("b")


def test_a_check_of_a_field_that_is_not_shown_blocks_nothing() -> None:
    asked = Asked()
    asked.gives(create(), update(column("b"), *button("b"), textbox("t", "/t", **required("/t"))))

    assert asked.one("button")["enabled"]


def test_html_in_every_text_stays_text() -> None:
    html = "<script>alert(1)</script><img src=x onerror=y>**b**"
    asked = shown(
        text("t", html),
        {**textbox("f", "/h"), "label": html, **required("/none", html)},
        {**CHOICE, "label": html, "options": [{"label": html, "value": html}], "value": [html]},
        model={"h": html},
    )

    roles = [node["role"] for node in asked.flat()]
    assert roles == ["group", "text", "textbox", "combobox", "option"]
    assert asked.texts() == [html]
    assert asked.one("textbox")["description"] == asked.one("textbox")["value"] == html
    assert asked.one("option") == {"role": "option", "name": html, "value": html}


def test_children_that_are_not_there_are_left_out_until_they_come() -> None:
    asked = Asked()
    asked.gives(create(), update(column("a", "late", "b"), text("a", "A"), text("b", "B")))
    assert asked.texts() == ["A", "B"]

    asked.gives(update(text("late", "L")))

    assert asked.texts() == ["A", "L", "B"]


def test_nothing_is_shown_before_a_root_nor_with_a_cycle_below_it() -> None:
    asked = Asked()
    asked.gives(create(), update(column("a", name="c"), text("a", "A")))
    assert asked.surfaces == {}

    asked.gives(update(column("c")))
    assert asked.texts() == ["A"]

    asked.gives(update(column("root", name="c")))
    assert asked.surfaces == {}

    asked.gives(update({"id": "c", "component": "Card", "child": "a"}))
    assert asked.texts() == ["A"]


def test_a_cycle_that_the_root_does_not_reach_hides_nothing() -> None:
    asked = Asked()
    asked.gives(create(), update(column("a"), text("a", "A"), column("x", name="x")))

    assert asked.texts() == ["A"]


def test_a_component_that_is_sent_again_has_nothing_of_the_former_one() -> None:
    asked = shown(textbox("t", "/x", **required("/x")))
    asked.gives(update({"id": "t", "component": "TextField", "label": "new"}))
    assert asked.flat()[1] == {
        "role": "textbox",
        "id": "t",
        "name": "new",
        "value": "",
        "enabled": False,
    }

    asked.gives(update(text("root", "only")))

    assert asked.surfaces == {"s": [{"role": "text", "id": "root", "text": "only"}]}


def test_a_deleted_surface_is_gone_and_begins_empty_when_it_is_made_again() -> None:
    asked = shown(text("a", {"path": "/x"}), model={"x": "old"})
    asked.gives(delete())
    assert asked.surfaces == {}

    asked.gives(create(), update(column("a")))

    assert asked.texts() == []


def test_groups_deeper_than_the_deepest_lie_beside_what_they_hold_in_the_order_of_reading() -> None:
    depth = 1_000
    names = [f"n{i}" for i in range(depth)]
    nested = [
        {"id": name, "component": "Column", "children": [f"t{i}", *names[i + 1 : i + 2], f"e{i}"]}
        for i, name in enumerate(names)
    ]
    words = [text(f"{kind}{i}", f"{kind}{i}") for i in range(depth) for kind in "te"]
    asked = Asked()
    asked.gives(create(), *(update(*part) for part in parts([column("n0"), *nested, *words])))

    surfaces = readable(asked.subject.rendered("c"))["surfaces"]

    assert surfaces == asked.surfaces
    order = [f"t{i}" for i in range(depth)] + [f"e{i}" for i in reversed(range(depth))]
    assert asked.texts() == order
    level, nodes = 0, surfaces["s"]
    while groups := [n for n in nodes if n["role"] == "group" and "children" in n]:
        (group,) = groups
        level, nodes = level + 1, group["children"]
    assert level == DEEPEST


def parts(components: list[JsonValue]) -> list[list[JsonValue]]:
    return [components[start : start + 512] for start in range(0, len(components), 512)]


def test_ten_thousand_components_are_shown_in_less_than_two_seconds() -> None:
    count = 10_000
    names = [f"t{i}" for i in range(count)]
    asked, began = Asked(), time.perf_counter()

    everything = [column(*names), *(text(name, name) for name in names)]
    asked.gives(create(), *(update(*part) for part in parts(everything)))
    assert asked.texts() == names

    assert time.perf_counter() - began < 2


@pytest.mark.parametrize("leaf", [text("d20", "x"), {**button("d20")[0], "child": "b0"}])
def test_components_that_double_at_every_level_are_not_shown_and_come_to_an_end(
    leaf: JsonValue,
) -> None:
    asked = Asked()
    doubling = [column(*[f"d{i + 1}"] * 2, name=f"d{i}") for i in range(20)]
    label = [column(*[f"b{i + 1}"] * 2, name=f"b{i}") for i in range(20)]
    asked.gives(create(), update(column("d0"), *doubling, leaf, *label, text("b20", "x")))

    assert asked.surfaces == {}


def test_a_surface_of_too_many_characters_is_not_shown_and_one_with_a_long_text_is() -> None:
    long = "x" * (MOST_CHARACTERS // 2)
    asked = shown(text("a", {"path": "/long"}), model={"long": long})
    assert asked.texts() == [long]

    asked.gives(update(column("a", "a")))

    assert asked.surfaces == {}


def test_what_is_shown_does_not_change_what_was_delivered() -> None:
    given = payload(create(), update(column("t"), textbox("t", "/x")), data({"x": ["a"]}))
    before = readable(given)
    asked = Asked()
    asked.delivers(given)
    asked.sets("textbox", "t", "typed")

    assert asked.surfaces
    assert given == before
