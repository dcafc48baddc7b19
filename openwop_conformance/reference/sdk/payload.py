"""One payload judged on its own: what it makes in full, what it only updates as far as seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...errors import CallError
from ...jsonvalue import JsonValue
from . import early
from .state import RendererState
from .surface import Catalog


def validate_payload(
    catalogs: Sequence[Catalog],
    payload: JsonValue,
    *,
    version: str = "v0.9",
    surface_catalogs: Mapping[str, str] | None = None,
) -> None:
    """Raise ``CallError`` for the first fault of one message or a list of messages.

    A surface that the payload makes is checked in full after all messages. One that it only
    updates is assumed to exist, with the catalog that ``surface_catalogs`` names for it, else the
    first: its root and what it refers to may have come before.
    """
    judge(RendererState(catalogs, version), messages_of(payload), surface_catalogs or {})


def messages_of(payload: JsonValue) -> list[JsonValue]:
    """The messages of a payload: one, or a list of them; ``validation`` when it is neither."""
    messages = [payload] if isinstance(payload, dict) else payload
    if not isinstance(messages, list):
        raise CallError("validation", "a payload is one message or a list of messages")
    return messages


def judge(
    state: RendererState, messages: Sequence[JsonValue], surface_catalogs: Mapping[str, str]
) -> None:
    """Apply messages to a fresh state and check what is then whole."""
    default = state.catalogs[0].catalog_id
    known = _begun(state, messages) if state.version == early.VERSION else set()
    for message in messages:
        surface_id = state.surface_of(message)
        if surface_id is not None and surface_id not in known:
            known.add(surface_id)
            if "createSurface" not in message:
                state.assume(surface_id, surface_catalogs.get(surface_id, default))
        state.apply_one(message)
    state.check_finished()
    state.check_topology(state.surfaces)


def _begun(state: RendererState, messages: Sequence[JsonValue]) -> set[str]:
    """The surfaces that a v0.8 payload begins, wherever in it."""
    ids = (state.surface_of(m) for m in messages if isinstance(m, dict) and "beginRendering" in m)
    return {surface_id for surface_id in ids if surface_id is not None}
