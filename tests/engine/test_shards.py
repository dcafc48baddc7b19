"""Shards: disjoint, complete, even, the same on every machine, and with ids of their own."""

from __future__ import annotations

import asyncio
import json
import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.host import Bounds, Request, Response
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.run import is_timed, run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.shards import part_of
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import Shard
from openwop_conformance.reference.connect import credentials_for, reference_subject
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario
from tests.engine.subjects import scenarios

ALL = load_all(corpus())
"""Of hosts, SDKs and consumers."""


@st.composite
def chosen(draw: st.DrawFn) -> tuple[list[Scenario], int]:
    """Some scenarios, and how many shards to make of them."""
    some = draw(st.lists(st.sampled_from(ALL), min_size=1, unique_by=lambda s: s.id))
    return some, draw(st.integers(1, len(some)))


@given(chosen())
def test_shards_are_disjoint_and_complete(found: tuple[list[Scenario], int]) -> None:
    some, of = found
    dealt = [s.id for index in range(1, of + 1) for s in part_of(some, index, of)]

    assert sorted(dealt) == sorted(s.id for s in some)


@given(chosen())
def test_no_shard_has_two_more_than_another_of_all_or_of_those_that_measure_time(
    found: tuple[list[Scenario], int],
) -> None:
    some, of = found
    parts = [part_of(some, index, of) for index in range(1, of + 1)]
    for sizes in ([len(part) for part in parts], [sum(map(is_timed, part)) for part in parts]):
        assert max(sizes) - min(sizes) <= 1


@given(chosen(), st.randoms(use_true_random=False))
def test_every_machine_divides_alike_and_each_shard_is_by_id(
    found: tuple[list[Scenario], int], chance: random.Random
) -> None:
    some, of = found
    shuffled = chance.sample(some, len(some))
    for index in range(1, of + 1):
        part = part_of(some, index, of)
        assert part == part_of(shuffled, index, of)
        assert [s.id for s in part] == sorted(s.id for s in part)


def test_what_measures_time_is_spread_over_the_real_corpus() -> None:
    parts = [part_of(ALL, index, 4) for index in range(1, 5)]
    timed = [sum(map(is_timed, part)) for part in parts]
    assert sum(timed) > 4
    assert max(timed) - min(timed) <= 1


def test_more_shards_than_scenarios_are_refused_with_how_many_there_can_be() -> None:
    with pytest.raises(UsageError) as caught:
        part_of(ALL[:3], 2, 4)
    assert str(caught.value) == (
        "--shard 2/4: 3 scenarios cannot be divided into 4 shards; take at most 3"
    )


class Overheard:
    """A host that others use too, and what one of them said to it."""

    def __init__(self, host: AsgiHost) -> None:
        self.name, self._host = host.name, host
        self.stream, self.close = host.stream, host.close
        self.ids: list[str] = []

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        said = request.body or b""
        for name in ("envelopeId", "correlationId", "surfaceId"):
            self.ids += re.findall(rf'"{name}": ?"([^"]+-[0-9a-f]{{12}})"', said.decode())
        return await self._host.exchange(request, bounds)


def test_shards_with_one_seed_on_one_host_at_once_share_no_id_and_no_outcome() -> None:
    app, settings = reference_subject()
    host = AsgiHost(app, "reference")
    some = scenarios("host.v1.a*", "host.v1.c*", "host.v2.c*", "host.v2.f*", "host.v2.t*")
    ears = [Overheard(host) for _ in range(3)]

    def session(ear: Overheard) -> Session:
        return Session(ear, Options(seed=7), credentials_for(settings))

    async def all_at_once() -> list[Row]:
        runs = [
            run(part_of(some, index, 3), session(ear), lambda event: None)
            for index, ear in enumerate(ears, 1)
        ]
        return [row for rows in await asyncio.gather(*runs) for row in rows]

    rows = asyncio.run(all_at_once())
    assert {row.disposition for row in rows} <= {Disposition.PASS, Disposition.INAPPLICABLE}
    assert {row.scenario for row in rows} == {s.id for s in some}
    heard = [set(ear.ids) for ear in ears]
    assert all(len(ids) > 20 for ids in heard), json.dumps([len(ids) for ids in heard])
    assert len(set.union(*heard)) == sum(map(len, heard))


@given(chosen())
def test_a_shard_knows_how_many_scenarios_the_others_have(
    found: tuple[list[Scenario], int],
) -> None:
    some, of = found
    for index in range(1, of + 1):
        there = len(some) - len(part_of(some, index, of))
        assert Shard(index, of, len(some), "").elsewhere == there
