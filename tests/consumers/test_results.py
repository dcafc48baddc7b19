"""The real renderers are judged as they were when their results were written down."""

from __future__ import annotations

import json
from typing import Final

import pytest

from openwop_conformance.scenario.lint import select
from tests.consumers.results import (
    BUILT,
    NOTES,
    PAGE,
    RENDERERS_JUDGED,
    RESULTS,
    TIME_SCALE,
    absent,
    page,
    version,
)
from tests.results import judged, outcomes, scenarios

KEPT: Final = json.loads(RESULTS.read_text("utf-8"))
BY_NAME: Final = {renderer.name: renderer for renderer in RENDERERS_JUDGED}
SAMPLE: Final = {
    "@a2ui/lit": ["field-names", "component-replaced", "no-code"],
    "@a2ui/react": ["field-names", "component-replaced", "missing-child"],
    "@a2ui/react, without protections": ["no-egress"],
}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_renderer_keeps_and_breaks_what_it_did(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := absent():
        pytest.skip(why)
    monkeypatch.setenv("OPENWOP_RENDERERS", str(BUILT))
    patterns = [f"consumer.{row}" for row in SAMPLE[name]]
    chosen = select(scenarios("consumer", timed=False), patterns)
    renderer = BY_NAME[name]
    _, rows, _ = judged(renderer.connectable, chosen, "consumer", time_scale=TIME_SCALE)
    known = KEPT[name]["outcomes"]
    assert version(renderer) == KEPT[name]["version"]
    assert outcomes(rows) == {row: known[row] for row in SAMPLE[name]}


def test_every_row_of_a_consumer_has_a_result_of_every_renderer() -> None:
    rows = {s.requirement.rpartition(".")[2] for s in scenarios("consumer", timed=False)}
    assert list(KEPT) == list(BY_NAME)
    for result in KEPT.values():
        assert {row.rpartition(".")[2] for row in result["outcomes"]} == rows


def test_no_protection_makes_a_renderer_break_what_it_keeps_without() -> None:
    for name in ("@a2ui/lit", "@a2ui/react"):
        assert set(KEPT[name]["failed"]) <= set(KEPT[f"{name}, without protections"]["failed"])


def test_whatever_is_noted_is_of_a_row_that_is_red() -> None:
    for name, row in NOTES:
        assert any(red.endswith(row) for red in KEPT[name]["failed"])


def test_the_page_is_what_the_results_say() -> None:
    assert PAGE.read_text("utf-8") == page(KEPT)
