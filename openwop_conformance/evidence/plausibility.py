"""What a bundle's discovery document makes of its rows: profiles, opt-outs, implausible passes.

A row here is ``(id, scenario, result, detail)`` whatever version the bundle has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from ..a2ui.catalog import KIND
from ..jsonvalue import JsonValue
from ..wire import discovery, discovery_v1

CORE_FAMILIES: Final = ("interrupt", "replay", "webhooks", "idempotency", "eventLog")
"""The families on which ``openwop-core-standard`` stands."""

_FAMILY: Final = re.compile(r"openwop\.family\.([A-Za-z0-9]+)(\..*)?")
_PROFILE: Final = re.compile(r"openwop\.profile\.([a-z0-9-]+)(\..*)?")
_THEIR_SURFACES: Final = re.compile(r"a2ui|\.0209\.|\.0114\.", re.IGNORECASE)
_OUR_SURFACES: Final = re.compile(
    r"openwop-conformance\.host\.v[0-9]+\."
    r"(below-floor|concurrent-create|delta|fold|fork-f|profile|re-emission|recorded|streamed|"
    r"surface|taint|untrusted|version)"
)
_BLOCKED_INSIDE: Final = re.compile(r"partial-witness: blocked|\[blocked\]")


class Judged(NamedTuple):
    """One row of a bundle of any version."""

    id: str
    scenario: str
    result: str
    detail: str = ""


def derivable(profile: str, document: dict[str, JsonValue]) -> bool:
    """Whether a profile of major 2 follows from a discovery document (spec/v2/overview.md)."""
    if profile == "openwop-discovery-core":
        versions = document.get("protocolVersions")
        return isinstance(versions, list) and document.get("preferredVersion") in versions
    if profile == "openwop-core-standard":
        return all(isinstance(document.get(family), dict) for family in CORE_FAMILIES)
    if profile == discovery.SEAMS_PROFILE:
        return discovery.claims_of(document).seams
    return False


def advertises_surfaces(document: JsonValue) -> bool:
    """Whether a document of either major lists ``ui.a2ui-surface``."""
    found = discovery.claims_of(document).kinds | discovery_v1.claims_of(document).kinds
    return KIND in found


def about_surfaces(row: Judged) -> bool:
    """Whether a row is about surfaces, and cannot be witnessed without them."""
    theirs = _THEIR_SURFACES.search(row.id) or _THEIR_SURFACES.search(row.scenario)
    return bool(theirs or _OUR_SURFACES.match(row.id))


def implausible(rows: Sequence[Judged], document: JsonValue) -> Iterator[tuple[str, str]]:
    """The passing rows that nothing advertised could have been exercised for, each with why."""
    surfaces = advertises_surfaces(document)
    families = document if isinstance(document, dict) else {}
    of_major_1 = "protocolVersion" in families
    for row in rows:
        if row.result != "executed-pass":
            continue
        family = _FAMILY.fullmatch(row.id)
        if about_surfaces(row):
            if not surfaces:
                yield row.id, f"the discovery document lists no {KIND}"
        elif family and not of_major_1 and family[1] not in families:
            yield row.id, f"the discovery document has no family {family[1]}"


def opted_out_but_advertised(
    rows: Sequence[Judged], document: dict[str, JsonValue]
) -> Iterator[str]:
    """The skipped rows by which the operator opts out of what the document advertises.

    What a row opts out of is read from its id: a family, a profile, or surfaces.
    """
    surfaces = advertises_surfaces(document)
    for row in rows:
        if row.result != "skipped":
            continue
        family, profile = _FAMILY.fullmatch(row.id), _PROFILE.fullmatch(row.id)
        if (
            (_THEIR_SURFACES.search(row.id) and surfaces)
            or (family and family[1] in document)
            or (profile and derivable(profile[1], document))
        ):
            yield row.id


def says_blocked(row: Judged) -> bool:
    """Whether a row passes and its own detail says that a part of it was blocked."""
    return row.result == "executed-pass" and bool(_BLOCKED_INSIDE.search(row.detail))


def other_builds(document: JsonValue, build: JsonValue) -> Iterator[tuple[str, str]]:
    """The extensions of a discovery document that name another build than the bundle does."""
    extensions = document.get("extensions") if isinstance(document, dict) else None
    for name, record in (extensions if isinstance(extensions, dict) else {}).items():
        named = record.get("build") if isinstance(record, dict) else None
        if isinstance(named, dict) and named != build:
            yield name, f"{named.get('kind')} {named.get('id')}"
