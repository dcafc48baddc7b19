"""Recorded calls stand for a run: who answers them as the whole subject does is judged as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from openwop_conformance.engine.run import is_timed
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.reference import library_matrix
from openwop_conformance.reference.library_matrix import FAMILIES, Kind, outcome_of, scenarios_of
from openwop_conformance.reference.matrix import SEED, in_turn
from openwop_conformance.reference.replaying import Recorded, Recordings, same_answers
from openwop_conformance.scenario.lint import select
from openwop_conformance.scenario.model import Scenario

KINDS: Sequence[Kind] = ("sdk", "consumer")
REPLAY = {kind: replay for kind in KINDS if (replay := FAMILIES[kind].replay)}
KEPT = "sdk.data-null-kept"


def recorded(kind: Kind, scenarios: Sequence[Scenario]) -> list[Recorded]:
    async def all_of_them() -> list[Recorded]:
        whole = Recordings(FAMILIES[kind].subject, SEED, REPLAY[kind].noting)
        return [await whole.of(scenario) for scenario in scenarios]

    return asyncio.run(all_of_them())


def few(kind: Kind) -> list[Scenario]:
    chosen = scenarios_of(FAMILIES[kind].subject)
    return [in_turn(scenario, 1, 2) for scenario in chosen if not is_timed(scenario)]


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_asked_and_answered_depends_on_nothing_that_was_asked_before(kind: Kind) -> None:
    there = recorded(kind, few(kind))
    back = recorded(kind, few(kind)[::-1])[::-1]
    assert [one.calls for one in there] == [one.calls for one in back]
    assert {one.disposition for one in there} <= {Disposition.PASS, Disposition.INAPPLICABLE}


@pytest.mark.parametrize("kind", KINDS)
def test_a_broken_subject_is_judged_as_when_it_is_asked_everything(kind: Kind) -> None:
    async def outcomes(name: str) -> tuple[dict[str, Disposition], dict[str, Disposition]]:
        asked = await outcome_of(kind, name)
        replayed = await outcome_of(kind, name, None, whole)
        return dict(asked.dispositions), dict(replayed.dispositions)

    whole = Recordings(FAMILIES[kind].subject, SEED, REPLAY[kind].noting)
    for name in list(FAMILIES[kind].sabotages)[::80]:
        asked, replayed = asyncio.run(outcomes(name))
        assert replayed == asked, name


def test_a_scenario_is_recorded_once_with_the_cases_that_it_has() -> None:
    scenario = next(s for s in scenarios_of("sdk") if len({step.case for step in s.steps}) > 2)
    one, other, again = recorded("sdk", [in_turn(scenario, turn, 1) for turn in (0, 1, 0)])
    assert one is again
    assert one.calls != other.calls


def test_an_answer_that_differs_or_a_part_that_was_not_consulted_decides() -> None:
    (kept,) = recorded("sdk", select(scenarios_of("sdk"), [KEPT]))
    broken = REPLAY["sdk"].made("sdk-null-removes")
    assert not same_answers(kept.calls, broken)
    assert not kept.cannot_change(FAMILIES["sdk"].sabotages["sdk-null-removes"].replaced, broken)
    assert kept.cannot_change(frozenset({"parser.compile"}), broken)
    assert kept.cannot_change(kept.consulted, REPLAY["sdk"].made("sdk-escapes-kept"))


def test_who_says_another_hello_is_asked_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = few("sdk")[:3]

    async def known(name: str) -> int:
        whole = Recordings("sdk", SEED, REPLAY["sdk"].noting)
        return len(await library_matrix._unchanged("sdk", name, asked, whole))

    assert asyncio.run(known("sdk-escapes-kept")) == 3
    monkeypatch.setattr(library_matrix, "same_answers", lambda calls, subject: False)
    assert asyncio.run(known("sdk-escapes-kept")) == 0
