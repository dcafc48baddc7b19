"""Verifying: each reason to reject by its name, and what is owned up to."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.evidence.attestation import envelope_of, predicate_of
from openwop_conformance.evidence.bundle import (
    attest,
    sha256,
    text_of,
    witness_sha256,
)
from openwop_conformance.evidence.rejections import OWN_KINDS
from openwop_conformance.evidence.verification import Outcome, Pinned, verify

from .bundles import (
    HEADER,
    ROWS,
    TRACE,
    Bundle,
    key,
    kinds,
    our_bundle,
    our_files,
    their_bundle,
    verified,
)
from .rejected import (
    DATA,
    ENVELOPE,
    KEYS,
    REJECTED,
    RUNG,
    VERIFIER,
    countersigned,
    independent,
    relaxed,
    rows_of,
    rung,
)


@pytest.mark.parametrize(
    ("kind", "bundle", "pinned"), REJECTED, ids=[f"{i}-{k}" for i, (k, _, _) in enumerate(REJECTED)]
)
def test_each_reason_to_reject_has_its_name(
    kind: str, bundle: Bundle, pinned: dict[str, Any]
) -> None:
    found = verified(bundle, **pinned)

    assert found.exit_code == 1
    assert kind in kinds(found)
    others = {"signature-invalid", "key-mismatch", "envelope-subject", "envelope-signature"}
    if kind not in {*others, "witness-digest", "suite-mismatch", "discovery-digest"}:
        assert set(kinds(found)) == {kind}


def test_every_kind_of_the_published_verifier_is_among_them() -> None:
    published = {
        "not-v3",
        "duplicate-requirement",
        "reason-missing",
        "vacuous-pass",
        "totals-mismatch",
        "witness-digest",
        "assertion-count",
        "detail-missing",
        "build-missing",
        "signature-missing",
        "signature-over",
        "signature-invalid",
        "independent-unsigned",
        "independent-self-signed",
        "independent-unverifiable",
        "verifier-signature-invalid",
        "relaxed-profile-certified",
        "blocked-certified",
        "profile-not-derivable",
        "opted-out-but-advertised",
        "rung-not-derivable",
    }
    shown = {kind for kind, _, _ in REJECTED}
    elsewhere = {"not-i-json", "trace-missing", "envelope-predicate"}

    assert shown | elsewhere == published | set(OWN_KINDS)


def test_the_controls_verify() -> None:
    assert verified(their_bundle()).outcome is Outcome.VERIFIED
    assert verified(their_bundle()).certified == ("openwop-discovery-core",)
    assert verified(their_bundle(rung(RUNG))).outcome is Outcome.VERIFIED
    assert verified(their_bundle(relaxed("webhooks.x"))).outcome is Outcome.VERIFIED
    both = their_bundle(independent, after=countersigned(2))
    assert verified(both, verifier_keys=VERIFIER).outcome is Outcome.VERIFIED
    ours = verify(DATA, Pinned(KEYS, envelope=ENVELOPE, trace=TRACE))
    assert (ours.outcome, ours.unchecked, ours.uncovered) == (Outcome.VERIFIED, (), ())


def test_a_rejection_that_names_a_profile_takes_that_one_and_any_other_takes_all() -> None:
    def two(bundle: Bundle) -> None:
        bundle["claimedProfiles"].append(
            {**bundle["claimedProfiles"][0], "id": "openwop-core-standard"}
        )

    assert verified(their_bundle(two)).certified == ("openwop-discovery-core",)
    assert verified(their_bundle(after=lambda b: b.update(assertionCount=6))).certified == ()


# ----------------------------------------------------------------------------- strict text


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t.replace('"assertionCount": 5', '"assertionCount": 5, "assertionCount": 5'),
        lambda t: t.replace('"one.test.ts"', '"\\ud800"'),
        lambda t: t.replace("1.5", "NaN"),
        lambda t: t.replace("1.5", "1e999"),
        lambda t: t.replace("1.5", str(2**53)),
        lambda t: t.replace("1.5", str(-(2**53))),
        lambda t: "\ufeff" + t,
        lambda t: t + "{}",
    ],
)
def test_what_is_no_i_json_is_rejected(change: Callable[[str], str]) -> None:
    text = text_of(their_bundle()).decode()

    assert change(text) != text
    found = verify(change(text).encode("utf-8", "surrogatepass"), Pinned(KEYS))
    assert (found.exit_code, kinds(found)) == (1, ["not-i-json"])


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b"\xff\xfe", b"null", b'"bundle"', b"{" * 9999]
)
def test_what_is_no_bundle_is_exit_3(data: bytes) -> None:
    assert verify(data, Pinned(KEYS)).exit_code == 3


# ------------------------------------------------------------------- ours without something


def test_a_bundle_of_ours_without_its_envelope_is_at_best_coherent() -> None:
    found = verify(DATA, Pinned(KEYS))

    assert found.exit_code == 2
    assert any("envelope" in text for text in found.unchecked)
    assert "generatedAt" in found.uncovered


def test_without_a_key_nothing_is_verified_and_nothing_is_covered() -> None:
    found = verify(DATA, Pinned(envelope=ENVELOPE))

    assert (found.exit_code, found.uncovered) == (2, ("everything",))


def test_a_row_of_ours_without_a_trace_is_rejected() -> None:
    def change(bundle: Bundle) -> None:
        del rows_of(bundle)[0]["detail"]

    bundle = our_bundle()
    change(bundle)
    bundle["witnessSha256"] = witness_sha256(bundle)
    assert kinds(verified(attest(bundle, key(1), "k1"))) == ["trace-missing"]


def test_an_envelope_about_other_rows_is_rejected_though_it_is_signed() -> None:
    predicate = predicate_of(HEADER, ROWS[1:], TRACE)
    envelope = envelope_of(DATA, "b", predicate, key(1), "k1")
    assert set(kinds(verify(DATA, Pinned(KEYS, envelope=envelope)))) == {"envelope-predicate"}


# ------------------------------------------------------------------------------ warnings


def test_a_pass_about_surfaces_is_implausible_where_none_are_advertised() -> None:
    def silent(bundle: Bundle) -> None:
        del bundle["discovery"]["document"]["supportedEnvelopes"]
        rows_of(bundle)[0].update(id="openwop.requirement.0209.fold-guarded")
        rows_of(bundle)[1].update(id="openwop.family.webhooks")
        bundle["discovery"]["sha256"] = sha256(bundle["discovery"]["document"])

    warned = [w for w in verified(their_bundle(silent)).warnings if w.kind == "implausible-pass"]
    assert [w.message for w in warned] == [
        "openwop.requirement.0209.fold-guarded passes, and the discovery document lists no "
        "ui.a2ui-surface",
        "openwop.family.webhooks passes, and the discovery document has no family webhooks",
    ]
    warned = list(verified(our_bundle()).warnings)
    assert [w.kind for w in warned] == ["key-unpublished", "trace-not-given"]


def test_a_run_of_a_part_of_the_suite_is_told_from_one_of_the_whole() -> None:
    predicate = predicate_of(replace(HEADER, left_out=3), ROWS, TRACE)
    envelope = envelope_of(DATA, "b", predicate, key(1), "k1")

    found = verify(DATA, Pinned(KEYS, envelope=envelope))
    assert found.outcome is Outcome.VERIFIED
    (warned,) = [w for w in found.warnings if w.kind == "left-out"]
    assert warned.message == "3 scenarios of the suite were not part of the run"


def test_without_a_document_a_bundle_is_coherent_at_best() -> None:
    found = verified(their_bundle(after=lambda b: b["discovery"].pop("document")))

    assert found.exit_code == 2


# ------------------------------------------------------- nothing is changed without a word


def leaves(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for name, inner in items:
            yield from leaves(inner, (*at, name))
    else:
        yield at


def test_every_value_that_can_change_unnoticed_is_named_as_uncovered() -> None:
    bundle = their_bundle(independent, after=countersigned(2))
    uncovered = verified(bundle, verifier_keys=VERIFIER).uncovered
    unnoticed = set()
    for at in leaves(bundle):
        other = json.loads(json.dumps(bundle))
        holder = other
        for name in at[:-1]:
            holder = holder[name]
        value = holder[at[-1]]
        holder[at[-1]] = (not value) if isinstance(value, bool) else value + type(value)(1)
        assert other != bundle
        if verified(other, verifier_keys=VERIFIER).outcome is Outcome.VERIFIED:
            unnoticed.add(".".join(map(str, at)))
    assert {"discovery.url", "host.name", "suite.specArtifactsVersion"} <= unnoticed
    for path in unnoticed:
        assert any(path == name or path.startswith(f"{name}.") for name in uncovered), path


def test_relaxations_are_covered_when_there_are_any() -> None:
    none = their_bundle(lambda b: b["host"].update(relaxations=[]))

    assert "host.relaxations" in verified(none).uncovered
    assert "host.relaxations" not in verified(their_bundle(relaxed("webhooks.x"))).uncovered


def test_ten_thousand_rows_are_verified_in_well_under_a_second() -> None:
    rows = tuple(
        Row(f"openwop-conformance.host.v2.r{i:05}", f"s{i}", Disposition.PASS, 3)
        for i in range(10_000)
    )
    data, envelope = our_files(rows)

    spent = []
    for _ in range(2):
        started = time.process_time()
        found = verify(data, Pinned(KEYS, envelope=envelope, trace=TRACE))
        spent.append(time.process_time() - started)
    assert found.outcome is Outcome.VERIFIED
    assert min(spent) < 0.9
