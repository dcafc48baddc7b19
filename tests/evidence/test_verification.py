"""Verifying: each reason to reject by its name, the real bundles, and what is owned up to."""

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
    countersign,
    sha256,
    text_of,
    witness_sha256,
)
from openwop_conformance.evidence.rejections import OWN_KINDS
from openwop_conformance.evidence.signing import base64url, public_key
from openwop_conformance.evidence.verification import Outcome, Pinned, verify

from ..shared_data import shared
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

SAMPLES = "openwop/samples"
PUBLISHED_KEY = "AkFQZ3z07zJUF2TUU_XFhT9HdUv9eF33K7scxSF4Bt0"
SURFACE_ROWS = [
    f"openwop.scenario.a2ui-{name}"
    for name in (
        "surface-degrades",
        "surface-delta-transport",
        "surface-replay",
        "surface-shape",
        "surface-version-refusal",
        "untrusted-blocks-approval",
    )
]
DATA, ENVELOPE = our_files()
KEYS = (key(1).public,)
VERIFIER = (key(2).public,)


def rows_of(bundle: Bundle) -> list[Bundle]:
    rows: list[Bundle] = bundle["results"]["requirements"]
    return rows


def relaxed(obligation: str) -> Callable[[Bundle], None]:
    def change(bundle: Bundle) -> None:
        bundle["host"]["relaxations"] = [
            {"obligation": obligation, "durability": "session", "reason": "tests"}
        ]

    return change


def with_row(result: str, **members: Any) -> Callable[[Bundle], None]:
    """One more row, with totals, sum and detail that fit."""

    def change(bundle: Bundle) -> None:
        row = {"id": "openwop.it.more", "scenario": "s", "result": result, **members}
        rows_of(bundle).append(row)
        named = {"executed-pass": "executedPass", "executed-fail": "executedFail"}
        bundle["results"]["totals"][named.get(result, result)] += 1
        bundle["assertionCount"] += row.get("assertions", 0)
        if result != "executed-pass":
            entry = {"id": row["id"], "result": result, "reason": row.get("detail", "")}
            bundle["detail"]["nonPass"].append(entry)

    return change


def independent(bundle: Bundle) -> None:
    bundle["claimedProfiles"][0]["evidenceTier"] = "independent"


def countersigned(number: int, key_id: str = "v1") -> Callable[[Bundle], None]:
    def change(bundle: Bundle) -> None:
        bundle.update(countersign(bundle, key(number), key_id))

    return change


def rung(name: str, **changes: Any) -> Callable[[Bundle], None]:
    """A claimed rung over the five rows that support one, with some of their values changed."""
    recovery = {"class": "leased", "boundMs": 7, "observedMs": 5}
    values = {"rows": 5, "terms": [{"name": "a", "ms": 3}, {"name": "b", "ms": 4}], **changes}

    def change(bundle: Bundle) -> None:
        bound = {"class": "leased", "bound": 7, "terms": values["terms"]}
        evidence: list[tuple[str, Bundle]] = [
            ("bound-is-derived", {"evidence": {"recoveryBounds": [bound]}}),
            ("kill-after-accept", {"evidence": {"recovery": recovery}}),
            (
                "kill-during-execution",
                {"evidence": {"recovery": {**recovery, **values.get("kill", {})}}},
            ),
            ("duplicate-delivery", {}),
            ("poison-exhaustion", {}),
        ]
        for id_, members in evidence[: values["rows"]]:
            with_row("executed-pass", assertions=1, **members)(bundle)
            rows_of(bundle)[-1]["id"] = f"openwop.requirement.0158.{id_}"
        bundle["durability"] = {"rung": name}

    return change


