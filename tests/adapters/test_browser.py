"""A page in a real browser as a consumer: what is seen of it, done to it, and tried by it."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.browser import BrowserConsumer, url_of
from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.chromium import DEFAULT_PATH, Chromium
from openwop_conformance.adapters.host import Bounds
from openwop_conformance.cli import main
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.schemas import problems, validator
from openwop_conformance.wire.envelope import surface_payload
from tests.shared_data import FIXTURES

PROBE = Path(__file__).with_name("probe.html")
BOUNDS = Bounds(total=20)
SHORT = Bounds(total=0.5)


class Driven:
    """One browser and one loop for all tests of this file; a page that was used is loaded again."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.chromium = Chromium()
        self.subjects: dict[str, BrowserConsumer] = {}
        self.count = 0

    def ask(
        self, what: str, /, *, of: str = "reference", within: Bounds = BOUNDS, **given: Any
    ) -> Any:
        subject = self.subjects.get(of)
        if subject is None:
            subject = self.subjects[of] = BrowserConsumer(of, chromium=self.chromium)
        if what == "open":
            subject.rest()
        answered = parse(self.runner.run(subject.exchange(call(what, given), within)).body)
        if "result" in answered:
            found = list(problems(validator("consumer-line", f"result_{what}"), answered["result"]))
            assert not found
            return answered["result"]
        assert not list(problems(validator("consumer-line", "error"), answered["error"]))
        return answered

    def close(self) -> None:
        for subject in self.subjects.values():
            self.runner.run(subject.close())
        self.runner.run(self.chromium.close())
        self.runner.close()


@pytest.fixture(scope="module")
def driven() -> Iterator[Driven]:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    made = Driven()
    yield made
    made.close()


@pytest.fixture
def probe(driven: Driven) -> Callable[..., Any]:
    driven.ask("open", of=str(PROBE), consumer="p")
    return lambda what, /, **given: driven.ask(what, of=str(PROBE), consumer="p", **given)


class Client:
    """A consumer of the reference page, with envelopes of one surface."""

    def __init__(self, driven: Driven) -> None:
        self.driven, self.sequence = driven, 0
        driven.ask("open", consumer="c")

    def deliver(self, *messages: JsonValue, **more: JsonValue) -> None:
        self.sequence += 1
        envelope = {
            "payload": surface_payload("s", list(messages)),
            "schemaVersion": 2,
            "sequence": self.sequence,
            **more,
        }
        assert self.driven.ask("deliver", consumer="c", envelope=envelope) == {}

    def shown(self, surface: str = "s") -> list[JsonValue]:
        nodes: list[JsonValue] = self.driven.ask("rendered", consumer="c")["surfaces"].get(
            surface, []
        )
        return nodes

    def set(self, role: str, name: str, value: JsonValue) -> bool:
        given = {"surface": "s", "role": role, "name": name, "value": value}
        return bool(self.driven.ask("set", consumer="c", **given)["done"])

    def fire(self, name: str) -> bool:
        return bool(self.driven.ask("fire", consumer="c", surface="s", name=name)["done"])

    def submitted(self) -> list[JsonValue]:
        made: list[JsonValue] = self.driven.ask("submitted", consumer="c")["submissions"]
        return made


@pytest.fixture
def client(driven: Driven) -> Client:
    return Client(driven)


def update(*components: JsonValue) -> JsonValue:
    return {"updateComponents": {"components": list(components)}}


def text(name: str, words: JsonValue) -> JsonValue:
    return {"id": name, "component": "Text", "text": words}


def button(name: str, event: str = "resume", **context: JsonValue) -> list[JsonValue]:
    action = {"event": {"name": event, **({"context": context} if context else {})}}
    label = text(f"{name}-label", name)
    return [{"id": name, "component": "Button", "child": label["id"], "action": action}, label]


EMPTY = {"ends-deleted"}
"""The positive fixtures of which nothing is to be seen."""

CREATE: JsonValue = {"createSurface": {}}


# ------------------------------------------------------------------------------ any page


def envelope(payload: JsonValue) -> JsonValue:
    return {"payload": payload, "schemaVersion": 2, "sequence": 0}


