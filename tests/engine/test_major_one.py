"""Hosts of major 1 as a careful person would judge them: dialects noted, faults where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from openwop_conformance.engine.session import Options
from openwop_conformance.engine.steps import costing
from openwop_conformance.engine.verdict import Disposition, Event, RunFinished
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.settings import Settings
from openwop_conformance.scenario.expand import load_scenario
from openwop_conformance.scenario.fixtures import Fixtures
from openwop_conformance.scenario.model import Scenario
from tests.engine.subjects import Ran, ran, scenarios
from tests.shared_data import FIXTURES

MAJOR_1 = scenarios("host.v1.*")
AT_ONCE = Options(seed=1, jobs=16)


def judged(
    chosen: tuple[Scenario, ...] = MAJOR_1, **given: Any
) -> tuple[Ran, dict[str, JsonValue]]:
    """A run, and the dialect that it noted."""
    noted: list[JsonValue] = []

    def tell(event: Event) -> None:
        if isinstance(event, RunFinished):
            noted.append(event.dialect)

    found = asyncio.run(ran(chosen, options=AT_ONCE, tell=tell, **given))
    return found, noted[0]


def names(reasons: dict[str, str]) -> dict[str, str]:
    return {name.removeprefix("host.v1."): reason for name, reason in reasons.items()}


def test_the_reference_host_keeps_every_rule_of_major_1() -> None:
    found, dialect = judged()

    assert set(found.dispositions.values()) == {Disposition.PASS}
    assert dialect == {
        "seam": "payload",
        "seamStatus": 200,
        "acceptor": True,
        "base": "payload",
        "frames": ["ui.a2ui-surface.delta"],
        "jsonDeltas": False,
        "fork": "point",
    }


def test_in_the_dialect_of_a_public_host_two_rows_fail_and_one_does_not_bind() -> None:
    found, dialect = judged(settings=Settings(dialect="openwop-app"))

    assert names(found.reasons(Disposition.FAIL)).keys() == {
        "malformed-refused",
        "unknown-run-refused",
    }
    assert names(found.reasons(Disposition.INAPPLICABLE)) == {
        "fork-full": "a run can be forked from its start alone, not at a recorded event"
    }
    assert found.reasons(Disposition.BLOCKED) == {}
    assert dialect["seam"] == "tree"
    assert dialect["base"] == "tree"
    assert dialect["seamStatus"] == 201
    assert dialect["fork"] == "start"


def test_claims_in_the_old_wrapper_are_read_there() -> None:
    found, _ = judged(settings=Settings(v1_wrapper=True))

    assert set(found.dispositions.values()) == {Disposition.PASS}


def answering(path: str, status: int) -> Callable[[ASGIApp], ASGIApp]:
    """Wraps an application so that one path always answers a status."""

    def wrap(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"] == path:
                body = b'{"error": "not_found", "message": "nothing is here"}'
                head = [(b"content-type", b"application/json")]
                await send({"type": "http.response.start", "status": status, "headers": head})
                await send({"type": "http.response.body", "body": body})
                return
            await app(scope, receive, send)

        return wrapped

    return wrap


def test_a_host_without_the_optional_seams_is_not_bound_by_what_they_witness() -> None:
    found, dialect = judged(wrap=answering("/v1/host/sample/a2ui/emit-surface", 404))

    bound = {"delta-claim-closed", "malformed-refused", "version-refused", "kind-gated"}
    bound |= {"correlation-conflict", "acceptor-blocks-untrusted"}
    passed = {n for n, d in found.dispositions.items() if d is Disposition.PASS}
    assert {name.removeprefix("host.v1.") for name in passed} == bound
    reasons = set(found.reasons(Disposition.INAPPLICABLE).values())
    assert reasons == {"the emit-surface seam of major 1, which is optional, is not served"}
    assert dialect["seam"] == "unserved"


def test_a_host_that_takes_a_sound_surface_in_no_form_fits_no_dialect_and_fails() -> None:
    found, dialect = judged(
        scenarios("host.v1.delta-agrees", "host.v1.surface-shape", "host.v1.recorded-full"),
        wrap=answering("/v1/host/sample/a2ui/emit-surface", 422),
    )

    assert dialect["seam"] == "neither"
    assert set(found.dispositions.values()) == {Disposition.FAIL}
    reasons = found.reasons(Disposition.FAIL).values()
    assert all(r.startswith("the host fits no dialect of major 1") for r in reasons)


def test_a_host_that_refuses_everything_is_told_by_no_refusal_that_it_conforms() -> None:
    found, _ = judged(wrap=answering("/v1/host/sample/envelope/accept", 400))

    for name in ("version-refused", "kind-gated", "correlation-conflict"):
        assert found.dispositions[f"host.v1.{name}"] is Disposition.FAIL


def test_a_claim_of_deltas_without_any_delta_is_blocked_and_never_passed() -> None:
    def none_sent(policy: Policy) -> Policy:
        quiet = replace(policy.v1.delta, patchable=lambda given, event, base: False)
        return replace(policy, v1=replace(policy.v1, delta=quiet))

    found, dialect = judged(
        scenarios("host.v1.delta-agrees", "host.v1.delta-frame-closed", "host.v1.delta-small"),
        policy=none_sent(Policy()),
    )

    assert dialect["base"] is None
    assert set(found.reasons(Disposition.BLOCKED).values()) == {
        "the host claims deltas, and sent this subscriber none"
    }
    assert len(found.rows) == 3


def explored(seed: int, sabotage: str) -> tuple[Ran, str]:
    chosen = scenarios("host.v1.delta-explored")
    policy = SABOTAGES[sabotage].change(Policy())
    found = asyncio.run(ran(chosen, options=Options(seed=seed), policy=policy))
    (finished,) = found.finished.values()
    (failure,) = finished.failures
    assert failure.scenario is not None
    return found, failure.scenario


def test_what_was_explored_is_printed_as_the_smallest_scenario_that_repeats_it(
    tmp_path: Path,
) -> None:
    found, text = explored(1, "delta-forgets-placeholder")
    assert text.count("- show: ") == 2
    assert "after 2 generated surfaces" in found.rows[0].reason

    file = tmp_path / "found.yaml"
    file.write_text(text, "utf-8")
    scenario = load_scenario(file, Fixtures(FIXTURES))
    broken = SABOTAGES["delta-forgets-placeholder"].change(Policy())
    again = asyncio.run(ran([scenario], policy=broken))
    sound = asyncio.run(ran([scenario]))
    assert again.rows[0].disposition is Disposition.FAIL
    assert sound.rows[0].disposition is Disposition.PASS


def timed(monkeypatch: pytest.MonkeyPatch, few: list[float], many: float) -> Ran:
    """The row about time, with the measurements given."""
    taken = iter(few * 8)

    async def updates(witness: Any, name: str, size: int, stretches: int = 1) -> list[float]:
        await witness.ask(witness.api.discovery(), "none")
        return [many / stretches] * stretches if stretches > 1 else [next(taken)]

    monkeypatch.setattr(costing, "_updates", updates)
    return asyncio.run(ran(scenarios("host.v1.delta-cost")))


@pytest.mark.parametrize(("power", "measured"), [(1, "ffmff"), (2, "ffmffm" * 4)])
def test_few_and_many_updates_take_turns_until_nothing_can_change(
    monkeypatch: pytest.MonkeyPatch, power: int, measured: str
) -> None:
    order: list[str] = []

    async def updates(witness: Any, name: str, size: int, stretches: int = 1) -> list[float]:
        await witness.ask(witness.api.discovery(), "none")
        order.append(name)
        return [(1.0 + stretch) ** power - stretch**power for stretch in range(stretches)]

    monkeypatch.setattr(costing, "_updates", updates)
    asyncio.run(ran(scenarios("host.v1.delta-cost")))
    assert "".join(name[0] for name in order[1:]) == measured  # the first one is not measured


def test_what_else_hit_one_stretch_of_many_updates_is_not_held_against_the_host(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hit = iter([[9.0, 1.0, 1.0, 1.0], [1.0, 1.0, 9.0, 1.0]])

    async def updates(witness: Any, name: str, size: int, stretches: int = 1) -> list[float]:
        await witness.ask(witness.api.discovery(), "none")
        return next(hit) if stretches > 1 else [1.0]

    monkeypatch.setattr(costing, "_updates", updates)
    found = asyncio.run(ran(scenarios("host.v1.delta-cost")))
    assert found.rows[0].disposition is Disposition.PASS


def test_growth_is_a_failure_and_noise_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    linear = timed(monkeypatch, [1.0, 1.1, 9.0, 1.2], 4.4)
    assert linear.rows[0].disposition is Disposition.PASS

    found = timed(monkeypatch, [1.0, 1.1, 1.0, 1.2], 16.0)
    assert found.rows[0].disposition is Disposition.FAIL
    assert "the time of an update grows" in found.rows[0].reason

    noisy = timed(monkeypatch, [1.0, 9.0, 30.0, 80.0, 5.0], 16.0)
    assert noisy.rows[0].disposition is Disposition.BLOCKED
    assert noisy.rows[0].reason == "the time of 40 updates varies too much here"
