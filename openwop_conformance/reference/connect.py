"""How the reference host is reached: as an ASGI application, or by its connectable string."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, cast

from starlette.applications import Starlette

from ..a2ui.catalog import Branch
from ..a2ui.version import Strictness
from ..adapters.asgi import AsgiHost
from ..adapters.host import Host
from ..engine.credentials import Credentials
from ..errors import UsageError
from .app import application
from .policy import Policy
from .settings import CATALOG_VERSION, Dialect, Settings
from .v1.dialect import spoken

_ARGUMENTS: Final = ("strictness", "floor", "db", "dialect", "wrapper", "catalogs", "locks")


def build_app(settings: Settings | None = None, policy: Policy | None = None) -> Starlette:
    """The host as an ASGI application. ``app.state.host`` has its settings and its log."""
    settings = settings or Settings()
    return application(settings, policy_under(settings, policy or Policy()))


def policy_under(settings: Settings, policy: Policy) -> Policy:
    """A policy in the dialect of major 1 that some settings name."""
    return replace(policy, v1=spoken(policy.v1, settings.dialect))


def reference_subject(
    settings: Settings | None = None, policy: Policy | None = None
) -> tuple[Starlette, Settings]:
    """The application and the settings it runs with.

    The settings hold what a suite must know and must not print: ``keys`` of both tenants, and
    ``secrets``.
    """
    settings = settings or Settings()
    return build_app(settings, policy), settings


def reference_host(**args: str) -> AsgiHost:
    """The host that ``reference?strictness=…&floor=…&db=…`` names. Raises ``UsageError``.

    ``dialect=openwop-app`` and ``wrapper=1`` are about major 1, and so is ``catalogs=0.9.1,…``.
    ``locks=no`` is a host that knows nothing of locked surfaces.
    """
    app, _ = reference_subject(settings_of(args))
    return AsgiHost(app, "reference")


def settings_of(args: dict[str, str]) -> Settings:
    """Settings from a connectable string's arguments. Raises ``UsageError``."""
    unknown = sorted(args.keys() - set(_ARGUMENTS))
    if unknown:
        known = ", ".join(_ARGUMENTS)
        raise UsageError(f"reference has no argument {unknown[0]!r}; it has {known}")
    floor = args.get("floor", "2")
    if floor not in ("1", "2"):
        raise UsageError(f"floor is 1 or 2, not {floor!r}")
    wrapper = args.get("wrapper", "0")
    if wrapper not in ("0", "1"):
        raise UsageError(f"wrapper is 0 or 1, not {wrapper!r}")
    locks = args.get("locks", "yes")
    if locks not in ("yes", "no"):
        raise UsageError(f"locks is yes or no, not {locks!r}")
    return Settings(
        locked_surfaces=locks == "yes",
        strictness=cast(Strictness, args.get("strictness", "warn")),
        floor=cast(Branch, int(floor)),
        database=args.get("db", ":memory:"),
        dialect=cast(Dialect, args.get("dialect", "reference")),
        v1_wrapper=wrapper == "1",
        catalog_versions=tuple(args.get("catalogs", CATALOG_VERSION).split(",")),
    )


def credentials_of(host: Host) -> Credentials:
    """The keys of both tenants and the secret of an embedded reference host, for its judge."""
    app = host.app if isinstance(host, AsgiHost) else None
    if not isinstance(app, Starlette):
        raise UsageError("this is not an embedded reference host")
    return credentials_for(app.state.host.settings)


def credentials_for(settings: Settings) -> Credentials:
    """The keys of the first two tenants and the first secret of some settings."""
    owner, other = list(settings.keys.values())[:2]
    return Credentials(owner, other, next(iter(settings.secrets.values())))
