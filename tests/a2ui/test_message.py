"""One message's kind, and the two equalities that bind a payload's messages together."""

from __future__ import annotations

import pytest

from openwop_conformance.a2ui.message import bodies, check_catalog_ids, check_surface_ids, kind_of
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.wire.envelope import surface_payload

ALL: list[JsonValue] = [
    {"createSurface": {}},
    {"updateComponents": {"components": [{"id": "root", "component": "Divider"}]}},
    {"updateDataModel": {}},
    {"deleteSurface": {}},
]


def test_each_body_is_given_with_its_index_and_kind() -> None:
    found = [(index, kind) for index, kind, _ in bodies(surface_payload("s", ALL))]
    assert found == [
        (0, "createSurface"),
        (1, "updateComponents"),
        (2, "updateDataModel"),
        (3, "deleteSurface"),
    ]


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"version": "v0.9"},
        {"createSurface": None},
        {"createSurface": []},
        {"createSurface": {}, "deleteSurface": {}},
        {"createSurface": {}, "deleteSurface": None},
        {"lockSurface": {}},
        None,
        "createSurface",
        ["createSurface"],
        7,
    ],
)
def test_what_has_not_exactly_one_body_is_no_message(message: JsonValue) -> None:
    with pytest.raises(Violation) as refusal:
        kind_of(message)
    assert refusal.value.rule == "message"


@pytest.mark.parametrize("index", range(4))
def test_every_message_names_the_payload_s_surface(index: int) -> None:
    payload = surface_payload("s", ALL)
    check_surface_ids(payload)
    ((kind, body),) = ((k, v) for k, v in payload["messages"][index].items() if k != "version")
    body["surfaceId"] = "t"
    with pytest.raises(Violation, match=kind) as refusal:
        check_surface_ids(payload)
    assert refusal.value.rule == "surface-id-equality"
    assert refusal.value.path == f"/messages/{index}/{kind}/surfaceId"


def test_every_create_names_the_payload_s_catalog() -> None:
    payload = surface_payload("s", [*ALL, {"createSurface": {}}])
    check_catalog_ids(payload)
    payload["messages"][4]["createSurface"]["catalogId"] = "urn:elsewhere"
    with pytest.raises(Violation) as refusal:
        check_catalog_ids(payload)
    assert refusal.value.rule == "catalog-equality"
    assert refusal.value.path == "/messages/4/createSurface/catalogId"
    payload["catalogId"] = "urn:elsewhere"
    with pytest.raises(Violation) as refusal:
        check_catalog_ids(payload)
    assert refusal.value.path == "/messages/0/createSurface/catalogId"
