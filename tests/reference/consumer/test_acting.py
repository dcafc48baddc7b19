"""What a person can set and press, and what leaves the client by it."""

from __future__ import annotations

from typing import Any
from unittest.mock import ANY

import pytest

from openwop_conformance.jsonvalue import JsonValue

from .envelopes import Asked, button, column, create, data, text, textbox, update


def acting(*components: JsonValue, model: JsonValue = None, **more: JsonValue) -> Asked:
    asked = Asked()
    names = [c["id"] for c in components if not c["id"].endswith("-label")]
    asked.gives(create(), update(column(*names), *components), data(model or {}), **more)
    return asked


def model_of(asked: Asked) -> JsonValue:
    """The data model, as a button without context submits it."""
    asked.gives(update(column("root-button"), *button("root-button", "exchange")))
    assert asked.fires("root-button")
    return asked.sent[-1]["data"]


OPTIONS = [{"label": "One", "value": "1"}, {"label": "Two", "value": "2"}]
FIELDS: dict[str, dict[str, Any]] = {
    "textbox": {"component": "TextField"},
    "checkbox": {"component": "CheckBox"},
    "combobox": {"component": "ChoicePicker", "options": OPTIONS},
    "listbox": {
        "component": "ChoicePicker",
        "options": OPTIONS,
        "variant": "multipleSelection",
    },
    "date": {"component": "DateTimeInput", "enableDate": True},
}


@pytest.mark.parametrize(
    ("role", "value", "written"),
    [
        ("textbox", "é", "é"),
        ("textbox", "", ""),
        ("textbox", 7, "7"),
        ("checkbox", True, True),
        ("checkbox", False, False),
        ("combobox", "1", ["1"]),
        ("combobox", ["2"], ["2"]),
        ("combobox", "Two", ["2"]),
        ("combobox", [], []),
        ("listbox", ["Two", "1"], ["1", "2"]),
        ("date", "2026-12-01", "2026-12-01"),
        ("date", "", ""),
    ],
)
def test_a_field_writes_the_shape_of_its_kind_to_the_path_it_is_bound_to(
    role: str, value: JsonValue, written: JsonValue
) -> None:
    field = {"id": "f", "label": "F", "value": {"path": "/a/b"}, **FIELDS[role]}
    asked = acting(field)

    assert asked.sets(role, "F", value)

    assert asked.sent == []
    assert asked.one(role)["value"] == written
    assert model_of(asked) == {"a": {"b": written}}


@pytest.mark.parametrize(
    ("role", "value"),
    [
        ("checkbox", "true"),
        ("checkbox", 1),
        ("combobox", "3"),
        ("combobox", ["1", "2"]),
        ("combobox", 1),
        ("listbox", ["1", "x"]),
        ("date", "tomorrow"),
        ("date", "12:30"),
        ("date", 20261201),
    ],
)
def test_a_value_that_a_field_cannot_take_is_not_set(role: str, value: JsonValue) -> None:
    asked = acting({"id": "f", "label": "F", "value": {"path": "/a"}, **FIELDS[role]})

    assert not asked.sets(role, "F", value)
    assert model_of(asked) == {}


@pytest.mark.parametrize(
    ("flags", "right", "wrong"),
    [
        ({"enableTime": True}, "12:30", "2026-12-01"),
        ({"enableDate": True, "enableTime": True}, "2026-12-01T12:30", "12:30"),
        ({}, "12:30", "noon"),
        ({}, "2026-12-01T12:30", "2026-13-01"),
    ],
)
def test_a_date_input_takes_what_it_enables(flags: dict[str, bool], right: str, wrong: str) -> None:
    field = {"id": "f", "component": "DateTimeInput", "label": "F", "value": {"path": "/a"}}
    asked = acting({**field, **flags})

    assert not asked.sets("date", "F", wrong)
    assert asked.sets("date", "F", right)
    assert asked.one("date")["value"] == right


@pytest.mark.parametrize(
    ("role", "name", "surface"),
    [
        ("textbox", "nobody", "s"),
        ("checkbox", "f", "s"),
        ("textbox", "f", "other"),
        ("textbox", "fixed", "s"),
        ("textbox", "bad", "s"),
        ("textbox", "proto", "s"),
        ("textbox", "under", "s"),
        ("text", "", "s"),
        ("button", "b", "s"),
    ],
)
def test_what_is_not_there_or_not_bound_to_a_place_that_can_be_written_is_not_set(
    role: str, name: str, surface: str
) -> None:
    asked = acting(
        textbox("f", "/f"),
        {"id": "fixed", "component": "TextField", "label": "fixed", "value": "x"},
        textbox("bad", "/a~2"),
        textbox("proto", "/__proto__/x"),
        textbox("under", "/number/x"),
        *button("b"),
        model={"number": 1},
    )

    assert not asked.sets(role, name, "x", surface=surface)
    assert model_of(asked) == {"number": 1}


def test_two_fields_of_one_path_show_what_was_set_in_either() -> None:
    asked = acting(textbox("one", "/x"), textbox("two", "/x"), text("t", {"path": "/x"}))

    asked.sets("textbox", "two", "same")

    assert [n["value"] for n in asked.flat() if n["role"] == "textbox"] == ["same", "same"]
    assert asked.texts() == ["same"]


def test_a_context_is_resolved_when_the_button_is_pressed_and_its_texts_stay_texts() -> None:
    context = {
        "name": {"path": "/name"},
        "relative": {"path": "name"},
        "all": {"path": "/"},
        "gone": {"path": "/gone"},
        "null": {"path": "/null"},
        "id": "root",
        "list": [{"path": "/name"}],
        "number": 0,
    }
    asked = acting(textbox("f", "/name"), *button("b", context=context), model={"null": None})
    asked.sets("textbox", "f", "Ada")

    assert asked.fires("b")

    (submission,) = asked.sent
    assert submission["data"] == {
        "name": "Ada",
        "relative": "Ada",
        "all": {"null": None, "name": "Ada"},
        "null": None,
        "id": "root",
        "list": [{"path": "/name"}],
        "number": 0,
    }


def test_without_a_context_the_whole_model_goes_and_with_an_empty_one_nothing() -> None:
    asked = acting(*button("whole"), *button("empty", context={}), model={"x": {"y": [1]}})

    assert asked.fires("whole")
    assert asked.fires("empty")

    assert [s["data"] for s in asked.sent] == [{"x": {"y": [1]}}, {}]


@pytest.mark.parametrize(("event", "target"), [("resume", "interrupt"), ("exchange", "turn")])
def test_an_event_goes_to_its_one_target(event: str, target: str) -> None:
    asked = acting(*button("b", event), node="gate", run="r")

    assert asked.fires("b")

    assert asked.sent == [
        {
            "to": target,
            "surface": "s",
            "event": event,
            "data": {},
            "component": "b",
            "timestamp": ANY,
            "node": "gate",
            "run": "r",
        }
    ]


def test_what_was_submitted_does_not_change_afterwards() -> None:
    asked = acting(textbox("f", "/f"), *button("b"), model={"f": "1"})
    asked.fires("b")
    asked.sets("textbox", "f", "2")
    asked.fires("b")

    assert [s["data"]["f"] for s in asked.sent] == ["1", "2"]
