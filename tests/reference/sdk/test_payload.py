"""One payload on its own: what it makes is judged in full, what it updates as far as seen."""

from __future__ import annotations

import pytest

from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk import early
from openwop_conformance.reference.sdk.payload import validate_payload
from tests.messages import data, delete, text, update

from .states import (
    BASIC,
    EARLY_DATA,
    SPLIT,
    begin,
    card,
    column,
    create,
    early_component,
    surface_update,
)

CATALOGS = [BASIC, SPLIT]


@pytest.mark.parametrize(
    "payload",
    [
        [],
        create(),
        [create(), data(path="/x", value=1)],
        [create(), update(text("root"))],
        [create(), update(column("root", "a", "b")), update(text("a"), text("b"))],
        update(column("a", "outside")),
        [update(text("lost")), data(path="/x", value=1)],
        delete(),
        [delete(), create(), update(text("root"))],
        [create(), update(text("lost")), delete()],
        [update(card("a", "b"), surface="old"), create(), update(text("root"))],
    ],
)
def test_a_payload_that_may_come_passes(payload: JsonValue) -> None:
    validate_payload(CATALOGS, payload)


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("validation", None),
        ("validation", "deleteSurface"),
        ("validation", 7),
        ("validation", {}),
        ("validation", [[create()]]),
        ("validation", update({"id": "a", "component": "Marquee"})),
        ("integrity", [create(), update(text("a"))]),
        ("integrity", [create(), update(column("root", "gone"))]),
        ("integrity", [create(), update(text("root"), text("lost"))]),
        ("integrity", [create(), create()]),
        ("integrity", [update(text("a")), create()]),
        ("integrity", [delete(), update(text("a"))]),
        ("integrity", update(text("a"), text("a"))),
        ("recursion", [update(card("a", "b")), update(card("b", "a"))]),
        ("data", data(path="/__proto__", value=1)),
        ("catalog", create(catalog="urn:unknown")),
    ],
)
def test_a_payload_with_a_fault_is_refused_by_its_kind(kind: str, payload: JsonValue) -> None:
    with pytest.raises(CallError) as refused:
        validate_payload(CATALOGS, payload)

    assert refused.value.kind == kind


def test_a_surface_that_is_only_updated_has_the_catalog_that_the_caller_names() -> None:
    split = update({"id": "a", "component": "SplitView"})
    with pytest.raises(CallError, match="SplitView"):
        validate_payload(CATALOGS, split)
    validate_payload(CATALOGS, split, surface_catalogs={"s": "urn:split"})
    with pytest.raises(CallError) as refused:
        validate_payload(CATALOGS, split, surface_catalogs={"s": "urn:unknown"})

    assert refused.value.kind == "catalog"


def test_an_early_payload_may_begin_its_surface_last() -> None:
    catalogs = [early.standard()]
    updates = [surface_update(early_component("top")), EARLY_DATA]
    validate_payload(catalogs, [*updates, begin()], version="v0.8")
    validate_payload(catalogs, updates, version="v0.8")
    with pytest.raises(CallError, match="'other'"):
        validate_payload(catalogs, [*updates, begin(root="other")], version="v0.8")
    ended = {"deleteSurface": {"surfaceId": "s"}}
    with pytest.raises(CallError, match="never begun"):
        validate_payload(catalogs, [*updates, begin(), ended, EARLY_DATA], version="v0.8")
