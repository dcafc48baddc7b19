"""Envelope kinds of major 2: which names there may be, and whose they are."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final

from ..errors import Violation

UNIVERSAL_KINDS: Final = ("clarification.request", "schema.request", "schema.response", "error")
"""The kinds that every consumer recognizes; they stand under no organization."""
CONTENT_FAMILIES: Final = ("ui", "media")
"""The core content-primitive families, which are no organizations either."""

_WORD: Final = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
_NAMESPACED: Final = re.compile(rf"({_WORD})(?:\.{_WORD})+", re.ASCII)


def check_kind(kind: str, registered: Container[str] = ()) -> None:
    """Refuse a kind that stands under no registered organization (spec/v2 events.md E3).

    The universal kinds and the families ``ui.`` and ``media.`` are excepted (RFC 0209 §D.14).
    Raises ``Violation`` with rule ``kind``.
    """
    if kind in UNIVERSAL_KINDS:
        return
    named = _NAMESPACED.fullmatch(kind)
    if named is None:
        raise Violation("kind", f"{kind!r} is no namespaced kind", code="unknown_envelope_kind")
    if named[1] not in CONTENT_FAMILIES and named[1] not in registered:
        raise Violation(
            "kind", f"{named[1]!r} is no registered organization", code="unknown_envelope_kind"
        )
