"""Where surfaces and frames lie in what a host of major 1 sends, and what a patch starts from."""

from __future__ import annotations

import pytest

from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.wire.surfaces_v1 import base_of, frames_in, members, surfaces_in

PAYLOAD = {"catalogVersion": "0.9.1", "surface": {"components": []}}
FRAME = {"surfaceRef": "e", "catalogVersion": "0.9.1", "patch": []}


@pytest.mark.parametrize(
    "event",
    [
        PAYLOAD,
        {"payload": PAYLOAD},
        {"payload": {"envelope": {"payload": PAYLOAD}}},
        [{"x": [PAYLOAD]}],
    ],
)
def test_a_surface_is_found_wherever_it_lies(event: JsonValue) -> None:
    assert list(surfaces_in(event)) == [PAYLOAD]


def test_surfaces_are_found_in_order_and_the_outermost_alone() -> None:
    nested = {"catalogVersion": "0.9.1", "surface": PAYLOAD}
    other = {**PAYLOAD, "reasoning": "x"}

    assert list(surfaces_in([PAYLOAD, {"a": other}, nested])) == [PAYLOAD, other, nested]
    assert list(surfaces_in({"surface": {}, "a": 1})) == []


def test_a_frame_is_found_wherever_it_lies() -> None:
    assert list(frames_in({"payload": FRAME})) == [FRAME]
    assert list(frames_in({"patch": []})) == []
    assert list(frames_in(PAYLOAD)) == []


@pytest.mark.parametrize(
    ("patch", "base"),
    [
        ([{"op": "remove", "path": "/surface/title"}], "payload"),
        ([{"op": "add", "path": "/reasoning", "value": "x"}], "payload"),
        ([{"op": "replace", "path": "/components/0/text", "value": "x"}], "tree"),
        ([{"op": "remove", "path": "/title"}], "tree"),
        ([{"op": "move", "path": "/nothing", "from": "/components/0"}], "tree"),
        ([{"op": "replace", "path": "", "value": PAYLOAD}], "payload"),
        ([{"op": "replace", "path": "", "value": {"components": []}}], "tree"),
        ([{"op": "remove", "path": "/other"}], None),
        ([], None),
        ("no list", None),
        ([None, {"op": 1, "path": 2}], None),
    ],
)
def test_what_a_patch_starts_from_is_told_by_its_pointers(patch: JsonValue, base: str) -> None:
    assert base_of({"patch": patch}) == base


def test_members_are_found_by_name_at_any_depth() -> None:
    assert sorted(members({"a": "1", "b": [{"a": "2"}, {"a": 3}]}, "a")) == ["1", "2"]
