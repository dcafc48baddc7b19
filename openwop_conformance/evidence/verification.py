"""Whether a bundle holds, for somebody who trusts nothing but the keys that they pin.

Everything that can be derived again is; what cannot be checked, and what nothing covers, is named.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from ..errors import JsonError
from ..jsonvalue import JsonValue, canonical, parse
from .attestation import Envelope, mismatches, read_envelope
from .bundle import OUR_NAME, attested_bytes, trace_of
from .coverage import EVERYTHING, uncovered
from .older_bundles import older_contradictions, older_rows, older_shape
from .plausibility import Judged, implausible, other_builds, says_blocked
from .rejections import Finding, contradictions, judged, shape
from .signing import from_base64url, public_key, verifies


class Outcome(StrEnum):
    """What became of a verification."""

    VERIFIED = "verified"
    REJECTED = "rejected"
    COHERENT = "coherent"
    """Nothing contradicts it, and it was not verified independently."""
    NO_BUNDLE = "no-bundle"


EXIT_CODES: Final = {
    Outcome.VERIFIED: 0,
    Outcome.REJECTED: 1,
    Outcome.COHERENT: 2,
    Outcome.NO_BUNDLE: 3,
}


@dataclass(frozen=True, slots=True)
class Pinned:
    """What the caller brings: trusted keys (32 bytes each), the envelope, the trace's SHA-256."""

    keys: Sequence[bytes] = ()
    verifier_keys: Sequence[bytes] = ()
    envelope: bytes | None = None
    trace: str | None = None


@dataclass(slots=True)
class _Notes:
    """What is gathered on the way: reasons against, what went unchecked, and what was covered."""

    rejections: list[Finding] = field(default_factory=list)
    unchecked: list[str] = field(default_factory=list)
    warnings: list[Finding] = field(default_factory=list)
    signed: bool = False
    enveloped: bool = False

    def reject(self, kind: str, message: str) -> None:
        self.rejections.append(Finding(kind, message))


@dataclass(frozen=True, slots=True)
class Verification:
    """The outcome, and why. ``certified`` are the profiles that no rejection takes away."""

    outcome: Outcome
    bundle: dict[str, JsonValue] = field(default_factory=dict, repr=False)
    rejections: tuple[Finding, ...] = ()
    unchecked: tuple[str, ...] = ()
    uncovered: tuple[str, ...] = ()
    """The members of the bundle that no signature which was checked covers."""
    warnings: tuple[Finding, ...] = ()
    certified: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        """0 verified, 1 rejected, 2 coherent, 3 no bundle."""
        return EXIT_CODES[self.outcome]


def verify(data: bytes, pinned: Pinned) -> Verification:
    """Verify the bytes of a bundle's file, of this suite or of the published one, v1 to v3."""
    try:
        bundle = parse(data)
        canonical(bundle)
    except JsonError as error:
        if not _looks_like_a_bundle(data):
            return Verification(Outcome.NO_BUNDLE, unchecked=(f"not JSON: {error}",))
        return _rejected(Finding("not-i-json", f"not I-JSON: {error}"))
    if not isinstance(bundle, dict) or "bundleVersion" not in bundle:
        return Verification(Outcome.NO_BUNDLE, unchecked=("no bundleVersion is in it",))
    version = bundle["bundleVersion"]
    if version in ("1", "2"):
        return _verify_older(bundle)
    if version != "3":
        return _rejected(Finding("not-v3", f"bundleVersion is {version!r}"), bundle)
    return _verify_v3(data, bundle, pinned)


