"""What an operator decides about the reference host; how the host behaves is ``policy``'s.

Keys and secrets never appear in a ``repr``.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from ..a2ui.catalog import Branch
from ..a2ui.version import Strictness
from ..errors import UsageError

TENANTS: Final = ("acme", "globex")
"""The two tenants of a host that was given no keys."""
SECRET_ID: Final = "conformance-secret"  # noqa: S105 - the name of one
"""The id of the one secret of a host that was given none."""
MIN_SECRET: Final = 8
"""The shortest secret, in characters: a shorter one would be found in innocent text."""

Dialect = Literal["reference", "openwop-app"]
CATALOG_VERSION: Final = "0.9.1"

_TENANT: Final = re.compile(r"[A-Za-z0-9._-]{1,128}", re.ASCII)
_KEY: Final = re.compile("[!-~]+")
_SECRET_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)


def _fresh_keys() -> dict[str, str]:
    return {tenant: "ow2k_" + secrets.token_urlsafe(24) for tenant in TENANTS}


def _fresh_secrets() -> dict[str, str]:
    return {SECRET_ID: "canary-" + secrets.token_urlsafe(18)}


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one host. Raises ``UsageError`` when they make no sense.

    ``keys`` maps each tenant to its bearer key and ``secrets`` a secret's id to its value; both
    are made up when they are not given.
    """

    strictness: Strictness = "warn"
    floor: Branch = 2
    keys: Mapping[str, str] = field(default_factory=_fresh_keys, repr=False)
    secrets: Mapping[str, str] = field(default_factory=_fresh_secrets, repr=False)
    database: str = ":memory:"
    """A file, or ``:memory:`` for a log that ends with the host."""
    max_body_bytes: int = 4 * 1024 * 1024
    keep_alive_seconds: float = 15.0
    """The longest silence on an open stream."""
    dialect: Dialect = "reference"
    """How major 1 is spoken: by the book, or as the host that was recorded speaks it."""
    v1_wrapper: bool = False
    """Whether major 1 claims what it can do in the deprecated ``capabilities`` object."""
    locked_surfaces: bool = True
    """Whether surfaces can be locked (experimental), and whether that is advertised."""
    catalog_versions: tuple[str, ...] = (CATALOG_VERSION,)
    """The catalogs of version 1 that the host pins; they hold the same components."""

    def __post_init__(self) -> None:
        if self.strictness not in ("warn", "strict"):
            raise UsageError(f"strictness is 'warn' or 'strict', not {self.strictness!r}")
        if self.floor not in (1, 2):
            raise UsageError(f"floor is 1 or 2, not {self.floor!r}")
        if self.dialect not in ("reference", "openwop-app"):
            raise UsageError(f"dialect is 'reference' or 'openwop-app', not {self.dialect!r}")
        if CATALOG_VERSION not in self.catalog_versions or "" in self.catalog_versions:
            raise UsageError(f"catalog_versions names at least {CATALOG_VERSION}")
        if not self.keys or not all(_TENANT.fullmatch(tenant) for tenant in self.keys):
            raise UsageError("keys maps at least one tenant, of [A-Za-z0-9._-], to its bearer key")
        if len(set(self.keys.values())) != len(self.keys):
            raise UsageError("two tenants have the same bearer key")
        if not all(_KEY.fullmatch(key) for key in self.keys.values()):
            raise UsageError("a bearer key is printable ASCII without spaces, and not empty")
        if not all(_SECRET_ID.fullmatch(name) for name in self.secrets):
            raise UsageError("a secret's id is of [A-Za-z0-9._-], at most 64 characters")
        if any(len(value) < MIN_SECRET for value in self.secrets.values()):
            raise UsageError(f"a secret has at least {MIN_SECRET} characters")
        if len(set(self.secrets.values())) != len(self.secrets):
            raise UsageError("two secrets have the same value")
        if self.max_body_bytes < 1 or not 0 < self.keep_alive_seconds <= 30:
            raise UsageError("max_body_bytes is positive, keep_alive_seconds over 0 and at most 30")
