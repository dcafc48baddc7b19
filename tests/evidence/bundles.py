"""Signed bundles for the tests: five rows, one of each disposition, two keys that never change."""

from __future__ import annotations

import copy
import hashlib
from collections.abc import Callable
from functools import cache
from typing import Any

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.attestation import envelope_of, predicate_of
from openwop_conformance.evidence.bundle import (
    THEIR_NAME,
    Build,
    Witnessed,
    attest,
    text_of,
    unsigned_bundle,
    witness_sha256,
)
from openwop_conformance.evidence.ledger import Header
from openwop_conformance.evidence.signing import SigningKey
from openwop_conformance.evidence.verification import Pinned, Verification, verify

Bundle = dict[str, Any]
TRACE_BYTES = b'{"record":"header"}\n{"record":"footer"}\n'
TRACE = hashlib.sha256(TRACE_BYTES).hexdigest()
HEADER = Header("0.1.0", "c" * 64, "http://127.0.0.1:8080", 7)
ROWS = (
    Row("openwop.requirement.0209.fold-guarded", "host.v2.fold", Disposition.PASS, 4),
    Row("openwop-conformance.host.v2.limits", "host.v2.limits", Disposition.PASS, 2),
    Row(
        "openwop.requirement.0209.b",
        "host.v2.b",
        Disposition.FAIL,
        3,
        "a rule is broken: é\U0001f600",
    ),
    Row("openwop.requirement.0209.c", "host.v2.c", Disposition.BLOCKED, 0, "no key"),
    Row("openwop.requirement.0209.d", "host.v2.d", Disposition.SKIPPED, 0, "opted out"),
    Row("openwop.requirement.0209.e", "host.v2.e", Disposition.INAPPLICABLE, 0, "not claimed"),
)
DOCUMENT: Bundle = {
    "protocolVersions": ["2.0"],
    "preferredVersion": "2.0",
    "implementation": {"name": "a host", "version": "1.2", "vendor": "someone"},
    "supportedEnvelopes": {"kinds": ["ui.a2ui-surface"]},
    "limits": {"clarificationRounds": 0, "ratio": 1.5},
}


@cache
def key(number: int) -> SigningKey:
    """The key of a number; the same in every run."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    seed = bytes([number]) * 32
    private = Ed25519PrivateKey.from_private_bytes(seed)
    return SigningKey(seed, private.public_key().public_bytes_raw())


def witnessed(rows: tuple[Row, ...] = ROWS, document: Any = None) -> Witnessed:
    """What a run left."""
    return Witnessed(
        HEADER,
        rows,
        copy.deepcopy(DOCUMENT) if document is None else document,
        "http://127.0.0.1:8080/.well-known/openwop",
        Build("commit", "abc123"),
        TRACE,
        2,
        "2026-01-31T12:00:00Z",
    )


def our_bundle(rows: tuple[Row, ...] = ROWS) -> Bundle:
    """A bundle of ours, signed by key 1."""
    return attest(unsigned_bundle(witnessed(rows), "k1"), key(1), "k1")


def our_files(rows: tuple[Row, ...] = ROWS) -> tuple[bytes, bytes]:
    """The bytes of a bundle of ours, and those of its envelope."""
    data = text_of(our_bundle(rows))
    predicate = predicate_of(HEADER, rows, TRACE)
    return data, envelope_of(data, "bundle.json", predicate, key(1), "k1")


def their_bundle(
    change: Callable[[Bundle], object] | None = None,
    *,
    after: Callable[[Bundle], object] | None = None,
) -> Bundle:
    """A bundle of the published suite that verifies; ``change`` comes before digest and signature,
    ``after`` behind them.
    """
    rows: list[Bundle] = [
        {
            "id": "openwop.scenario.one",
            "scenario": "one.test.ts",
            "result": "executed-pass",
            "assertions": 2,
        },
        {
            "id": "openwop.floor.two",
            "scenario": "two.test.ts",
            "result": "executed-pass",
            "assertions": 3,
        },
        {
            "id": "openwop.it.three",
            "scenario": "three.test.ts",
            "result": "inapplicable",
            "assertions": 0,
            "detail": "not advertised",
        },
    ]
    bundle = unsigned_bundle(witnessed(), "k1")
    bundle["suite"]["name"] = THEIR_NAME
    bundle["results"] = {
        "totals": {
            "executedPass": 2,
            "executedFail": 0,
            "skipped": 0,
            "inapplicable": 1,
            "blocked": 0,
        },
        "requirements": rows,
    }
    bundle["assertionCount"] = 5
    bundle["detail"] = {
        "nonPass": [
            {"id": "openwop.it.three", "result": "inapplicable", "reason": "not advertised"}
        ]
    }
    bundle["claimedProfiles"] = [
        {
            "id": "openwop-discovery-core",
            "evidenceTier": "self",
            "witnessCount": 1,
            "certified": True,
        }
    ]
    if change is not None:
        change(bundle)
    bundle["witnessSha256"] = witness_sha256(bundle)
    signed = attest(bundle, key(1), "k1")
    if after is not None:
        after(signed)
    return signed


def verified(bundle: Bundle, **pinned: Any) -> Verification:
    """A bundle verified under key 1, unless other keys are given."""
    return verify(text_of(bundle), Pinned(**{"keys": [key(1).public], **pinned}))


def kinds(found: Verification) -> list[str]:
    """The kinds of the rejections."""
    return [finding.kind for finding in found.rejections]
