"""The HTML page in Chromium: found by keyboard, read by anyone, on any screen, and silent."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH, FLAGS
from openwop_conformance.engine.verdict import (
    Disposition,
    Event,
    Failure,
    RunFinished,
    ScenarioFinished,
)
from openwop_conformance.reports.html import HtmlReport
from tests.report_events import AGAIN, HEADER, HOSTILE, REQUIREMENTS, WHOLE, events, tell
from tests.reports.test_html import said_everywhere

ROOT = Path(__file__).parents[2]
AXE = (
    Path(os.environ.get("WEB_CORE_DIR", ROOT / ".venv" / "node"))
    / "node_modules/axe-core/axe.min.js"
)
PASSED = events(*((f"kept-{n}", Disposition.PASS, "", ()) for n in range(3)))


def costly() -> tuple[Event, ...]:
    """A run in which a cost grows too fast, and two JSON values differ."""
    failures = (
        Failure("a", "a.yaml:1:1", expected='{"a": [1, 2]}', got='{"a": [1, 3]}', exchange=AGAIN),
    )
    started, finished, kept, end = events(
        ("cost", Disposition.FAIL, "r", failures), ("kept", Disposition.PASS, "", ())
    )
    assert isinstance(finished, ScenarioFinished)
    assert isinstance(end, RunFinished)
    measured = {"work": "data", "unit": "looked at", "n": 25, "costs": [675.0, 2600.0, 10200.0]}
    row = replace(finished.row, measured=[measured])
    rows = (row, *end.rows[1:])
    return started, replace(finished, row=row), kept, replace(end, rows=rows)


RUNS: dict[str, tuple[Event, ...]] = {
    "passed": PASSED,
    "whole": WHOLE,
    "costly": costly(),
    "hostile": said_everywhere(HOSTILE + '"><img src=http://127.0.0.1:9/x onerror=alert(1)>'),
}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    path = os.environ.get("CHROMIUM") or DEFAULT_PATH
    if not os.access(path, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(FLAGS), chromium_sandbox=os.geteuid() != 0
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The page of each run, by its URL."""
    folder = tmp_path_factory.mktemp("pages")
    for name, told in RUNS.items():
        tell(HtmlReport(folder / f"{name}.html", REQUIREMENTS, HEADER), told)
    return {name: (folder / f"{name}.html").as_uri() for name in RUNS}


