"""The certification bundle v3 under this suite's name: made, digested, attested, kept free of keys.

Whether a bundle holds is ``verification``'s business; what a key is, ``signing``'s.
"""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from ..errors import UsageError
from ..jsontree import strings_in
from ..jsonvalue import JsonValue, canonical
from ..schemas import compiled, schema
from .signing import SigningKey, base64url, sign

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

    from ..engine.verdict import Row
    from .ledger import Header

OUR_NAME: Final = "openwop-conformance"
THEIR_NAME: Final = "@openwop/openwop-conformance"
SPEC_ARTIFACTS: Final = "2.45.16"
"""The version of the published corpus that this suite's rules were read from."""
OVER: Final = ("witnessSha256", "host.build", "suite.version", "discovery.sha256")
"""What the attestation covers, by name."""
BUILD_KINDS: Final = ("image-digest", "commit", "artifact-sha256")
TOTALS: Final = {
    "executed-pass": "executedPass",
    "executed-fail": "executedFail",
    "skipped": "skipped",
    "inapplicable": "inapplicable",
    "blocked": "blocked",
}
"""Each disposition, and the member of ``results.totals`` that counts it."""
MIN_SECRET: Final = 8
"""Shorter secrets would be found by accident."""

_TRACE: Final = re.compile(r"\[trace sha256:([0-9a-f]{64})\]\Z")
_ROW: Final = ("id", "scenario", "result", "assertions", "detail", "evidence")


@dataclass(frozen=True, slots=True)
class Build:
    """What was tested: ``image-digest``, ``commit`` or ``artifact-sha256``, and its id."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class Witnessed:
    """What a run leaves for a bundle to say. ``trace`` is the SHA-256 of the trace file, in hex."""

    header: Header
    rows: Sequence[Row]
    discovery: JsonValue
    discovery_url: str
    build: Build
    trace: str
    major: int
    generated_at: str
    """RFC 3339, as ``2026-01-31T12:00:00Z``."""


def build_of(text: str) -> Build:
    """``KIND:ID`` as a build. Raises ``UsageError``."""
    kind, colon, id_ = text.partition(":")
    if kind not in BUILD_KINDS or not colon or not id_.strip():
        raise UsageError(f"{text!r} is not KIND:ID with one of {', '.join(BUILD_KINDS)}")
    return Build(kind, id_)


def unsigned_bundle(witnessed: Witnessed, key_id: str) -> dict[str, JsonValue]:
    """The bundle but for its signature. Raises ``UsageError`` without a discovery document."""
    document = witnessed.discovery
    if not isinstance(document, dict):
        raise UsageError("the host gave no discovery document, and a bundle is about one")
    versions, preferred = versions_of(document)
    rows = [_row(row, witnessed.trace) for row in witnessed.rows]
    rows.sort(key=by_id)
    not_passed = [
        {"id": row["id"], "result": row["result"], "reason": row["detail"]}
        for row in rows
        if row["result"] != "executed-pass"
    ]
    bundle: dict[str, JsonValue] = {
        "bundleVersion": "3",
        "generatedAt": witnessed.generated_at,
        "suite": {
            "name": OUR_NAME,
            "version": witnessed.header.suite,
            "targetMajor": witnessed.major,
            "specArtifactsVersion": SPEC_ARTIFACTS,
            "stampSha256": witnessed.header.corpus,
        },
        "host": _host(document, witnessed.build, key_id),
        "discovery": {
            "url": _uri(witnessed.discovery_url),
            "sha256": sha256(document),
            "protocolVersions": versions,
            "preferredVersion": preferred,
            "document": document,
        },
        "claimedProfiles": [],
        "results": {"totals": totals(rows), "requirements": rows},
        "assertionCount": sum(row["assertions"] for row in rows),
        **({"detail": {"nonPass": not_passed}} if not_passed else {}),
    }
    bundle["witnessSha256"] = witness_sha256(bundle)
    return bundle


def _uri(place: str) -> str:
    """A place as the URI that the form asks for: the embedded host is at no address."""
    if re.match("[A-Za-z][A-Za-z0-9+.-]*:", place):
        return place
    return f"urn:openwop-conformance:embedded:{quote(place)}"


def _row(row: Row, trace: str) -> dict[str, JsonValue]:
    """A row of the bundle; the trace's digest stands at the end of ``detail``, under the digest."""
    detail = f"[trace sha256:{trace}]"
    return {
        "id": row.id,
        "scenario": row.scenario,
        "result": str(row.disposition),
        "assertions": row.assertions,
        "detail": f"{row.reason} {detail}" if row.reason else detail,
    }


def _host(document: dict[str, JsonValue], build: Build, key_id: str) -> dict[str, JsonValue]:
    found = document.get("implementation")
    named = found if isinstance(found, dict) else {}
    texts = {
        name: value
        for name in ("name", "version", "vendor")
        if isinstance(value := named.get(name), str) and value
    }
    return {
        "name": "unnamed",
        "version": "unversioned",
        **texts,
        "build": {"kind": build.kind, "id": build.id},
        "signingKeyId": key_id,
    }