def _looks_like_a_bundle(data: bytes) -> bool:
    """Whether bytes that are no strict JSON are still meant as a bundle."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return b'"bundleVersion"' in data
    return isinstance(value, dict) and "bundleVersion" in value


def _rejected(finding: Finding, bundle: dict[str, Any] | None = None) -> Verification:
    return Verification(Outcome.REJECTED, bundle or {}, (finding,))


def _verify_older(bundle: dict[str, Any]) -> Verification:
    found = older_shape(bundle)
    if found:
        return Verification(Outcome.REJECTED, bundle, tuple(found))
    found = list(older_contradictions(bundle))
    version = bundle["bundleVersion"]
    unchecked = [
        f"a bundle v{version} carries no signature: who made it is not known",
        f"whether {', '.join(bundle['claimedProfiles']) or 'no profile'} follows: the profiles of "
        "major 1 are not derived here",
    ]
    document = bundle["discovery"].get("document")
    if document is None:
        unchecked.append("discovery.sha256: the document is not carried")
    return Verification(
        Outcome.REJECTED if found else Outcome.COHERENT,
        bundle,
        tuple(found),
        tuple(unchecked),
        (EVERYTHING,),
        tuple(_doubts(older_rows(bundle), document)),
    )


def _verify_v3(data: bytes, bundle: dict[str, Any], pinned: Pinned) -> Verification:
    notes = _Notes(shape(bundle))
    deep = not any(finding.kind == "schema" for finding in notes.rejections)
    if deep:
        whole = not notes.rejections
        notes.rejections += contradictions(bundle)
        if whole:
            _check_signature(bundle, pinned, notes)
            _check_verifier(bundle, pinned, notes)
            _check_envelope(data, bundle, pinned, notes)
        _check_trace(bundle, pinned, notes)
        document = bundle["discovery"].get("document")
        if document is None:
            notes.unchecked.append("discovery.sha256 and profiles: the document is not carried")
        notes.warnings += _doubts(judged(bundle), document)
        for name, build in other_builds(document, bundle["host"].get("build")):
            message = f"host.build is not the build that the document's {name} names: {build}"
            notes.warnings.append(Finding("build-differs", message))
    ours = deep and bundle["suite"]["name"] == OUR_NAME
    if notes.rejections:
        outcome = Outcome.REJECTED
    elif notes.unchecked or not notes.signed or (ours and not notes.enveloped):
        outcome = Outcome.COHERENT
    else:
        outcome = Outcome.VERIFIED
    return Verification(
        outcome,
        bundle,
        tuple(notes.rejections),
        tuple(notes.unchecked),
        tuple(uncovered(bundle, notes.signed, notes.enveloped)) if deep else (EVERYTHING,),
        tuple(notes.warnings),
        tuple(_certified(bundle, notes.rejections)) if deep else (),
    )


def _check_signature(bundle: dict[str, Any], pinned: Pinned, notes: _Notes) -> None:
    """The host's attestation, under a pinned key, else for its integrity under a published one."""
    signature = bundle["signature"]
    key_id = signature["keyId"]
    named = bundle["host"].get("signingKeyId", key_id)
    if named != key_id:
        notes.reject("key-mismatch", f"host.signingKeyId is {named}, and {key_id} signed")
    carried = bundle["discovery"].get("document")
    published = list(_published(carried, key_id))
    if published:
        message = f"{key_id} is published only in the discovery document that the bundle carries"
        notes.warnings.append(Finding("key-self-published", message))
    elif carried is not None:
        message = f"{key_id} is not in the carried discovery document: whose it is, you must know"
        notes.warnings.append(Finding("key-unpublished", message))
    keys = pinned.keys or published
    if not pinned.keys:
        notes.unchecked.append("who signed: no --key was given, and a carried key proves nothing")
        if not keys:
            return
    if _holds(signature, keys, bundle):
        notes.signed = bool(pinned.keys)
    else:
        whose = "no key that was given" if pinned.keys else "not the key that it publishes"
        notes.reject("signature-invalid", f"the signature of {key_id} is of {whose}")


def _published(document: JsonValue, key_id: str) -> Iterator[bytes]:
    """The keys of this id in a carried discovery document; one that is unfit signs nothing."""
    keys = document.get("signingKeys") if isinstance(document, dict) else None
    for entry in keys if isinstance(keys, list) else []:
        if isinstance(entry, dict) and entry.get("keyId") == key_id:
            try:
                yield public_key(str(entry.get("publicKey")))
            except ValueError:
                yield b""


def _holds(signature: dict[str, str], keys: Sequence[bytes], bundle: dict[str, Any]) -> bool:
    try:
        raw = from_base64url(signature["sig"], 64)
    except ValueError:
        return False
    message = attested_bytes(bundle)
    return any(verifies(key, raw, message) for key in keys)


def attested_by(bundle: dict[str, JsonValue], public: bytes) -> bool:
    """Whether the host's signature of a bundle v3 of the right form is one of this key."""
    return _holds(bundle["signature"], [public], bundle)


