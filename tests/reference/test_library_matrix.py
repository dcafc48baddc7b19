"""The matrices of SDKs and consumers: all of them as declared, and what they would report."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.errors import UsageError
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

NAME = "sdk-null-removes"
ROW = "openwop-conformance.sdk.data-null-kept"
OTHER = "openwop-conformance.sdk.data-escapes"


def test_every_sabotage_of_the_sdk_does_what_is_declared() -> None:
    found = asyncio.run(library_matrix_of("sdk"))
    assert [*found.faults, *uncovered(found, "sdk")] == []
    assert len(found.lines) >= 25


def test_every_sabotage_of_the_headless_consumer_does_what_is_declared() -> None:
    found = asyncio.run(library_matrix_of("consumer"))
    assert found.faults == ()
    assert len(found.lines) >= 6


def test_no_name_is_used_twice() -> None:
    names = [*SABOTAGES, *(name for family in FAMILIES.values() for name in family.sabotages)]
    assert len(names) == len(set(names))


def test_an_unknown_name_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="no sabotage 'sdk-nothing'"):
        asyncio.run(library_matrix_of("sdk", ["sdk-nothing"]))


def judged(monkeypatch: pytest.MonkeyPatch, baseline: Outcome, broken: Outcome) -> Matrix:
    """The matrix of one sabotage, for outcomes that no SDK has brought about."""

    async def run_all(kind: Kind, names: Sequence[str | None]) -> list[Outcome]:
        return [baseline if name is None else broken for name in names]

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
