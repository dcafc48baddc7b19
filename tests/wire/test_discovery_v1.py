"""What a host of major 1 claims, at the root of its document or in the old wrapper."""

from __future__ import annotations

import pytest

from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.wire.discovery_v1 import (
    ClaimsV1,
    claims_of,
    incoherences,
    speaks_major_1,
)

from ..shared_data import shared

KIND = "ui.a2ui-surface"
CLAIMS = {
    "supportedEnvelopes": [KIND],
    "schemaVersions": {KIND: 1},
    "a2uiSurface": {"deltaTransport": True},
}


@pytest.mark.parametrize("document", [CLAIMS, {"capabilities": CLAIMS}])
def test_claims_are_read_at_the_root_or_in_the_wrapper(document: JsonValue) -> None:
    assert claims_of(document) == ClaimsV1(frozenset({KIND}), 1, True)
    assert incoherences(document) == []


def test_the_root_comes_before_the_wrapper() -> None:
    document = {"supportedEnvelopes": [], "capabilities": CLAIMS}

    assert claims_of(document).kinds == frozenset()


@pytest.mark.parametrize("document", [None, [], {}, {"a2uiSurface": 1}, {"capabilities": []}])
def test_what_is_not_there_or_malformed_is_not_claimed(document: JsonValue) -> None:
    assert claims_of(document) == ClaimsV1()


@pytest.mark.parametrize(
    ("document", "speaks"),
    [
        ({"protocolVersion": "1.1"}, True),
        ({"protocolVersions": ["2.0", "1.0"]}, True),
        ({"protocolVersions": ["2.0"]}, False),
        ({"protocolVersion": 1.1}, False),
        ({}, False),
        ([], False),
    ],
)
def test_a_host_of_major_1_says_so(document: JsonValue, speaks: bool) -> None:
    assert speaks_major_1(document) is speaks


@pytest.mark.parametrize(
    ("surface", "said"),
    [
        (True, "/a2uiSurface is no record"),
        ({"deltaTransport": "yes"}, "/a2uiSurface/deltaTransport is no boolean"),
        ({"deltaTransport": True, "x": 1}, "/a2uiSurface has a member 'x'"),
    ],
)
def test_a_claim_of_another_form_contradicts_the_rfc(surface: JsonValue, said: str) -> None:
    assert incoherences({**CLAIMS, "a2uiSurface": surface}) == [said]


def test_deltas_of_a_kind_that_is_not_listed_contradict_themselves() -> None:
    assert incoherences({**CLAIMS, "supportedEnvelopes": []}) == [
        f"deltas of {KIND} are claimed, and supportedEnvelopes omits the kind"
    ]


def test_a_recorded_host_s_claims_are_read() -> None:
    first = shared("wire/real-host-v1.jsonl").read_bytes().splitlines()[0]
    document = parse(parse(first)["response"]["body"])

    assert speaks_major_1(document)
    assert claims_of(document).delta
    assert KIND in claims_of(document).kinds
    assert "conformance-approval" in claims_of(document).fixtures
    assert incoherences(document) == []
