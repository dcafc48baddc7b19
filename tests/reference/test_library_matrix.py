"""The matrices of SDKs and consumers: all of them as declared, and what they would report."""

from __future__ import annotations

import asyncio
import gc
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.errors import CallError, UnreachableError, UsageError
from openwop_conformance.reference import library_matrix
from openwop_conformance.reference.library_matrix import (
    FAMILIES,
    Kind,
    library_matrix_of,
    scenarios_of,
    uncovered,
)
from openwop_conformance.reference.matrix import Matrix, Outcome, declared_rows
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.sabotage.consumer import CONSUMER_SABOTAGES
from openwop_conformance.reference.sabotage.page import PAGE_SABOTAGES
from openwop_conformance.reference.sabotage.sdk import SDK_SABOTAGES
from openwop_conformance.reference.sdk.operations import ReferenceSdk

from .sdk.responses import CREATE, block

NAME = "sdk-null-removes"
ROW = "openwop-conformance.sdk.data-null-kept"
OTHER = "openwop-conformance.sdk.data-escapes"


def test_a_broken_sdk_does_the_same_whenever_garbage_is_collected() -> None:
    sdks = {name: sabotage.made() for name, sabotage in SDK_SABOTAGES.items()}
    for sdk in sdks.values():
        sdk.new_state("s", ["basic"], "v0.9")
        with suppress(CallError):
            sdk.stream("s", [block(CREATE)])
    before = {name: sdk.read("s") for name, sdk in sdks.items()}
    gc.collect()
    assert {name: sdk.read("s") for name, sdk in sdks.items()} == before


def test_every_sabotage_of_the_sdk_does_what_is_declared() -> None:
    found = asyncio.run(library_matrix_of("sdk"))
    assert [*found.faults, *uncovered(found, "sdk")] == []
    assert len(found.lines) >= 25


def test_every_sabotage_of_the_headless_consumer_does_what_is_declared() -> None:
    found = asyncio.run(library_matrix_of("consumer"))
    assert found.faults == ()
    assert len(found.lines) >= 6


def test_every_scenario_is_green_on_the_page_and_its_sabotages_do_what_is_declared() -> None:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    found = asyncio.run(library_matrix_of("page"))
    assert found.faults == ()
    assert len(scenarios_of("consumer")) >= 31
    assert sum(len(line.red) == 1 for line in found.lines) >= 8


def test_every_row_of_a_consumer_is_turned_red_alone_by_a_sabotage_of_the_one_or_the_other() -> (
    None
):
    scenarios = scenarios_of("consumer")
    declared = [declared_rows(n, scenarios) for n in (*CONSUMER_SABOTAGES, *PAGE_SABOTAGES)]
    alone = {rows[0] for rows in declared if len(rows) == 1}
    assert {scenario.requirement for scenario in scenarios} - alone == set()


def test_the_sabotages_of_the_page_together_are_asked_every_row_that_is_not_large() -> None:
    whole, *shares = library_matrix._asked_of_pages([None, *PAGE_SABOTAGES])
    assert whole == scenarios_of("consumer")
    asked = {scenario.id for share in shares for scenario in share}
    assert {scenario.id for scenario in whole} - asked == {"consumer.hostile-sizes"}


def test_a_sabotage_of_the_page_that_is_asked_alone_is_asked_every_row() -> None:
    (share,) = library_matrix._asked_of_pages(["page-root-unneeded"])
    assert len(share) == len(scenarios_of("consumer")) - 1


def test_without_a_browser_it_is_said_that_the_page_cannot_be_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    with pytest.raises(UnreachableError, match="apt-get install chromium"):
        asyncio.run(library_matrix_of("page", ["page-root-unneeded"]))


def test_a_sabotage_of_one_method_is_asked_the_rows_that_consult_it_and_those_it_declares() -> None:
    nothing = {scenario.id: frozenset[str]() for scenario in scenarios_of("sdk")}
    consulted = {**nothing, "sdk.data-escapes": frozenset({"state.write"})}
    rows = [s.requirement for s in library_matrix._asked("sdk", NAME, consulted)]
    assert sorted(rows) == sorted([ROW, OTHER])
    assert len(library_matrix._asked("sdk", NAME)) > 60


