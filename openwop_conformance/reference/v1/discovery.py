"""What the reference host says it does in major 1: an open document, its families at the root."""

from __future__ import annotations

from typing import Final

from ...a2ui.catalog import KIND
from ...jsonvalue import JsonValue
from ...wire.kinds import UNIVERSAL_KINDS
from ..discovery import FORK_MODES, IMPLEMENTATION, VERSIONS
from ..settings import Settings
from ..workflow import WORKFLOWS

PROTOCOL_VERSION: Final = VERSIONS[0]
LISTED_KINDS: Final = (*UNIVERSAL_KINDS, KIND)
SCHEMA_VERSION: Final = 1
"""The schema version of surfaces in major 1."""


def document(settings: Settings) -> dict[str, JsonValue]:
    """The document of major 1, or with its families in the deprecated wrapper (RFC 0073)."""
    families: dict[str, JsonValue] = {
        "a2uiSurface": {"deltaTransport": True},
        "interrupts": {"supported": True, "kinds": ["approval"]},
        "replay": {"supported": True, "modes": list(FORK_MODES)},
    }
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "protocolVersions": list(VERSIONS),
        "preferredVersion": PROTOCOL_VERSION,
        "implementation": dict(IMPLEMENTATION),
        "supportedEnvelopes": list(LISTED_KINDS),
        "schemaVersions": dict.fromkeys(LISTED_KINDS, SCHEMA_VERSION),
        "envelopeStrictness": settings.strictness,
        "limits": {
            "clarificationRounds": 0,
            "schemaRounds": 0,
            "envelopesPerTurn": 0,
            "maxNodeExecutions": 1,
            "maxRequestBodyBytes": settings.max_body_bytes,
        },
        "supportedTransports": ["rest", "sse"],
        "fixtures": sorted(WORKFLOWS),
        **({"capabilities": families} if settings.v1_wrapper else families),
    }


def negotiate(asked: str | None) -> bool:
    """Whether an ``OpenWOP-Version`` (``None`` when absent) names this major as it is spoken."""
    return asked is None or asked.strip() in ("1", PROTOCOL_VERSION)
