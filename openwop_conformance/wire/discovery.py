"""A host's discovery document of major 2: what it claims, and whether the claims hold together."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from ..a2ui.catalog import KIND
from ..a2ui.lock import FLAGS, PROFILE
from ..a2ui.version import Strictness
from ..jsonvalue import JsonValue, integer
from ..schemas import problems, validator

PATH: Final = "/.well-known/openwop"
SEAMS_PROFILE: Final = "openwop-conformance-seams-v2"
METADATA: Final = frozenset(
    {
        "protocolVersions",
        "preferredVersion",
        "minClientVersion",
        "implementation",
        "engineVersion",
        "eventLogSchemaVersion",
        "signingKeys",
        "fixtures",
        "testing",
        "conformance",
        "extensions",
    }
)
"""The root keys that are not capability families."""

_DEPRECATED_FACET: Final = re.compile(r"[a-z][a-z0-9-]*\.(a2ui-surface|a2uiSurface)")


@dataclass(frozen=True, slots=True)
class Claims:
    """What a host of major 2 says it does, as far as surfaces are concerned."""

    kinds: frozenset[str] = frozenset()
    """The envelope kinds it lists beside the universal ones."""
    floor: int = 0
    """The schema version it advertises for ``ui.a2ui-surface``; 0 is none."""
    strictness: Strictness = "warn"
    seams: bool = False
    fixtures: frozenset[str] = frozenset()
    fork_modes: frozenset[str] = frozenset()
    locks: bool = False
    """Whether it advertises locked surfaces (experimental)."""


def claims_of(document: JsonValue) -> Claims:
    """Read the claims out of a document, taking what is not there or malformed as not claimed."""
    if not isinstance(document, dict):
        return Claims()
    kinds = _at(document, "supportedEnvelopes", "kinds")
    floors = _at(document, "schemaVersions", "kinds")
    floor = integer(floors.get(KIND)) if isinstance(floors, dict) else None
    return Claims(
        kinds=_names(kinds),
        floor=floor or 0,
        strictness="strict" if _at(document, "envelopeStrictness", "mode") == "strict" else "warn",
        seams=_at(document, "conformance", "seamsProfile") == SEAMS_PROFILE,
        fixtures=_names(document.get("fixtures")),
        fork_modes=_names(_at(document, "replay", "modes")),
        locks=_claims_locks(_at(document, "extensions")),
    )


def _claims_locks(extensions: JsonValue) -> bool:
    """Whether an organization's extension of the profile's name has both of its flags."""
    return isinstance(extensions, dict) and any(
        name.partition(".")[2] == PROFILE and all(_at(record, flag) is True for flag in FLAGS)
        for name, record in extensions.items()
    )


def incoherences(document: JsonValue) -> list[str]:
    """What in a document contradicts the protocol or itself; empty when nothing does."""
    found = [f"{p.path or '/'}: {p.message}" for p in problems(validator("discovery"), document)]
    if found:
        return found
    for name in document.keys() - METADATA:
        record = document[name]
        if not isinstance(record, dict):
            found.append(f"/{name}: a capability family is a record")
            continue
        found += [
            f"/{name}{p.path}: {p.message}"
            for p in problems(validator("discovery", "family"), record)
        ]
        if "supported" in record:
            found.append(f"/{name}: has a 'supported' flag; a record's presence is the claim")
    claims = claims_of(document)
    if claims.floor and KIND not in claims.kinds:
        found.append(f"/schemaVersions has a floor for {KIND}, which /supportedEnvelopes omits")
    if claims.seams and KIND in claims.kinds and not claims.floor:
        found.append(f"/supportedEnvelopes lists {KIND} without a floor in /schemaVersions")
    if _at(document, "conformance", "testSeams") is not None or "testSeams" in document:
        found.append("a testSeams flag: the seams profile is the only advertisement")
    for name in _at(document, "extensions") or {}:
        if _DEPRECATED_FACET.fullmatch(name) and _at(
            document, "extensions", name, "deltaTransport"
        ):
            found.append(f"/extensions/{name}: deltaTransport is deprecated in major 2")
    return sorted(found)


def _at(document: JsonValue, *members: str) -> JsonValue:
    for member in members:
        document = document.get(member) if isinstance(document, dict) else None
    return document


def _names(value: JsonValue) -> frozenset[str]:
    return (
        frozenset(v for v in value if isinstance(v, str))
        if isinstance(value, list)
        else frozenset()
    )
