"""Following a run of major 1: one subscriber, and the surface that it can show after each update.

What it is sent is taken as leniently as can be, so that each rule of the transport is judged by the
row that is about it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from ..a2ui.delta import Base, apply_frame
from ..errors import Violation
from ..jsonvalue import JsonValue, compact, integer
from ..scenario.major_one_verbs import Follow
from ..wire.sse import SseEvent
from ..wire.surfaces_v1 import base_of, frames_in, members, surfaces_in
from .listening import Listener, data_of
from .verdict import Blocked, Exchange
from .witness import RunView, Witness

MOST_UPDATES: Final = 10_000
_QUIET: Final = 0.04
"""Seconds of silence after which a subscription counts as made."""
_PAUSE: Final = 0.03
"""Seconds between two reads of a slow subscriber."""


@dataclass(frozen=True, slots=True)
class Update:
    """One thing that changed what a subscriber shows."""

    payload: JsonValue
    """What it shows then; ``None`` where a frame could not be applied at all."""
    sequence: int | None
    size: int
    """Bytes of what was sent, as compact JSON."""
    frame: JsonValue = None
    """The delta frame, or ``None`` for a full surface."""
    before: JsonValue = None
    """For a frame: the surface last delivered under its reference, or ``None`` for none."""
    event: JsonValue = None
    """For a full surface: the event that brought it."""
    marked: bool = False
    """Whether it came as untrusted: by its own event, or by that of what it patches."""


class Follower(Listener):
    """One subscriber of a run's stream."""

    def __init__(
        self, witness: Witness, run: RunView, args: Follow, after: int | None, skip: int
    ) -> None:
        self.args, self.skip = args, skip
        """How many of the surfaces that are shown lie before it."""
        self.updates: list[Update] = []
        self.run = run
        self._by_ref: dict[str, JsonValue] = {}
        self._untrusted: set[str] = set()
        self._marked = False
        self._last: JsonValue = None
        self._base: Base = "payload"
        asked = ["a2uiDelta=1"] if args.delta else []
        asked += [f"bufferMs={args.buffer}"] if args.buffer is not None else []
        request = witness.api.events(run.id, "&".join(asked), after)
        super().__init__(witness, request, _PAUSE if args.slow else 0)

    @property
    def frames(self) -> list[Update]:
        """The updates that came as deltas."""
        return [update for update in self.updates if update.frame is not None]

    async def settled(self) -> None:
        """Return once the host has begun to answer, and then has said nothing for a moment.

        What is shown after that races no subscription; how long it takes is no verdict.
        """
        await self.connected()
        heard = -1
        while heard != self.heard and not self.over:
            heard = self.heard
            await asyncio.sleep(_QUIET)

    def take(self, item: SseEvent, exchange: Exchange) -> None:
        """Keep each update of a frame, which may be a batch of them."""
        value = data_of(item, exchange)
        for one in value if isinstance(value, list) else [value]:
            if len(self.updates) >= MOST_UPDATES:
                raise Blocked(f"a stream does not end within {MOST_UPDATES} surfaces")
            self._update(one, item, batch=isinstance(value, list))

    def _update(self, value: JsonValue, item: SseEvent, *, batch: bool) -> None:
        said = None if batch or item.id is None else _number(item.id)
        sequence = integer(value.get("sequence")) if isinstance(value, dict) else None
        sequence = said if sequence is None else sequence
        frame = next(frames_in(value), None)
        if frame is not None:
            self._patched(frame, sequence)
            return
        for payload in surfaces_in(value):
            self._last = payload
            marked = "untrusted" in members(value, "contentTrust")
            for ref in (*members(value, "eventId"), *members(value, "envelopeId")):
                self._by_ref[ref] = payload
                (self._untrusted.add if marked else self._untrusted.discard)(ref)
            self._marked = marked
            size = len(compact(payload))
            self.updates.append(Update(payload, sequence, size, event=value, marked=marked))

    def _patched(self, frame: JsonValue, sequence: int | None) -> None:
        ref = frame.get("surfaceRef")
        before = self._by_ref.get(ref) if isinstance(ref, str) else None
        self._base = base_of(frame) or self._base
        shown = self.rebuilt(self._last if before is None else before, frame)
        if shown is not None:
            self._last = shown
            if isinstance(ref, str):
                self._by_ref[ref] = shown
        marked = ref in self._untrusted if before is not None else self._marked
        size = len(compact(frame))
        self.updates.append(
            Update(shown, sequence, size, frame=frame, before=before, marked=marked)
        )

    def rebuilt(self, payload: JsonValue, frame: JsonValue) -> JsonValue:
        """What a payload becomes by a frame's operations alone; ``None`` where they do not apply.

        What is wrong with the frame around them is for others to say.
        """
        patch = frame.get("patch")
        known = ("op", "path", "from", "value")
        operations = [
            {name: operation[name] for name in known if name in operation}
            for operation in (patch if isinstance(patch, list) else ())
            if isinstance(operation, dict) and operation.get("op") != "test"
        ]
        if not isinstance(payload, dict):
            return None
        if not operations:
            return payload
        version = payload.get("catalogVersion")
        plain = {"surfaceRef": "x", "catalogVersion": version, "patch": operations}
        try:
            return apply_frame(payload, plain, base=self._base)
        except Violation:
            return None


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else None
