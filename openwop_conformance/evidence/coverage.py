"""Which members of a bundle v3 no signature covers, by name.

The attestation covers four values, and through their digests the rows and the discovery document;
the envelope covers the bytes of the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

EVERYTHING: Final = "everything"
_COVERED: Final = (
    "suite.version",
    "host.build",
    "discovery.sha256",
    "discovery.document",
    "signature.sig",
    "verifierSignature.sig",
)
_OPENED: Final = ("suite", "host", "discovery", "results", "signature", "verifierSignature")
"""The members of the root whose own members are told apart."""


def uncovered(bundle: dict[str, Any], signed: bool, enveloped: bool) -> Iterator[str]:
    """The members that are not covered, given which signatures were checked under a pinned key."""
    if enveloped:
        return
    if not signed:
        yield EVERYTHING
        return
    for name, value in bundle.items():
        if name in _OPENED:
            yield from (
                _named(name, member) for member in value if not _covered(name, member, value)
            )
        elif name != "witnessSha256":
            yield name


def _covered(name: str, member: str, value: dict[str, Any]) -> bool:
    if name == "host" and member in ("relaxations", "deployment"):
        return bool(value[member])  # they enter the digest when there is anything in them
    return f"{name}.{member}" in _COVERED


def _named(name: str, member: str) -> str:
    if (name, member) == ("results", "requirements"):
        return "the order of results.requirements"
    return f"{name}.{member}"
