"""The bundle that is made: its form, its digests, its order, and what may not be in it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import JsonError, UsageError
from openwop_conformance.evidence.bundle import (
    OUR_NAME,
    THEIR_NAME,
    Build,
    attest,
    attested_bytes,
    build_of,
    bundle_validator,
    countersign,
    reason_of,
    refuse_secrets,
    sha256,
    text_of,
    trace_of,
    unsigned_bundle,
    versions_of,
    witness_sha256,
)
from openwop_conformance.evidence.signing import from_base64url, verifies
from openwop_conformance.jsonvalue import canonical
from openwop_conformance.schemas import problems, schema

from ..shared_data import shared
from .bundles import DOCUMENT, ROWS, TRACE, key, our_bundle, their_bundle, witnessed


def test_a_bundle_is_valid_under_the_schema_of_its_own_suite_only() -> None:
    assert problems(bundle_validator(OUR_NAME), our_bundle()) == []
    assert problems(bundle_validator(THEIR_NAME), their_bundle()) == []
    assert problems(bundle_validator(THEIR_NAME), our_bundle())
    assert problems(bundle_validator(OUR_NAME), their_bundle())


def test_every_disposition_is_a_result_with_its_reason_and_the_trace() -> None:
    bundle = our_bundle()
    rows = {row["id"]: row for row in bundle["results"]["requirements"]}

    assert {str(row.disposition) for row in ROWS} == set(Disposition)
    for row in ROWS:
        found = rows[row.id]
        assert found["result"] == row.disposition
        assert reason_of(found) == row.reason
        assert trace_of(found) == TRACE
    assert bundle["results"]["totals"] == {
        "executedPass": 2,
        "executedFail": 1,
        "skipped": 1,
        "inapplicable": 1,
        "blocked": 1,
    }
    assert bundle["assertionCount"] == 9
    assert bundle["claimedProfiles"] == []
    assert [entry["id"] for entry in bundle["detail"]["nonPass"]] == [
        id_ for id_ in rows if rows[id_]["result"] != "executed-pass"
    ]


def test_rows_stand_in_the_order_of_utf_16_code_units() -> None:
    ids = ["openwop.it.\U0001f600", "openwop.it.\ufb33", "openwop.it.\u20ac", "openwop.it.Z"]
    rows = tuple(Row(id_, "s", Disposition.PASS, 1) for id_ in ids)

    ordered = [row["id"] for row in our_bundle(rows)["results"]["requirements"]]
    assert ordered == [f"openwop.it.{end}" for end in ("Z", "\u20ac", "\U0001f600", "\ufb33")]
    assert ordered != sorted(ids)


def test_what_is_signed_is_four_values_under_dotted_names() -> None:
    bundle = our_bundle()
    message = attested_bytes(bundle)

    assert json.loads(message) == {
        "discovery.sha256": bundle["discovery"]["sha256"],
        "host.build": {"id": "abc123", "kind": "commit"},
        "suite.version": "0.1.0",
        "witnessSha256": bundle["witnessSha256"],
    }
    assert message == rfc8785.dumps(json.loads(message))
    raw = from_base64url(bundle["signature"]["sig"], 64)
    assert verifies(key(1).public, raw, message)


def test_the_real_bundle_digests_as_it_says() -> None:
    bundle = json.loads(shared("openwop/samples/v3-bundle.reference-host.json").read_bytes())
    rows = bundle["results"]["requirements"]

    assert witness_sha256(bundle) == bundle["witnessSha256"]
    assert sha256(bundle["discovery"]["document"]) == bundle["discovery"]["sha256"]
    assert [row["id"] for row in rows] != sorted(row["id"] for row in rows)
    assert problems(bundle_validator(THEIR_NAME), bundle) == []


def test_relaxations_and_a_deployment_enter_the_digest_when_there_are_any() -> None:
    bundle = our_bundle()
    plain = witness_sha256(bundle)
    relaxed = {"obligation": "webhooks.x", "durability": "session", "reason": "r"}

    bundle["host"]["relaxations"] = []
    assert witness_sha256(bundle) == plain
    bundle["host"]["relaxations"] = [relaxed]
    rows = [dict(row) for row in bundle["results"]["requirements"]]
    expected = rfc8785.dumps({"rows": rows, "relaxations": [relaxed]})
    assert witness_sha256(bundle) == hashlib.sha256(expected).hexdigest()
    bundle["host"]["deployment"] = "colocated-companion"
    expected = rfc8785.dumps(
        {"rows": rows, "relaxations": [relaxed], "deployment": "colocated-companion"}
    )
    assert witness_sha256(bundle) == hashlib.sha256(expected).hexdigest()


def test_the_schema_differs_from_the_published_one_in_the_names_of_the_suite() -> None:
    """And by the members that later revisions added: the stored one is an early revision."""
    theirs: Any = json.loads(
        shared("openwop/schemas/certification-bundle.v3.schema.json").read_bytes()
    )
    ours: Any = json.loads(json.dumps(schema("bundle-v3")))

    assert ours["properties"]["suite"]["properties"]["name"] == {"const": OUR_NAME}
    ours["properties"]["suite"]["properties"]["name"]["const"] = THEIR_NAME
    row = ours["properties"]["results"]["properties"]["requirements"]["items"]["properties"]
    assert row["id"]["pattern"].endswith("|openwop-conformance)\\.")
    row["id"]["pattern"] = "^openwop\\.requirement\\."
    for holder, name in (
        (ours["properties"]["host"]["properties"], "deployment"),
        (ours["properties"]["discovery"]["properties"], "document"),
        (row, "evidence"),
        (ours["properties"], "durability"),
    ):
        del holder[name]
    text = json.dumps(ours).replace("#/$defs/keyId", "ids.schema.json#/$defs/keyId")
    for member in ("properties", "required", "allOf", "type", "additionalProperties"):
        assert json.loads(text)[member] == theirs[member]


def test_a_countersignature_raises_the_tier_and_leaves_the_rest() -> None:
    bundle = their_bundle()

    signed = countersign(bundle, key(2), "v1")
    assert [p["evidenceTier"] for p in signed["claimedProfiles"]] == ["independent"]
    assert {
        n: v for n, v in signed.items() if n not in ("claimedProfiles", "verifierSignature")
    } == {n: v for n, v in bundle.items() if n != "claimedProfiles"}


@pytest.mark.parametrize("text", ["commit", "commit:", "commit: ", ":x", "branch:main", ""])
def test_a_build_is_a_kind_and_an_id(text: str) -> None:
    with pytest.raises(UsageError, match="is not KIND:ID"):
        build_of(text)


def test_a_build_keeps_the_colons_of_its_id() -> None:
    assert build_of("image-digest:sha256:ab") == Build("image-digest", "sha256:ab")


def test_a_host_of_major_1_or_without_a_name_has_a_bundle_too() -> None:
    bundle = unsigned_bundle(witnessed(document={"protocolVersion": "1.0"}), "k1")

    assert versions_of({"protocolVersion": "1.0"}) == (["1.0"], "1.0")
    assert bundle["host"]["name"] == "unnamed"
    assert problems(bundle_validator(OUR_NAME), attest(bundle, key(1), "k1")) == []
    with pytest.raises(UsageError, match="no discovery document"):
        unsigned_bundle(witnessed(document=[]), "k1")


# ------------------------------------------------------------------------------- secrets

SECRETS = ('sk-"quoted"-0123\\é', "plain-secret-value", "short")


@pytest.mark.parametrize("secret", SECRETS[:2])
@pytest.mark.parametrize("form", ["plain", "quoted", "escaped", "inside", "name"])
def test_a_secret_anywhere_is_refused_without_being_shown(secret: str, form: str) -> None:
    spelled = {
        "quoted": json.dumps({"a": secret}, ensure_ascii=False),
        "escaped": json.dumps([secret]),
        "inside": f"before {secret} after",
    }.get(form, secret)
    row = Row("openwop.it.x", "s", Disposition.BLOCKED, 0, spelled)
    document = {**DOCUMENT, "extensions": {spelled: 1}} if form == "name" else DOCUMENT
    rows = ROWS if form == "name" else (*ROWS, row)
    bundle = unsigned_bundle(witnessed(rows, document), "k1")

    with pytest.raises(UsageError, match="would hold the value of KEY") as caught:
        refuse_secrets(bundle, [("KEY", secret)])
    assert secret not in str(caught.value)
    assert json.dumps(secret)[1:-1] not in str(caught.value)


def test_what_is_no_secret_or_too_short_to_be_told_from_text_passes() -> None:
    bundle = our_bundle()

    refuse_secrets(bundle, [("A", None), ("B", ""), ("C", "commit"), ("D", "not-in-it-at-all")])
    assert b"not-in-it-at-all" not in text_of(bundle)


# -------------------------------------------------------------------------------- RFC 8785

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
    max_leaves=20,
)


@given(JSON)
def test_the_canonical_form_is_that_of_the_library_for_rfc_8785(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)
    assert sha256(value) == hashlib.sha256(rfc8785.dumps(value)).hexdigest()


@pytest.mark.parametrize("value", [2**53, -(2**53), float("nan"), float("inf"), "\ud800"])
def test_what_is_no_i_json_has_no_digest(value: Any) -> None:
    with pytest.raises(JsonError):
        sha256({"a": [value]})
