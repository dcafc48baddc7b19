"""The reference consumer as a subject: a method for each call of ``schemas/consumer-line``.

Methods return the call's result, and raise ``CallError`` for a consumer that was not opened.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ...a2ui.lock import FLAGS
from ...errors import CallError
from ...jsonvalue import JsonValue
from .client import Client

OPERATIONS: Final = (
    "hello",
    "open",
    "deliver",
    "frame",
    "rendered",
    "set",
    "fire",
    "submitted",
    "violations",
    "close",
)
FEATURES: Final = ("major-1", "deltas", "accessibility", "dates")
"""Not ``network``, nor the call ``attempts``: there is nothing here that could reach anything."""


class ReferenceConsumer:
    """Clients by their handles. What they do is in the modules beside this one."""

    make_client: Callable[[], Client] = Client

    def __init__(self) -> None:
        self._clients: dict[str, Client] = {}

    def hello(self, protocol: int) -> JsonValue:
        """What this is."""
        return {
            "name": "openwop-conformance reference consumer",
            "version": "1",
            "operations": list(OPERATIONS),
            "features": list(FEATURES),
            "capabilities": dict.fromkeys(FLAGS, True),
        }

    def open(self, consumer: str) -> JsonValue:
        """A client that has received nothing yet."""
        self._clients[consumer] = self.make_client()
        return {}

    def deliver(self, consumer: str, envelope: JsonValue) -> JsonValue:
        """An envelope arrives."""
        self._client(consumer).deliver(envelope)
        return {}

    def frame(
        self, consumer: str, frame: JsonValue, sequence: int | None = None, run: str | None = None
    ) -> JsonValue:
        """A delta frame arrives."""
        self._client(consumer).frame(frame, sequence, run)
        return {}

    def rendered(self, consumer: str) -> JsonValue:
        """What a person has before them. There is no picture."""
        return {"surfaces": self._client(consumer).rendered()}

    def set(self, consumer: str, surface: str, role: str, name: str, value: JsonValue) -> JsonValue:
        """A person sets a field."""
        return {"done": self._client(consumer).set(surface, role, name, value)}

    def fire(self, consumer: str, surface: str, name: str) -> JsonValue:
        """A person presses a button."""
        return {"done": self._client(consumer).fire(surface, name)}

    def submitted(self, consumer: str) -> JsonValue:
        """What has left the client by a person's actions."""
        return {"submissions": list(self._client(consumer).submissions)}

    def violations(self, consumer: str) -> JsonValue:
        """What the locks of surfaces have refused."""
        return {"violations": self._client(consumer).violations()}

    def close(self, consumer: str) -> JsonValue:
        """The client goes away."""
        self._client(consumer)
        del self._clients[consumer]
        return {}

    def _client(self, name: str) -> Client:
        if name not in self._clients:
            raise CallError("state", f"there is no consumer {name!r}")
        return self._clients[name]
