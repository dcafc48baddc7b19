"""Tenant-bound ids: ``<tenant>/<opaque>`` in bodies, one projected segment in paths.

Every UTF-8 byte outside ``[A-Za-z0-9._-]`` becomes ``~`` and two upper-case hex digits; a host also
takes the percent-encoded form.
"""

from __future__ import annotations

import re
from typing import Final

_KEPT: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
_ESCAPE: Final = re.compile(rb"[~%]([0-9A-Fa-f]{2})")


def project(bound: str) -> str:
    """An id as the one path segment it travels in."""
    return "".join(chr(b) if b in _KEPT else f"~{b:02X}" for b in bound.encode())


def unproject(segment: str) -> str:
    """The id in a path segment, projected or percent-encoded. Raises ``UnicodeDecodeError``."""
    return _ESCAPE.sub(lambda m: bytes([int(m[1], 16)]), segment.encode()).decode()


def tenant_of(bound: str) -> str | None:
    """The tenant an id is bound to, or ``None`` for an id without one."""
    tenant, slash, _ = bound.partition("/")
    return tenant if slash else None
