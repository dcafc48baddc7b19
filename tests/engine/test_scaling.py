"""What things cost: verdicts on costs that are made up, in counts and in a time that is too."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any

import pytest

from openwop_conformance.adapters.calls import InProcess
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.run import run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.operations import ReferenceSdk
from openwop_conformance.scenario.lint import load_all, select

(UPDATES,) = select(load_all(corpus()), ["sdk.cost-update"])
Cost = Callable[[int], float]


class Clock:
    """A time that passes only where a subject says so."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def date(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def within(self, seconds: float) -> AbstractAsyncContextManager[object]:
        return asyncio.timeout(None)


def judged(cost: Cost, *, counts: bool = False, applied: Cost | None = None) -> Row:
    """The row of updates that cost so much, as seconds or as counts."""
    clock = Clock()

    class Costly(ReferenceSdk):
        counted = 0

        @property
        def work(self) -> int | None:
            return self.counted if counts else None

        def apply_each(self, state: str, messages: Any) -> JsonValue:
            clock.time += cost(len(messages))
            self.counted += int(cost(len(messages)))
            return {"applied": int(applied(len(messages))) if applied else len(messages)}

    subject = InProcess(Costly(counts=counts), "lab", trusted=True)
    session = Session(subject, Options(seed=3), Credentials(), clock, "sdk")
    (row,) = asyncio.run(run([UPDATES], session, lambda event: None))
    return row


def power(exponent: float, unit: float = 0.001) -> Cost:
    return lambda size: unit * size**exponent


@pytest.mark.parametrize("exponent", [0, 0.5, 1, 1.2, 1.45])
def test_what_grows_no_faster_than_eight_times_passes(exponent: float) -> None:
    row = judged(power(exponent))
    assert (row.disposition, row.assertions) == (Disposition.PASS, 1)


@pytest.mark.parametrize("exponent", [1.55, 2, 3])
def test_what_grows_faster_fails_and_tells_no_figure_in_its_reason(exponent: float) -> None:
    row = judged(power(exponent))
    assert (row.disposition, row.assertions) == (Disposition.FAIL, 1)
    assert row.reason == "the cost of updates grows faster than their number"


@pytest.mark.parametrize("exponent", [1, 2])
def test_what_was_measured_is_evidence_beside_the_row(exponent: float) -> None:
    row = judged(power(exponent, 0.0001))
    (measured,) = row.measured
    assert measured["exponent"] == exponent
    assert measured["unit"] == "seconds"
    assert [c / measured["costs"][0] for c in measured["costs"]] == pytest.approx(
        [1, 2**exponent, 4**exponent], rel=0.01
    )
    assert "measured" in row.as_record()
    assert "measured" not in row.as_json()


def test_the_size_grows_until_it_can_be_timed() -> None:
    (measured,) = judged(power(1, 0.0005)).measured
    assert measured["n"] == 200
    (measured,) = judged(power(1, 0.000001)).measured
    assert measured["n"] == 1600


def noise(*factors: float) -> Cost:
    """Linear costs that a busy machine makes larger, in turn."""
    turns: Iterator[float] = itertools.cycle(factors)
    return lambda size: 0.001 * size * next(turns)


def test_noise_that_comes_and_goes_is_no_growth() -> None:
    assert judged(noise(1, 1.1, 1, 2.5, 1, 1.2)).disposition is Disposition.PASS


def test_where_nothing_can_be_measured_the_row_is_blocked() -> None:
    row = judged(noise(1, 3, 9, 27, 81, 243, 729))
    assert row.disposition is Disposition.BLOCKED
    assert "varies too much" in row.reason


@pytest.mark.parametrize(
    ("exponent", "verdict"), [(1, Disposition.PASS), (1.4, Disposition.PASS), (2, Disposition.FAIL)]
)
def test_where_the_subject_counts_the_counts_decide(exponent: float, verdict: Disposition) -> None:
    row = judged(lambda size: 10 * size**exponent, counts=True)
    assert row.disposition is verdict
    (measured,) = row.measured
    assert (measured["n"], measured["unit"]) == (25, "looked at")


def test_who_counts_nothing_of_its_work_is_blocked() -> None:
    row = judged(lambda size: 0, counts=True)
    assert row.disposition is Disposition.BLOCKED
    assert "counts nothing" in row.reason


def test_who_stops_half_way_is_not_quick() -> None:
    row = judged(power(0), applied=lambda size: size // 2)
    assert row.disposition is Disposition.FAIL
    assert "number of messages applied" in row.reason


def test_who_drops_a_stream_or_a_transaction_is_not_quick() -> None:
    class Dropping(ReferenceSdk):
        def stream(self, state: str, chunks: Any, wrapped: bool = True, quiet: bool = False) -> Any:
            return {"emitted": 0}

        def transaction(self, state: str, steps: Any, returns: JsonValue = None) -> JsonValue:
            return {"kept": False}

    chosen = select(
        load_all(corpus()), ["sdk.cost-chunks", "sdk.cost-response", "sdk.cost-rollback"]
    )
    subject = InProcess(Dropping(), "lab", trusted=True)
    session = Session(subject, Options(seed=3), Credentials(), kind="sdk")
    rows = asyncio.run(run(chosen, session, lambda event: None))
    assert [row.disposition for row in rows] == [Disposition.FAIL] * 3
