"""What checking a payload against the closed catalog costs, beside the field's other library."""

from __future__ import annotations

import time
from collections.abc import Callable

import jsonschema
import pytest

from openwop_conformance.a2ui.catalog import KIND, check_payload
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.schemas import schema
from openwop_conformance.wire.envelope import surface_payload


def payload_of(components: int) -> JsonValue:
    """A form of so many components, a third of them with bindings and checks."""
    kinds: list[JsonValue] = [
        {"component": "Text", "text": "Hello"},
        {"component": "TextField", "label": "Name", "value": {"path": "/name"}},
        {"component": "CheckBox", "label": "Yes", "value": False},
    ]
    listed = [{"id": f"c{i}", **kinds[i % 3]} for i in range(components)]
    root = {"id": "root", "component": "Column", "children": [c["id"] for c in listed]}
    return surface_payload(
        "a", [{"createSurface": {}}, {"updateComponents": {"components": [root, *listed]}}]
    )


def peer() -> Callable[[JsonValue], bool]:
    """The same branch of the same schema, compiled by jsonschema."""
    document = {"$ref": "#/$defs/payloadV2", "$defs": schema(KIND)["$defs"]}
    return jsonschema.Draft202012Validator(document).is_valid


def least(function: Callable[[], object], rounds: int) -> float:
    """Seconds of the quickest of some rounds."""
    taken = []
    for _ in range(rounds):
        started = time.perf_counter()
        function()
        taken.append(time.perf_counter() - started)
    return min(taken)


def test_a_payload_is_checked_at_least_a_hundred_times_faster_than_by_jsonschema() -> None:
    payload, is_valid = payload_of(50), peer()
    check_payload(payload, 2)
    assert is_valid(payload)
    theirs = least(lambda: is_valid(payload), 3)
    ours = least(lambda: check_payload(payload, 2), 20)
    assert theirs / ours > 100


@pytest.mark.parametrize("library", ["jsonschema-rs", "jsonschema"])
def test_the_cost_of_checking_fifty_components(benchmark: object, library: str) -> None:
    payload, is_valid = payload_of(50), peer()
    run = (lambda: check_payload(payload, 2)) if library == "jsonschema-rs" else None
    benchmark(run or (lambda: is_valid(payload)))  # type: ignore[operator]
