"""The fixtures under ``fixtures/``: each is what it says, and together they leave no rule out."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonpatch
import jsonschema
import jsonschema_rs
import pytest

from openwop_conformance.a2ui.catalog import KIND, MESSAGE_KINDS, check_payload
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.message import check_catalog_ids, check_surface_ids
from openwop_conformance.a2ui.topology import topology
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import (
    JsonValue,
    equal,
    parse,
    pointer_of,
    strings_in,
    tokens_of,
)
from openwop_conformance.schemas import compiled, schema
from openwop_conformance.wire.envelope import surface_payload

from .shared_data import FIXTURES, shared

PROFILE = sorted((FIXTURES / "profile").glob("*/*.json"))
POSITIVE = sorted((FIXTURES / "positive").glob("*.json"))
VERSION_1 = sorted((FIXTURES / "v1").glob("*.json"))
FAMILIES = {"egress", "components", "actions", "dynamic-values", "secret-input", "closed"}

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


@cache
def second_opinion(definition: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/{definition}", "$defs": schema(KIND)["$defs"]}
    )


def admitted(messages: list[JsonValue]) -> bool:
    """Whether both libraries admit the messages; they must agree."""
    payload = surface_payload("s", messages)
    try:
        check_payload(payload, 2)
        first = True
    except Violation:
        first = False
    assert second_opinion("payloadV2").is_valid(payload) is first
    return first


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


def test_the_families_are_the_folders() -> None:
    assert {path.parent.name for path in PROFILE} == FAMILIES
    assert all(any(p.parent.name == family for p in PROFILE) for family in FAMILIES)


@pytest.mark.parametrize("path", PROFILE, ids=name_of)
def test_a_negative_is_refused_for_its_one_reason_and_its_twin_is_not(path: Path) -> None:
    case = load(path)
    assert list(case) == ["why", "rule", "messages", "twin"]
    assert case["rule"] == "branch"
    assert re.fullmatch(r"[^.\n].{20,190}\.", case["why"])

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


@pytest.mark.parametrize("path", PROFILE, ids=name_of)
def test_a_negative_breaks_no_other_rule_and_its_twin_none_at_all(path: Path) -> None:
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


@pytest.mark.parametrize("path", POSITIVE, ids=name_of)
def test_a_positive_is_admitted_and_folds(path: Path) -> None:
    case = load(path)
    assert list(case) == ["why", "messages"]
    assert case["why"].endswith(".")
    assert admitted(case["messages"])
    payload = surface_payload("s", case["messages"])
    check_surface_ids(payload)
    check_catalog_ids(payload)
    for surface in folded(case["messages"]).surfaces.values():
        found = topology(surface.components)
        assert found.renderable
        assert not found.dangling


@pytest.mark.parametrize("path", VERSION_1, ids=name_of)
def test_a_version_1_payload_is_admitted_by_its_branch_alone(path: Path) -> None:
    case = load(path)
    assert list(case) == ["why", "payload"]
    check_payload(case["payload"], 1)
    assert second_opinion("payloadV1").is_valid(case["payload"])
    with pytest.raises(Violation):
        check_payload(case["payload"], 2)


def test_the_positives_use_every_member_every_enum_value_and_every_form() -> None:
    used: set[str] = set()
    for path in POSITIVE:
        mark("payloadV2", surface_payload("s", load(path)["messages"]), used)
    assert points("payloadV2") - used == {
        "payloadV2/properties/reasoning"  # beside the messages, which is all a fixture gives
    }


def test_the_version_1_payloads_use_every_member_every_enum_value_and_every_form() -> None:
    used: set[str] = set()
    for path in VERSION_1:
        mark("payloadV1", load(path)["payload"], used)
    assert points("payloadV1") - used == set()


def points(definition: str) -> set[str]:
    """What an instance of a definition can use: members, enum values, types, alternatives."""
    found: set[str] = set()
    waiting, seen = [definition], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        for at, node in nodes_of(name):
            found |= {f"{at}/properties/{member}" for member in node.get("properties", {})}
            found |= {f"{at}/enum/{value}" for value in node.get("enum", [])}
            found |= {f"{at}/anyOf/{i}" for i in range(len(node.get("anyOf", [])))}
            if isinstance(node.get("type"), list):
                found |= {f"{at}/type/{kind}" for kind in node["type"]}
            if "$ref" in node:
                waiting.append(node["$ref"].rpartition("/")[2])
    return found


def nodes_of(definition: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every schema inside one definition, with its pointer from that definition."""
    stack: list[tuple[str, Any]] = [(definition, schema(KIND)["$defs"][definition])]
    while stack:
        at, node = stack.pop()
        if not isinstance(node, dict):
            continue
        yield at, node
        stack += [(f"{at}/properties/{m}", s) for m, s in node.get("properties", {}).items()]
        stack += [(f"{at}/anyOf/{i}", s) for i, s in enumerate(node.get("anyOf", []))]
        stack += [(f"{at}/{k}", node[k]) for k in ("items", "additionalProperties") if k in node]


