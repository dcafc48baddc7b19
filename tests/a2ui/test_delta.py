"""Delta frames: their closed form, and the result, which is judged."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from openwop_conformance.a2ui.delta import (
    MOST_OPERATIONS,
    Base,
    apply_frame,
    check_frame,
)
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import (
    MAX_DEPTH,
    JsonValue,
    parse,
)

from ..shared_data import FIXTURES
from .patches import (
    BASES,
    BUTTON,
    PAYLOAD,
    TEXT,
    applied,
    copying,
    frame_of,
    move,
    nested,
    op,
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
