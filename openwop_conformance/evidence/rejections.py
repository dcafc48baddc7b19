"""The reasons to reject a bundle v3, by the names that its specification's own verifier gives them.

Those that only this suite has are in ``OWN_KINDS``. Nothing here looks at a key.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from ..jsonvalue import JsonValue
from ..schemas import problems
from .bundle import (
    OUR_NAME,
    OVER,
    THEIR_NAME,
    bundle_validator,
    sha256,
    totals,
    trace_of,
    versions_of,
    witness_sha256,
)
from .durability import rung_fault
from .plausibility import CORE_FAMILIES, Judged, derivable, opted_out_but_advertised

OWN_KINDS: Final = (
    "not-i-json",
    "schema",
    "detail-mismatch",
    "discovery-digest",
    "discovery-mismatch",
    "key-mismatch",
    "suite-mismatch",
    "trace-missing",
    "trace-digest",
    "envelope-malformed",
    "envelope-subject",
    "envelope-predicate",
    "envelope-signature",
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A rejection or a warning: its kind, a sentence, and the profile that it is confined to."""

    kind: str
    message: str
    profile: str | None = None

    def as_json(self) -> dict[str, JsonValue]:
        """The finding as ``verify --json`` prints it."""
        named = {"profile": self.profile} if self.profile else {}
        return {"kind": self.kind, "message": self.message, **named}


def shape(bundle: dict[str, Any]) -> list[Finding]:
    """What is wrong with a bundle's form. After anything but a missing build or signature, or an
    ``over`` of its own, nothing else about it can be judged.
    """
    found: list[Finding] = []
    whole = dict(bundle)
    host, signature = whole.get("host"), whole.get("signature")
    if isinstance(host, dict) and not host.get("build"):
        found.append(Finding("build-missing", "host.build does not say what was tested"))
        whole["host"] = {**host, "build": {"kind": "commit", "id": "-"}}
    if not signature:
        found.append(Finding("signature-missing", "the bundle is not signed"))
        whole["signature"] = _NO_SIGNATURE
    elif isinstance(signature, dict) and signature.get("over") != list(OVER):
        found.append(Finding("signature-over", f"signature.over is not {', '.join(OVER)}"))
        whole["signature"] = {**signature, "over": [*OVER]}
    whole.setdefault("detail", {"nonPass": []})
    whole.setdefault("verifierSignature", _NO_VERIFIER)
    suite = whole.get("suite")
    named = suite.get("name") if isinstance(suite, dict) else None
    validator = bundle_validator(OUR_NAME if named == OUR_NAME else THEIR_NAME)
    found += [
        Finding("schema", f"{problem.path or '/'}: {problem.message}")
        for problem in problems(validator, whole)
    ]
    return found


_NO_VERIFIER: Final = {"alg": "ed25519", "keyId": "-", "sig": "A" * 86}
_NO_SIGNATURE: Final = {**_NO_VERIFIER, "over": [*OVER]}


def contradictions(bundle: dict[str, Any]) -> Iterator[Finding]:
    """What in a bundle of the right form contradicts its own rows or its discovery document."""
    rows: list[dict[str, Any]] = bundle["results"]["requirements"]
    yield from _of_rows(rows)
    yield from _of_sums(bundle, rows)
    yield from _of_detail(bundle, rows)
    yield from _of_discovery(bundle)
    yield from _of_profiles(bundle, rows)
    if (rung := bundle.get("durability", {}).get("rung")) and (fault := rung_fault(rung, rows)):
        yield Finding("rung-not-derivable", f"durability.rung is {rung!r}, and {fault}")
    yield from _of_traces(bundle["suite"]["name"], rows)


def judged(bundle: dict[str, Any]) -> list[Judged]:
    """The rows of a bundle v3."""
    return [
        Judged(row["id"], row["scenario"], row["result"], row.get("detail", ""))
        for row in bundle["results"]["requirements"]
    ]


def _of_rows(rows: list[dict[str, Any]]) -> Iterator[Finding]:
    for id_, times in Counter(row["id"] for row in rows).items():
        if times > 1:
            yield Finding("duplicate-requirement", f"{id_} has {times} rows")
    for row in rows:
        if row["result"] == "executed-pass":
            if not row.get("assertions"):
                yield Finding("vacuous-pass", f"{row['id']} passes without an assertion")
        elif not row.get("detail", "").strip():
            yield Finding("reason-missing", f"{row['id']} is {row['result']} without a reason")


