"""What a delta frame costs: beside the usual libraries, on larger surfaces, over a long stream."""

from __future__ import annotations

import copy
import gc
import time
import tracemalloc
from collections.abc import Callable

import jsonpatch
import jsonschema
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from openwop_conformance.a2ui.catalog import KIND
from openwop_conformance.a2ui.consumer import Consumer
from openwop_conformance.a2ui.delta import apply_frame, diff
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.schemas import schema

from .growth import Costs, growth

SIZE = 50
LIMIT = 6
"""Four times the components may cost this many times as much; quadratic would be 16."""

KINDS: list[JsonValue] = [
    {"component": "text", "text": "Hello"},
    {"component": "field.text", "id": "name", "label": "Name", "required": True},
    {
        "component": "field.select",
        "id": "size",
        "label": "Size",
        "options": [{"value": size, "label": size.upper()} for size in ("s", "m", "l")],
    },
    {"component": "action.button", "id": "go", "label": "Go", "action": {"target": "resume"}},
]


def payload_of(components: int) -> JsonValue:
    listed = [copy.deepcopy(KINDS[i % 4]) for i in range(components)]
    return {"catalogVersion": "0.9.1", "surface": {"components": listed}}


def frame_of(text: str, component: int = 8) -> JsonValue:
    """A frame that replaces one text."""
    patch = [{"op": "replace", "path": f"/components/{component}/text", "value": text}]
    return {"surfaceRef": "a", "catalogVersion": "0.9.1", "patch": patch}


def peer() -> Callable[[JsonValue, JsonValue], JsonValue]:
    """The same by jsonpatch as it is by itself, and by jsonschema with the same schema."""
    document = {"$ref": "#/$defs/payloadV1", "$defs": schema(KIND)["$defs"]}
    check = jsonschema.Draft202012Validator(document)

    def apply(payload: JsonValue, frame: JsonValue) -> JsonValue:
        tree = jsonpatch.apply_patch(payload["surface"], frame["patch"])
        result = {**payload, "surface": tree}
        check.validate(result)
        return result

    return apply


def least(function: Callable[[], object], rounds: int) -> float:
    """Seconds of processor time of the quickest of some rounds."""
    gc.collect()
    gc.disable()
    try:
        return min(seconds(function) for _ in range(rounds))
    finally:
        gc.enable()


def seconds(function: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    function()
    return time.process_time() - started


def test_a_frame_takes_less_than_a_fortieth_of_what_the_usual_libraries_take() -> None:
    payload, frame, plain = payload_of(SIZE), frame_of("Good-bye"), peer()
    assert apply_frame(payload, frame, base="tree") == plain(payload, frame)
    theirs = least(lambda: plain(payload, frame), 3)
    ours = least(lambda: [apply_frame(payload, frame, base="tree") for _ in range(20)], 10) / 20
    assert theirs / ours > 40


@pytest.mark.parametrize("way", [apply_frame, diff], ids=lambda way: way.__name__)
def test_four_times_the_components_cost_about_four_times_as_much(
    way: Callable[..., object],
) -> None:
    def costs(size: int) -> Costs:
        payload, frame = payload_of(size), frame_of("Good-bye")
        after = apply_frame(payload, frame, base="tree")
        other = frame if way is apply_frame else after
        return lambda: [seconds(lambda: way(payload, other, base="tree")) for _ in range(5)]

    assert growth(costs(4 * SIZE), costs(16 * SIZE), LIMIT) < LIMIT


def test_memory_does_not_grow_with_the_frames_of_a_stream(request: pytest.FixtureRequest) -> None:
    """Over 100,000 frames when benchmarks are enabled; each seventh is wrong and made up for.

    What is cached is cached within the first 2,000; then less than three bytes a frame may stay.
    """
    frames = 100_000 if request.config.getoption("benchmark_enable") else 4_000
    consumer, payload, sizes = Consumer(base="tree"), payload_of(12), []
    consumer.full("a", payload, sequence=0)
    tracemalloc.start()
    try:
        for number in range(1, frames + 1):
            wrong = number % 7 == 0
            frame = frame_of(f"text {number:09}", component=12 if wrong else 8)
            consumer.frame(frame, sequence=number)
            assert (consumer.renderable("a") is None) is wrong
            if wrong:
                consumer.full("a", payload, sequence=number)
            if number in (frames // 2, frames):
                gc.collect()
                sizes.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    half, end = sizes
    assert end - half < 5_400


@pytest.mark.parametrize("way", ["ours", "usual"])
def test_the_cost_of_one_frame_for_fifty_components(benchmark: BenchmarkFixture, way: str) -> None:
    """Figures to compare between versions."""
    payload, frame, plain = payload_of(SIZE), frame_of("Good-bye"), peer()
    if way == "ours":
        benchmark(apply_frame, payload, frame, base="tree")
    else:
        benchmark(plain, payload, frame)
