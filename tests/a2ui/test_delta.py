"""Delta frames: the closed form, strict patches, and their bounds."""

from __future__ import annotations

import copy
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.delta import (
    MAX_BYTES,
    MAX_COPIED,
    MOST_OPERATIONS,
    Base,
    apply_frame,
    check_frame,
)
from openwop_conformance.errors import Violation
from openwop_conformance.jsontree import places_of
from openwop_conformance.jsonvalue import (
    MAX_DEPTH,
    JsonValue,
    equal,
    parse,
    pointer_of,
)

from ..shared_data import FIXTURES
from . import patching
from .patches import (
    BASES,
    BUTTON,
    PAYLOAD,
    TEXT,
    applied,
    copying,
    documents,
    frame_of,
    move,
    nested,
    op,
    spelled,
    surface_after,
)

# --------------------------------------------------------------------------------- the frame


ADMITTED, REFUSED = (
    sorted((FIXTURES / "delta" / kind).glob("*.json")) for kind in ("admitted", "refused")
)


def stem(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", ADMITTED, ids=stem)
def test_a_frame_that_the_corpus_admits_is_one(path: Path) -> None:
    check_frame(parse(path.read_bytes())["frame"])


@pytest.mark.parametrize("path", REFUSED, ids=stem)
def test_a_frame_that_the_corpus_refuses_is_none_and_its_twin_is_one(path: Path) -> None:
    case = parse(path.read_bytes())
    with pytest.raises(Violation) as refusal:
        check_frame(case["frame"])
    assert refusal.value.rule == "delta-frame"
    check_frame(case["twin"])


@pytest.mark.parametrize(
    ("operation", "place"),
    [
        (op("add", "/a"), ""),
        (op("replace", "/a"), ""),
        (op("move", "/a"), ""),
        (op("copy", "/a", 1), ""),
        (op("add", "a", 1), "/path"),
        (op("remove", "#/a"), "/path"),
        (op("remove", "/a~"), "/path"),
        (op("remove", "/~2"), "/path"),
        (op("remove", "/~01/~"), "/path"),
        (move("a", "/b"), "/from"),
        (copying("/~", "/b"), "/from"),
        (op("remove", "/a" * (MAX_DEPTH + 1)), "/path"),
        (copying("/a" * (MAX_DEPTH + 1), "/b"), "/from"),
    ],
)
def test_an_operation_without_what_it_needs_or_with_no_pointer_is_refused_with_its_place(
    operation: JsonValue, place: str
) -> None:
    with pytest.raises(Violation) as refusal:
        check_frame(frame_of(op("remove", "/x"), operation))
    assert refusal.value.rule == "delta-frame"
    assert refusal.value.path == f"/patch/1{place}"


def test_members_that_an_operation_does_not_need_are_ignored_as_rfc_6902_says() -> None:
    remove = op("remove", "/title", "x", **{"from": "no pointer"})
    assert surface_after(remove) == {"components": [TEXT, BUTTON]}


def test_a_null_is_a_value() -> None:
    assert applied({"a": 1}, [op("replace", "/a", None)]) == {"a": None}
    assert applied([], [op("add", "/-", None)]) == [None]


def test_ten_thousand_operations_are_a_frame_and_one_more_is_none() -> None:
    patch = [op("add", "/x", 1)] * MOST_OPERATIONS
    assert applied({}, patch) == {"x": 1}
    with pytest.raises(Violation, match="more than 10000") as refusal:
        check_frame(frame_of(*patch, op("add", "/x", 1)))
    assert refusal.value.rule == "delta-frame"


@pytest.mark.parametrize("depth", [MAX_DEPTH, 5_000, 200_000])
def test_a_frame_deeper_than_any_text_that_we_read_is_none(depth: int) -> None:
    with pytest.raises(Violation, match="nested deeper") as refusal:
        check_frame(frame_of(op("add", "/x", nested(depth))))
    assert refusal.value.rule == "delta-frame"


# ------------------------------------------------------------------------- the result is judged


@pytest.mark.parametrize("base", BASES)
def test_a_patch_starts_from_the_payload_or_from_its_tree(base: Base) -> None:
    prefix = "/surface" if base == "payload" else ""
    frame = frame_of(op("replace", f"{prefix}/components/0/text", "Pick another"))
    after = copy.deepcopy(PAYLOAD)
    after["surface"]["components"][0]["text"] = "Pick another"
    assert apply_frame(PAYLOAD, frame, base=base) == after


@pytest.mark.parametrize("base", BASES)
def test_neither_the_old_payload_nor_the_frame_is_changed_or_shared(base: Base) -> None:
    before = copy.deepcopy(PAYLOAD)
    prefix = "/surface" if base == "payload" else ""
    frame = frame_of(
        op("add", f"{prefix}/components/-", copy.deepcopy(TEXT)),
        op("replace", f"{prefix}/components/2/text", "changed in place"),
        op("remove", f"{prefix}/title"),
    )
    sent = copy.deepcopy(frame)
    result = apply_frame(before, frame, base=base)
    assert (before, frame) == (PAYLOAD, sent)
    result["surface"]["components"][0]["text"] = "mine"
    result["surface"]["components"][2]["text"] = "mine"
    result["surface"]["components"][1]["action"]["target"] = "mine"
    assert (before, frame) == (PAYLOAD, sent)


def test_a_component_that_a_payload_holds_twice_is_patched_in_one_place() -> None:
    payload = {"catalogVersion": "0.9.1", "surface": {"components": [TEXT, TEXT]}}
    frame = frame_of(op("replace", "/components/1/text", "other"))
    result = apply_frame(payload, frame, base="tree")
    assert result["surface"]["components"] == [TEXT, {**TEXT, "text": "other"}]


@pytest.mark.parametrize("base", BASES)
def test_a_patch_that_fails_at_its_end_leaves_the_payload_as_it_was(base: Base) -> None:
    before = copy.deepcopy(PAYLOAD)
    prefix = "/surface" if base == "payload" else ""
    frame = frame_of(op("remove", f"{prefix}/components"), op("remove", f"{prefix}/components"))
    with pytest.raises(Violation) as refusal:
        apply_frame(before, frame, base=base)
    assert (refusal.value.rule, refusal.value.path) == ("delta", "/patch/1")
    assert before == PAYLOAD


@pytest.mark.parametrize(
    ("operation", "place"),
    [
        (op("add", "/components/-", {"component": "iframe"}), "/surface/components/2/component"),
        (op("add", "/components/0/onClick", "x"), "/surface/components/0"),
        (
            op("replace", "/components/1/action/target", "https://example.org"),
            "/surface/components/1/action/target",
        ),
        (op("add", "/components/1/action/url", "x"), "/surface/components/1/action"),
        (op("remove", "/components"), "/surface"),
        (op("replace", "", None), "/surface"),
        (op("replace", "/components/0/text", None), "/surface/components/0/text"),
        (move("/components/0/text", "/components/0/label"), "/surface/components/0"),
    ],
)
def test_a_result_outside_the_closed_catalog_is_refused_at_its_place(
    operation: JsonValue, place: str
) -> None:
    with pytest.raises(Violation) as refusal:
        surface_after(operation)
    assert refusal.value.rule == "branch"
    assert refusal.value.path.startswith(place)


def test_only_the_last_state_is_judged_and_not_the_ones_between() -> None:
    away, back = op("remove", "/components"), op("add", "/components", [TEXT])
    assert surface_after(away, back) == {"title": "Schedule", "components": [TEXT]}


@pytest.mark.parametrize(
    ("base", "payload", "frame"),
    [
        ("tree", PAYLOAD, frame_of(op("remove", "/title"), version="0.9.2")),
        ("payload", PAYLOAD, frame_of(op("replace", "/catalogVersion", "0.9.2"))),
        ("payload", PAYLOAD, frame_of(op("remove", "/catalogVersion"))),
        ("payload", PAYLOAD, frame_of(op("replace", "", {"surface": {}}))),
        ("tree", {"surface": {}}, frame_of(op("remove", "/title"))),
        ("tree", None, frame_of(op("remove", "/title"))),
        ("payload", {**PAYLOAD, "catalogVersion": 1}, frame_of(op("remove", "/reasoning"))),
    ],
)
def test_another_catalog_version_needs_a_full_surface(
    base: Base, payload: JsonValue, frame: JsonValue
) -> None:
    with pytest.raises(Violation) as refusal:
        apply_frame(payload, frame, base=base)
    assert (refusal.value.rule, refusal.value.path) == ("catalog-version", "/catalogVersion")


def test_a_payload_that_is_replaced_by_no_payload_is_refused() -> None:
    with pytest.raises(Violation) as refusal:
        apply_frame(PAYLOAD, frame_of(op("replace", "", [PAYLOAD])), base="payload")
    assert refusal.value.rule == "branch"


def test_a_base_without_a_tree_cannot_be_patched() -> None:
    with pytest.raises(Violation) as refusal:
        apply_frame({"catalogVersion": "0.9.1"}, frame_of(op("replace", "", {})), base="tree")
    assert refusal.value.rule == "delta"


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
    tracemalloc.start()
    try:
        with pytest.raises(Violation, match=why) as refusal:
            applied(document, [operation] * MOST_OPERATIONS)
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
    assert list(places_of(nested(inner), applied(document, [deepest])))
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
