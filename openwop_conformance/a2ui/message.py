"""One A2UI v0.9 message, and the two rules that bind the messages of a payload together."""

from __future__ import annotations

from collections.abc import Iterator

from ..errors import Violation
from ..jsonvalue import JsonValue
from .catalog import MESSAGE_KINDS


def kind_of(message: JsonValue) -> str:
    """Which of the four messages this is. Raises ``Violation`` (``message``) when it is none."""
    if isinstance(message, dict):
        kinds = [kind for kind in MESSAGE_KINDS if kind in message]
        if len(kinds) == 1 and isinstance(message[kinds[0]], dict):
            return kinds[0]
    raise Violation(
        "message", f"a message is an object with exactly one of {', '.join(MESSAGE_KINDS)}"
    )


def bodies(payload: JsonValue) -> Iterator[tuple[int, str, dict[str, JsonValue]]]:
    """Each message of a version 2 payload: its index, its kind, its body."""
    for index, message in enumerate(payload["messages"]):
        kind = kind_of(message)
        yield index, kind, message[kind]


def check_surface_ids(payload: JsonValue) -> None:
    """Every message names the payload's surface (RFC 0209 §A.2). Rule ``surface-id-equality``."""
    for index, kind, body in bodies(payload):
        if body.get("surfaceId") != payload["surfaceId"]:
            raise Violation(
                "surface-id-equality",
                f"{kind} names another surface than the payload",
                path=f"/messages/{index}/{kind}/surfaceId",
            )


def check_catalog_ids(payload: JsonValue) -> None:
    """createSurface names the payload's catalog (RFC 0209 §A.2). Rule ``catalog-equality``."""
    for index, kind, body in bodies(payload):
        if kind == "createSurface" and body.get("catalogId") != payload["catalogId"]:
            raise Violation(
                "catalog-equality",
                "createSurface names another catalog than the payload",
                path=f"/messages/{index}/{kind}/catalogId",
            )
