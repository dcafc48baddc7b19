"""A host's discovery document of major 1: what it claims about surfaces."""

from __future__ import annotations

from dataclasses import dataclass

from ..a2ui.catalog import KIND
from ..jsonvalue import JsonValue, integer


@dataclass(frozen=True, slots=True)
class ClaimsV1:
    """What a host of major 1 says it does, as far as surfaces are concerned."""

    kinds: frozenset[str] = frozenset()
    version: int = 0
    """The schema version it advertises for ``ui.a2ui-surface``; 0 is none."""
    delta: bool = False
    """Whether it says that it sends deltas to who asks for them (RFC 0114)."""
    fixtures: frozenset[str] = frozenset()


def claims_of(document: JsonValue) -> ClaimsV1:
    """Read the claims, at the root or in the deprecated ``capabilities`` wrapper (RFC 0073)."""
    kinds = _seat(document, "supportedEnvelopes")
    versions = _seat(document, "schemaVersions")
    version = integer(versions.get(KIND)) if isinstance(versions, dict) else None
    delta = _seat(document, "a2uiSurface")
    return ClaimsV1(
        kinds=_names(kinds),
        version=version or 0,
        delta=isinstance(delta, dict) and delta.get("deltaTransport") is True,
        fixtures=_names(_seat(document, "fixtures")),
    )


def speaks_major_1(document: JsonValue) -> bool:
    """Whether a document is a host's of major 1, or lists a version of it."""
    if not isinstance(document, dict):
        return False
    listed = document.get("protocolVersions")
    named = [document.get("protocolVersion"), *(listed if isinstance(listed, list) else ())]
    return any(isinstance(version, str) and version.startswith("1.") for version in named)


def incoherences(document: JsonValue) -> list[str]:
    """What in the claims about surfaces contradicts RFC 0114; empty when nothing does."""
    found: list[str] = []
    for place in ("", "/capabilities"):
        seat = document.get("capabilities") if place else document
        record = seat.get("a2uiSurface") if isinstance(seat, dict) else None
        if record is None:
            continue
        if not isinstance(record, dict):
            found.append(f"{place}/a2uiSurface is no record")
            continue
        strange = sorted(record.keys() - {"deltaTransport"})
        if strange:
            found.append(f"{place}/a2uiSurface has a member {strange[0]!r}")
        if not isinstance(record.get("deltaTransport", False), bool):
            found.append(f"{place}/a2uiSurface/deltaTransport is no boolean")
    claims = claims_of(document)
    if claims.delta and KIND not in claims.kinds:
        found.append(f"deltas of {KIND} are claimed, and supportedEnvelopes omits the kind")
    return found


def _seat(document: JsonValue, name: str) -> JsonValue:
    """A family's value: at the root, else in the wrapper."""
    if not isinstance(document, dict):
        return None
    wrapper = document.get("capabilities")
    if name not in document and isinstance(wrapper, dict):
        return wrapper.get(name)
    return document.get(name)


def _names(value: JsonValue) -> frozenset[str]:
    items = value if isinstance(value, list) else []
    return frozenset(item for item in items if isinstance(item, str))
