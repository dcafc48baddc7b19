"""What breaks below the protocol: when it is a verdict, when it is none, and what is kept of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from starlette.types import ASGIApp

from openwop_conformance.adapters.host import Bounds, Request, Response, Stream
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.run import run
from openwop_conformance.engine.session import GIVE_UP_AFTER, Options, Session
from openwop_conformance.engine.steps import STEPS
from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.errors import ExchangeError, UnreachableError
from openwop_conformance.wire.discovery import PATH
from tests.engine.subjects import (
    SEAM,
    Breaking,
    Scripted,
    claiming,
    json_answer,
    one,
    ran,
    scenario,
    scenarios,
)

CHOSEN = scenario("catalog-equality")
"""A run, a refusal, its twin and a poll."""


def breaks(
    kind: str, when: Callable[[Request], bool], *, at: int = 1
) -> Callable[[ASGIApp], Breaking]:
    return lambda app: Breaking(app, when, ExchangeError(kind, f"it was {kind}"), at=at)


def at_seam(request: Request) -> bool:
    return request.target == SEAM


def at_poll(request: Request) -> bool:
    return "/events/poll" in request.target


def at_create(request: Request) -> bool:
    return request.target == "/runs"


@pytest.mark.parametrize("kind", ["cut-off", "too-large", "transport", "redirect"])
def test_an_answer_that_breaks_after_the_first_assertion_fails(kind: str) -> None:
    found = asyncio.run(ran([CHOSEN], host=breaks(kind, at_poll)))
    (row,) = found.rows
    assert row.disposition is Disposition.FAIL
    assert row.reason == f"no answer: it was {kind}"
    (failure,) = found.finished["catalog-equality"].failures
    assert failure.exchange is not None
    assert failure.exchange.fault == f"it was {kind}"


@pytest.mark.parametrize("when", [at_poll, at_seam, at_create])
def test_slowness_is_never_a_verdict(when: Callable[[Request], bool]) -> None:
    found = asyncio.run(ran([CHOSEN], host=breaks("timeout", when)))
    (row,) = found.rows
    assert (row.disposition, row.assertions) == (Disposition.BLOCKED, 0)
    assert row.reason == "it was timeout"


@pytest.mark.parametrize("kind", ["cut-off", "too-large", "transport", "redirect"])
@pytest.mark.parametrize("when", [at_create, at_seam])
def test_what_breaks_before_the_first_assertion_is_no_verdict(
    kind: str, when: Callable[[Request], bool]
) -> None:
    """The seam's first request is the probe of the gates."""
    found = asyncio.run(ran([CHOSEN], host=breaks(kind, when)))
    (row,) = found.rows
    assert (row.disposition, row.assertions) == (Disposition.BLOCKED, 0)


def test_what_was_witnessed_before_a_fault_is_kept() -> None:
    found = asyncio.run(ran([CHOSEN], host=breaks("timeout", at_poll)))
    exchanges = found.finished["catalog-equality"].exchanges
    assert [x.number for x in exchanges] == list(range(1, len(exchanges) + 1))
    *before, last = exchanges
    assert [x.request.target for x in before].count(SEAM) == 2
    assert all(x.response is not None and x.fault is None for x in before)
    assert last.response is None
    assert last.fault == "it was timeout"


def test_a_fault_in_a_later_stream_is_kept_as_well() -> None:
    def at_stream(request: Request) -> bool:
        return "/events?" in request.target

    chosen = scenario("streamed-as-recorded")
    found = asyncio.run(ran([chosen], host=breaks("cut-off", at_stream, at=2)))
    assert found.row("streamed-as-recorded").disposition is Disposition.FAIL
    exchanges = found.finished["streamed-as-recorded"].exchanges
    assert exchanges[-1].fault == "it was cut-off"


def test_a_failure_stands_although_the_cases_after_it_break_off() -> None:
    """``limits`` has two cases in one step: the first is wrong, the second does not come."""
    assert scenario("limits").steps[1].place == scenario("limits").steps[2].place

    class Admitting(Breaking):
        async def exchange(self, request: Request, bounds: Bounds) -> Response:
            response = await super().exchange(request, bounds)
            first = at_seam(request) and self._seen == 2  # the one before is the gates' probe
            return replace(response, status=201) if first else response

    def host(app: ASGIApp) -> Admitting:
        return Admitting(app, at_seam, ExchangeError("timeout", "slow"), at=3)

    found = asyncio.run(ran([scenario("limits")], host=host))
    (row,) = found.rows
    assert row.disposition is Disposition.FAIL
    assert "admitted what has to be refused" in row.reason


# ------------------------------------------------------------------------------ giving up


def test_a_host_that_stops_answering_is_not_asked_for_ever() -> None:
    gated = scenarios("host.v2.f*", "host.v2.taint-*")
    host = claiming(lambda request: ExchangeError("timeout", "nothing came"))

    async def main() -> None:
        session = Session(host, Options(1, jobs=1), Credentials())
        rows = await run(gated, session, lambda event: None)
        assert {row.disposition for row in rows} == {Disposition.BLOCKED}
        given_up = [row for row in rows if "has stopped answering" in row.reason]
        assert len(given_up) == len(rows) - GIVE_UP_AFTER

    asyncio.run(main())
    unanswered = [request for request in host.asked if request.target != PATH]
    assert len(unanswered) == GIVE_UP_AFTER


