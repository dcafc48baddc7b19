"""The envelope: its closed shape, and how payloads written in short are completed."""

from __future__ import annotations

import copy
import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import jsonschema
import pytest

from openwop_conformance.a2ui.catalog import BASIC_CATALOG, KIND, check_payload
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.wire.envelope import check_envelope, envelope, surface_payload

from ..shared_data import shared

NOON = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def sample(**changes: Any) -> dict[str, JsonValue]:
    made = envelope({}, envelope_id="e-1", correlation_id="c-1", sent_at=NOON)
    return {k: v for k, v in {**made, **changes}.items() if v is not ...}


def test_an_envelope_has_what_was_given_and_nothing_else() -> None:
    assert sample() == {
        "type": KIND,
        "schemaVersion": 2,
        "envelopeId": "e-1",
        "correlationId": "c-1",
        "payload": {},
        "meta": {"source": "ai-generation", "ts": "2026-01-31T12:00:00.000Z"},
    }
    full = envelope(
        [1],
        envelope_id="e",
        correlation_id="c",
        kind="acme.note",
        schema_version=None,
        node_id="gate",
        trust="untrusted",
        sent_at=NOON,
    )
    assert full == {
        "type": "acme.note",
        "envelopeId": "e",
        "correlationId": "c",
        "nodeId": "gate",
        "payload": [1],
        "meta": {
            "source": "ai-generation",
            "ts": "2026-01-31T12:00:00.000Z",
            "contentTrust": "untrusted",
        },
    }
    check_envelope(sample())
    check_envelope(full)


def test_version_0_is_said_and_absence_is_not() -> None:
    assert envelope({}, envelope_id="e", correlation_id="c", schema_version=0)["schemaVersion"] == 0


def test_an_envelope_is_of_now_and_of_any_zone() -> None:
    check_envelope(envelope({}, envelope_id="e", correlation_id="c"))
    elsewhere = NOON.astimezone(timezone(timedelta(hours=5, minutes=30)))
    made = envelope({}, envelope_id="e", correlation_id="c", sent_at=elsewhere)
    assert made["meta"]["ts"] == "2026-01-31T17:30:00.000+05:30"
    check_envelope(made)


META = {"source": "user", "ts": "2026-01-31T12:00:00Z"}
PARTIAL = {"isPartial": True, "index": 0, "total": -1}
SOUND: list[dict[str, Any]] = [
    {"type": "x" * 256},
    {"schemaVersion": 0},
    {"schemaVersion": ...},
    {"envelopeId": "e" * 128, "correlationId": "c" * 128},
    {"payload": None},
    {"payload": [1]},
    {"nodeId": "gate"},
    {"partial": PARTIAL},
    {"meta": META},
    {
        "meta": {
            **META,
            "contentTrust": "trusted",
            "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "label": "x" * 256,
            "rendering": {"display": "card", "mimeType": "text/plain", "lang": "en", "alt": "a"},
        }
    },
]
BROKEN: list[tuple[dict[str, Any], str]] = [
    ({"type": ...}, ""),
    ({"envelopeId": ...}, ""),
    ({"correlationId": ...}, ""),
    ({"payload": ...}, ""),
    ({"meta": ...}, ""),
    ({"type": ""}, "/type"),
    ({"type": "x" * 257}, "/type"),
    ({"schemaVersion": -1}, "/schemaVersion"),
    ({"schemaVersion": "2"}, "/schemaVersion"),
    ({"schemaVersion": 1.5}, "/schemaVersion"),
    ({"schemaVersion": None}, "/schemaVersion"),
    ({"schemaVersion": True}, "/schemaVersion"),
    ({"envelopeId": ""}, "/envelopeId"),
    ({"envelopeId": "e" * 129}, "/envelopeId"),
    ({"correlationId": "c" * 129}, "/correlationId"),
    ({"correlationId": 7}, "/correlationId"),
    ({"nodeId": None}, "/nodeId"),
    ({"trust": "trusted"}, ""),
    ({"contentTrust": "trusted"}, ""),
    ({"meta": {}}, "/meta"),
    ({"meta": {"source": "user"}}, "/meta"),
    ({"meta": {**META, "source": "agent"}}, "/meta/source"),
    ({"meta": {**META, "ts": "yesterday"}}, "/meta/ts"),
    ({"meta": {**META, "ts": "2026-01-31T12:00:00"}}, "/meta/ts"),
    ({"meta": {**META, "ts": "2026-13-31T12:00:00Z"}}, "/meta/ts"),
    ({"meta": {**META, "ts": 1769860800}}, "/meta/ts"),
    ({"meta": {**META, "contentTrust": "Untrusted"}}, "/meta/contentTrust"),
    ({"meta": {**META, "label": "x" * 257}}, "/meta/label"),
    ({"meta": {**META, "model": "x"}}, "/meta"),
    ({"meta": {**META, "rendering": {"display": "popup"}}}, "/meta/rendering/display"),
    ({"meta": {**META, "rendering": {"url": "x"}}}, "/meta/rendering"),
    ({"partial": True}, "/partial"),
    ({"partial": {"isPartial": True}}, "/partial"),
    ({"partial": {**PARTIAL, "index": -1}}, "/partial/index"),
    ({"partial": {**PARTIAL, "total": -2}}, "/partial/total"),
    ({"partial": {**PARTIAL, "last": True}}, "/partial"),
]


