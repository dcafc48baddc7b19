"""What a whole subject is asked for, and what a break replaces: the one is held to the other."""

from __future__ import annotations

import asyncio

import pytest

from openwop_conformance.engine.session import asked_for
from openwop_conformance.reference import matrix
from openwop_conformance.reference.consulting import Notes, noting_class, noting_policy
from openwop_conformance.reference.matrix import Kind, Outcome, scenarios_of_hosts, tasks_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.scenario.lint import select

FOLD, TREE = "host.v2.fold-guarded", "host.v1.surface-shape"


def test_what_a_policy_is_asked_for_is_noted_by_its_name_and_given_as_it_is() -> None:
    policy, notes = Policy(), Notes()
    noting = noting_policy(policy, notes)
    assert noting.folds is policy.folds
    assert noting.v1.redact is policy.v1.redact
    assert noting.v1.delta.patch is policy.v1.delta.patch
    (found,) = notes.by(select(scenarios_of_hosts(), [FOLD])).values()
    assert found == {"folds", "v1.redact", "v1.delta.patch"}


def test_what_an_object_is_asked_for_is_noted_also_by_itself_and_where_it_lacks_it() -> None:
    class Whole:
        def outer(self) -> int:
            return self.inner() + 1

        def inner(self) -> int:
            return getattr(self, "start", 1)

    names = set[str]()
    made = noting_class(Whole, "part", names.add)()
    assert isinstance(made, Whole)
    assert names == set()
    assert made.outer() == 2
    assert names == {"part.outer", "part.inner", "part.start"}


def test_a_note_is_for_the_scenario_on_whose_behalf_it_is_or_for_all() -> None:
    notes = Notes()
    notes("met first")
    with asked_for(FOLD):
        notes("folded")
    found = notes.by(select(scenarios_of_hosts(), [FOLD, TREE]))
    assert found == {FOLD: {"met first", "folded"}, TREE: {"met first"}}


def asked(consulted: dict[str, frozenset[str]], name: str) -> set[str]:
    nothing = {scenario.id: frozenset[str]() for scenario in scenarios_of_hosts()}
    baselines: dict[Kind, Outcome] = {(): Outcome({}, {}, nothing | consulted)}
    ((_, _, turns),) = tasks_of([SABOTAGES[name]], baselines)
    return set(turns)


def declared(name: str) -> set[str]:
    return {s.id for s in scenarios_of_hosts() if name in s.sabotage}


def test_a_break_is_asked_what_it_declares_and_what_consults_the_broken_part() -> None:
    name = "refused-half-applied"  # it remembers, so that one rule counts as soon as it is asked
    consulted = {FOLD: frozenset({"rules.fold"}), TREE: frozenset({"v1.check_payload"})}
    assert declared(name).isdisjoint({FOLD, TREE})
    assert asked(consulted, name) == declared(name) | {FOLD}
    assert asked({}, name) == declared(name)


def test_a_break_that_can_be_compared_is_asked_where_it_would_answer_otherwise() -> None:
    name = "catalog-equality-unchecked"
    mark = f"rules.catalog-equality of {name}"
    assert asked({FOLD: frozenset({"rules.catalog-equality"})}, name) == declared(name)
    assert asked({FOLD: frozenset({mark})}, name) == declared(name) | {FOLD}


def test_a_break_around_the_whole_host_is_asked_everything() -> None:
    assert asked({}, "seam-without-key") == {scenario.id for scenario in scenarios_of_hosts()}


def test_breaks_take_turns_at_the_scenarios_that_they_are_asked() -> None:
    folding = frozenset({"rules.fold"})
    consulted = {s.id: folding if s.id == FOLD else frozenset() for s in scenarios_of_hosts()}
    broken = [SABOTAGES[name] for name in ("deletion-crosses-runs", "fork-inherits-whole-fold")]
    tasks = tasks_of(broken, {(): Outcome({}, {}, consulted)})
    turns = [turns.get(FOLD) for _, _, turns in tasks]
    assert [turn for turn in turns if turn is not None] == [0, 1]


def test_the_whole_host_says_what_each_scenario_consults(monkeypatch: pytest.MonkeyPatch) -> None:
    some = select(scenarios_of_hosts(), [FOLD, TREE])
    monkeypatch.setattr(matrix, "scenarios_of_hosts", lambda: some)
    whole = [asyncio.run(matrix.outcome_of(None, (), {name: 0})) for name in (FOLD, TREE)]
    consulted = (whole[0] | whole[1]).consulted
    assert "rules.fold" in consulted[FOLD] - consulted[TREE]
    assert "v1.check_payload" in consulted[TREE] - consulted[FOLD]
    assert "authenticate" in consulted[FOLD] & consulted[TREE]