@pytest.fixture
def opened(chromium: Any, files: dict[str, str]) -> Iterator[Callable[..., Any]]:
    """Opens a page; at the end of the test, it has asked for nothing and complained of nothing."""
    heard: list[str] = []
    asked: list[str] = []
    contexts = []

    def open_page(name: str, fragment: str = "", **options: Any) -> Any:
        context = chromium.new_context(reduced_motion="reduce", **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda it: heard.append(f"{name}: {it.type} {it.text}"))
        page.on("pageerror", lambda it: heard.append(f"{name}: {it}"))
        page.on("dialog", lambda it: heard.append(f"{name}: {it.message}"))
        page.on("request", lambda it: asked.append(it.url))
        page.goto(files[name] + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert heard == []
    assert [url for url in asked if not url.startswith((*files.values(), "data:"))] == []


def rows(page: Any) -> list[str]:
    """The ids of the rows that show."""
    found: list[str] = page.eval_on_selector_all(
        "tbody tr", "all => all.filter(row => row.checkVisibility()).map(row => row.id)"
    )
    return found


@pytest.mark.parametrize("name", RUNS)
def test_a_page_asks_for_nothing_complains_of_nothing_and_fits_a_phone(
    opened: Callable[..., Any], name: str
) -> None:
    page = opened(name, viewport={"width": 360, "height": 740})
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")

    assert page.evaluate("document.documentElement.scrollWidth") == 360
    wide = "all => all.filter(it => it.getBoundingClientRect().right > 360).map(it => it.outerHTML)"
    assert page.eval_on_selector_all("body *", wide) == []
    assert page.locator("h1").inner_text()


def test_the_rules_are_filtered_by_keyboard_and_the_address_keeps_it(
    opened: Callable[..., Any],
) -> None:
    page = opened("whole")
    assert len(rows(page)) == 6

    page.get_by_role("searchbox", name="Search").focus()
    page.keyboard.type("the rule ABSENT")
    assert rows(page) == ["rows.absent"]
    assert page.get_by_role("status").inner_text() == "1 of 6 rules"
    page.keyboard.press("Control+A")
    page.keyboard.press("Delete")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "outcome"
    page.keyboard.type("kept")
    assert rows(page) == ["rows.kept"]
    assert page.url.endswith("#outcome=executed-pass")

    page.reload()
    assert rows(page) == ["rows.kept"]
    page.get_by_role("button", name="Clear").press("Enter")
    page.wait_for_url("**#rules")
    assert len(rows(page)) == 6


def test_a_filter_that_leaves_nothing_says_so(opened: Callable[..., Any]) -> None:
    page = opened("whole", "#text=no+such+rule&source=RFC")

    assert rows(page) == []
    assert page.get_by_text("No rule is left by this filter.").is_visible()
    assert page.get_by_label("Source").input_value() == "RFC"


def test_a_count_leads_to_its_rules_and_a_rule_to_what_broke_it(
    opened: Callable[..., Any],
) -> None:
    page = opened("whole")
    page.get_by_role("link", name="1 not witnessed").press("Enter")
    assert rows(page) == ["rows.gone"]
    assert page.evaluate("document.activeElement.id") == "rules"

    page = opened("whole", "#rows.broken")
    page.get_by_role("link", name="What broke").press("Enter")
    assert page.locator("details.broken").get_attribute("open") is not None
    page.get_by_role("link", name="exchange 4").press("Enter")
    assert page.get_by_text("GET /runs/acme~2F1?x=1").is_visible()


def test_what_is_closed_is_opened_by_a_link_to_it(opened: Callable[..., Any]) -> None:
    page = opened("passed")
    detail = page.locator("#rows\\.kept-1 dl")
    assert not detail.is_visible()

    page.evaluate("location.hash = '#rows.kept-1'")
    detail.wait_for(state="visible")


def test_without_scripts_all_rules_show_and_no_control_is_dead(
    opened: Callable[..., Any],
) -> None:
    page = opened("whole", java_script_enabled=False)

    assert page.locator("tbody tr").count() == page.locator("tbody tr:visible").count() == 6
    assert page.locator("form:visible, button:visible").count() == 0
    page.get_by_text("2 more cases of the same rule").click()
    assert page.get_by_text("c/4.json: case 4").is_visible()


def test_on_paper_all_is_open_and_no_control_is_left(opened: Callable[..., Any]) -> None:
    page = opened("whole", java_script_enabled=False)
    page.emulate_media(media="print")

    assert page.locator("form:visible, button:visible, nav:visible").count() == 0
    for text in ("c/4.json: case 4", "the operator opted out of canary", '{"runId": "acme/1"}'):
        assert page.get_by_text(text).first.is_visible(), text


def test_light_and_dark_follow_the_reader(opened: Callable[..., Any]) -> None:
    def brightness(scheme: str) -> tuple[int, int]:
        page = opened("whole", color_scheme=scheme)
        script = """name => getComputedStyle(document.body)[name].match(/\\d+/g)
                    .reduce((sum, part) => sum + Number(part), 0)"""
        return page.evaluate(script, "backgroundColor"), page.evaluate(script, "color")

    light, dark = brightness("light"), brightness("dark")
    assert light[0] > 700 > 150 > light[1]
    assert dark[1] > 600 > 100 > dark[0]


@pytest.mark.parametrize("name", ["whole", "hostile"])
def test_axe_finds_nothing_to_object_to(opened: Callable[..., Any], name: str) -> None:
    if not AXE.is_file():
        pytest.skip(f"axe-core is not installed: {AXE} is missing (set WEB_CORE_DIR)")
    page = opened(name, color_scheme="light")
    page.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
    page.evaluate(AXE.read_text("utf-8"))

    for scheme, rules in (("light", None), ("dark", ["color-contrast"])):
        page.emulate_media(color_scheme=scheme)
        found = page.evaluate("rules => axe.run(rules ? {runOnly: rules} : {})", rules)
        assert "color-contrast" in {rule["id"] for rule in found["passes"]}
        objections = [(v["id"], [n["html"] for n in v["nodes"]]) for v in found["violations"]]
        assert objections == [], scheme
