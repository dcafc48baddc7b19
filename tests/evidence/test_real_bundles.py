"""Verifying the real bundles of others: what they establish, and what not."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from openwop_conformance.evidence.signing import base64url, public_key
from openwop_conformance.evidence.verification import Outcome, Pinned, verify

from ..shared_data import shared
from .bundles import (
    key,
    kinds,
    verified,
)
from .rejected import (
    KEYS,
    PUBLISHED_KEY,
    SAMPLES,
    SURFACE_ROWS,
)


def test_the_real_bundle_v3_verifies_and_says_what_it_does_not_establish() -> None:
    data = shared(f"{SAMPLES}/v3-bundle.reference-host.json").read_bytes()

    found = verify(data, Pinned([public_key(PUBLISHED_KEY)]))
    assert (found.outcome, found.rejections, found.unchecked) == (Outcome.VERIFIED, (), ())
    assert found.uncovered == (
        "bundleVersion",
        "generatedAt",
        "suite.name",
        "suite.targetMajor",
        "suite.specArtifactsVersion",
        "suite.stampSha256",
        "host.name",
        "host.version",
        "host.vendor",
        "host.signingKeyId",
        "discovery.url",
        "discovery.protocolVersions",
        "discovery.preferredVersion",
        "claimedProfiles",
        "results.totals",
        "the order of results.requirements",
        "assertionCount",
        "detail",
        "signature.alg",
        "signature.keyId",
        "signature.over",
    )
    assert [(w.kind, w.message.split()[0]) for w in found.warnings] == [
        ("key-self-published", "v2-reference-3"),
        ("partial-witness", "openwop.floor.v2-webhook-durable-delivery"),
        ("partial-witness", "openwop.requirement.0173.webhook-durable-delivery.dead-letter"),
        ("build-differs", "host.build"),
    ]
    assert found.warnings[-1].message.endswith("openwop-v2-reference.host names: commit dev")
    assert found.certified == (
        "openwop-discovery-core",
        "openwop-core-standard",
        "openwop-conformance-seams-v2",
    )


def test_the_real_bundle_v3_is_coherent_under_its_own_key_and_rejected_under_another() -> None:
    data = shared(f"{SAMPLES}/v3-bundle.reference-host.json").read_bytes()

    assert verify(data, Pinned()).exit_code == 2
    assert kinds(verify(data, Pinned(KEYS))) == ["signature-invalid"]
    swapped = data.replace(PUBLISHED_KEY.encode(), base64url(key(1).public).encode())
    assert kinds(verify(swapped, Pinned())) == ["discovery-digest", "signature-invalid"]


@pytest.mark.parametrize("name", ["in-memory", "python"])
def test_the_real_bundles_v2_are_coherent_and_their_surface_rows_implausible(name: str) -> None:
    found = verify(shared(f"{SAMPLES}/v1-bundle-v2.{name}.json").read_bytes(), Pinned(KEYS))

    assert (found.exit_code, found.rejections) == (2, ())
    named = [w.message.split()[0] for w in found.warnings if w.kind == "implausible-pass"]
    assert named == SURFACE_ROWS
    assert found.uncovered == ("everything",)


def test_the_real_bundle_v1_is_coherent() -> None:
    found = verify(shared(f"{SAMPLES}/v1-bundle-v1.in-memory.json").read_bytes(), Pinned(KEYS))

    assert (found.exit_code, found.rejections, found.warnings) == (2, (), ())
    assert any("no signature" in text for text in found.unchecked)


@pytest.mark.parametrize(
    ("kind", "file", "change"),
    [
        ("schema", "v1.in-memory", lambda b: b["results"].pop("passed")),
        ("totals-mismatch", "v1.in-memory", lambda b: b["results"]["passed"].pop()),
        (
            "duplicate-requirement",
            "v1.in-memory",
            lambda b: b["results"]["failed"].append(b["results"]["passed"][0]),
        ),
        ("totals-mismatch", "v2.python", lambda b: b["results"]["requirements"].pop()),
        ("discovery-digest", "v2.python", lambda b: b["discovery"]["document"].update(x=1)),
        (
            "vacuous-pass",
            "v2.in-memory",
            lambda b: b["results"]["requirements"][0].update(assertionCount=0),
        ),
        (
            "reason-missing",
            "v2.in-memory",
            lambda b: [row.pop("detail", None) for row in b["results"]["requirements"]],
        ),
    ],
)
def test_an_older_bundle_that_contradicts_itself_is_rejected(
    kind: str, file: str, change: Callable[[Any], object]
) -> None:
    bundle = json.loads(shared(f"{SAMPLES}/v1-bundle-{file}.json").read_bytes())

    change(bundle)
    found = verified(bundle)
    assert found.exit_code == 1
    assert kind in kinds(found)
