"""The matrix: what it reports of outcomes that are made up, and one real run of two breaks."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.errors import UsageError
from openwop_conformance.reference import matrix
from openwop_conformance.reference.connect import build_app, settings_of
from openwop_conformance.reference.matrix import Matrix, Outcome, declared_rows, matrix_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES, Sabotage
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario

NAME = "catalog-equality-unchecked"
ROW = "openwop.requirement.0209.catalog-equality"
OTHER = "openwop.requirement.0209.fold-guarded"

Outcomes = Callable[[str | None], Outcome]


@cache
def scenarios() -> tuple[Scenario, ...]:
    return tuple(s for s in load_all(corpus()) if s.subject == "host")


def outcome(red: Sequence[str] = (), *, changed: bool = True) -> Outcome:
    """All green but for these rows; ``changed`` is whether the wire is another."""
    dispositions = {s.requirement: Disposition.PASS for s in scenarios()}
    dispositions |= dict.fromkeys(red, Disposition.FAIL)
    return Outcome(dispositions, {ROW: "changed" if changed else "as ever"})


GREEN = outcome(changed=False)


def as_declared(name: str | None) -> Outcome:
    return GREEN if name is None else outcome(declared_rows(name, scenarios()))


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Matrix]:
    """``matrix_of`` with outcomes that no host has brought about."""

    def judged(outcomes: Outcomes, *names: str) -> Matrix:
        async def run_all(
            chosen: Sequence[Sabotage],
        ) -> tuple[dict[matrix.Kind, Outcome], list[Outcome]]:
            kinds = {(): outcomes(None)} | {matrix.kind_of(s): outcomes(None) for s in chosen}
            return kinds, [outcomes(sabotage.name) for sabotage in chosen]

        monkeypatch.setattr(matrix, "_run_all", run_all)
        return asyncio.run(matrix_of(names))

    return judged


Judge = Callable[..., Matrix]


def instead(found: Outcome) -> Outcomes:
    """As declared, but for one sabotage."""
    return lambda name: found if name == NAME else as_declared(name)


def test_what_is_as_declared_has_no_faults(judge: Judge) -> None:
    found = judge(as_declared, NAME)
    assert found.faults == ()
    (line,) = found.lines
    assert (line.name, line.red, line.declared, line.faults) == (NAME, (ROW,), (ROW,), ())


def test_the_declarations_give_each_requirement_a_break_of_its_own(judge: Judge) -> None:
    """Were every sabotage to do what is declared, there would be nothing to find."""
    found = judge(as_declared)
    assert found.faults == ()
    assert {line.name for line in found.lines} == set(SABOTAGES)


def test_an_undeclared_red_row_is_a_fault(judge: Judge) -> None:
    found = judge(instead(outcome([ROW, OTHER])), NAME)
    assert found.faults == (f"{NAME}: {OTHER} becomes executed-fail, which is not declared",)
    assert found.lines[0].red == tuple(sorted([ROW, OTHER]))


def test_a_row_that_changes_otherwise_than_to_red_is_a_fault(judge: Judge) -> None:
    other = outcome([ROW])
    changed = {**other.dispositions, OTHER: Disposition.BLOCKED}
    found = judge(instead(Outcome(changed, other.wire)), NAME)
    assert found.faults == (f"{NAME}: {OTHER} becomes blocked, which is not declared",)


@pytest.mark.parametrize("disposition", [Disposition.PASS, Disposition.BLOCKED])
def test_a_declared_row_that_is_not_red_is_a_fault(judge: Judge, disposition: Disposition) -> None:
    dispositions = {**GREEN.dispositions, ROW: disposition}
    found = judge(instead(Outcome(dispositions, {ROW: "changed"})), NAME)
    assert found.faults == (f"{NAME}: {ROW} stays {disposition}",)
    assert found.lines[0].red == ()


def test_a_break_that_changes_nothing_on_the_wire_is_a_fault(judge: Judge) -> None:
    found = judge(instead(outcome([ROW], changed=False)), NAME)
    assert found.faults == (f"{NAME}: it changes nothing on the wire",)


def test_a_declared_row_that_consults_nothing_of_what_is_replaced_is_a_fault(judge: Judge) -> None:
    nothing = {scenario.id: frozenset[str]() for scenario in scenarios()}
    whole = replace(GREEN, consulted=nothing)
    found = judge(lambda name: whole if name is None else as_declared(name), NAME)
    assert found.faults == (f"{NAME}: {ROW} consults nothing of what is replaced",)


@pytest.mark.parametrize(
    "disposition", [Disposition.FAIL, Disposition.BLOCKED, Disposition.SKIPPED]
)
def test_a_baseline_that_is_not_green_is_a_fault(judge: Judge, disposition: Disposition) -> None:
    baseline = Outcome({**GREEN.dispositions, OTHER: disposition}, GREEN.wire)
    broken = Outcome({**baseline.dispositions, ROW: Disposition.FAIL}, {ROW: "changed"})
    found = judge(lambda name: baseline if name is None else broken, NAME)
    (fault,) = found.faults
    assert fault.startswith("the baseline")
    assert fault.endswith(f"is not green: {OTHER} is {disposition}")


def test_an_inapplicable_row_of_the_baseline_is_no_fault(judge: Judge) -> None:
    baseline = Outcome({**GREEN.dispositions, OTHER: Disposition.INAPPLICABLE}, GREEN.wire)
    broken = Outcome({**baseline.dispositions, ROW: Disposition.FAIL}, {ROW: "changed"})
    assert judge(lambda name: baseline if name is None else broken, NAME).faults == ()


def test_a_requirement_that_no_break_turns_red_alone_is_a_fault(judge: Judge) -> None:
    """``tenants-mixed`` is the only one that turns its row red."""
    row = "openwop-conformance.host.v2.tenant-isolation"
    found = judge(lambda name: GREEN if name == "tenants-mixed" else as_declared(name))
    assert f"{row}: no sabotage turns it red alone" in found.faults
    together = outcome([row, OTHER])
    found = judge(lambda name: together if name == "tenants-mixed" else as_declared(name))
    assert f"{row}: no sabotage turns it red alone" in found.faults


def test_a_break_that_no_scenario_lists_is_a_fault(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    stray = Sabotage("stray", "nothing at all")
    monkeypatch.setattr(matrix, "sabotage_called", lambda name: stray)
    found = judge(lambda name: GREEN if name is None else outcome(), "stray")
    assert found.faults == ("stray: no scenario lists it",)


def test_an_unknown_name_is_an_error_with_near_ones() -> None:
    with pytest.raises(UsageError, match=f"near it: .*{NAME}"):
        asyncio.run(matrix_of(["catalog-equality-uncheked"]))


# --------------------------------------------------------------------------- the breaks themselves


@pytest.mark.parametrize("sabotage", SABOTAGES.values(), ids=lambda s: s.name)
def test_each_break_makes_another_host(sabotage: Sabotage) -> None:
    settings = settings_of(dict(sabotage.settings))
    policy = sabotage.change(Policy())
    app = build_app(settings, policy)
    wrapped = sabotage.wrap(app, settings)
    assert (policy != Policy()) != (wrapped is not app), "a policy or a wrap, and one of them"
    assert sabotage.breaks
    assert declared_rows(sabotage.name, scenarios())


def test_every_break_is_listed_and_there_is_none_but_those() -> None:
    listed = {name for s in scenarios() for name in s.sabotage}
    assert listed == set(SABOTAGES)
