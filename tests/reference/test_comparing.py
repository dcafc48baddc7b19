"""Where a break would answer as the whole host does, and what that may be said of."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from openwop_conformance.engine.session import asked_for
from openwop_conformance.errors import Violation
from openwop_conformance.reference import matrix
from openwop_conformance.reference.comparing import (
    ACTING,
    Change,
    OfRuns,
    alike,
    behaviours,
    compared,
    marks,
    others,
)
from openwop_conformance.reference.consulting import Notes, noting_policy
from openwop_conformance.reference.policy import Policy, observe_trust
from openwop_conformance.reference.rules import RULES, Admission
from openwop_conformance.reference.sabotage.model import set_to, v1_set_to, with_rule
from openwop_conformance.reference.state import RunState
from openwop_conformance.scenario.lint import select

FOLD, TREE = "host.v2.fold-guarded", "host.v1.surface-shape"


def remembering(policy: Policy) -> Policy:
    """Shows any run the second time."""
    seen = set[str]()

    def visible(run_id: str, tenant: str) -> bool:
        known = run_id in seen
        seen.add(run_id)
        return known or policy.visible(run_id, tenant)

    return replace(policy, visible=visible)


def admission(**envelope: Any) -> Admission:
    return Admission(
        envelope,
        RunState("r"),
        floor=2,
        strictness="warn",
        redact=lambda value: value,
        life=lambda surface: "absent",
        folds=Policy().folds,
    )


# ------------------------------------------------------------------------ what is compared


def test_a_behaviour_has_a_name_and_so_has_each_rule_of_admission() -> None:
    names = behaviours(Policy())
    assert {"visible", "rules", "rules.fold", "v1.redact", "v1.delta.patch"} <= names.keys()
    assert names.keys() > ACTING


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (set_to(visible=lambda run_id, tenant: True), {"visible of it"}),
        (v1_set_to(conflicts=lambda one, other: False), {"v1.conflicts of it"}),
        (with_rule("fold", lambda admission: None), {"rules.fold of it"}),
        (remembering, {"visible"}),
        (OfRuns(remembering), {"visible of it"}),
        (set_to(closes=False), {"closes"}),
        (set_to(observe_trust=lambda *given: observe_trust(*given)), {"observe_trust"}),
        (set_to(rules=RULES[1:]), {"rules", "rules.run"}),
        (lambda policy: policy, set()),
    ],
)
def test_only_what_neither_acts_nor_remembers_is_compared(
    change: Change, expected: set[str]
) -> None:
    assert marks("it", change).keys() == expected


def test_a_break_is_noted_only_where_it_would_answer_otherwise() -> None:
    notes = Notes()
    change = set_to(visible=lambda run_id, tenant: run_id != "acme/strange")
    noting = noting_policy(Policy(), notes, others([("it", change), ("other", remembering)]))
    for scope, run_id in ((FOLD, "acme/strange"), (TREE, "acme/run")):
        with asked_for(scope):
            assert noting.visible(run_id, "acme")
    found = notes.by([FOLD, TREE])
    assert found == {FOLD: {"visible", "visible of it"}, TREE: {"visible"}}


def test_what_remembers_each_run_apart_is_compared_as_it_goes_along() -> None:
    notes = Notes()
    noting = noting_policy(Policy(), notes, others([("it", OfRuns(remembering))]))
    for scope, run_id in ((FOLD, "acme/run"), (TREE, "globex/run"), (FOLD, "acme/run")):
        with asked_for(scope):
            noting.visible(run_id, "acme")
    assert notes.by([FOLD, TREE]) == {FOLD: {"visible"}, TREE: {"visible"}}
    with asked_for(TREE):
        assert not noting.visible("globex/run", "acme")
    assert notes.by([TREE]) == {TREE: {"visible", "visible of it"}}


def test_rules_are_compared_one_by_one_and_what_they_find_out_counts() -> None:
    def another_branch(admission: Admission) -> None:
        admission.branch = 1

    def mixed_up(admission: Admission) -> None:
        raise Violation("kind", "another word")

    notes = set[str]()
    changes = [("b", another_branch), ("m", mixed_up), ("p", lambda admission: None)]
    breaks = [(name, with_rule("version", judge)) for name, judge in changes]
    judges = {
        rule.name: rule.judge
        for rule in noting_policy(Policy(), _Notes(notes), others(breaks)).rules
    }
    assert notes == {"rules"}
    given = admission(schemaVersion=2)
    judges["version"](given)
    assert given.branch == 2
    assert notes == {"rules", "rules.version", "rules.version of b", "rules.version of m"}
    with pytest.raises(Violation, match="above"):
        judges["version"](admission(schemaVersion=3))
    assert "rules.version of p" in notes


class _Notes:
    def __init__(self, names: set[str]) -> None:
        self.names = names

    def __call__(self, name: str) -> None:
        self.names.add(name)

    def __contains__(self, name: str) -> bool:
        return name in self.names


def test_a_break_is_not_asked_again_where_it_is_noted() -> None:
    asked: list[int] = []

    def other(number: int) -> int:
        asked.append(number)
        return number % 2

    behaviour = compared(lambda number: 0, [("odd", other)], _Notes(set()))
    assert [behaviour(number) for number in (2, 3, 5)] == [0, 0, 0]
    assert asked == [2, 3]


# ------------------------------------------------------------------------------- likeness


@dataclass
class Pair:
    one: Any
    cached: Any = field(default=None, compare=False)


class Opaque:
    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"a": [1, None, "x"], "b": {}}, {"a": [1, None, "x"], "b": {}}),
        ((1.5, b"x"), (1.5, b"x")),
        (Pair([1], cached=1), Pair([1])),
        (Violation("fold", "no", path="/a"), Violation("fold", "no", path="/a")),
    ],
)
def test_what_nobody_can_tell_apart_is_alike(one: Any, other: Any) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (0.0, -0.0),
        ([1], (1,)),
        ([1], [1, 2]),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        (Pair([1]), Pair([2])),
        (Violation("fold", "no"), Violation("lock", "no")),
        (Violation("fold", "no"), Violation("fold", "no", path="/a")),
        (ValueError("no"), Violation("fold", "no")),
        (Opaque(), Opaque()),
        ({1}, {1}),
    ],
)
def test_what_differs_or_cannot_be_looked_into_is_not(one: Any, other: Any) -> None:
    assert not alike(one, other)


# ------------------------------------------------------------------------- the whole host


def test_the_breaks_beside_the_whole_host_leave_it_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    names = [FOLD, TREE, "*.locked-f*", "*.fork-*", "host.v1.delta-applies"]
    some = select(matrix.scenarios_of_hosts(), names)
    monkeypatch.setattr(matrix, "scenarios_of_hosts", lambda: some)

    def witnessed() -> Mapping[str, str]:
        return asyncio.run(matrix.outcome_of(None, (), {s.id: 0 for s in some})).wire

    beside = witnessed()
    monkeypatch.setattr(matrix, "breaks_under", lambda kind: [])
    assert witnessed() == beside
