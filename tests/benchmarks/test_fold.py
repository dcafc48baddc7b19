"""What a fold costs: linear in its messages, by the ratio of two sizes in one run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain, pairwise

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openwop_conformance.a2ui.catalog import check_message
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue

from .growth import growth

SIZE = 625
TIMES = 16
LIMIT = 30
"""Sixteen times the messages may cost this many times as much: linear is 16, quadratic 256. What
grows with the square may be a sixteenth of the cost at ``SIZE``, and half of the larger one."""

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


Way = Callable[[Iterable[JsonValue], list[JsonValue]], None]
"""Work that takes messages one by one from the first; the second is all of them, for a start."""


def one_by_one(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    for message in messages:
        fold.apply(message)


def as_one_envelope(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply_all(chain([CREATE], messages))


def as_many_envelopes(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    for message in messages:
        fold.apply_all([message])


def inside_one_transaction(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    fold = Fold()
    with fold.transaction():
        fold.apply(CREATE)
        for message in messages:
            fold.apply_all([message])


def refused_at_the_end(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    fold = Fold()
    fold.apply(CREATE)
    with suppress(Violation):
        fold.apply_all(chain(messages, [CREATE]))
    assert not fold.surfaces["s"].components
    assert not fold.surfaces["s"].data.root


def each_refused(messages: Iterable[JsonValue], before: list[JsonValue]) -> None:
    """A long-lived surface costs a refused envelope no more than a short-lived one."""
    fold = Fold()
    fold.apply_all([CREATE, *before])
    for message in messages:
        with suppress(Violation):
            fold.apply_all([message, CREATE])


def checked(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
    for message in messages:
        check_message(message)


WAYS: list[Way] = [
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
def test_sixteen_times_the_messages_cost_about_sixteen_times_as_much(
    made: Callable[[int], list[JsonValue]], way: Way
) -> None:
    assert is_linear(made, way)


def test_a_copy_of_the_surface_at_each_fourth_message_is_found() -> None:
    def copying(messages: Iterable[JsonValue], _: list[JsonValue]) -> None:
        fold = Fold()
        fold.apply(CREATE)
        for number, message in enumerate(messages):
            fold.apply(message)
            if number % 4 == 0:
                dict(fold.surfaces["s"].components)

    assert not is_linear(components, copying)


def is_linear(made: Callable[[int], list[JsonValue]], way: Way) -> bool:
    """Whether the cost of messages grows about as their number does."""
    few, many = made(SIZE), made(TIMES * SIZE)
    return growth(lambda: costs(way, few), lambda: costs(way, many), LIMIT) < LIMIT


def costs(way: Way, messages: list[JsonValue]) -> list[float]:
    """Seconds of processor time of each stretch of the work."""
    stamps: list[float] = []
    way(stamped(messages, stamps), messages)
    stamps.append(time.process_time())
    return [b - a for a, b in pairwise(stamps)]


def stamped(messages: list[JsonValue], stamps: list[float]) -> Iterator[JsonValue]:
    """The messages; each time another twenty were taken, the time goes into ``stamps``."""
    for index, message in enumerate(messages):
        if index % 20 == 0:
            stamps.append(time.process_time())
        yield message


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_the_cost_of_two_thousand_messages(benchmark: BenchmarkFixture, way: Way) -> None:
    """A figure to compare between versions; it judges nothing but that the work is done."""
    messages = components(2_000)
    benchmark(way, messages, messages)
