"""What a whole subject is asked for, and what a break replaces: the one is held to the other."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from openwop_conformance.engine.session import asked_for
from openwop_conformance.reference import matrix
from openwop_conformance.reference.consulting import Notes, noting_class, noting_policy
from openwop_conformance.reference.matrix import Outcome, scenarios_of_hosts, tasks_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.scenario.lint import select

FOLD, TREE = "host.v2.fold-guarded", "host.v1.surface-shape"
FOUND = ("what the session found",)

Consulted = Mapping[str, frozenset[str]]


def test_what_a_policy_is_asked_for_is_noted_by_its_name_and_given_as_it_is() -> None:
    policy, notes = Policy(), Notes()
    noting = noting_policy(policy, notes)
    assert noting.folds is policy.folds
    assert noting.v1.redact is policy.v1.redact
    assert noting.v1.delta.patch is policy.v1.delta.patch
    (found,) = notes.by([FOLD]).values()
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
    assert notes.by([FOLD, TREE]) == {FOLD: {"met first", "folded"}, TREE: {"met first"}}
    assert notes.alone([FOLD, TREE]) == {FOLD: {"folded"}, TREE: frozenset()}


def asked(consulted: Consulted, name: str) -> set[str]:
    ((_, _, turns, doubtful, _),) = tasks_of([SABOTAGES[name]], {(): whole(consulted)})
    assert not doubtful
    return set(turns)


def whole(alone: Consulted, for_all: frozenset[str] = frozenset()) -> Outcome:
    alone = {scenario.id: alone.get(scenario.id, frozenset()) for scenario in scenarios_of_hosts()}
    return Outcome({}, {}, {name: of_it | for_all for name, of_it in alone.items()}, alone, FOUND)


def declared(name: str) -> set[str]:
    return {s.id for s in scenarios_of_hosts() if name in s.sabotage}


def test_a_break_is_asked_what_it_declares_and_what_consults_the_broken_part() -> None:
    name = "deletion-crosses-runs"  # it remembers, so that one rule counts as soon as it is asked
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
    assert asked({}, "existence-before-auth") == {scenario.id for scenario in scenarios_of_hosts()}


def test_what_a_break_changes_only_for_the_session_makes_all_others_doubtful() -> None:
    name = "catalog-equality-unchecked"
    for_all = frozenset({f"rules.catalog-equality of {name}"})
    (task,) = tasks_of([SABOTAGES[name]], {(): whole({FOLD: for_all}, for_all)})
    _, _, turns, doubtful, found = task
    assert set(turns) == declared(name) | {FOLD}
    assert set(doubtful) == {s.id for s in scenarios_of_hosts()} - set(turns)
    assert found == FOUND


@pytest.mark.parametrize("name", ["delta-frame-open", "delta-without-asking"])
def test_the_doubtful_is_asked_where_the_session_finds_something_else(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = select(scenarios_of_hosts(), [TREE, "host.v1.version-refused"])
    monkeypatch.setattr(matrix, "scenarios_of_hosts", lambda: some)
    (row, other) = (scenario.requirement for scenario in some)
    found = asyncio.run(matrix.outcome_of(None, (), {})).found
    outcome = asyncio.run(matrix.outcome_of(name, (), {some[0].id: 0}, {some[1].id: 0}, found))
    no_frames_unasked = name == "delta-without-asking"
    assert outcome.dispositions.keys() == ({row, other} if no_frames_unasked else {row})


def test_breaks_take_turns_at_the_scenarios_that_they_are_asked() -> None:
    folding = frozenset({"rules.fold"})
    broken = [SABOTAGES[name] for name in ("deletion-crosses-runs", "fork-inherits-whole-fold")]
    tasks = tasks_of(broken, {(): whole({FOLD: folding})})
    turns = [turns.get(FOLD) for _, _, turns, _, _ in tasks]
    assert [turn for turn in turns if turn is not None] == [0, 1]


def test_the_whole_host_says_what_each_scenario_consults(monkeypatch: pytest.MonkeyPatch) -> None:
    some = select(scenarios_of_hosts(), [FOLD, TREE])
    monkeypatch.setattr(matrix, "scenarios_of_hosts", lambda: some)
    both = [asyncio.run(matrix.outcome_of(None, (), {name: 0})) for name in (FOLD, TREE)]
    alone = (both[0] | both[1]).alone
    assert "rules.fold" in alone[FOLD] - alone[TREE]
    assert "v1.check_payload" in alone[TREE] - alone[FOLD]
    assert "authenticate" in alone[FOLD] & alone[TREE]