RUNG = "durable-single-instance"
REJECTED: list[tuple[str, Bundle, dict[str, Any]]] = [
    ("not-v3", their_bundle(after=lambda b: b.update(bundleVersion="4")), {}),
    (
        "duplicate-requirement",
        their_bundle(lambda b: rows_of(b)[1].update(id="openwop.scenario.one")),
        {},
    ),
    ("reason-missing", their_bundle(with_row("skipped", detail=" ")), {}),
    ("reason-missing", their_bundle(with_row("executed-fail", assertions=1)), {}),
    ("vacuous-pass", their_bundle(with_row("executed-pass", assertions=0)), {}),
    ("vacuous-pass", their_bundle(with_row("executed-pass")), {}),
    (
        "totals-mismatch",
        their_bundle(after=lambda b: b["results"]["totals"].update(executedFail=1)),
        {},
    ),
    ("witness-digest", their_bundle(after=lambda b: b.update(witnessSha256="0" * 64)), {}),
    (
        "witness-digest",
        their_bundle(relaxed("x.y"), after=lambda b: b["host"].pop("relaxations")),
        {},
    ),
    ("assertion-count", their_bundle(after=lambda b: b.update(assertionCount=6)), {}),
    ("detail-missing", their_bundle(after=lambda b: b.pop("detail")), {}),
    ("detail-missing", their_bundle(after=lambda b: b["detail"]["nonPass"].clear()), {}),
    ("build-missing", their_bundle(after=lambda b: b["host"].pop("build")), {}),
    ("signature-missing", their_bundle(after=lambda b: b.pop("signature")), {}),
    ("signature-over", their_bundle(after=lambda b: b["signature"]["over"].reverse()), {}),
    ("signature-over", their_bundle(after=lambda b: b["signature"].pop("over")), {}),
    ("signature-invalid", their_bundle(after=lambda b: b["host"]["build"].update(id="x")), {}),
    ("signature-invalid", their_bundle(), {"keys": VERIFIER}),
    (
        "signature-invalid",
        their_bundle(after=lambda b: b["signature"].update(sig=b["signature"]["sig"][:-1] + "B")),
        {},
    ),
    ("independent-unsigned", their_bundle(independent), {"verifier_keys": VERIFIER}),
    (
        "independent-self-signed",
        their_bundle(independent, after=countersigned(1)),
        {"verifier_keys": KEYS},
    ),
    (
        "independent-self-signed",
        their_bundle(independent, after=countersigned(2, "k1")),
        {"verifier_keys": VERIFIER},
    ),
    ("independent-unverifiable", their_bundle(independent, after=countersigned(2)), {}),
    (
        "verifier-signature-invalid",
        their_bundle(independent, after=countersigned(3)),
        {"verifier_keys": VERIFIER},
    ),
    ("relaxed-profile-certified", their_bundle(relaxed("discovery.etag")), {}),
    ("blocked-certified", their_bundle(with_row("blocked", detail="no fixture")), {}),
    (
        "profile-not-derivable",
        their_bundle(lambda b: b["claimedProfiles"][0].update(id="openwop-core-standard")),
        {},
    ),
    (
        "profile-not-derivable",
        their_bundle(lambda b: b["claimedProfiles"][0].update(id="openwop-a2ui")),
        {},
    ),
    (
        "opted-out-but-advertised",
        their_bundle(
            lambda b: (
                with_row("skipped", detail="opted out")(b),
                rows_of(b)[-1].update(id="openwop.family.limits"),
                b["detail"]["nonPass"][-1].update(id="openwop.family.limits"),
            )
        ),
        {},
    ),
    ("rung-not-derivable", their_bundle(after=lambda b: b.update(durability={"rung": RUNG})), {}),
    ("rung-not-derivable", their_bundle(rung("durable-multi-instance")), {}),
    ("rung-not-derivable", their_bundle(rung(RUNG, rows=4)), {}),
    ("rung-not-derivable", their_bundle(rung(RUNG, terms=[{"name": "a", "ms": 3}])), {}),
    ("rung-not-derivable", their_bundle(rung(RUNG, kill={"observedMs": 8})), {}),
    ("rung-not-derivable", their_bundle(rung(RUNG, kill={"boundMs": 8})), {}),
    ("rung-not-derivable", their_bundle(rung(RUNG, kill={"class": "other"})), {}),
    # those that only this suite has
    ("schema", their_bundle(after=lambda b: b.update(more=1)), {}),
    ("schema", their_bundle(after=lambda b: b["suite"].update(name="another")), {}),
    (
        "detail-mismatch",
        their_bundle(after=lambda b: b["detail"]["nonPass"][0].update(reason="other")),
        {},
    ),
    (
        "detail-mismatch",
        their_bundle(
            after=lambda b: b["detail"]["nonPass"].append(dict(b["detail"]["nonPass"][0]))
        ),
        {},
    ),
    (
        "discovery-digest",
        their_bundle(after=lambda b: b["discovery"]["document"].update(more=1)),
        {},
    ),
    (
        "discovery-mismatch",
        their_bundle(after=lambda b: b["discovery"].update(preferredVersion="1.0")),
        {},
    ),
    ("key-mismatch", their_bundle(after=lambda b: b["signature"].update(keyId="k2")), {}),
    (
        "suite-mismatch",
        {
            **our_bundle(),
            "suite": {**our_bundle()["suite"], "name": their_bundle()["suite"]["name"]},
        },
        {},
    ),
    ("trace-digest", our_bundle(), {"trace": "0" * 64}),
    ("envelope-malformed", our_bundle(), {"envelope": b"{}"}),
    (
        "envelope-subject",
        {**our_bundle(), "generatedAt": "2026-02-01T00:00:00Z"},
        {"envelope": ENVELOPE},
    ),
    ("envelope-signature", our_bundle(), {"envelope": ENVELOPE, "keys": (key(3).public,)}),
]


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


# ------------------------------------------------------------------------- the real bundles


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