def _check_verifier(bundle: dict[str, Any], pinned: Pinned, notes: _Notes) -> None:
    """The second signature, which a claim of tier ``independent`` stands on."""
    independent = [p for p in bundle["claimedProfiles"] if p["evidenceTier"] == "independent"]
    signature = bundle.get("verifierSignature")
    if signature is None:
        for profile in independent:
            message = f"{profile['id']} claims tier independent, and no verifier has signed"
            notes.rejections.append(Finding("independent-unsigned", message, profile["id"]))
        return
    published = _published(bundle["discovery"].get("document"), bundle["signature"]["keyId"])
    if signature["keyId"] == bundle["signature"]["keyId"] or _holds(
        signature, [*pinned.keys, *published], bundle
    ):
        notes.reject("independent-self-signed", "the verifier's key is the host's own")
    elif pinned.verifier_keys:
        if not _holds(signature, pinned.verifier_keys, bundle):
            message = f"the verifier's signature {signature['keyId']} is of no key that was given"
            notes.reject("verifier-signature-invalid", message)
    elif independent:
        message = "a claim of tier independent needs --verifier-key: it is refused, not assumed"
        notes.reject("independent-unverifiable", message)
    else:
        notes.unchecked.append("verifierSignature: no --verifier-key was given")


def _check_envelope(data: bytes, bundle: dict[str, Any], pinned: Pinned, notes: _Notes) -> None:
    """The envelope: over these bytes, of these rows, signed by a key that was pinned."""
    ours = bundle["suite"]["name"] == OUR_NAME
    if pinned.envelope is None:
        if ours:
            notes.unchecked.append("the bytes of the file: its envelope is not there")
        return
    try:
        envelope = read_envelope(pinned.envelope)
    except JsonError as error:
        notes.reject("envelope-malformed", f"the envelope is malformed: {error}")
        return
    (subject,) = envelope.statement["subject"]
    if subject["digest"]["sha256"] != hashlib.sha256(data).hexdigest():
        notes.reject("envelope-subject", "the envelope is over other bytes than this file's")
    if ours:
        for message in mismatches(envelope.statement, bundle):
            notes.reject("envelope-predicate", f"the envelope disagrees: {message}")
    _check_envelope_key(envelope, bundle, pinned, notes)
    if ours and notes.enveloped and (left := envelope.statement["predicate"]["header"]["leftOut"]):
        message = f"{left} scenarios of the suite were not part of the run"
        notes.warnings.append(Finding("left-out", message))


def _check_envelope_key(
    envelope: Envelope, bundle: dict[str, Any], pinned: Pinned, notes: _Notes
) -> None:
    by_role = {bundle.get("verifierSignature", {}).get("keyId"): pinned.verifier_keys}
    by_role[bundle["signature"]["keyId"]] = pinned.keys
    if envelope.key_id not in by_role:
        message = f"the envelope is signed by {envelope.key_id}, who did not sign the bundle"
        notes.reject("envelope-signature", message)
    elif not (keys := by_role[envelope.key_id]):
        notes.unchecked.append(f"the envelope's signature: no key of {envelope.key_id} was given")
    elif any(envelope.signed_by(key) for key in keys):
        notes.enveloped = not notes.rejections
    else:
        notes.reject("envelope-signature", "the envelope's signature is of no key that was given")


def _check_trace(bundle: dict[str, Any], pinned: Pinned, notes: _Notes) -> None:
    named = {trace_of(row) for row in bundle["results"]["requirements"]} - {None}
    if pinned.trace is None:
        if named:
            message = "the rows rest on a trace that was not given: nobody looked at it here"
            notes.warnings.append(Finding("trace-not-given", message))
    elif not named:
        notes.unchecked.append("the trace: the rows name none")
    elif named != {pinned.trace}:
        notes.reject("trace-digest", "the trace is not the one that the rows rest on")


def _doubts(rows: Sequence[Judged], document: JsonValue) -> Iterator[Finding]:
    """Passing rows that nobody should take at their word."""
    for row in rows:
        if says_blocked(row):
            yield Finding("partial-witness", f"{row.id} passes, and its detail says blocked")
    if document is not None:
        for id_, why in implausible(rows, document):
            yield Finding("implausible-pass", f"{id_} passes, and {why}")


def _certified(bundle: dict[str, Any], rejections: Sequence[Finding]) -> Iterator[str]:
    """The profiles left: a rejection that names one takes that one, any other takes them all."""
    if any(finding.profile is None for finding in rejections):
        return
    taken = {finding.profile for finding in rejections}
    for profile in bundle["claimedProfiles"]:
        if profile["certified"] and profile["id"] not in taken:
            yield profile["id"]
