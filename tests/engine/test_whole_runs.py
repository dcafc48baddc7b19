"""Whole runs against the embedded reference host: all green, one digest, nothing left behind.

A run of the corpus makes a thousand exchanges; the few that are needed are made once.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Iterator

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.session import Options
from openwop_conformance.engine.verdict import Disposition, exit_code
from openwop_conformance.reference.settings import Settings
from openwop_conformance.scenario import document, expand, fixtures
from openwop_conformance.scenario.lint import load_of
from tests.engine.subjects import SEAM, Ran, ran, scenarios

OTHER_FLOOR = {
    "legacy-readable": "schemaVersions.kinds advertises 2 for ui.a2ui-surface, not 1",
}
NOT_STRICT = {"below-floor-strict": "envelopeStrictness.mode is warn, not strict"}


@pytest.fixture(scope="module")
def green() -> Ran:
    return asyncio.run(ran(options=Options(seed=1, jobs=16)))


@pytest.fixture(scope="module")
def again() -> Ran:
    shuffled = list(scenarios())
    random.Random(7).shuffle(shuffled)
    return asyncio.run(ran(shuffled, options=Options(seed=2, jobs=1)))


def green_but_for(found: Ran, inapplicable: dict[str, str]) -> None:
    assert found.reasons(Disposition.FAIL) == {}
    assert found.reasons(Disposition.BLOCKED) == {}
    assert found.reasons(Disposition.SKIPPED) == {}
    assert found.reasons(Disposition.INAPPLICABLE) == inapplicable
    assert exit_code(found.rows) == 0


def test_under_warn_every_rule_that_binds_is_kept(green: Ran) -> None:
    green_but_for(green, OTHER_FLOOR | NOT_STRICT)
    assert [row.id for row in green.rows] == sorted(s.requirement for s in scenarios())


def test_under_strict_every_rule_that_binds_is_kept() -> None:
    found = asyncio.run(ran(settings=Settings(strictness="strict")))
    not_warn = "envelopeStrictness.mode is strict, not warn"
    green_but_for(found, OTHER_FLOOR | {"below-floor-warn": not_warn, "drift-binds": not_warn})


def test_under_floor_1_what_is_older_is_readable_and_the_rest_does_not_bind() -> None:
    found = asyncio.run(ran(settings=Settings(floor=1)))
    not_two = "schemaVersions.kinds advertises 1 for ui.a2ui-surface, not 2"
    binding = {s.id.removeprefix("host.v2.") for s in scenarios() if "floor.2" not in s.needs}
    green_but_for(found, {name: not_two for name in found.dispositions if name not in binding})
    assert found.dispositions["legacy-readable"] is Disposition.PASS


def test_a_pass_has_asserted_and_has_asked_and_nothing_else_counts_assertions(green: Ran) -> None:
    for name, finished in green.finished.items():
        passed = finished.row.disposition is Disposition.PASS
        assert (finished.row.assertions > 0) is passed, name
        assert (finished.row.reason == "") is passed, name
        assert not passed or len(finished.exchanges) > 0, name


def test_seed_order_and_concurrency_do_not_show_in_the_digest(green: Ran, again: Ran) -> None:
    assert green.rows == again.rows
    assert green.digest == again.digest


def test_two_runs_share_no_id(green: Ran, again: Ran) -> None:
    first, second = list(ids_sent(green)), list(ids_sent(again))
    assert len(first) > 500
    assert set(first) & set(second) == set()


def test_what_was_asked_is_still_what_stands_in_the_files(green: Ran, again: Ran) -> None:
    """Scenarios and runs share what was read of a file: nobody changes it."""
    asked = scenarios()
    for held in (document.read, expand._last, fixtures._fixture):
        held.cache_clear()
    anew = load_of(corpus(), "host")

    assert anew[0] is not asked[0]
    assert repr(anew) == repr(asked)


def ids_sent(found: Ran) -> Iterator[str]:
    """The ids that were made up and sent."""
    for finished in found.finished.values():
        for exchange in finished.exchanges:
            if exchange.request.target != SEAM:
                continue
            envelope = json.loads(exchange.request.body or b"").get("envelope", {})
            for name in ("envelopeId", "correlationId"):
                if name in envelope:
                    yield envelope[name]
            payload = envelope.get("payload")
            if isinstance(payload, dict) and "surfaceId" in payload:
                yield payload["surfaceId"]