def test_an_answer_in_between_counts_anew() -> None:
    count = 0

    def answer(request: Request) -> Response | Exception:
        nonlocal count
        count += 1
        if count % (GIVE_UP_AFTER - 1) == 0:
            return json_answer(500, {})
        return ExchangeError("timeout", "nothing came")

    host = claiming(answer)

    async def main() -> None:
        session = Session(host, Options(1, jobs=1), Credentials())
        rows = await run(scenarios(), session, lambda event: None)
        assert not any("has stopped answering" in row.reason for row in rows)

    asyncio.run(main())


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(UnreachableError("refused"), id="unreachable"),
        pytest.param(ExchangeError("timeout", "slow"), id="slow"),
    ],
)
def test_a_host_that_dies_says_nothing_about_rules_that_it_was_not_asked_about(
    error: Exception,
) -> None:
    """The scenario has asserted before; what could not be sent any more is no verdict."""

    def host(app: ASGIApp) -> Breaking:
        return Breaking(app, at_poll, error, for_good=True)

    async def main() -> None:
        with pytest.raises(AssertionError, match="waiting-approval"):  # it cannot be cancelled
            await ran(scenarios("host.v2.f*"), host=host, options=Options(1, jobs=2), tell=note)

    dispositions: set[Disposition] = set()

    def note(event: object) -> None:
        row = getattr(event, "row", None)
        if row is not None:
            dispositions.add(row.disposition)

    asyncio.run(main())
    assert dispositions == {Disposition.BLOCKED}


# --------------------------------------------------------------------------------- bounds


def test_a_scenario_ends_within_its_time_whatever_the_host_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("openwop_conformance.engine.run.SCENARIO_WITHIN", 0.2)

    class Slow(Scripted):
        @asynccontextmanager
        async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
            raise NotImplementedError
            yield

        async def exchange(self, request: Request, bounds: Bounds) -> Response:
            if request.target != PATH:
                await asyncio.sleep(60)
            return await super().exchange(request, bounds)

    host = claiming(lambda request: json_answer(200, {}))
    finished = asyncio.run(one(CHOSEN, Slow(host.answer)))
    assert finished.row.disposition is Disposition.BLOCKED
    assert finished.row.reason == "the scenario did not end within its time"


def test_a_run_that_does_not_settle_is_blocked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("openwop_conformance.engine.reading.SETTLES_WITHIN", 0.1)

    def answer(request: Request) -> Response:
        if request.target == "/runs":
            return json_answer(201, {"runId": "a/b", "status": "running"})
        return json_answer(200, {"status": "running"})

    finished = asyncio.run(one(CHOSEN, claiming(answer)))
    assert finished.row.disposition is Disposition.BLOCKED
    assert finished.row.reason == "run 'run' stayed running for too long"


def test_time_bounds_are_scaled_and_bytes_are_not() -> None:
    options = Options(seed=1, time_scale=0.5)
    assert options.seconds(3.0) == 1.5
    assert Bounds(2, 4, 8, 100).scaled(0.5) == Bounds(1, 2, 4, 100)


# ------------------------------------------------------------------- what is not to happen


def test_a_scenario_that_asserts_nothing_does_not_pass() -> None:
    empty = replace(CHOSEN, steps=())
    found = asyncio.run(ran([empty]))
    (row,) = found.rows
    assert row.disposition is Disposition.BLOCKED
    assert row.reason == "nothing was asserted: the scenario is empty"


def test_assertions_without_an_exchange_do_not_pass() -> None:
    only_a_run = replace(CHOSEN, steps=CHOSEN.steps[:1])
    found = asyncio.run(ran([only_a_run]))
    assert found.row("catalog-equality").disposition is Disposition.BLOCKED


def test_a_fault_of_the_adapter_is_blocked_and_says_so() -> None:
    finished = asyncio.run(one(CHOSEN, claiming(lambda request: RuntimeError("oh\n\x1b[31m"))))
    assert finished.row.disposition is Disposition.BLOCKED
    assert finished.row.reason.startswith("the adapter failed: RuntimeError: oh")
    assert finished.row.reason.isprintable()


def test_a_fault_of_the_suite_is_blocked_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> None:
        raise KeyError("oh")

    monkeypatch.setitem(STEPS, "run", broken)
    finished = asyncio.run(one(CHOSEN, claiming(lambda request: json_answer(400, {}))))
    assert finished.row.disposition is Disposition.BLOCKED
    assert finished.row.reason == "the suite itself failed: KeyError: 'oh'"


def test_a_step_that_names_what_no_step_has_made_blames_the_file() -> None:
    wrong = replace(CHOSEN, steps=CHOSEN.steps[1:])
    finished = asyncio.run(one(wrong, claiming(lambda request: json_answer(400, {}))))
    assert finished.row.disposition is Disposition.BLOCKED
    assert "no step has started a run called 'run'" in finished.row.reason
