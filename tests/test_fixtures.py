"""The fixtures under ``fixtures/``: each is what it says, and together they leave no rule out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonpatch
import pytest

from openwop_conformance.a2ui.catalog import KIND, MESSAGE_KINDS, check_payload
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.message import check_catalog_ids, check_surface_ids
from openwop_conformance.a2ui.topology import topology
from openwop_conformance.errors import Violation
from openwop_conformance.jsontree import strings_in
from openwop_conformance.jsonvalue import (
    JsonValue,
    equal,
    parse,
    pointer_of,
    tokens_of,
)
from openwop_conformance.schemas import compiled, schema
from openwop_conformance.wire.envelope import surface_payload

from .every import every
from .shared_data import FIXTURES, shared

PROFILE = sorted((FIXTURES / "profile").glob("*/*.json"))
POSITIVE = sorted((FIXTURES / "positive").glob("*.json"))
VERSION_1 = sorted((FIXTURES / "v1" / "admitted").glob("*.json"))

TYPES = [
    "button",
    "card",
    "check-box",
    "choice-picker",
    "column",
    "date-time-input",
    "divider",
    "row",
    "text",
    "text-field",
]
NO_FOLD = {
    "no component of the message can be stored": {f"closed/{name}-id-missing" for name in TYPES}
    | {f"components/{name}-type-missing" for name in TYPES}
    | {f"components/{name}-id-number" for name in TYPES if name != "text"}
    | {
        "components/id-number",
        "components/type-null",
        "components/version-0.8-style",
        "closed/update-components-missing",
        "closed/update-components-null-item",
        "closed/update-components-object",
    },
    "it is no message": {
        "closed/create-surface-null",
        "closed/delete-surface-null",
        "closed/message-begin-rendering",
        "closed/message-call-function",
        "closed/message-lock-surface",
        "closed/message-no-body",
        "closed/message-string",
        "closed/message-two-bodies",
        "closed/message-wrong-case",
        "closed/update-components-text",
        "closed/update-data-model-null",
    },
    "its path points nowhere": {
        "closed/update-data-model-path-list",
        "closed/update-data-model-path-number",
        "closed/update-data-model-path-relative",
    },
}
"""The negatives whose one fault also leaves nothing to fold, by reason."""


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def load(path: Path) -> Any:
    return parse(path.read_bytes())


def admitted(messages: list[JsonValue]) -> bool:
    """Whether the catalog's own check admits the messages."""
    try:
        check_payload(surface_payload("s", messages), 2)
    except Violation:
        return False
    return True


def folded(messages: list[JsonValue]) -> Fold:
    fold = Fold()
    fold.apply_all(surface_payload("s", messages)["messages"])
    return fold


def one_operation(
    bad: JsonValue, good: JsonValue, at: tuple[str | int, ...] = ()
) -> dict[str, JsonValue]:
    """The smallest single JSON Patch operation that turns ``bad`` into ``good``."""
    if isinstance(bad, dict) and isinstance(good, dict):
        parted = [
            key
            for key in {**bad, **good}
            if key not in bad or key not in good or not equal(bad[key], good[key])
        ]
        if len(parted) == 1:
            (key,) = parted
            if key not in good:
                return {"op": "remove", "path": pointer_of((*at, key))}
            if key not in bad:
                return {"op": "add", "path": pointer_of((*at, key)), "value": good[key]}
            return one_operation(bad[key], good[key], (*at, key))
    if isinstance(bad, list) and isinstance(good, list):
        for index in range(len(bad)):
            if equal([*bad[:index], *bad[index + 1 :]], good):
                return {"op": "remove", "path": pointer_of((*at, index))}
        for index in range(len(good)):
            if equal(bad, [*good[:index], *good[index + 1 :]]):
                path = pointer_of((*at, index))
                return {"op": "add", "path": path, "value": good[index]}
        parted_at = [i for i in range(min(len(bad), len(good))) if not equal(bad[i], good[i])]
        if len(bad) == len(good) and len(parted_at) == 1:
            (index,) = parted_at
            return one_operation(bad[index], good[index], (*at, index))
    return {"op": "replace", "path": pointer_of(at), "value": good}


# ------------------------------------------------------------------------------ the negatives


def test_the_catalog_refuses_each_negative_in_its_place_and_admits_its_twin() -> None:
    every(PROFILE, name_of, refused_in_its_place)


def refused_in_its_place(path: Path) -> None:
    case = load(path)
    assert admitted(case["twin"])
    assert not admitted(case["messages"])
    operation = one_operation(case["messages"], case["twin"])
    assert equal(jsonpatch.apply_patch(case["messages"], [operation]), case["twin"])
    place = tokens_of(operation["path"])
    assert place, "the whole list of messages differs"

    with pytest.raises(Violation) as refusal:
        check_payload(surface_payload("s", case["messages"]), 2)
    assert refusal.value.rule == "branch"
    assert refusal.value.code == "envelope_invalid"
    messages, *found = tokens_of(refusal.value.path)
    assert messages == "messages"
    shorter = min(len(found), len(place))
    assert tuple(found)[:shorter] == place[:shorter], "refused somewhere else than in its one place"
    in_a_component = "components" in place[2:3] and len(place) > 4
    assert len(found) >= (4 if in_a_component else 1), "the refusal names no component"


