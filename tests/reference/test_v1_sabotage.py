"""Each break of major 1 shows on the wire where it is meant to.

A host is asked everything in sections; a break has to change its own. The host that conforms gives
the same sections every time.
"""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Any

import pytest

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.reference.connect import build_app, settings_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import (
    Sabotage,
    delta,
    major_one,
    sabotage_called,
    subscribing,
)

from .client_v1 import Caller, counted_diffs, tree
from .sections_v1 import SECTIONS, live

MEANT = {
    "delta-without-asking": "plain",
    "delta-lost-at-subscribe": "at once",
    "delta-stale-base": "resumed",
    "delta-wrong-base": "frames",
    "delta-late-without-full": "late",
    "delta-resumed-without-full": "at the end",
    "delta-recorded": "log",
    "delta-in-poll": "poll",
    "delta-in-json-read": "json",
    "fork-holds-deltas": "fork",
    "delta-taint-dropped": "trust",
    "delta-test-operation": "frames",
    "delta-doubled": "frames",
    "delta-empty-patch": "same",
    "delta-catalog-version-wrong": "frames",
    "delta-reordering-unseen": "order",
    "delta-forgets-placeholder": "placeholder",
    "surface-sent-twice": "plain",
    "delta-reference-unknown": "frames",
    "delta-frame-open": "frames",
    "delta-secret": "secret",
    "batch-loses-updates": "batch",
    "delta-never-smaller": "whole",
    "delta-index-sloppy": "frames",
    "v1-catalog-unchecked": "component",
    "v1-tree-opened": "member",
    "v1-action-url-admitted": "target",
    "v1-version-unchecked": "version",
    "v1-level-unbounded": "level",
    "refused-delivered": "refused",
    "v1-kind-not-gated": "gate",
    "v1-conflict-cached": "conflict",
    "v1-untrusted-approves": "approval",
    "v1-acceptor-trusts": "acceptor",
    "v1-unknown-run-recorded": "unknown",
    "v1-malformed-500": "malformed",
    "v1-claim-open": "claim",
    "v1-resume-inclusive": "after",
}
"""A section that each break has to change; which rows it may change, the matrix says."""
BREAKS = [sabotage for module in (delta, major_one, subscribing) for sabotage in module.SABOTAGES]


async def _answers(name: str | None, arguments: dict[str, str]) -> dict[str, Any]:
    settings = settings_of(arguments)
    policy = Policy() if name is None else sabotage_called(name).change(Policy())
    app = build_app(settings, policy)
    host = AsgiHost(app, "reference")
    caller = Caller(host, app.state.host, settings)
    try:
        found = await asyncio.gather(*(section(caller) for section in SECTIONS.values()))
    finally:
        await host.close()
    return dict(zip(SECTIONS, found, strict=True))


@cache
def _baseline(arguments: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    return asyncio.run(_answers(None, dict(arguments)))


def test_the_host_that_conforms_answers_the_same_twice() -> None:
    assert asyncio.run(_answers(None, {})) == _baseline(())


def test_each_section_shows_some_break() -> None:
    assert MEANT.keys() <= {sabotage.name for sabotage in BREAKS}
    assert set(MEANT.values()) == SECTIONS.keys()


@pytest.mark.parametrize("sabotage", BREAKS, ids=lambda sabotage: sabotage.name)
def test_a_break_of_major_1_shows_on_the_wire(sabotage: Sabotage) -> None:
    arguments = dict(sabotage.settings)
    whole = _baseline(tuple(arguments.items()))
    broken = asyncio.run(_answers(sabotage.name, arguments))
    changed = {section for section in SECTIONS if broken[section] != whole[section]}
    if sabotage.of_time:
        assert not changed
    else:
        assert changed
        assert MEANT.get(sabotage.name, min(changed)) in changed


class _Clock:
    """A second goes by whenever it is looked at; to wait is only noted."""

    def __init__(self) -> None:
        self.now, self.waits = 0.0, list[float]()

    def perf_counter(self) -> float:
        self.now += 1
        return self.now

    def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)


def test_the_break_that_costs_time_waits_ever_longer_and_makes_no_other_patches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made, clock = counted_diffs(monkeypatch), _Clock()
    monkeypatch.setattr(subscribing, "time", clock)

    async def main(name: str | None) -> int:
        made.clear()
        policy = Policy() if name is None else sabotage_called(name).change(Policy())
        settings = settings_of({})
        app = build_app(settings, policy)
        host = AsgiHost(app, "reference")
        caller = Caller(host, app.state.host, settings)
        await live(caller, *(tree(f"number {n}") for n in range(60)))
        await host.close()
        return len(made)

    assert asyncio.run(main(None)) == 59
    assert clock.waits == []
    assert asyncio.run(main("delta-cost-grows")) == 59
    assert len(clock.waits) >= 60
    assert clock.waits == sorted(clock.waits)
    assert sum(clock.waits[30:60]) > 6 * sum(clock.waits[:30])
