"""The DSSE envelope: its encoding, what it says, and every form that it refuses."""

from __future__ import annotations

import base64
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.errors import JsonError
from openwop_conformance.evidence.attestation import (
    PAYLOAD_TYPE,
    envelope_path,
    mismatches,
    pae,
    read_envelope,
)
from openwop_conformance.evidence.signing import verifies
from openwop_conformance.jsonvalue import canonical

from .bundles import HEADER, ROWS, TRACE, key, our_bundle, our_files

DATA, ENVELOPE = our_files()


def test_the_encoding_is_the_one_of_the_dsse_specification() -> None:
    assert pae("http://example.com/HelloWorld", b"hello world") == (
        b"DSSEv1 29 http://example.com/HelloWorld 11 hello world"
    )
    assert pae("é", b"") == b"DSSEv1 2 \xc3\xa9 0 "


def test_an_envelope_is_over_the_exact_bytes_and_signed_by_the_key() -> None:
    envelope = read_envelope(ENVELOPE)
    document = json.loads(ENVELOPE)
    payload = base64.b64decode(document["payload"])

    (subject,) = envelope.statement["subject"]
    assert subject == {
        "name": "bundle.json",
        "digest": {"sha256": hashlib.sha256(DATA).hexdigest()},
    }
    assert envelope.signed_by(key(1).public)
    assert not envelope.signed_by(key(2).public)
    signature = base64.b64decode(document["signatures"][0]["sig"])
    assert verifies(key(1).public, signature, pae(PAYLOAD_TYPE, payload))


def test_the_predicate_says_all_five_dispositions_the_header_and_the_trace() -> None:
    predicate = read_envelope(ENVELOPE).statement["predicate"]

    assert {row["disposition"] for row in predicate["rows"]} == {str(r.disposition) for r in ROWS}
    assert {"record": "header", **predicate["header"]} == HEADER.as_json()
    assert predicate["traceSha256"] == TRACE
    assert predicate["counts"]["executed-pass"] == 2
    assert mismatches(read_envelope(ENVELOPE).statement, our_bundle()) == []


def test_an_envelope_lies_next_to_its_bundle() -> None:
    assert envelope_path(Path("a/b.json")) == Path("a/b.json.dsse.json")


def changed(change: Any) -> bytes:
    """The envelope with its document or its statement changed; its payload stays canonical."""
    document = json.loads(ENVELOPE)
    statement = json.loads(base64.b64decode(document["payload"]))
    change(document, statement)
    if statement:
        document["payload"] = base64.b64encode(canonical(statement)).decode()
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda d, s: d.update(more=1),
        lambda d, s: d.update(payloadType="application/json"),
        lambda d, s: d["signatures"].clear(),
        lambda d, s: d["signatures"].append(d["signatures"][0]),
        lambda d, s: d["signatures"][0].pop("keyid"),
        lambda d, s: d["signatures"][0].update(sig=d["signatures"][0]["sig"][:-3] + "B=="),
        lambda d, s: s.update(_type="https://in-toto.io/Statement/v0.1"),
        lambda d, s: s.update(predicateType="https://slsa.dev/provenance/v1"),
        lambda d, s: s["subject"].append(s["subject"][0]),
        lambda d, s: s["subject"][0]["digest"].update(sha512="0"),
        lambda d, s: s["predicate"]["rows"][0].update(disposition="passed"),
        lambda d, s: s["predicate"]["rows"][0].update(more=1),
        lambda d, s: s["predicate"]["header"]["suite"].update(name="another"),
        lambda d, s: (
            d.update(payload=base64.b64encode(json.dumps(s).encode()).decode()),
            s.clear(),
        ),
        lambda d, s: (d.update(payload="A" * 4), s.clear()),
        lambda d, s: (d.update(payload=d["payload"] + "\n"), s.clear()),
    ],
)
def test_an_envelope_of_another_form_is_refused(change: Any) -> None:
    assert read_envelope(changed(lambda d, s: None)).key_id == "k1"
    with pytest.raises(JsonError):
        read_envelope(changed(change))


@pytest.mark.parametrize("text", [b"", b"[]", b"{", b'{"payload":1,"payload":2}', b"\xff"])
def test_what_is_no_envelope_is_refused(text: bytes) -> None:
    with pytest.raises(JsonError):
        read_envelope(text)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda p: p["rows"].reverse(), "rows"),
        (lambda p: p["rows"][0].update(assertions=99), "rows"),
        (lambda p: p["counts"].update(blocked=0), "counts"),
        (lambda p: p.update(traceSha256="0" * 64), "trace"),
        (lambda p: p["header"]["suite"].update(version="9"), "suite"),
        (lambda p: p["header"].update(corpus="d" * 64), "corpus"),
    ],
)
def test_a_predicate_that_contradicts_the_bundle_is_named(change: Any, said: str) -> None:
    statement = read_envelope(changed(lambda d, s: change(s["predicate"]))).statement

    (message,) = mismatches(statement, our_bundle())
    assert said in message
