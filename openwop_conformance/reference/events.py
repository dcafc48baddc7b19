"""The entries of a run's log: what one looks like, and what its type says about the run."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from secrets import token_hex
from types import MappingProxyType
from typing import Final, Literal

from ..jsonvalue import JsonValue

Event = dict[str, JsonValue]
Major = Literal[1, 2]

SURFACE_RECORDED: Final = "example.a2ui-surface-recorded"
"""Major 2 registers no type for an admitted envelope; ``example`` is the org kept for this use."""
TERMINAL: Final = MappingProxyType(
    {"run.completed": "completed", "run.failed": "failed", "run.cancelled": "cancelled"}
)
"""The types that end a run, and the status they leave it in."""
EVENT_LOG_SCHEMA: Final = 3
"""The era of the logs that this host writes."""
ENGINE_VERSION: Final = 1

_EVENT_ID: Final = re.compile(r"[A-Za-z0-9._~-]{16,128}", re.ASCII)
_NODE_ID: Final = re.compile(r"[A-Za-z0-9._~:-]{1,128}", re.ASCII)


def now() -> str:
    """The time as events carry it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def new_id() -> str:
    """A fresh opaque id: 32 characters, within every grammar of a host-minted id."""
    return token_hex(16)


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that has no place in a log yet."""

    type: str
    payload: JsonValue
    node_id: str | None = None
    causation_id: str | None = None
    event_id: str = field(default_factory=new_id)

    def at(self, run_id: str, sequence: int, *, major: Major = 2) -> Event:
        """The event in its place. A node or a cause outside its grammar is left out.

        Major 1 gives it no versions, which are optional there.
        """
        event: Event = {"eventId": self.event_id, "runId": run_id}
        if self.node_id is not None and _NODE_ID.fullmatch(self.node_id):
            event["nodeId"] = self.node_id
        event |= {
            "type": self.type,
            "payload": self.payload,
            "timestamp": now(),
            "sequence": sequence,
        }
        if major == 2:
            event |= {"schemaVersion": 1, "engineVersion": ENGINE_VERSION}
        if self.causation_id is not None and _EVENT_ID.fullmatch(self.causation_id):
            event["causationId"] = self.causation_id
        return event


def inherited(events: Iterable[Event], run_id: str) -> list[Event]:
    """Events of one run as the first ones of another: new ids and times, nothing else changed."""
    new_ids: dict[str, str] = {}
    copies: list[Event] = []
    for event in events:
        new_ids[event["eventId"]] = new_id()
        copy = event | {
            "eventId": new_ids[event["eventId"]],
            "runId": run_id,
            "timestamp": now(),
        }
        if "causationId" in event:
            copy["causationId"] = new_ids.get(event["causationId"], event["causationId"])
        copies.append(copy)
    return copies
