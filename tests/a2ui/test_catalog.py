"""The closed catalogs: the frame that no fixture can say, where a refusal points, and whether the
schema and its two readers agree with what others wrote."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.catalog import (
    BASIC_CATALOG,
    KIND,
    check_message,
    check_payload,
    component_types,
)
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue, parse, pointer_of
from openwop_conformance.schemas import problems, schema, validator
from openwop_conformance.wire.envelope import surface_payload

from ..shared_data import FIXTURES, shared

POSITIVE = [parse(p.read_bytes()) for p in sorted((FIXTURES / "positive").glob("*.json"))]
VERSION_1 = [parse(p.read_bytes()) for p in sorted((FIXTURES / "v1").glob("*.json"))]
TEXT = {"id": "root", "component": "Text", "text": "Hello"}


def payload(**changes: JsonValue) -> dict[str, Any]:
    messages = [{"createSurface": {}}, {"updateComponents": {"components": [TEXT]}}]
    full: dict[str, Any] = {**surface_payload("s", messages), **changes}
    return {member: value for member, value in full.items() if value is not ...}


# ------------------------------------------------------------------- the frame around the messages


@pytest.mark.parametrize(
    ("changes", "path"),
    [
        ({"version": ...}, ""),
        ({"version": "v0.9.1"}, "/version"),
        ({"version": "v1.0"}, "/version"),
        ({"version": None}, "/version"),
        ({"catalogId": ...}, ""),
        ({"catalogId": "https://example.com/catalog.json"}, "/catalogId"),
        ({"catalogId": BASIC_CATALOG.replace("v0_9", "v0_9_1")}, "/catalogId"),  # a2ui#2675
        (
            {"catalogId": "https://a2ui.org/specification/v0_9/basic_catalog.json"},  # ag-ui#2742
            "/catalogId",
        ),
        ({"catalogId": ""}, "/catalogId"),
        ({"surfaceId": ...}, ""),
        ({"surfaceId": 7}, "/surfaceId"),
        ({"messages": ...}, ""),
        ({"messages": []}, "/messages"),
        ({"messages": {}}, "/messages"),
        ({"messages": None}, "/messages"),
        ({"reasoning": 7}, "/reasoning"),
        ({"catalogVersion": "0.9.1"}, ""),
        ({"surface": {"components": []}}, ""),
        ({"onClick": "x"}, ""),
        ({"sendDataModel": True}, ""),
    ],
)
def test_the_frame_of_a_payload_is_closed(changes: dict[str, JsonValue], path: str) -> None:
    check_payload(payload(), 2)
    check_payload(payload(reasoning="Because."), 2)
    with pytest.raises(Violation) as refusal:
        check_payload(payload(**changes), 2)
    assert refusal.value.path == path


@pytest.mark.parametrize("value", [None, [], "text", 7, True, {}])
def test_what_is_no_payload_at_all_is_refused_by_both_branches(value: JsonValue) -> None:
    for branch in (1, 2):
        with pytest.raises(Violation) as refusal:
            check_payload(value, branch)
        assert refusal.value.rule == "branch"
        assert refusal.value.path == ""


def test_a_payload_holds_up_to_64_messages_and_a_message_up_to_512_components() -> None:
    messages = [payload()["messages"][0], *[payload()["messages"][1]] * 64]
    check_payload(payload(messages=messages[:64]), 2)
    with pytest.raises(Violation) as refusal:
        check_payload(payload(messages=messages), 2)
    assert refusal.value.path == "/messages"

    def of(size: int) -> dict[str, Any]:
        components = [{**TEXT, "id": f"t{i}"} for i in range(size)]
        return surface_payload("s", [{"updateComponents": {"components": components}}])  # type: ignore[no-any-return]

    check_payload(of(512), 2)
    with pytest.raises(Violation) as refusal:
        check_payload(of(513), 2)
    assert refusal.value.path == "/messages/0/updateComponents/components"


@pytest.mark.parametrize("kind", range(4))
def test_every_message_says_its_version_and_its_surface(kind: int) -> None:
    messages = [
        *payload()["messages"],
        *surface_payload("s", [{"updateDataModel": {}}, {"deleteSurface": {}}])["messages"],
    ]
    message = messages[kind]
    check_message(message)
    for broken in (
        {k: v for k, v in message.items() if k != "version"},
        {k: v if k == "version" else {**v, "surfaceId": 7} for k, v in message.items()},
        {
            k: v if k == "version" else {m: x for m, x in v.items() if m != "surfaceId"}
            for k, v in message.items()
        },
    ):
        with pytest.raises(Violation):
            check_message(broken)


def test_a_create_names_its_catalog_which_another_rule_compares() -> None:
    create = payload()["messages"][0]
    other: dict[str, Any] = {"version": "v0.9"}
    other["createSurface"] = {**create["createSurface"], "catalogId": "urn:x"}
    check_message(other)
    del other["createSurface"]["catalogId"]
    with pytest.raises(Violation):
        check_message(other)


# ------------------------------------------------------------------------- where a refusal points


@pytest.mark.parametrize(
    ("component", "path"),
    [
        ({**TEXT, "text": 7}, "/text"),
        ({**TEXT, "variant": "h9"}, "/variant"),
        ({**TEXT, "component": "Image"}, "/component"),
        ({"id": "a", "text": "no type"}, ""),
        ("Text", ""),
        (None, ""),
        ({**TEXT, "a~/b": 1}, ""),
        ({**TEXT, "accessibility": {"label": 1}}, "/accessibility/label"),
    ],
)
def test_a_refusal_points_into_the_component_at_fault(component: JsonValue, path: str) -> None:
    before = {**TEXT, "id": "other"}
    messages = [{"createSurface": {}}, {"updateComponents": {"components": [before, component]}}]
    with pytest.raises(Violation) as refusal:
        check_payload(surface_payload("s", messages), 2)
    assert refusal.value.path == "/messages/1/updateComponents/components/1" + path
    assert str(refusal.value).startswith("not a version 2 payload: ")
    assert "anyOf" not in str(refusal.value) or path
    assert len(str(refusal.value)) < 300


def test_a_version_1_refusal_points_into_the_component_at_fault() -> None:
    broken = {
        "catalogVersion": "0.9.1",
        "surface": {"components": [{"component": "text", "text": "a"}, {"component": "heading"}]},
    }
    with pytest.raises(Violation) as refusal:
        check_payload(broken, 1)
    assert refusal.value.path == "/surface/components/1"


def test_the_first_fault_of_several_is_told() -> None:
    messages = [{"createSurface": {"theme": {"iconUrl": "x"}}}, {"deleteSurface": {"why": 1}}]
    with pytest.raises(Violation) as refusal:
        check_payload(surface_payload("s", messages), 2)
    assert refusal.value.path == "/messages/0/createSurface/theme"


def test_the_two_catalogs_hold_these_types() -> None:
    profile = "Text TextField CheckBox ChoicePicker DateTimeInput Button Column Row Card Divider"
    assert " ".join(component_types(2)) == profile
    assert [*component_types(1)] == [
        "heading",
        "text",
        "field.text",
        "field.date",
        "field.select",
        "field.checkbox",
        "action.button",
    ]


# ----------------------------------------------------------------------- against what others say


def test_version_1_is_the_published_branch_keyword_by_keyword() -> None:
    theirs = parse(shared("openwop/schemas/ui.a2ui-surface.v1-branch.schema.json").read_bytes())
    ours = schema(KIND)
    assert meaning(ours["$defs"]["payloadV1"], ours) == meaning(theirs, theirs)


def meaning(node: JsonValue, document: JsonValue) -> JsonValue:
    """A schema with its references put in place and all that only describes left out."""
    if isinstance(node, list):
        return [meaning(item, document) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = document["$defs"][node["$ref"].removeprefix("#/$defs/")]
        others = {k: v for k, v in node.items() if k != "$ref"}
        return {**meaning(target, document), **meaning(others, document)}
    silent = {"$schema", "$id", "$defs", "title", "description", "x-openwop-seeded-from"}
    kept = {k: meaning(v, document) for k, v in node.items() if k not in silent}
    if isinstance(node.get("properties"), dict):  # here a name is a member's, not a keyword
        kept["properties"] = {k: meaning(v, document) for k, v in node["properties"].items()}
    return {k: sorted(v) if k in ("required", "enum") else v for k, v in kept.items()}


def test_the_upstream_table_allows_all_that_the_profile_has() -> None:
    """RFC 0209 §B.4, on the catalog as a table: the profile only takes away."""
    catalog = parse(shared("a2ui/basic_catalog_v0_9.json").read_bytes())
    assert catalog["catalogId"] == BASIC_CATALOG
    for name, definition in component_types().items():
        upstream, ours = catalog["components"][name], schema(KIND)["$defs"][definition]
        common = {"id", "component", "accessibility", "weight"}
        if "Checkable" in upstream["bases"]:
            common |= {"checks"}
        assert set(ours["properties"]) <= common | set(upstream["properties"]), name
        assert set(upstream["required"]) <= set(ours["required"]), name
        for member, described in upstream["properties"].items():
            kept = ours["properties"].get(member, {})
            if isinstance(described, dict) and "enum" in kept:
                assert set(kept["enum"]) <= set(described["enum"]), (name, member)


def test_the_example_and_the_negatives_of_the_rfc_are_read_as_it_says() -> None:
    check_payload(parse(shared("openwop/fixtures/positive-approve-brief.json").read_bytes()), 2)
    for name in (
        "event-name-deleteall",
        "extra-property",
        "foreign-catalog",
        "formatstring-label",
        "functioncall-openurl",
        "image-component",
        "textfield-obscured",
        "theme-iconurl",
    ):
        file = f"openwop/fixtures/negative-{name}.RECONSTRUCTED.json"
        with pytest.raises(Violation) as refusal:
            check_payload(parse(shared(file).read_bytes()), 2)
        assert refusal.value.rule == "branch"


SECOND = {
    branch: jsonschema.Draft202012Validator(
        {"$ref": f"#/$defs/payloadV{branch}", "$defs": schema(KIND)["$defs"]}
    )
    for branch in (1, 2)
}
SOUND = [(2, surface_payload("s", case["messages"])) for case in POSITIVE]
SOUND += [(1, case["payload"]) for case in VERSION_1]
odd = st.sampled_from(
    [None, True, 0, -1, 1.5, 2**60, "", "h1", "x" * 300, [], [1], {}, {"path": "/a"}, {"a": 1}]
)


@given(st.sampled_from(SOUND), odd, st.data())
def test_both_libraries_judge_a_payload_that_was_changed_anywhere_alike(
    sound: tuple[int, JsonValue], value: JsonValue, draw: st.DataObject
) -> None:
    branch, original = sound
    changed = copy.deepcopy(original)
    node, below = None, changed
    while isinstance(below, (dict, list)) and below and (node is None or draw.draw(st.booleans())):
        node, keys = below, [*below] if isinstance(below, dict) else [*range(len(below))]
        key = draw.draw(st.sampled_from(keys))
        below = node[key]
    how = draw.draw(st.sampled_from(["set", "remove", "add"]))
    if how == "remove":
        del node[key]  # type: ignore[union-attr]
    elif how == "add" and isinstance(node, dict):
        node[draw.draw(st.sampled_from(["url", "id", "checks", "x"]))] = value
    else:
        node[key] = value  # type: ignore[index]
    verdict = SECOND[branch].is_valid(changed)
    assert validator(KIND, f"payloadV{branch}").is_valid(changed) is verdict
    if verdict:
        check_payload(changed, branch)  # type: ignore[arg-type]
    else:
        with pytest.raises(Violation) as refusal:
            check_payload(changed, branch)  # type: ignore[arg-type]
        assert points_into(refusal.value.path, changed)


def points_into(pointer: str, value: JsonValue, here: tuple[str | int, ...] = ()) -> bool:
    if pointer_of(here) == pointer:
        return True
    below = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return any(points_into(pointer, held, (*here, key)) for key, held in below)


def test_the_union_is_for_tooling_and_both_branches_are_in_it() -> None:
    union = validator(KIND)
    assert all(union.is_valid(payload) for _, payload in SOUND)
    assert [p.path for p in problems(union, {})] == [""]
