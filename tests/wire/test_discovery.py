"""A discovery document of major 2: what is claimed, and what in it does not hold together."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.catalog import KIND
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.wire.discovery import SEAMS_PROFILE, Claims, claims_of, incoherences

from ..shared_data import shared

RECORD = {"status": "stable", "since": "2.0", "witness": "witnessable-gated"}
DOCUMENT: dict[str, Any] = {
    "protocolVersions": ["1.2", "2.0"],
    "preferredVersion": "2.0",
    "supportedEnvelopes": {**RECORD, "kinds": [KIND]},
    "schemaVersions": {**RECORD, "kinds": {KIND: 2}},
    "envelopeStrictness": {**RECORD, "mode": "strict"},
    "replay": {**RECORD, "modes": ["replay", "branch"]},
    "fixtures": ["conformance-approval"],
    "conformance": {"seamsProfile": SEAMS_PROFILE},
}


def changed(*path: str, value: JsonValue = ...) -> dict[str, Any]:
    document = copy.deepcopy(DOCUMENT)
    node = document
    for member in path[:-1]:
        node = node.setdefault(member, {})
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return document


def test_the_claims_are_read_from_their_seats() -> None:
    claims = claims_of(DOCUMENT)
    assert claims == Claims(
        kinds=frozenset({KIND}),
        floor=2,
        strictness="strict",
        seams=True,
        fixtures=frozenset({"conformance-approval"}),
        fork_modes=frozenset({"replay", "branch"}),
    )


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (changed("supportedEnvelopes"), {"kinds": frozenset()}),
        (changed("supportedEnvelopes", "kinds", value="ui"), {"kinds": frozenset()}),
        (changed("supportedEnvelopes", "kinds", value=[KIND, 7]), {"kinds": frozenset({KIND})}),
        (changed("schemaVersions"), {"floor": 0}),
        (changed("schemaVersions", "kinds", KIND, value=2.0), {"floor": 2}),
        (changed("schemaVersions", "kinds", value={}), {"floor": 0}),
        (changed("schemaVersions", "kinds", value=[2]), {"floor": 0}),
        (changed("schemaVersions", "kinds", KIND, value="2"), {"floor": 0}),
        (changed("schemaVersions", "kinds", KIND, value=True), {"floor": 0}),
        (changed("schemaVersions", "kinds", KIND, value=1), {"floor": 1}),
        (changed("envelopeStrictness"), {"strictness": "warn"}),
        (changed("envelopeStrictness", "mode"), {"strictness": "warn"}),
        (changed("envelopeStrictness", "mode", value="lax"), {"strictness": "warn"}),
        (changed("conformance"), {"seams": False}),
        (changed("conformance", "seamsProfile", value="other"), {"seams": False}),
        (changed("fixtures"), {"fixtures": frozenset()}),
        (changed("replay"), {"fork_modes": frozenset()}),
        (changed("replay", "modes", value=["replay"]), {"fork_modes": frozenset({"replay"})}),
    ],
)
def test_what_is_absent_or_malformed_is_not_claimed(
    document: dict[str, Any], expected: dict[str, JsonValue]
) -> None:
    claims = claims_of(document)
    whole = claims_of(DOCUMENT)
    for seat in ("kinds", "floor", "strictness", "seams", "fixtures", "fork_modes"):
        assert getattr(claims, seat) == expected.get(seat, getattr(whole, seat)), seat


@pytest.mark.parametrize("document", [None, [], "text", 7, {}])
def test_what_is_no_document_claims_nothing(document: JsonValue) -> None:
    assert claims_of(document) == Claims()
    assert incoherences(document) != []


# ------------------------------------------------------------------------------------ coherence


def test_a_document_that_holds_together_says_nothing() -> None:
    assert incoherences(DOCUMENT) == []
    more = {
        **DOCUMENT,
        "minClientVersion": "2.0",
        "implementation": {"name": "n", "version": "1", "vendor": "v"},
        "engineVersion": 3,
        "eventLogSchemaVersion": 3,
        "signingKeys": [{"keyId": "k"}],
        "testing": {"testKeyPrefix": "k_"},
        "extensions": {"acme.notes": {"x": 1}, "acme.a2ui-surface": {"deltaTransport": False}},
        "interrupt": {**RECORD, "status": "experimental", "until": "2.1"},
    }
    assert incoherences(more) == []


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        (changed("protocolVersions"), "/", "protocolVersions"),
        (changed("preferredVersion"), "/", "preferredVersion"),
        (changed("protocolVersions", value=["1.0"]), "/protocolVersions", ""),
        (changed("protocolVersions", value=[]), "/protocolVersions", ""),
        (changed("protocolVersions", value=["2"]), "/protocolVersions", ""),
        (changed("preferredVersion", value="02.0"), "/preferredVersion", ""),
        (changed("capabilities", value={}), "/capabilities", ""),
        (changed("profiles", value=[]), "/profiles", ""),
        (changed("extensions", value={"openwop.x": {}}), "/extensions", ""),
        (changed("extensions", value={"acme.a2uiSurface": {}}), "/extensions", ""),
        (changed("extensions", value={"acme": {}}), "/extensions", ""),
        (changed("envelopeStrictness", "mode", value="lax"), "/envelopeStrictness/mode", ""),
        (changed("schemaVersions", "kinds", KIND, value=-1), "/schemaVersions/kinds", ""),
        (changed("supportedEnvelopes", "kinds", value=[KIND, KIND]), "/supportedEnvelopes", ""),
        (changed("replay", "modes", value=["rewind"]), "/replay/modes", ""),
        (changed("interrupt", value=True), "/interrupt", "a capability family is a record"),
        (changed("interrupt", value={}), "/interrupt", "status"),
        (changed("interrupt", value={**RECORD, "until": "3.0"}), "/interrupt", ""),
        (changed("interrupt", value={**RECORD, "status": "deprecated"}), "/interrupt", "until"),
        (changed("interrupt", value={**RECORD, "witness": "trust-me"}), "/interrupt/witness", ""),
        (changed("interrupt", value={**RECORD, "supported": True}), "/interrupt", "'supported'"),
        (changed("supportedEnvelopes", "since"), "/supportedEnvelopes", "since"),
        (changed("supportedEnvelopes", "kinds", value=[]), "/schemaVersions", "omits"),
        (changed("schemaVersions", "kinds", value={}), "/supportedEnvelopes", "without a floor"),
        (changed("conformance", "testSeams", value=True), "a testSeams flag", ""),
        (
            changed("extensions", value={"acme.a2ui-surface": {"deltaTransport": True}}),
            "/extensions/acme.a2ui-surface",
            "deprecated",
        ),
    ],
)
def test_one_thing_that_does_not_hold_is_told_with_its_place(
    document: dict[str, Any], place: str, what: str
) -> None:
    found = incoherences(document)
    assert found
    assert all(line.startswith(place) for line in found)
    assert any(what in line for line in found)


def test_a_kind_without_a_floor_is_coherent_without_the_seams() -> None:
    document = changed("schemaVersions", "kinds", value={})
    del document["conformance"]
    assert incoherences(document) == []


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*DOCUMENT, "kinds", "mode", "modes", KIND, "extensions", "a.b-c"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=10,
)


@given(junk)
def test_whatever_a_host_answers_it_is_read_without_a_crash(document: JsonValue) -> None:
    claims_of(document)
    assert incoherences(document) == incoherences(copy.deepcopy(document))
    if isinstance(document, dict):
        merged = {**DOCUMENT, **document}
        claims_of(merged)
        incoherences(merged)


def test_the_document_of_the_public_reference_host_holds_together() -> None:
    document = parse(shared("openwop/samples/v2-discovery.reference-host.json").read_bytes())
    assert incoherences(document) == []
    claims = claims_of(document)
    assert claims.kinds == {KIND}
    assert claims.floor == 2
    assert claims.seams
    assert claims.strictness == "warn"
    assert "conformance-approval" in claims.fixtures


def test_a_version_1_document_does_not_pass_for_one_of_major_2() -> None:
    document = parse(shared("openwop/samples/v1-discovery.in-memory.json").read_bytes())
    assert incoherences(document) != []
    assert not claims_of(document).floor
