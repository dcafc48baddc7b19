"""What the reference SDK costs: beside the public SDKs in one run, and as it grows."""

from __future__ import annotations

import gc
import json
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.state import RendererState
from openwop_conformance.reference.sdk.stream import ResponseStream

from .growth import Costs, growth

MANY = 800
CHUNK = 16
GROWTH = 22
"""Sixteen times as much may cost this many times as much: linear is 16, and where a twentieth of
the cost at 400 grew with the square, it would be more."""


def message(kind: str, **body: JsonValue) -> JsonValue:
    return {"version": "v0.9", kind: {"surfaceId": "s", **body}}


def text(number: int) -> JsonValue:
    return {"id": f"c{number:05}", "component": "Text", "text": f"Line {number:05}"}


def opening(size: int) -> list[JsonValue]:
    root = {"id": "root", "component": "Column", "children": [text(i)["id"] for i in range(size)]}
    return [
        message("createSurface", catalogId=BASIC_CATALOG),
        message("updateComponents", components=[root]),
    ]


def singles(size: int) -> list[JsonValue]:
    """A message for each component."""
    return [message("updateComponents", components=[text(i)]) for i in range(size)]


def chunks(size: int, chunk: int = CHUNK) -> list[str]:
    """One growing message in chunks."""
    create, update = opening(size)
    listed = update["updateComponents"]["components"] + [text(i) for i in range(size)]
    whole = [create, message("updateComponents", components=listed)]
    content = f"<a2ui-json>{json.dumps(whole)}</a2ui-json>"
    return [content[i : i + chunk] for i in range(0, len(content), chunk)]


def least(work: Callable[[], Callable[[], object]], rounds: int = 3) -> float:
    """Seconds of processor time of the quickest round; each is prepared afresh, uncounted."""
    taken = []
    for _ in range(rounds):
        run = work()
        gc.collect()
        gc.disable()
        try:
            began = time.process_time()
            run()
            taken.append(time.process_time() - began)
        finally:
            gc.enable()
    return min(taken)


def applied_by_us(size: int) -> Callable[[], object]:
    """Every check there is, and the trees at the end."""
    state = RendererState([basic()])
    state.apply(opening(size))
    messages = singles(size)

    def run() -> None:
        for each in messages:
            state.apply_one(each)
        state.check_topology(["s"])

    return run


def spent(steps: Iterator[object], enough: float) -> float:
    """Seconds of processor time of some steps, or of so many of them that it is enough."""
    taken = 0.0
    gc.collect()
    gc.disable()
    try:
        began = time.process_time()
        for _ in steps:
            taken = time.process_time() - began
            if taken >= enough:
                break
    finally:
        gc.enable()
    return taken


def applied_by_core(size: int, config: Any) -> Iterator[object]:
    from a2ui.core import MessageProcessor, MessageProcessorOptions
    from a2ui.core.basic_catalog import BasicCatalog

    options = MessageProcessorOptions(validation_config=config)
    processor = MessageProcessor([BasicCatalog("v0.9")], options=options)
    for each in opening(size):
        processor.process_messages(each)
    messages = singles(size)
    return map(processor.process_messages, messages)


def streamed_by_us(size: int, chunk: int = CHUNK) -> Callable[[], object]:
    state, pieces = RendererState([basic()]), chunks(size, chunk)

    def run() -> None:
        stream = ResponseStream(state)
        for piece in pieces:
            stream.feed(piece)
        stream.close()

    return run


def streamed_by_agent(size: int) -> Iterator[object]:
    from a2ui.core.basic_catalog import BasicCatalog
    from a2ui.inference_formats.direct_json.parser import DirectJsonParser

    parser, pieces = DirectJsonParser([BasicCatalog("v0.9")]), chunks(size)
    return map(parser.parse_chunk, pieces)


def enough(seconds: float, request: pytest.FixtureRequest) -> float:
    """Where figures are told, all is measured; else what decides."""
    return math.inf if request.config.getoption("benchmark_enable") else seconds


def told(benchmark: BenchmarkFixture, **figures: float) -> None:
    """Print figures with the benchmark, rounded."""
    benchmark.extra_info.update({name: round(value, 2) for name, value in figures.items()})


def test_applying_takes_a_tenth_of_what_the_core_takes_without_checks(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest
) -> None:
    pytest.importorskip("a2ui.core", reason="the extra sdks is not installed")
    applied_by_us(MANY)()  # what is compiled is compiled once
    ours = least(lambda: applied_by_us(MANY))
    theirs = min(spent(applied_by_core(MANY, None), enough(10 * ours, request)) for _ in range(2))
    told(benchmark, times=theirs / ours, microseconds=ours / MANY * 1e6)
    benchmark(lambda: applied_by_us(MANY)())
    assert theirs >= 10 * ours


def test_applying_takes_a_two_hundredth_of_what_the_core_takes_with_progressive_checks(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest
) -> None:
    core = pytest.importorskip("a2ui.core", reason="the extra sdks is not installed")
    progressive = core.ValidationConfig(
        allow_orphan_components=True, allow_dangling_references=True, allow_missing_root=True
    )
    applied_by_us(MANY)()
    ours = least(lambda: applied_by_us(MANY))
    theirs = spent(applied_by_core(MANY, progressive), enough(200 * ours, request))
    told(benchmark, times=theirs / ours)
    benchmark(lambda: applied_by_us(MANY)())
    assert theirs >= 200 * ours


def test_streaming_takes_a_hundredth_of_what_the_agent_sdk_takes(
    benchmark: BenchmarkFixture, request: pytest.FixtureRequest
) -> None:
    """All 800 components with ``make bench``; 200, which is kinder to the peer, in the tests."""
    pytest.importorskip("a2ui.inference_formats", reason="the extra sdks is not installed")
    size = MANY if request.config.getoption("benchmark_enable") else MANY // 4
    streamed_by_us(size)()
    ours = least(lambda: streamed_by_us(size))
    theirs = spent(streamed_by_agent(size), enough(100 * ours, request))
    told(benchmark, times=theirs / ours, components=size)
    benchmark(lambda: streamed_by_us(size)())
    assert theirs >= 100 * ours


@pytest.mark.parametrize("work", [applied_by_us, streamed_by_us])
def test_sixteen_times_as_much_costs_hardly_more_than_sixteen_times_as_much(
    benchmark: BenchmarkFixture,
    work: Callable[[int], Callable[[], object]],
    request: pytest.FixtureRequest,
) -> None:
    """Up to 6,400 components with ``make bench``; up to 3,200 in the tests."""

    def costs(size: int) -> Costs:
        return lambda: [least(lambda: work(size), 1)]

    for few in (200, 400) if request.config.getoption("benchmark_enable") else (200,):
        found = growth(costs(few), costs(16 * few), GROWTH)
        told(benchmark, **{f"growth_to_{16 * few}": found})
        assert found < GROWTH
    benchmark(lambda: work(400)())
