"""The real SDKs are judged as they were when their results were written down."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from types import FrameType

import pytest

from openwop_conformance.engine.session import WallClock
from openwop_conformance.engine.steps import scaling
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.scenario.lint import select
from tests.results import judged, outcomes, scenarios
from tests.sdks.results import LIBRARIES, PAGE, RESULTS, Library, absent, page

KEPT = json.loads(RESULTS.read_text("utf-8"))
BY_NAME = {library.name: library for library in LIBRARIES}


def here(name: str) -> Library:
    library = BY_NAME[name]
    if why := absent(library):
        pytest.skip(why)
    return library


@pytest.mark.parametrize("name", BY_NAME)
def test_a_library_keeps_and_breaks_what_it_did(name: str) -> None:
    label, rows, _ = judged(here(name).connectable, scenarios("sdk", timed=False), "sdk")
    known = KEPT[name]["outcomes"]
    assert label == KEPT[name]["version"]
    assert outcomes(rows) == {row: known[row] for row in outcomes(rows)}


class Calls(WallClock):
    """The calls that threads begun meanwhile have made, in place of seconds: each time as many."""

    def __init__(self) -> None:
        self._made = 0

    def now(self) -> float:
        return self._made

    def count(self, frame: FrameType, event: str, argument: object) -> None:
        """What Python tells of each step, as a profile function."""
        self._made += event in ("call", "c_call")


@pytest.fixture
def calls() -> Iterator[Calls]:
    counted = Calls()
    threading.setprofile(counted.count)
    yield counted
    threading.setprofile(None)


@pytest.mark.parametrize(
    ("name", "row", "size", "verdict"),
    [
        ("a2ui-core", "cost-update", 32, Disposition.PASS),
        ("a2ui-core, progressive checks", "cost-update", 32, Disposition.FAIL),
        ("a2ui-agent-sdk", "cost-chunks", 14, Disposition.FAIL),
    ],
)
def test_what_others_measured_is_measured_here(
    name: str,
    row: str,
    size: int,
    verdict: Disposition,
    calls: Calls,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What facts about these versions say is quadratic, and what is not: by what they call, so that
    no machine is too slow or too busy, and once, at a size at which it shows."""
    monkeypatch.setattr(scaling, "_START", size)
    for bound in ("_MEASURABLE", "_LONG"):
        monkeypatch.setattr(scaling, bound, 0)
    chosen = select(scenarios("sdk", timed=True), [f"sdk.{row}"])
    _, (found,), _ = judged(here(name).connectable, chosen, "sdk", clock=calls)
    assert found.disposition is verdict
    assert KEPT[name]["outcomes"][row] == str(verdict)


def test_every_row_of_an_sdk_has_a_result_of_every_library() -> None:
    rows = {s.requirement for timed in (False, True) for s in scenarios("sdk", timed=timed)}
    for result in KEPT.values():
        assert {f"openwop-conformance.sdk.{row}" for row in result["outcomes"]} == rows


def test_the_page_is_what_the_results_say() -> None:
    assert PAGE.read_text("utf-8") == page(KEPT)
