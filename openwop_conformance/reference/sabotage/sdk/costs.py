"""Sabotages of what things cost: each does what it should, and more work than it has to.

What they do in vain they do in earnest, and count, as an honest SDK does.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Final

from ....jsonvalue import JsonValue
from ...sdk.operations import ReferenceSdk
from ...sdk.reading import ResponseReader
from ...sdk.state import RendererState
from ...sdk.stream import ResponseStream
from .model import SdkSabotage


def _copied(state: Any) -> None:
    """Copy every surface, as a rollback by copies needs it, and count the characters copied."""
    for surface in state.surfaces.values():
        state.counter.count += len(str(deepcopy(surface.components)))


def _copies_then_applies(self: Any, message: JsonValue) -> None:
    _copied(self)
    RendererState.apply_one(self, message)


def _copies_then_begins(self: Any) -> Any:
    _copied(self)
    return RendererState.transaction(self)


def _walks_surface(self: Any, state: str, messages: list[JsonValue]) -> JsonValue:
    held, applied = self._state(state), 0
    for message in messages:
        body = message.get("updateComponents", {})
        surface = held.surfaces.get(body.get("surfaceId"))
        if surface is not None:
            for component in surface.components.values():
                surface.catalog.children(component)
            held.counter.count += len(surface.components)
        applied += ReferenceSdk.apply_each(self, state, [message])["applied"]
    return {"applied": applied}


def _asks_every_binding(self: Any, message: JsonValue) -> None:
    RendererState.apply_one(self, message)
    if "updateDataModel" in message:
        for surface in self.surfaces.values():
            for component in surface.components.values():
                text = component.get("text")
                if isinstance(text, dict):
                    surface.data.get(text.get("path"))
            self.counter.count += len(surface.components)


def _replays_on_rollback(self: Any, mark: int) -> None:
    _copied(self)
    RendererState.revert(self, mark)


def _compares_pairs(self: Any, payload: JsonValue, **given: Any) -> JsonValue:
    for message in payload if isinstance(payload, list) else [payload]:
        body = message.get("updateComponents") if isinstance(message, dict) else None
        components = body.get("components", []) if isinstance(body, dict) else []
        for component in components:
            self._worked += sum(1 for other in components if other is not component)
    return ReferenceSdk.validate_payload(self, payload, **given)


class _Rereading(ResponseStream):
    """A stream that reads what it has of a block, or of a message, again with every chunk."""

    whole_block = True

    def __init__(self, *args: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self._kept, self._reread = "", 0

    @property
    def work(self) -> int:
        return super().work + self._reread

    def feed(self, chunk: str | bytes) -> list[JsonValue]:
        self._kept += chunk if isinstance(chunk, str) else chunk.decode(errors="replace")
        reader = ResponseReader(True)
        reader.feed(self._kept)
        self._reread += reader.work
        return super().feed(chunk)

    def _message_closed(self, message: dict[str, JsonValue]) -> None:
        super()._message_closed(message)
        if not self.whole_block:
            self._kept = ""


class _RereadingMessages(_Rereading):
    whole_block = False


def _processor_per_message(self: Any, message: dict[str, JsonValue]) -> None:
    _copied(self.state)
    ResponseStream._message_closed(self, message)


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-copies-per-message",
        "every surface is copied before a message is applied",
        state={"apply_one": _copies_then_applies},
    ),
    SdkSabotage(
        "sdk-copies-per-transaction",
        "every surface is copied when a transaction begins",
        state={"transaction": _copies_then_begins},
    ),
    SdkSabotage(
        "sdk-walks-surface",
        "the whole graph is walked for each updateComponents",
        sdk={"apply_each": _walks_surface},
    ),
    SdkSabotage(
        "sdk-asks-every-binding",
        "every binding is evaluated again for each updateDataModel",
        state={"apply_one": _asks_every_binding},
    ),
    SdkSabotage(
        "sdk-replays-on-rollback",
        "a rollback rebuilds the surfaces whole",
        state={"revert": _replays_on_rollback},
    ),
    SdkSabotage(
        "sdk-payload-compares-pairs",
        "each component of a payload is compared with every other",
        sdk={"validate_payload": _compares_pairs},
    ),
    SdkSabotage(
        "sdk-rescans-block",
        "all that came of a response is read again with every chunk",
        sdk={"make_stream": _Rereading},
    ),
    SdkSabotage(
        "sdk-rescans-message",
        "the open message is read again with every chunk",
        sdk={"make_stream": _RereadingMessages},
    ),
    SdkSabotage(
        "sdk-processor-per-message",
        "a processor with copies of all surfaces is built for each message of a stream",
        stream={"_message_closed": _processor_per_message},
    ),
)