def test_a_page_says_who_it_is_and_what_is_done_from_outside_is_added(driven: Driven) -> None:
    hello = driven.ask("hello", of=str(PROBE), protocol=1)
    assert (hello["name"], hello["version"]) == ("probe", "3")
    assert "frame" not in hello["operations"]
    assert {"rendered", "set", "fire", "attempts"} < set(hello["operations"])
    assert hello["features"] == ["dates", "network", "accessibility"]


def test_a_page_is_read_as_assistive_technology_does(probe: Callable[..., Any]) -> None:
    shown = probe("rendered")["surfaces"]
    options = [
        {"role": "option", "name": "Small", "value": "s"},
        {"role": "option", "name": "Large", "value": "l"},
    ]
    picks = [
        {"role": "option", "name": "-", "value": ""},
        {"role": "option", "name": "Red", "value": "r"},
    ]
    assert shown["s"] == [
        {"role": "heading", "text": "Probe"},
        {"role": "text", "text": "one two three\nfour"},
        {"role": "button", "name": "Go", "enabled": True, "description": "leaves"},
        {"role": "text", "text": "leaves"},
        {"role": "button", "name": "Stop", "enabled": False},
        {"role": "password", "name": "Pass", "value": "x", "enabled": True},
        {"role": "combobox", "name": "Pick", "value": [], "enabled": True, "children": picks},
        {"role": "listbox", "name": "Sizes", "value": ["s"], "enabled": True, "children": options},
        {"role": "image", "name": "A picture"},
        {"role": "separator"},
        {"role": "alert", "text": "Careful"},
    ]
    assert shown["shadow"] == [{"role": "textbox", "name": "Name", "value": "", "enabled": True}]
    assert "gone" not in shown


def test_fields_are_set_and_buttons_pressed_as_by_hand(probe: Callable[..., Any]) -> None:
    assert probe("set", surface="s", role="combobox", name="Pick", value="Red") == {"done": True}
    assert probe("set", surface="s", role="listbox", name="Sizes", value=["l"]) == {"done": True}
    assert probe("set", surface="shadow", role="textbox", name="Name", value="Zoë") == {
        "done": True
    }
    shown = probe("rendered")["surfaces"]
    assert [n["value"] for n in shown["s"] if "children" in n] == [["r"], ["l"]]
    assert shown["shadow"][0]["value"] == "Zoë"
    assert probe("fire", surface="s", name="Go") == {"done": True}
    assert [s["event"] for s in probe("submitted")["submissions"]] == ["go"]


def test_what_is_not_there_or_no_choice_is_not_set(probe: Callable[..., Any]) -> None:
    for surface, role, name in (
        ("s", "textbox", "Pick"),
        ("s", "combobox", "Other"),
        ("other", "combobox", "Pick"),
        ("s", "combobox", "Pick"),
        ("s", "listbox", "Sizes"),
    ):
        given = {"surface": surface, "role": role, "name": name, "value": ["Mauve"]}
        assert probe("set", **given) == {"done": False}, given
    assert probe("fire", surface="s", name="Stop") == {"done": False}


TRIED = {
    "nothing": [],
    "fetch": ["request https://example.test/fetch"],
    "image": ["request https://example.test/image"],
    "near": [f"request {(PROBE.parent / 'near.png').as_uri()}"],
    "frame": ["request https://example.test/frame"],
    "beacon": ["request https://example.test/beacon"],
    "popup": ["popup https://example.test/popup"],
    "tab": ["popup https://example.test/tab"],
    "leave": ["navigation https://example.test/leave"],
    "mail": ["navigation mailto:a@example.test"],
    "download": ["download data:text/plain,x"],
    "dialog": ["dialog alert: hello"],
    "handler": [f"script {PROBE.as_uri()}:1"],
    "address": ["script evaluated"],
    "evaluate": ["script evaluated"],
    "pause": [],
}


def test_whatever_a_page_tries_is_seen_and_blocked(probe: Callable[..., Any]) -> None:
    tried: dict[str, list[str]] = {}
    before = 0
    for what in TRIED:
        probe("deliver", envelope=envelope(what))
        attempts = _tried(probe, before, what == "download")
        tried[what] = [f"{a['kind']} {a['target']}" for a in attempts[before:]]
        before = len(attempts)
    assert tried == TRIED
    assert probe("rendered")["surfaces"]["s"][0]["text"] == "Probe"


