"""What a policy is asked for, and what a break replaces: the one is held against the other."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from openwop_conformance.reference import matrix
from openwop_conformance.reference.consulting import Consulted, replaced
from openwop_conformance.reference.matrix import MAJORS, Kind, Outcome, in_turn, tasks_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.scenario.lint import select


def test_what_is_asked_for_is_noted_by_its_name_and_given_as_it_is() -> None:
    policy = Policy()
    consulted = Consulted(policy)
    assert consulted.names == set()
    assert consulted.as_policy().folds is policy.folds
    assert consulted.as_policy().v1.redact is policy.v1.redact
    assert consulted.names == {"folds", "v1.redact"}


def test_what_differs_is_named_in_the_same_way() -> None:
    policy = Policy()
    other = replace(policy, closes=False, v1=replace(policy.v1, remembers=True))
    assert set(replaced(policy, other)) == {"closes", "v1.remembers"}
    assert list(replaced(policy, Policy())) == []


def majors_asked(consulted: dict[int, frozenset[str]], *names: str) -> list[set[int]]:
    baselines: dict[Kind, Outcome] = {(): Outcome({}, {}, consulted)}
    return [set(turns) for _, _, turns in tasks_of([SABOTAGES[n] for n in names], baselines)]


@pytest.mark.parametrize(
    ("name", "majors"),
    [
        ("catalog-equality-unchecked", {2}),
        ("v1-catalog-unchecked", {1}),
        ("any-key-accepted", {1, 2}),
        ("etag-missing", {1, 2}),  # wraps the whole application
    ],
)
def test_a_break_is_asked_the_majors_that_consult_what_it_replaces(
    name: str, majors: set[int]
) -> None:
    consulted = {
        1: frozenset({"authenticate", "v1.check_payload"}),
        2: frozenset({"authenticate", "rules"}),
    }
    assert majors_asked(consulted, name) == [majors]


def test_a_break_is_asked_the_rows_that_it_declares_whatever_was_consulted() -> None:
    nothing = {major: frozenset[str]() for major in MAJORS}
    assert majors_asked(nothing, "catalog-equality-unchecked", "v1-catalog-unchecked") == [{2}, {1}]


def test_the_whole_host_consults_in_each_major_what_is_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    some = select(matrix.scenarios_of_hosts(), ["host.v1.surface-shape", "host.v2.fold-guarded"])
    monkeypatch.setattr(matrix, "scenarios_of_hosts", lambda: some)
    whole = {major: asyncio.run(matrix.outcome_of(None, (), {major: 0})) for major in MAJORS}
    first, second = (whole[major].consulted[major] for major in MAJORS)
    assert whole[1].consulted.keys() == {1}
    assert "rules" in second - first
    assert "authenticate" in first & second
    assert "v1.check_payload" in first - second


def test_the_breaks_of_a_major_together_ask_every_case_of_its_rows() -> None:
    nothing = {major: frozenset[str]() for major in MAJORS}  # so that they are as few as can be
    baselines = {matrix.kind_of(s): Outcome({}, {}, nothing) for s in SABOTAGES.values()}
    tasks = list(tasks_of(list(SABOTAGES.values()), baselines))
    for scenario in matrix.scenarios_of_hosts():
        asked = {
            step.case
            for _, _, turns in tasks
            if scenario.major in turns
            for step in in_turn(scenario, turns[scenario.major]).steps
        }
        assert asked == {step.case for step in scenario.steps}, scenario.id
