"""What the reference host says it does: its document of major 2, and nothing it does not do."""

from __future__ import annotations

import hashlib
from types import MappingProxyType
from typing import Final

from ..a2ui.catalog import KIND
from ..a2ui.lock import FLAGS, PROFILE
from ..jsonvalue import JsonValue, canonical
from ..wire.discovery import SEAMS_PROFILE
from .events import ENGINE_VERSION, EVENT_LOG_SCHEMA
from .rules import LISTED_KINDS
from .settings import Settings
from .workflow import WORKFLOWS

PROTOCOL_VERSION: Final = "2.0"
VERSIONS: Final = ("1.1", PROTOCOL_VERSION)
"""What the host speaks; the first is the one it prefers, and must, while it speaks a 1.x."""
IMPLEMENTATION: Final = MappingProxyType(
    {"name": "openwop-conformance-reference", "version": "0.1.0"}
)
LOCKED_SURFACES: Final = f"example.{PROFILE}"
"""The extension that says that surfaces can be locked."""
FORK_MODES: Final = ("replay", "branch")


def document(settings: Settings) -> dict[str, JsonValue]:
    """The discovery document for these settings."""
    replay: dict[str, JsonValue] = {
        "modes": list(FORK_MODES),
        "effectSeamsManifest": "/host/effect-seams",
    }
    if settings.database != ":memory:":  # nothing is ever deleted from a file
        replay["retention"] = {"days": 30}
    extensions = {LOCKED_SURFACES: _lock_claims()} if settings.locked_surfaces else {}
    return {
        "protocolVersions": list(VERSIONS),
        "preferredVersion": VERSIONS[0],
        "implementation": dict(IMPLEMENTATION),
        "engineVersion": ENGINE_VERSION,
        "eventLogSchemaVersion": EVENT_LOG_SCHEMA,
        "fixtures": sorted(WORKFLOWS),
        "conformance": {"seamsProfile": SEAMS_PROFILE},
        "supportedEnvelopes": _stable("witnessable-gated", kinds=list(LISTED_KINDS)),
        "schemaVersions": _stable("witnessable-gated", kinds={KIND: settings.floor}),
        "envelopeStrictness": _experimental("claims-check", mode=settings.strictness),
        "replay": _experimental("witnessable-gated", **replay),
        "interrupt": _experimental("witnessable-gated", tokenAlgs=["hs256"]),
        "eventLog": _experimental(
            "claims-check", crossEngineOrdering={"orderingModel": "global-sequencer"}
        ),
        "idempotency": _experimental("witnessable-gated", crossRegion="single-region"),
        "limits": _stable(
            "witnessable-gated",
            clarificationRounds=0,
            schemaRounds=0,
            envelopesPerTurn=0,
            maxNodeExecutions=1,
            maxRequestBodyBytes=settings.max_body_bytes,
        ),
        **({"extensions": extensions} if extensions else {}),
    }


def _lock_claims() -> dict[str, JsonValue]:
    return _experimental("witnessable-gated", **dict.fromkeys(FLAGS, True))


def etag_of(found: JsonValue) -> str:
    """The strong entity tag of a document: from its RFC 8785 bytes, so equal values share it."""
    return f'"{hashlib.sha256(canonical(found)).hexdigest()[:32]}"'


def negotiate(asked: str | None) -> bool:
    """Whether an ``OpenWOP-Version`` (``None`` when absent) names a version this host lists."""
    return asked is None or asked.strip() in ("2", PROTOCOL_VERSION)


def _stable(witness: str, **facets: JsonValue) -> dict[str, JsonValue]:
    return {"status": "stable", "since": "2.0", "witness": witness, **facets}


def _experimental(witness: str, **facets: JsonValue) -> dict[str, JsonValue]:
    return {
        "status": "experimental",
        "since": "2.0",
        "until": "2.1",
        "witness": witness,
        **facets,
    }
