"""The patches of delta frames: strict as RFC 6902 has them, and bounded."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.delta import (
    MAX_BYTES,
    MAX_COPIED,
    MOST_OPERATIONS,
    check_frame,
    patched,
)
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import (
    MAX_DEPTH,
    JsonValue,
    compact,
    equal,
    pointer_of,
)

from . import patching
from .patches import (
    applied,
    copying,
    documents,
    frame_of,
    move,
    nested,
    op,
    spelled,
)

# ------------------------------------------------------- faults that were reported of libraries


@pytest.mark.parametrize(
    ("document", "operation", "after"),
    [
        ({"m": {}}, op("add", "/m/01", 1), {"m": {"01": 1}}),
        ({"m": {"-": 1}}, op("replace", "/m/-", 2), {"m": {"-": 2}}),
        ({"m": {"-": 1}}, copying("/m/-", "/m/1"), {"m": {"-": 1, "1": 1}}),
        ({"m": {"1\n": 1}}, op("remove", "/m/1\n"), {"m": {}}),
        ({}, op("add", "/", 1), {"": 1}),
        ({"a/b": 1}, op("replace", "/a~1b", 2), {"a/b": 2}),
        ({"a~b": 1}, op("replace", "/a~0b", 2), {"a~b": 2}),
        ({"a~1b": 1}, op("replace", "/a~01b", 2), {"a~1b": 2}),
        ({"l": [1, 2]}, op("add", "/l/2", 3), {"l": [1, 2, 3]}),
        ({"l": [1, 2]}, op("add", "/l/-", 3), {"l": [1, 2, 3]}),
        ({"l": [1, 2, 3]}, move("/l/0", "/l/2"), {"l": [2, 3, 1]}),
        ({"l": [1, 2, 3]}, move("/l/2", "/l/0"), {"l": [3, 1, 2]}),
        ({"l": [1, 2, 3]}, move("/l/0", "/l/-"), {"l": [2, 3, 1]}),
        ({"items": [1, 2]}, move("/items/1", "/items/0"), {"items": [2, 1]}),
        ({"a": {"b": 1}}, move("/a/b", "/a"), {"a": 1}),
        ({"a": {"b": 1}}, move("/a", "/a"), {"a": {"b": 1}}),
        ({"a": {"b": 1}}, copying("/a", "/a/c"), {"a": {"b": 1, "c": {"b": 1}}}),
        ({"a": 1, "ab": 2}, move("/a", "/ab"), {"ab": 1}),
        ({"a": 1}, op("replace", "", [1]), [1]),
        ({"a": 1}, op("add", "", None), None),
        ({"a": {"b": 1}}, move("/a", ""), {"b": 1}),
        ({"a": 1}, move("", ""), {"a": 1}),
        ([1], op("add", "/0", True), [True, 1]),
    ],
)
def test_what_rfc_6902_allows_applies(
    document: JsonValue, operation: JsonValue, after: JsonValue
) -> None:
    assert equal(applied(document, [operation]), after)
    assert equal(patching.apply(document, [operation]), after)


@pytest.mark.parametrize(
    ("document", "operation"),
    [
        *(
            ([1, 2], op(kind, f"/{index}", 0))
            for kind in ("add", "remove", "replace")
            for index in ("01", "00", "+1", "-1", "1e0", "1.0", "0x1", "1_0", " 1", "1\n", "１", "")
        ),
        *(([1, 2], op(kind, "/-", 0)) for kind in ("remove", "replace")),
        *(([1, 2], make("/-", "/0")) for make in (move, copying)),
        ([[1]], op("add", "/-/0", 1)),
        ([1, 2], op("add", "/3", 1)),
        ([1, 2], op("remove", "/2")),
        ([1, 2], op("replace", "/2", 1)),
        ([1, 2], move("/0", "/2")),
        ([1, 2], copying("/2", "/0")),
        ([1], op("add", "/" + "9" * 5_000, 1)),
        ([1], copying("/" + "9" * 5_000, "/0")),
        ([1], op("add", "/a", 1)),
        ({"s": "xyz"}, op("remove", "/s/0")),
        ({"s": "xyz"}, op("add", "/s/0", "a")),
        ({"s": "xyz"}, copying("/s/0", "/t")),
        ({"s": "xyz"}, op("replace", "/s/length", 1)),
        ({"n": None, "i": 1}, op("add", "/n/a", 1)),
        ({"n": None, "i": 1}, op("add", "/i/0", 1)),
        ({}, op("replace", "/a", 1)),
        ({}, op("remove", "/a")),
        ({}, op("remove", "")),
        ({}, op("add", "/a/b", 1)),
        ({}, move("/a", "/b")),
        ({}, move("/a", "/a")),
        ({}, copying("/a", "/b")),
        ({"a": {"b": {}}}, move("/a", "/a/b")),
        ({"a": {"b": {}}}, move("/a", "/a/b/c")),
        ({"a": {"b": {}}}, move("", "/a")),
        ([[1], [2]], move("/0", "/0/0")),
    ],
)
def test_what_rfc_6902_or_6901_forbids_is_refused_and_says_which_operation(
    document: JsonValue, operation: JsonValue
) -> None:
    with pytest.raises(patching.Refused):
        patching.apply(document, [operation])
    with pytest.raises(Violation, match=f"{operation['op']} of .* does not apply") as refusal:
        applied(document, [operation])
    assert (refusal.value.rule, refusal.value.path) == ("delta", "/patch/0")
    assert len(str(refusal.value)) < 400


def test_a_message_does_not_repeat_the_document() -> None:
    with pytest.raises(Violation) as refusal:
        applied({"secret": "hunter2"}, [op("remove", "/a/b")])
    assert "hunter2" not in str(refusal.value)


# -------------------------------------------------------------------------------- hostile patches


@pytest.mark.parametrize(
    ("document", "operation", "why"),
    [
        ([0], copying("", "/-"), "more would be written"),
        ({"a": "x" * 1000}, copying("", "/b"), "more would be written"),
        ({}, copying("", "/a"), "nested deeper"),
    ],
)
def test_copies_that_double_the_tree_are_stopped_before_they_fill_memory(
    document: JsonValue, operation: JsonValue, why: str
) -> None:
    patch = [operation] * MOST_OPERATIONS
    check_frame(frame_of(*patch))
    tracemalloc.start()
    try:
        with pytest.raises(Violation, match=why) as refusal:
            patched(document, patch)
        assert tracemalloc.get_traced_memory()[1] < 64 * MAX_COPIED
    finally:
        tracemalloc.stop()
    assert refusal.value.rule == "delta"


def test_many_small_copies_are_counted_together() -> None:
    lines = ["x" * 1000]
    fits = MAX_COPIED // len(json.dumps(lines[0]))
    assert len(applied(lines, [copying("/0", "/-")] * fits)) == fits + 1
    with pytest.raises(Violation, match="more would be written"):
        applied(lines, [copying("/0", "/-")] * (fits + 1))


def test_a_result_beyond_the_largest_event_is_refused() -> None:
    half = "x" * (MAX_BYTES // 2)
    assert applied({"a": 1}, [op("add", "/b", half)])["b"] == half
    with pytest.raises(Violation, match="more would be written") as refusal:
        applied({"a": half}, [op("add", "/b", half)])
    assert refusal.value.rule == "delta"


def test_a_result_may_be_as_deep_as_any_text_that_we_read_and_not_deeper() -> None:
    inner = MAX_DEPTH - 10
    document = {"deep": nested(inner), "l": nested(9)}
    deepest = copying("/deep", "/l" + "/0" * 8 + "/0")
    assert compact(nested(inner)) in compact(applied(document, [deepest])["l"])
    place = "/l" + "/0" * 10
    for deeper in (copying("/deep", place), op("add", place, nested(inner))):
        with pytest.raises(Violation, match="nested deeper") as refusal:
            applied({"deep": nested(inner), "l": nested(10)}, [deeper])
        assert refusal.value.rule == "delta"


def test_moves_that_build_a_tree_of_any_depth_are_refused() -> None:
    count = 5_000
    document: JsonValue = {f"k{i}": {} for i in range(count)}
    patch = [move(f"/k{i}", f"/k{i + 1}/k") for i in range(count - 1)]
    with pytest.raises(Violation, match="nested deeper") as refusal:
        applied(document, patch)
    assert (refusal.value.rule, refusal.value.path) == ("delta", "")
    for last in (copying("", "/copy"), op("remove", "/missing/x")):
        with pytest.raises(Violation, match="does not apply") as refusal:
            applied(document, [*patch, last])
        assert refusal.value.path == f"/patch/{count - 1}"


# --------------------------------------------------------------------------------------- laws

JUNK = ["", "/", "/-", "/0", "/01", "/1", "/a", "/a/-", "/a/0", "/~0", "/~", "a", "/a~2", "/b/a/0"]


def pointers_into(tree: JsonValue) -> list[str]:
    """Every place of a document, and where one more would be."""
    found, stack = [], [((), tree)]
    while stack:
        at, node = stack.pop()
        found.append(pointer_of(at))
        pairs: list[Any] = []
        if isinstance(node, dict):
            pairs = list(node.items())
            found.append(pointer_of((*at, "new")))
        elif isinstance(node, list):
            pairs = list(enumerate(node))
            found += [pointer_of((*at, "-")), pointer_of((*at, len(node)))]
        stack.extend(((*at, key), child) for key, child in pairs)  # type: ignore[misc]
    return found


@st.composite
def patches(draw: st.DrawFn) -> tuple[JsonValue, list[JsonValue]]:
    """A document, and operations of which most apply to what the ones before them made."""
    document = now = draw(documents)
    patch: list[JsonValue] = []
    for _ in range(draw(st.integers(1, 5))):
        pointers = st.sampled_from([*pointers_into(now) * 10, *JUNK])
        kind = draw(st.sampled_from(["add", "remove", "replace", "move", "copy"]))
        operation = op(kind, draw(pointers))
        if kind in ("add", "replace"):
            operation["value"] = draw(documents)
        elif kind in ("move", "copy"):
            operation["from"] = draw(pointers)
        patch.append(operation)
        try:
            now = patching.apply_one(now, operation)
        except patching.Refused:
            continue
    return document, patch


@given(patches())
@settings(max_examples=400)
def test_any_patch_is_refused_or_applied_as_a_slow_applier_does(
    case: tuple[JsonValue, list[JsonValue]],
) -> None:
    document, patch = case
    before = spelled(case)
    try:
        after = patching.apply(document, patch)
    except patching.Refused:
        with pytest.raises(Violation) as refusal:
            applied(document, patch)
        assert refusal.value.rule in ("delta", "delta-frame")
    else:
        assert spelled(applied(document, patch)) == spelled(after)
    assert spelled(case) == before