@cache
def branch_check(at: str) -> jsonschema_rs.Draft202012Validator:
    return compiled({"$ref": f"#/$defs/{at}", "$defs": schema(KIND)["$defs"]})


def mark(definition: str, value: JsonValue, used: set[str]) -> None:
    """Add the points of a definition that a valid value uses."""
    stack = [(definition, schema(KIND)["$defs"][definition], value)]
    while stack:
        at, node, value = stack.pop()
        if not isinstance(node, dict):
            continue
        if "$ref" in node:
            name = node["$ref"].rpartition("/")[2]
            stack.append((name, schema(KIND)["$defs"][name], value))
        for index, branch in enumerate(node.get("anyOf", [])):
            if branch_check(f"{at}/anyOf/{index}").is_valid(value):
                used.add(f"{at}/anyOf/{index}")
                stack.append((f"{at}/anyOf/{index}", branch, value))
        used |= {f"{at}/enum/{value}"} if value in node.get("enum", []) else set()
        if isinstance(node.get("type"), list):
            used.add(f"{at}/type/{TYPE_NAMES.get(type(value))}")
        if isinstance(value, list) and "items" in node:
            stack += [(f"{at}/items", node["items"], item) for item in value]
        if isinstance(value, dict):
            properties = node.get("properties", {})
            for member, held in value.items():
                if member in properties:
                    used.add(f"{at}/properties/{member}")
                    stack.append((f"{at}/properties/{member}", properties[member], held))
                elif "additionalProperties" in node:
                    rest = f"{at}/additionalProperties"
                    stack.append((rest, node["additionalProperties"], held))


TYPE_NAMES = {str: "string", int: "number", float: "number", bool: "boolean", list: "array"}


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


# ------------------------------------------------------------------- what each restriction is for

UNGUARDED = {
    "payloadV2": "the frame around the messages, which the short form fills in",
    "catalogId": "as the frame",
    "surfaceId": "a surface id that is no text also breaks surface-id-equality",
    "createSurface/properties/createSurface/properties/catalogId": "also breaks catalog-equality",
    "createSurface/required/version": "the short form fills it in",
    "updateComponents/required/version": "the short form fills it in",
    "updateDataModel/required/version": "the short form fills it in",
    "deleteSurface/required/version": "the short form fills it in",
    "createSurface/properties/createSurface/required": "the short form fills them in",
    "updateComponents/properties/updateComponents/required/surfaceId": "the short form fills it in",
    "updateDataModel/properties/updateDataModel/required": "the short form fills it in",
    "deleteSurface/properties/deleteSurface/required": "the short form fills it in",
    "updateComponents/properties/updateComponents/properties/components/maxItems": "513 components",
}
"""The restrictions that no fixture guards, and why; a name covers all that begins with it."""


def test_every_restriction_of_the_profile_is_guarded_by_a_negative() -> None:
    """Take one restriction out of the schema: some negative must then be admitted."""
    negatives = [surface_payload("s", load(path)["messages"]) for path in PROFILE]
    unguarded = set()
    for name, relaxed in relaxations():
        check = compiled(relaxed)
        if not any(check.is_valid(payload) for payload in negatives):
            unguarded.add(name)
    explained = {name for name in unguarded if any(name.startswith(key) for key in UNGUARDED)}
    assert unguarded - explained == set()
    assert {key for key in UNGUARDED if not any(n.startswith(key) for n in unguarded)} == set()


def relaxations() -> Iterator[tuple[str, JsonValue]]:
    """The payload's schema with one restriction removed, for each that it has."""
    document = {"$ref": "#/$defs/payloadV2", "$defs": schema(KIND)["$defs"]}
    names = {at.split("/")[0] for at in points("payloadV2")} | {"surfaceId", "componentId"}
    for definition in sorted(names | {"checks", "childIds"}):
        for at, node in nodes_of(definition):
            keywords = set(node) & {"pattern", "maxLength", "minItems", "maxItems", "enum", "anyOf"}
            keywords |= {"additionalProperties"} if "additionalProperties" in node else set()
            keywords |= {"type"} if "type" in node and "enum" not in node else set()
            for keyword in sorted(keywords):
                yield f"{at}/{keyword}", without(document, at, keyword)
            for member in node.get("required", []):
                yield f"{at}/required/{member}", without(document, at, "required", member)


def without(document: JsonValue, at: str, keyword: str, item: str | None = None) -> JsonValue:
    definition, *path = at.split("/")
    changed = {**document, "$defs": {**document["$defs"]}}
    node = changed["$defs"][definition] = copy.deepcopy(document["$defs"][definition])
    for key in path:
        node = node[int(key)] if isinstance(node, list) else node[key]
    if item is None:
        del node[keyword]
    else:
        node[keyword].remove(item)
    return changed


def test_the_kinds_of_message_are_the_schema_s() -> None:
    union = schema(KIND)["$defs"]["message"]["anyOf"]
    assert [r["$ref"].rpartition("/")[2] for r in union] == list(MESSAGE_KINDS)
