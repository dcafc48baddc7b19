"""SDKs that are nothing of the kind: none of them gets a pass that it did not earn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from openwop_conformance.adapters.calls import InProcess
from openwop_conformance.adapters.host import Bounds, Request, Response
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.offers import calls_of
from openwop_conformance.engine.run import run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row, exit_code
from openwop_conformance.errors import CallError, ExchangeError, UnreachableError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.operations import ReferenceSdk
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.scenario.sdk_verbs import Apply

SCENARIOS = [s for s in load_all(corpus()) if s.subject == "sdk"]
COSTS = [s for s in SCENARIOS if ".cost-" in s.id]
RULES = [s for s in SCENARIOS if ".cost-" not in s.id]
REFUSING = [s for s in RULES if any(step.refused for step in s.steps)]


def ran(subject: Any, scenarios: Sequence[Scenario] = RULES) -> dict[str, Row]:
    made = subject if hasattr(subject, "exchange") else InProcess(subject, "lab", trusted=True)
    session = Session(made, Options(seed=7), Credentials(), kind="sdk")
    rows = asyncio.run(run(scenarios, session, lambda event: None))
    return {row.scenario: row for row in rows}


def claiming(**answers: Callable[..., JsonValue]) -> ReferenceSdk:
    """The reference SDK with some calls answered otherwise."""
    made: ReferenceSdk = type("Claiming", (ReferenceSdk,), answers)()
    return made


def dispositions(rows: dict[str, Row]) -> set[Disposition]:
    return {row.disposition for row in rows.values()}


def refuses(self: Any, **given: Any) -> JsonValue:
    raise CallError("validation", "no")


EVERY_CALL = sorted({name for s in RULES for name in calls_of(s)} - {"hello"})


def test_the_reference_passes_everything() -> None:
    assert dispositions(ran(ReferenceSdk())) == {Disposition.PASS}


def test_who_refuses_everything_passes_nothing() -> None:
    rows = ran(claiming(**dict.fromkeys(EVERY_CALL, refuses)))
    assert dispositions(rows) == {Disposition.FAIL}


def test_who_takes_everything_and_does_nothing_passes_nothing() -> None:
    empty: dict[str, JsonValue] = {
        "read": {"surfaces": {}},
        "apply_each": {"applied": 0},
        "accepts_state": {"accepts": True},
        "client_data": {"data": None},
        "transaction": {"kept": True},
        "parser": {"catalogs": [], "methods": []},
        "validation_errors": {"errors": []},
        "encode_lines": {"text": ""},
        "read_capabilities": {"catalogIds": []},
    }
    for name in ("compile", "decode_lines", "from_a2a", "from_agui", "build"):
        empty[name] = {"messages": []}
    for name in ("parse_response", "feed", "close_stream", "stream", "to_a2a"):
        empty[name] = {"parts": []}
    empty["to_agui"] = {"events": []}
    answers = {name: (lambda self, _n=name, **_: empty.get(_n, {})) for name in EVERY_CALL}
    passed = [
        row.scenario
        for row in ran(claiming(**answers)).values()
        if row.disposition is Disposition.PASS
    ]
    assert passed == []


def test_who_answers_in_another_shape_passes_nothing() -> None:
    rows = ran(claiming(**dict.fromkeys(EVERY_CALL, lambda self, **_: ["what"])))
    assert dispositions(rows) == {Disposition.FAIL}


def test_who_crashes_passes_nothing() -> None:
    def crashes(self: Any, **given: Any) -> JsonValue:
        raise KeyError("surfaceId")

    rows = ran(claiming(**dict.fromkeys(EVERY_CALL, crashes)))
    assert dispositions(rows) == {Disposition.FAIL}


def test_what_is_offered_and_then_unsupported_is_blocked() -> None:
    def unsupported(self: Any, **given: Any) -> JsonValue:
        raise CallError("unsupported", "not in this build")

    rows = ran(claiming(**dict.fromkeys(EVERY_CALL, unsupported)))
    assert dispositions(rows) == {Disposition.BLOCKED}
    assert exit_code(tuple(rows.values())) == 3


@pytest.mark.parametrize("kind", ["ended", "unsupported", "crash"])
def test_a_refusal_of_a_kind_that_fits_nowhere_passes_no_refusal(kind: Any) -> None:
    def recast(name: str) -> Callable[..., JsonValue]:
        def call(self: Any, **given: Any) -> JsonValue:
            try:
                return getattr(ReferenceSdk, name)(self, **given)
            except CallError:
                raise CallError(kind, "no") from None

        return call

    rows = ran(claiming(**{name: recast(name) for name in EVERY_CALL}), REFUSING)
    assert Disposition.PASS not in dispositions(rows)


def test_a_refusal_that_changes_the_state_fails() -> None:
    def apply(self: Any, state: str, messages: list[JsonValue], **given: Any) -> JsonValue:
        try:
            return ReferenceSdk.apply(self, state, messages, **given)
        except CallError:
            held = self._state(state)
            surface = {"surfaceId": "stray", "catalogId": held.catalogs[0].catalog_id}
            held.apply([{"version": "v0.9", "createSurface": surface}])
            raise

    applying = [
        scenario
        for scenario in REFUSING
        if any(
            isinstance(step.arguments, Apply) and step.arguments.ends is None and step.refused
            for step in scenario.steps
        )
        and "version.v0.8" not in scenario.needs
    ]
    rows = ran(claiming(apply=apply), applying)
    assert dispositions(rows) == {Disposition.FAIL}
    assert all("no more as it was" in row.reason for row in rows.values())


@pytest.mark.parametrize(
    "hello",
    [
        {},
        {"name": "x", "version": "1", "versions": [], "operations": []},
        {"name": "x", "version": "1", "versions": ["v0.9"], "operations": "all"},
        {"name": "x", "version": "1", "versions": ["v0.9"], "operations": [], "features": ["odd"]},
        {
            "name": "x",
            "version": "1",
            "versions": ["v0.9"],
            "operations": [],
            "capabilities": {"surfacePolicies": True, "lockedSurfacePolicy": "no"},
        },
        None,
    ],
)
def test_a_hello_that_is_none_blocks_everything(hello: JsonValue) -> None:
    rows = ran(claiming(hello=lambda self, protocol: hello))
    assert dispositions(rows) == {Disposition.BLOCKED}


def test_who_offers_nothing_is_bound_by_nothing_and_is_not_conformant() -> None:
    offer = {"name": "x", "version": "1", "versions": ["v0.9"], "operations": []}
    rows = ran(claiming(hello=lambda self, protocol: offer), SCENARIOS)
    assert dispositions(rows) == {Disposition.INAPPLICABLE}
    assert exit_code(tuple(rows.values())) == 3


class Broken:
    """A subject whose exchange breaks from some exchange on."""

    def __init__(self, kind: str, after: int) -> None:
        self.name, self._kind, self._left = "lab", kind, after
        self._whole = InProcess(ReferenceSdk(), "lab", trusted=True)

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        self._left -= 1
        if self._left < 0:
            raise ExchangeError(self._kind, f"it {self._kind}")
        return await self._whole.exchange(request, bounds)

    async def close(self) -> None:
        return


@pytest.mark.parametrize(
    ("kind", "verdict"),
    [
        ("crashed", Disposition.FAIL),
        ("garbage", Disposition.FAIL),
        ("timeout", Disposition.BLOCKED),
    ],
)
def test_a_program_that_breaks_off_fails_and_one_that_is_slow_is_blocked(
    kind: str, verdict: Disposition
) -> None:
    (row,) = ran(Broken(kind, 1), RULES[:1]).values()
    assert row.disposition is verdict
    assert f"it {kind}" in row.reason


def test_a_program_that_breaks_off_again_and_again_is_not_asked_for_ever() -> None:
    rows = ran(Broken("crashed", 1))
    assert dispositions(rows) <= {Disposition.FAIL, Disposition.BLOCKED}
    assert exit_code(tuple(rows.values())) == 1


def test_a_program_that_does_not_say_hello_cannot_be_reached() -> None:
    with pytest.raises(UnreachableError, match="lab does not say hello: it crashed"):
        ran(Broken("crashed", 0))