def test_a_declared_row_that_consults_nothing_of_what_is_replaced_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    nothing = {scenario.id: frozenset[str]() for scenario in scenarios_of("sdk")}
    found = judged(
        monkeypatch, replace(GREEN, consulted=nothing), outcome(data_null_kept=Disposition.FAIL)
    )
    assert found.faults == (f"{NAME}: {ROW} consults nothing of what is replaced",)


def test_no_sabotage_replaces_what_is_called_without_being_asked_for() -> None:
    """Python looks up what has two underscores on the class, and ``hello`` lists every call."""
    names = [name for broken in SDK_SABOTAGES.values() for name in broken.replaced]
    names += [name for broken in CONSUMER_SABOTAGES.values() for name in broken.replaced]
    assert not [name for name in names if ".__" in name]
    for name, sabotage in SDK_SABOTAGES.items():
        assert all(hasattr(ReferenceSdk, method) for method in sabotage.sdk), name


def test_no_name_is_used_twice() -> None:
    names = [*SABOTAGES, *(name for family in FAMILIES.values() for name in family.sabotages)]
    assert len(names) == len(set(names))


def test_an_unknown_name_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no sabotage 'sdk-nothing'"):
        asyncio.run(library_matrix_of("sdk", ["sdk-nothing"]))


def judged(monkeypatch: pytest.MonkeyPatch, baseline: Outcome, broken: Outcome) -> Matrix:
    """The matrix of one sabotage, for outcomes that no SDK has brought about."""

    async def run_all(kind: Kind, names: Sequence[str]) -> tuple[Outcome, list[Outcome]]:
        return baseline, [broken for _ in names]

    monkeypatch.setattr(library_matrix, "_run_all", run_all)
    return asyncio.run(library_matrix_of("sdk", [NAME]))


def outcome(*, changed: bool = True, **others: Disposition) -> Outcome:
    """All green, but for some rows."""
    rows = {s.requirement: Disposition.PASS for s in scenarios_of("sdk")}
    rows |= {f"openwop-conformance.sdk.{k.replace('_', '-')}": d for k, d in others.items()}
    return Outcome(rows, {ROW: "changed" if changed else "as ever"})


GREEN = outcome(changed=False)


def test_what_is_as_declared_has_no_faults(monkeypatch: pytest.MonkeyPatch) -> None:
    assert declared_rows(NAME, scenarios_of("sdk")) == (ROW,)
    found = judged(monkeypatch, GREEN, outcome(data_null_kept=Disposition.FAIL))
    assert found.faults == ()
    assert [line.red for line in found.lines] == [(ROW,)]


@pytest.mark.parametrize(
    ("broken", "fault"),
    [
        (outcome(), f"{ROW} stays executed-pass"),
        (outcome(data_null_kept=Disposition.BLOCKED), f"{ROW} stays blocked"),
        (
            outcome(data_null_kept=Disposition.FAIL, data_escapes=Disposition.FAIL),
            f"{OTHER} becomes executed-fail, which is not declared",
        ),
        (
            outcome(data_null_kept=Disposition.FAIL, data_escapes=Disposition.BLOCKED),
            f"{OTHER} becomes blocked, which is not declared",
        ),
        (outcome(changed=False, data_null_kept=Disposition.FAIL), "it changes no answer"),
    ],
)
def test_what_is_otherwise_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, broken: Outcome, fault: str
) -> None:
    assert f"{NAME}: {fault}" in judged(monkeypatch, GREEN, broken).faults


def test_a_baseline_that_is_not_green_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    red = outcome(data_escapes=Disposition.FAIL)
    found = judged(monkeypatch, red, outcome(data_null_kept=Disposition.FAIL))
    assert f"the sdk is not green: {OTHER} is executed-fail" in found.faults


def test_a_row_that_nothing_turns_red_alone_is_told() -> None:
    assert f"{ROW}: no sabotage turns it red alone" in uncovered(Matrix((), ()), "sdk")
