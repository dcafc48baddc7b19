"""How the reference host is reached: as an ASGI application, or by its connectable string."""

from __future__ import annotations

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
from .settings import Settings

_ARGUMENTS: Final = ("strictness", "floor", "db")


def build_app(settings: Settings | None = None, policy: Policy | None = None) -> Starlette:
    """The host as an ASGI application. ``app.state.host`` has its settings and its log."""
    return application(settings or Settings(), policy or Policy())


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
    """The host that ``reference?strictness=…&floor=…&db=…`` names. Raises ``UsageError``."""
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
    return Settings(
        strictness=cast(Strictness, args.get("strictness", "warn")),
        floor=cast(Branch, int(floor)),
        database=args.get("db", ":memory:"),
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
