"""The AI envelope around a surface's payload: its closed shape, and how one is built."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

from ..a2ui.catalog import BASIC_CATALOG, KIND, MESSAGE_KINDS
from ..a2ui.lock import LOCK
from ..errors import Violation
from ..jsonvalue import JsonValue
from ..schemas import problems, validator

ContentTrust = Literal["trusted", "untrusted"]
Source = Literal["ai-generation", "user", "system"]


def check_envelope(envelope: JsonValue) -> None:
    """Refuse what is not a closed envelope. Rule ``envelope``, code ``validation_error``."""
    for problem in problems(validator("ai-envelope"), envelope):
        raise Violation("envelope", problem.message, path=problem.path, code="validation_error")


def surface_payload(
    surface_id: str, messages: list[JsonValue], *, catalog_id: str = BASIC_CATALOG
) -> JsonValue:
    """A version 2 payload of messages given in short.

    Each message needs only its body, as ``{"deleteSurface": {}}``: ``version`` and ``surfaceId``
    are filled in where they are absent, ``createSurface`` also gets ``catalogId``. A value that is
    there stays as it is, and so does what is no message at all.
    """
    return {
        "version": "v0.9",
        "catalogId": catalog_id,
        "surfaceId": surface_id,
        "messages": [completed(message, surface_id, catalog_id) for message in messages],
    }


def completed(message: JsonValue, surface_id: str, catalog_id: str = BASIC_CATALOG) -> JsonValue:
    """One message in full."""
    if not isinstance(message, dict):
        return message
    full = {"version": "v0.9", **message}
    for kind in (*MESSAGE_KINDS, LOCK):
        if isinstance(full.get(kind), dict):
            defaults = {"surfaceId": surface_id}
            if kind == "createSurface":
                defaults["catalogId"] = catalog_id
            full[kind] = {**defaults, **full[kind]}
    return full


def renamed(message: JsonValue, name: Callable[[str], str]) -> JsonValue:
    """A message whose surface, where it names one, is called as ``name`` says of it."""
    if not isinstance(message, dict):
        return message
    full = dict(message)
    for kind in (*MESSAGE_KINDS, LOCK):
        body = full.get(kind)
        if isinstance(body, dict) and isinstance(body.get("surfaceId"), str):
            full[kind] = {**body, "surfaceId": name(body["surfaceId"])}
    return full


def envelope(
    payload: JsonValue,
    *,
    envelope_id: str,
    correlation_id: str,
    kind: str = KIND,
    schema_version: int | None = 2,
    node_id: str | None = None,
    trust: ContentTrust | None = None,
    source: Source = "ai-generation",
    sent_at: datetime | None = None,
) -> dict[str, JsonValue]:
    """An envelope; what is ``None`` is left out. ``sent_at`` is now unless given."""
    when = (sent_at or datetime.now(UTC)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    meta: dict[str, JsonValue] = {"source": source, "ts": when}
    if trust is not None:
        meta["contentTrust"] = trust
    full: dict[str, JsonValue] = {"type": kind}
    if schema_version is not None:
        full["schemaVersion"] = schema_version
    full |= {"envelopeId": envelope_id, "correlationId": correlation_id}
    if node_id is not None:
        full["nodeId"] = node_id
    return full | {"payload": payload, "meta": meta}
