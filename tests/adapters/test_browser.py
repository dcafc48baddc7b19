"""A page in a real browser as a consumer: what is seen of it, done to it, and tried by it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.browser import BrowserConsumer, url_of
from openwop_conformance.adapters.calls import call
from openwop_conformance.cli import main
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError
from openwop_conformance.jsonvalue import JsonValue

from .driving import (
    BOUNDS,
    PROBE,
    SHORT,
    Driven,
    envelope,
)


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


def test_a_closed_tab_of_a_shared_browser_is_loaded_again_with_another_query(
    driven: Driven,
) -> None:
    one, other = f"{PROBE}?one", f"{PROBE}?other"
    driven.ask("open", of=one, consumer="p")
    tab = driven.subjects[one]._tabs["p"]
    driven.ask("deliver", of=one, consumer="p", envelope=envelope("popup"))
    driven.ask("close", of=one, consumer="p")
    driven.ask("open", of=other, consumer="p")
    assert driven.subjects[other]._tabs["p"] is tab
    assert driven.runner.run(tab.call("location.search")) == "?other"
    assert driven.ask("attempts", of=other, consumer="p") == {"attempts": []}


def test_a_page_that_throws_has_broken_down_and_goes_on(probe: Callable[..., Any]) -> None:
    error = probe("deliver", envelope=envelope("fail"))["error"]
    assert error == {"kind": "crash", "message": "deliver: TypeError: no good"}
    assert probe("frame", frame={})["error"]["kind"] == "unsupported"
    assert probe("rendered")["surfaces"]["s"]


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