# ------------------------------------------------------------------- what can be re-derived


def by_id(row: dict[str, JsonValue]) -> bytes:
    """The key that sorts rows by id in UTF-16 code units."""
    return str(row["id"]).encode("utf-16-be")


def totals(rows: Iterable[dict[str, JsonValue]]) -> dict[str, int]:
    """How many rows have each result, under the names of ``results.totals``."""
    found = dict.fromkeys(TOTALS.values(), 0)
    for row in rows:
        found[TOTALS[row["result"]]] += 1
    return found


def sha256(value: JsonValue) -> str:
    """SHA-256 over the RFC 8785 form, in hex. Raises ``JsonError`` for what is no I-JSON."""
    return hashlib.sha256(canonical(value)).hexdigest()


def witness_sha256(bundle: dict[str, JsonValue]) -> str:
    """The digest of the rows, with the host's relaxations and deployment when it has them."""
    kept = [
        {name: row[name] for name in _ROW if name in row}
        for row in sorted(bundle["results"]["requirements"], key=by_id)
    ]
    host = bundle["host"]
    beside = {name: host[name] for name in ("relaxations", "deployment") if host.get(name)}
    return sha256({"rows": kept, **beside} if beside else kept)


def attested_bytes(bundle: dict[str, JsonValue]) -> bytes:
    """What both signatures of a bundle sign: four values under literal dotted names."""
    build = bundle["host"]["build"]
    return canonical(
        {
            "discovery.sha256": bundle["discovery"]["sha256"],
            "host.build": {"id": build["id"], "kind": build["kind"]},
            "suite.version": bundle["suite"]["version"],
            "witnessSha256": bundle["witnessSha256"],
        }
    )


def versions_of(document: dict[str, JsonValue]) -> tuple[list[str], str]:
    """The protocol versions that a discovery document lists, and the one it prefers."""
    listed = document.get("protocolVersions")
    versions = [v for v in listed if isinstance(v, str)] if isinstance(listed, list) else []
    single = document.get("protocolVersion")
    if not versions and isinstance(single, str):
        versions = [single]
    preferred = document.get("preferredVersion")
    return versions, preferred if isinstance(preferred, str) else "".join(versions[:1])


def trace_of(row: dict[str, JsonValue]) -> str | None:
    """The digest of the trace that a row of ours rests on, or ``None``."""
    found = _TRACE.search(row.get("detail", ""))
    return found[1] if found else None


def reason_of(row: dict[str, JsonValue]) -> str:
    """The words of a row's ``detail``, without the trace's digest."""
    return _TRACE.sub("", row.get("detail", "")).rstrip()


# ------------------------------------------------------------------------------- signing


def attest(bundle: dict[str, JsonValue], key: SigningKey, key_id: str) -> dict[str, JsonValue]:
    """The bundle with its host's signature."""
    signature = {"alg": "ed25519", "keyId": key_id, "sig": _signed(bundle, key), "over": [*OVER]}
    return {**bundle, "signature": signature}


def countersign(bundle: dict[str, JsonValue], key: SigningKey, key_id: str) -> dict[str, JsonValue]:
    """The bundle with a verifier's signature as well, and its profiles of that tier."""
    signature = {"alg": "ed25519", "keyId": key_id, "sig": _signed(bundle, key)}
    profiles = [{**p, "evidenceTier": "independent"} for p in bundle["claimedProfiles"]]
    return {**bundle, "claimedProfiles": profiles, "verifierSignature": signature}


def _signed(bundle: dict[str, JsonValue], key: SigningKey) -> str:
    return base64url(sign(key, attested_bytes(bundle)))


def text_of(bundle: dict[str, JsonValue]) -> bytes:
    """The bytes of a bundle's file."""
    return json.dumps(bundle, ensure_ascii=False, indent=2).encode() + b"\n"


def refuse_secrets(value: JsonValue, secrets: Iterable[tuple[str, str | None]]) -> None:
    """Refuse a value that holds a secret anywhere, also where JSON text is quoted in a string.

    ``secrets`` are names and values; the message names the place and the secret, never its value.
    Raises ``UsageError``.
    """
    forms = [
        (name, form)
        for name, secret in secrets
        if secret and len(secret) >= MIN_SECRET
        for form in {secret, json.dumps(secret, ensure_ascii=False)[1:-1], json.dumps(secret)[1:-1]}
    ]
    for pointer, text in strings_in(value):
        for name, form in forms:
            if form in text:
                where = pointer if form not in pointer else "a member's name"
                raise UsageError(f"the bundle would hold the value of {name}, at {where}")


@cache
def bundle_validator(name: str) -> Draft202012Validator:
    """The validator of bundles of one suite: ``OUR_NAME`` or ``THEIR_NAME``."""
    document: dict[str, Any] = schema("bundle-v3")
    if name != OUR_NAME:
        document = copy.deepcopy(document)
        document["properties"]["suite"]["properties"]["name"]["const"] = name
    return compiled(document)
