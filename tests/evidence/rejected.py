"""Bundles that have to be rejected, each for one reason, with its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from openwop_conformance.evidence.bundle import (
    countersign,
)

from .bundles import (
    Bundle,
    key,
    our_bundle,
    our_files,
    their_bundle,
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