def _of_sums(bundle: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[Finding]:
    for name, count in totals(rows).items():
        if (said := bundle["results"]["totals"][name]) != count:
            yield Finding("totals-mismatch", f"totals.{name} is {said}, and {count} rows are")
    asserted = sum(row.get("assertions", 0) for row in rows)
    if bundle["assertionCount"] != asserted:
        said = bundle["assertionCount"]
        yield Finding("assertion-count", f"assertionCount is {said}, and the rows have {asserted}")
    if witness_sha256(bundle) != bundle["witnessSha256"]:
        yield Finding("witness-digest", "witnessSha256 is not the digest of the rows")


def _of_detail(bundle: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[Finding]:
    """``detail.nonPass`` holds each row that did not pass, with its result and its reason."""
    listed: list[dict[str, str]] = bundle.get("detail", {}).get("nonPass", [])
    said = {entry["id"]: entry for entry in listed}
    due = {row["id"]: row for row in rows if row["result"] != "executed-pass"}
    for id_, row in due.items():
        if (entry := said.get(id_)) is None:
            yield Finding("detail-missing", f"detail.nonPass leaves out {id_}")
        elif (entry["result"], entry["reason"]) != (row["result"], row.get("detail", "")):
            yield Finding("detail-mismatch", f"detail.nonPass has another outcome for {id_}")
    if len(said) != len(listed):
        yield Finding("detail-mismatch", "detail.nonPass names a row twice")
    for id_ in said.keys() - due.keys():
        yield Finding("detail-mismatch", f"detail.nonPass names {id_}, which no such row has")


def _of_discovery(bundle: dict[str, Any]) -> Iterator[Finding]:
    discovery = bundle["discovery"]
    if (document := discovery.get("document")) is None:
        return
    if sha256(document) != discovery["sha256"]:
        yield Finding("discovery-digest", "discovery.sha256 is not the digest of the document")
    versions, preferred = versions_of(document)
    if discovery["protocolVersions"] != versions or discovery["preferredVersion"] != preferred:
        yield Finding("discovery-mismatch", "the versions beside the document are not its own")
    if bundle["suite"]["name"] == OUR_NAME:
        return  # its opt-outs are of a second tenant and of a canary, and no host advertises those
    for id_ in opted_out_but_advertised(judged(bundle), document):
        message = f"{id_} is skipped, and the document advertises it"
        yield Finding("opted-out-but-advertised", message)


def _of_profiles(bundle: dict[str, Any], rows: list[dict[str, Any]]) -> Iterator[Finding]:
    document = bundle["discovery"].get("document")
    relaxed = {r["obligation"].partition(".")[0] for r in bundle["host"].get("relaxations", ())}
    certified = [p["id"] for p in bundle["claimedProfiles"] if p["certified"]]
    for profile in dict.fromkeys(p["id"] for p in bundle["claimedProfiles"]):
        if document is not None and not derivable(profile, document):
            message = f"{profile} does not follow from the discovery document"
            yield Finding("profile-not-derivable", message, profile)
    for profile in certified:
        families = CORE_FAMILIES if profile == "openwop-core-standard" else ()
        owned = sorted(o for o in relaxed if o in profile or o in families)
        if owned:
            message = f"{profile} is certified, and the host relaxes {', '.join(owned)}"
            yield Finding("relaxed-profile-certified", message, profile)
    blocked = sum(row["result"] == "blocked" for row in rows)
    if blocked and certified:
        yield Finding(
            "blocked-certified", f"{', '.join(certified)} certified, with {blocked} blocked rows"
        )


def _of_traces(suite: str, rows: list[dict[str, Any]]) -> Iterator[Finding]:
    """Every row of ours names the one trace, and so shows whose it is: the name is unsigned."""
    named = {trace_of(row) for row in rows}
    if suite != OUR_NAME:
        if named != {None}:
            yield Finding("suite-mismatch", f"rows of {OUR_NAME} stand under another suite's name")
        return
    if None in named:
        yield Finding("trace-missing", "a row names no trace, and every row of this suite does")
    if len(named - {None}) > 1:
        yield Finding("trace-digest", "the rows name different traces, and a run has one")
