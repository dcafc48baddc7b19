"""What a fold costs: linear in its messages, by the ratio of two sizes in one run."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openwop_conformance.a2ui.catalog import check_message
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue

SIZE = 2_000
LIMIT = 6
"""Four times the messages may cost this many times as much; quadratic would be 16."""

CREATE = {"version": "v0.9", "createSurface": {"surfaceId": "s", "catalogId": "c"}}


def components(size: int) -> list[JsonValue]:
    """One message for each component, all on one surface that grows."""
    return [
        {
            "version": "v0.9",
            "updateComponents": {
                "surfaceId": "s",
                "components": [{"id": f"c{i}", "component": "Text", "text": "hello"}],
            },
        }
        for i in range(size)
    ]


def values(size: int) -> list[JsonValue]:
    """One message for each value, all into one model that grows."""
    return [
        {
            "version": "v0.9",
            "updateDataModel": {"surfaceId": "s", "path": f"/rows/{i}/name", "value": "Ada"},
        }
        for i in range(size)
    ]


def one_by_one(messages: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    for message in messages:
        fold.apply(message)


def as_one_envelope(messages: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply_all([CREATE, *messages])


def as_many_envelopes(messages: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    for message in messages:
        fold.apply_all([message])


def inside_one_transaction(messages: list[JsonValue]) -> None:
    fold = Fold()
    with fold.transaction():
        fold.apply(CREATE)
        for message in messages:
            fold.apply_all([message])


def refused_at_the_end(messages: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    with suppress(Violation):
        fold.apply_all([*messages, CREATE])
    assert not fold.surfaces["s"].components
    assert not fold.surfaces["s"].data.root


def each_refused(messages: list[JsonValue]) -> None:
    """A long-lived surface costs a refused envelope no more than a short-lived one."""
    fold = Fold()
    fold.apply_all([CREATE, *messages])
    for message in messages:
        with suppress(Violation):
            fold.apply_all([message, CREATE])


def checked(messages: list[JsonValue]) -> None:
    for message in messages:
        check_message(message)


WAYS = [
    one_by_one,
    as_one_envelope,
    as_many_envelopes,
    inside_one_transaction,
    refused_at_the_end,
    each_refused,
    checked,
]


@pytest.mark.parametrize(
    ("made", "way"),
    [
        *((components, way) for way in WAYS),
        *((values, way) for way in (one_by_one, as_one_envelope, refused_at_the_end)),
    ],
    ids=lambda function: function.__name__,
)
def test_four_times_the_messages_cost_about_four_times_as_much(
    made: Callable[[int], list[JsonValue]], way: Callable[[list[JsonValue]], None]
) -> None:
    few, many = made(SIZE), made(4 * SIZE)
    ratios = []
    for _ in range(4):  # a neighbour's load may spoil a measurement; it cannot make one better
        gc.collect()
        gc.disable()
        try:
            rounds = [(seconds(way, few), seconds(way, many)) for _ in range(5)]
        finally:
            gc.enable()
        ratios.append(min(b for _, b in rounds) / min(a for a, _ in rounds))
        if ratios[-1] < LIMIT:
            return
    pytest.fail(f"four times the messages cost {ratios} times as much, over {LIMIT}")


def seconds(way: Callable[[list[JsonValue]], None], messages: list[JsonValue]) -> float:
    """Processor time, with the collector out of the way."""
    start = time.process_time()
    way(messages)
    return time.process_time() - start


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_cost_of_two_thousand_messages(
    benchmark: BenchmarkFixture, way: Callable[[list[JsonValue]], None]
) -> None:
    """A figure to compare between versions; it judges nothing but that the work is done."""
    benchmark(way, components(SIZE))