@pytest.mark.parametrize("changes", SOUND)
def test_a_sound_envelope_is_admitted(changes: dict[str, JsonValue]) -> None:
    check_envelope(sample(**changes))


@pytest.mark.parametrize(("changes", "path"), BROKEN)
def test_what_is_not_a_closed_envelope_is_refused(changes: dict[str, JsonValue], path: str) -> None:
    with pytest.raises(Violation) as refusal:
        check_envelope(sample(**changes))
    assert refusal.value.rule == "envelope"
    assert refusal.value.code == "validation_error"
    assert refusal.value.path == path


def test_the_published_schema_agrees_on_all_of_these() -> None:
    """But for formats, which its reader here does not assert, and the form of a node's id."""
    document = json.loads(shared("openwop/schemas/ai-envelope.v2.schema.json").read_text())
    document["properties"]["nodeId"] = {"type": "string"}  # it refers to a file we do not have
    theirs = jsonschema.Draft202012Validator(document)
    assert theirs.is_valid(sample())
    for changes in SOUND:
        assert theirs.is_valid(sample(**changes)), changes
    for changes, path in BROKEN:
        if path != "/meta/ts":
            assert not theirs.is_valid(sample(**changes)), changes


# --------------------------------------------------------------------------------- the short form


def test_a_payload_is_completed_where_nothing_was_said() -> None:
    short: list[dict[str, Any]] = [
        {"createSurface": {}},
        {"updateComponents": {"components": [{"id": "root", "component": "Divider"}]}},
        {"updateDataModel": {}},
        {"deleteSurface": {}},
    ]
    before = copy.deepcopy(short)
    payload = surface_payload("s", short)
    assert short == before, "what was given is left as it was"
    assert payload == {
        "version": "v0.9",
        "catalogId": BASIC_CATALOG,
        "surfaceId": "s",
        "messages": [
            {
                "version": "v0.9",
                "createSurface": {"surfaceId": "s", "catalogId": BASIC_CATALOG},
            },
            {
                "version": "v0.9",
                "updateComponents": {"surfaceId": "s", **short[1]["updateComponents"]},
            },
            {"version": "v0.9", "updateDataModel": {"surfaceId": "s"}},
            {"version": "v0.9", "deleteSurface": {"surfaceId": "s"}},
        ],
    }
    check_payload(payload, 2)


@pytest.mark.parametrize(
    "message",
    [
        {"version": "v1.0", "createSurface": {"surfaceId": "t", "catalogId": "c"}},
        {"version": None, "deleteSurface": {"surfaceId": None}},
        {"version": "v0.9", "createSurface": None},
        {"version": "v0.9", "createSurface": [], "extra": {}},
        {"version": "v0.9", "hideSurface": {}},
        {"version": "v0.9"},
        None,
        "text",
        [],
    ],
)
def test_what_was_said_stays_as_it_is(message: JsonValue) -> None:
    assert surface_payload("s", [message])["messages"] == [message]


def test_another_catalog_is_named_in_both_places() -> None:
    payload = surface_payload("s", [{"createSurface": {}}], catalog_id="urn:other")
    assert payload["catalogId"] == "urn:other"
    assert payload["messages"][0]["createSurface"]["catalogId"] == "urn:other"


def test_each_of_two_bodies_is_completed() -> None:
    (message,) = surface_payload("s", [{"createSurface": {}, "deleteSurface": {}}])["messages"]
    assert message["createSurface"]["surfaceId"] == message["deleteSurface"]["surfaceId"] == "s"
