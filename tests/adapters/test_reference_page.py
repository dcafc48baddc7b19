"""Our own page in a real browser, and two real renderers: a form is shown, filled in and sent."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from openwop_conformance.adapters.browser import url_of
from openwop_conformance.errors import UnreachableError
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.wire.envelope import surface_payload
from tests.shared_data import FIXTURES

from .driving import (
    CREATE,
    EMPTY,
    PROBE,
    Client,
    Driven,
    button,
    envelope,
    text,
    update,
)


def test_the_reference_page_shows_what_the_profile_admits(client: Client) -> None:
    paths = sorted((FIXTURES / "positive").glob("*.json"))
    for path in paths:
        payload = surface_payload(path.stem, parse(path.read_bytes())["messages"])
        given = {**envelope(payload), "sequence": 1}
        client.driven.ask("deliver", consumer="c", envelope=given)
    shown = client.driven.ask("rendered", consumer="c")["surfaces"]
    assert {path.stem for path in paths} - shown.keys() == EMPTY
    assert client.driven.ask("attempts", consumer="c") == {"attempts": []}


def test_a_form_is_filled_in_and_sent(client: Client) -> None:
    def bound(name: str) -> JsonValue:
        return {"id": name, "label": name, "value": {"path": f"/{name}"}}

    condition = {"call": "required", "args": {"value": {"path": "/who"}}}
    options = [{"label": "Red", "value": "r"}, {"label": "Green", "value": "g"}]
    fields: list[JsonValue] = [
        {
            **bound("who"),
            "component": "TextField",
            "checks": [{"condition": condition, "message": "Who is it?"}],
        },
        {**bound("sure"), "component": "CheckBox"},
        {
            **bound("one"),
            "component": "ChoicePicker",
            "options": options,
            "variant": "mutuallyExclusive",
        },
        {
            **bound("many"),
            "component": "ChoicePicker",
            "options": options,
            "variant": "multipleSelection",
        },
        {**bound("day"), "component": "DateTimeInput", "enableDate": True},
    ]
    names = [f["id"] for f in fields]
    root = {"id": "root", "component": "Column", "children": [*names, "Send", "All"]}
    who: JsonValue = {"path": "/who"}
    lines = [
        *button("Send", who=who, not_there={"path": "/none"}, root="root"),
        *button("All", "exchange"),
    ]
    client.deliver(CREATE, update(root, *fields, *lines))

    field = client.shown()[0]
    assert (field["name"], field["invalid"], field["description"]) == ("who", True, "Who is it?")
    assert not client.fire("Send")
    assert client.set("textbox", "who", "Zoë <b>")
    assert client.set("checkbox", "sure", True)
    assert client.set("combobox", "one", "Green")
    assert client.set("listbox", "many", ["r", "g"])
    assert client.set("date", "day", "2026-04-18")
    assert client.submitted() == []
    assert client.fire("Send")
    assert client.fire("All")
    first, second = client.submitted()
    assert (first["to"], first["event"], first["component"]) == ("interrupt", "resume", "Send")
    assert first["data"] == {"who": "Zoë <b>", "root": "root"}
    assert (second["to"], second["data"]) == (
        "turn",
        {"who": "Zoë <b>", "sure": True, "one": ["g"], "many": ["r", "g"], "day": "2026-04-18"},
    )


def test_an_envelope_that_was_late_is_folded_in_its_place_and_keeps_what_was_typed(
    client: Client,
) -> None:
    field = {"id": "f", "component": "TextField", "label": "F", "value": {"path": "/f"}}
    root = {"id": "root", "component": "Column", "children": ["t", "f"]}
    client.deliver(update(text("t", "second"), field), sequence=5)
    assert client.shown() == []
    client.deliver(CREATE, update(root, text("t", "first")), sequence=2)
    assert client.set("textbox", "F", "typed")
    client.deliver(update(text("t", "between")), sequence=3)
    client.deliver(update(text("t", "again")), sequence=3)
    assert [(n["role"], n.get("text", n.get("value"))) for n in client.shown()] == [
        ("text", "second"),
        ("textbox", "typed"),
    ]


def tree(label: str) -> JsonValue:
    action = {"target": "resume"}
    components: list[JsonValue] = [
        {"component": "field.text", "id": "a/b", "label": label, "required": True},
        {"component": "action.button", "id": "ok", "label": "OK", "action": action},
    ]
    return {"catalogVersion": "0.9.1", "surface": {"title": "Plan", "components": components}}


def test_a_version_1_tree_is_shown_and_its_fields_are_sent(client: Client) -> None:
    client.deliver(payload=tree("Name"), schemaVersion=2, event="e")
    assert client.shown("e") == []
    client.deliver(payload=tree("Name"), schemaVersion=1, event="e")
    assert [n.get("text", n.get("name")) for n in client.shown("e")][:2] == ["Plan", "Name"]
    given: dict[str, Any] = {"surface": "e", "role": "textbox", "name": "Name", "value": "x"}
    assert client.driven.ask("set", consumer="c", **given) == {"done": True}
    assert client.driven.ask("fire", consumer="c", surface="e", name="OK") == {"done": True}
    assert [s["data"] for s in client.submitted()] == [{"a/b": "x"}]


def test_a_surface_that_doubles_at_each_level_comes_to_an_end(client: Client) -> None:
    names = ["root", *(f"c{number}" for number in range(24))]
    rows: list[JsonValue] = [
        {"id": above, "component": "Row", "children": [below, below]}
        for above, below in pairwise(names)
    ]
    client.deliver(CREATE, update(*rows, text(names[-1], "bottom")))
    client.shown()
    payload = surface_payload("after", [CREATE, update(text("root", "After"))])
    client.driven.ask("deliver", consumer="c", envelope={**envelope(payload), "sequence": 9})
    assert client.shown("after") == [{"role": "text", "id": "root", "text": "After"}]


def test_a_page_that_is_loaded_again_has_forgotten_who_was_there(driven: Driven) -> None:
    probe = str(PROBE)
    driven.ask("open", of=probe, consumer="one")
    driven.ask("deliver", of=probe, consumer="one", envelope=envelope("popup"))
    assert driven.ask("attempts", of=probe, consumer="one")["attempts"]
    driven.ask("fire", of=probe, consumer="one", surface="s", name="Go")
    driven.ask("open", of=probe, consumer="two")
    assert driven.ask("attempts", of=probe, consumer="two") == {"attempts": []}
    assert driven.ask("submitted", of=probe, consumer="two") == {"submissions": []}
    assert driven.ask("rendered", of=probe, consumer="one")["error"]["kind"] == "state"


@pytest.mark.parametrize("renderer", ["lit", "react"])
def test_a_real_renderer_shows_a_form_and_sends_it(driven: Driven, renderer: str) -> None:
    try:
        url_of(renderer)
    except UnreachableError as error:
        pytest.skip(str(error))
    driven.ask("open", of=renderer, consumer="c")
    box = {"id": "b", "component": "CheckBox", "label": "Sure", "value": {"path": "/sure"}}
    root = {"id": "root", "component": "Column", "children": ["t", "b", "Send"]}
    lines = [root, text("t", "<b>x</b>"), box, *button("Send")]
    payload = surface_payload("s", [CREATE, update(*lines)])
    driven.ask("deliver", of=renderer, consumer="c", envelope=envelope(payload))
    nodes = driven.ask("rendered", of=renderer, consumer="c")["surfaces"]["s"]
    assert [n.get("text", n.get("name")) for n in nodes] == ["<b>x</b>", "Sure", "Send"]
    given: dict[str, Any] = {"surface": "s", "role": "checkbox", "name": "Sure", "value": True}
    assert driven.ask("set", of=renderer, consumer="c", **given) == {"done": True}
    assert driven.ask("fire", of=renderer, consumer="c", surface="s", name="Send")["done"]
    made = driven.ask("submitted", of=renderer, consumer="c")["submissions"]
    assert [(m["to"], m["data"]) for m in made] == [("interrupt", {"sure": True})]