def test_each_negative_breaks_no_other_rule_and_its_twin_none_at_all() -> None:
    every(PROFILE, name_of, breaks_no_other_rule)


def breaks_no_other_rule(path: Path) -> None:
    case = load(path)
    good = surface_payload("s", case["twin"])
    check_surface_ids(good)
    check_catalog_ids(good)
    surfaces = folded(case["twin"]).surfaces
    for surface in surfaces.values():
        found = topology(surface.components)
        assert found.has_root
        assert found.renderable
        assert not found.dangling

    if any(name_of(path) in names for names in NO_FOLD.values()):
        with pytest.raises(Violation):
            folded(case["messages"])
    else:
        bad = surface_payload("s", case["messages"])
        check_surface_ids(bad)
        check_catalog_ids(bad)
        folded(case["messages"])


def test_every_negative_without_a_fold_is_there() -> None:
    names = {name_of(path) for path in PROFILE}
    assert set.union(*NO_FOLD.values()) <= names


# ------------------------------------------------------------------------------ the positives


def test_each_positive_is_admitted_and_folds() -> None:
    every(POSITIVE, name_of, admitted_and_folds)


def admitted_and_folds(path: Path) -> None:
    case = load(path)
    assert admitted(case["messages"])
    payload = surface_payload("s", case["messages"])
    check_surface_ids(payload)
    check_catalog_ids(payload)
    for surface in folded(case["messages"]).surfaces.values():
        found = topology(surface.components)
        assert found.renderable
        assert not found.dangling


def test_each_version_1_payload_is_admitted_by_its_branch_alone() -> None:
    every(VERSION_1, name_of, admitted_by_its_branch_alone)


def admitted_by_its_branch_alone(path: Path) -> None:
    case = load(path)
    check_payload(case["payload"], 1)
    with pytest.raises(Violation):
        check_payload(case["payload"], 2)


def test_recorded_values_are_worth_recording() -> None:
    path = FIXTURES / "positive" / "recorded-values.json"
    model = load(path)["messages"][2]["updateDataModel"]["value"]
    assert model["apple"] == 1e21
    assert model["largest"] == 2**53 - 1
    assert model["null"] is None
    assert "\N{ROCKET}" in model
    assert list(model) != sorted(model)


# --------------------------------------------------------------------------------- all of them


def test_the_fixtures_stay_within_the_caps_of_a_careful_host() -> None:
    """A host may bound what the profile leaves open; no case may be refused for that instead."""
    for path in (*PROFILE, *POSITIVE):
        case = load(path)
        for messages in (case["messages"], case.get("twin", [])):
            assert len(messages) <= 64, path
            assert all(len(text) <= 4096 for _, text in strings_in(messages)), path
            for _, component in components_in(messages):
                name = component.get("id", "x")
                assert not isinstance(name, str) or re.fullmatch("[A-Za-z0-9_.-]{1,128}", name)
                assert len(component.get("checks") or []) <= 16, path
            for pointer, text in strings_in(messages):
                assert tokens_of(pointer)[-1] != "path" or len(text) <= 512, path


def components_in(messages: list[JsonValue]) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """The components of messages that may be anything at all, with the index of the message."""
    for index, message in enumerate(messages):
        update = message.get("updateComponents") if isinstance(message, dict) else None
        items = update.get("components") if isinstance(update, dict) else None
        for item in items if isinstance(items, list) else []:
            if isinstance(item, dict):
                yield index, item


def test_the_fixtures_are_plain_text_that_ends_in_a_newline() -> None:
    for path in (*PROFILE, *POSITIVE, *VERSION_1):
        text = path.read_text(encoding="utf-8")
        assert text.startswith('{\n  "why": "'), path
        assert text.endswith("}\n"), path
        assert not re.search("[\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]", text), path


def test_the_reconstruction_of_the_schema_agrees_on_every_fixture() -> None:
    """Rebuilt from the RFC by others, with the caps of a real host; no line in common with ours."""
    document = load(shared("openwop/schemas/ui.a2ui-surface.payloadV2.RECONSTRUCTED.schema.json"))
    other = compiled(document)
    for path in PROFILE:
        case = load(path)
        assert not other.is_valid(surface_payload("s", case["messages"])), name_of(path)
        assert other.is_valid(surface_payload("s", case["twin"])), name_of(path)
    for path in POSITIVE:
        assert other.is_valid(surface_payload("s", load(path)["messages"])), name_of(path)


def test_the_kinds_of_message_are_the_schema_s() -> None:
    union = schema(KIND)["$defs"]["message"]["anyOf"]
    assert [r["$ref"].rpartition("/")[2] for r in union] == list(MESSAGE_KINDS)