def _tried(probe: Callable[..., Any], before: int, late: bool) -> list[JsonValue]:
    """All attempts so far. The browser tells of a download when it has begun, a moment later."""
    for _ in range(200 if late else 1):
        attempts: list[JsonValue] = probe("attempts")["attempts"]
        if len(attempts) > before:
            break
    return attempts


def test_a_websocket_is_seen_and_blocked(probe: Callable[..., Any]) -> None:
    probe("deliver", envelope=envelope("socket"))
    wanted = {"kind": "request", "target": "wss://example.test/a"}
    assert probe("attempts") == {"attempts": [wanted]}


@pytest.mark.parametrize(("what", "then"), [("hang", "deliver"), ("late", "rendered")])
def test_a_page_that_hangs_is_closed_in_time_and_opened_again(
    driven: Driven, what: str, then: str
) -> None:
    of = str(PROBE)
    driven.ask("open", of=of, consumer="h")
    with pytest.raises(ExchangeError, match=f"{then} took more than 0.5 s") as raised:  # noqa: PT012
        driven.ask("deliver", of=of, within=SHORT, consumer="h", envelope=envelope(what))
        driven.ask("rendered", of=of, within=SHORT, consumer="h")
    assert raised.value.kind == "timeout"
    assert driven.ask("rendered", of=of, consumer="h")["error"]["kind"] == "state"
    driven.ask("open", of=of, consumer="h")
    assert driven.ask("rendered", of=of, consumer="h")["surfaces"]["s"]


def test_a_tab_that_crashes_is_said_to_have_crashed(driven: Driven) -> None:
    of = str(PROBE)
    driven.ask("open", of=of, consumer="x")
    tab = driven.subjects[of]._tabs["x"]
    driven.runner.run(_crash(tab))
    with pytest.raises(ExchangeError) as raised:
        driven.ask("deliver", of=of, consumer="x", envelope=envelope("nothing"))
    assert raised.value.kind == "crashed"
    driven.ask("open", of=of, consumer="x")
    assert driven.ask("rendered", of=of, consumer="x")["surfaces"]["s"]


async def _crash(tab: Any) -> None:
    sent = asyncio.ensure_future(tab.cdp.send("Page.crash"))
    await asyncio.wait_for(tab._crashed.wait(), 10)
    sent.cancel()
    await asyncio.wait({sent})


def test_a_page_that_throws_has_broken_down_and_goes_on(probe: Callable[..., Any]) -> None:
    error = probe("deliver", envelope=envelope("fail"))["error"]
    assert error == {"kind": "crash", "message": "deliver: TypeError: no good"}
    assert probe("frame", frame={})["error"]["kind"] == "unsupported"
    assert probe("rendered")["surfaces"]["s"]


# ------------------------------------------------------------------------- the reference page


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


# ------------------------------------------------------------------------------- the place


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("", "is followed by"),
        ("nowhere.html", "there is no page nowhere.html"),
        ("https://example.test/", "is not on this machine"),
        ("http://127.0.0.1.example.test/", "is not on this machine"),
    ],
)
def test_a_place_that_names_no_page_is_refused(place: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        BrowserConsumer(place)


def test_a_place_is_a_file_or_a_url_of_this_machine(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text("<!doctype html>")
    assert url_of(str(tmp_path)) == url_of(f"{page}") == url_of(page.as_uri()) == page.as_uri()
    assert url_of(f"{tmp_path}?a=b") == f"{page.as_uri()}?a=b"
    assert url_of("http://127.0.0.1:8080/x?y") == "http://127.0.0.1:8080/x?y"
    assert url_of("reference").endswith("/pages/reference/index.html")


def test_without_a_browser_it_is_said_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    with pytest.raises(UnreachableError, match="apt-get install chromium"):
        asyncio.run(BrowserConsumer("reference").exchange(call("hello", {"protocol": 1}), BOUNDS))


def test_without_a_browser_every_row_is_blocked_with_that_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    assert main(["run", "--consumer", "browser", "--json"]) == 3
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert len(rows) > 30
    assert all(row["disposition"] == "blocked" for row in rows)
    assert all("apt-get install chromium" in row["reason"] for row in rows)
