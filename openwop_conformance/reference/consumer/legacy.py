"""Version 1 surfaces: trees, each by the event that recorded it, and the delta frames for them.

A tree is shown and acted on as the version 2 surface that it migrates to, so each rule is kept in
one place. What has arrived is judged by ``a2ui.consumer``, in the order of its sequence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ...a2ui.consumer import Consumer, Shown
from ...a2ui.fold import Fold, Surface
from ...a2ui.migration import migrate
from ...errors import Violation
from ...jsonvalue import MISSING, JsonValue
from .ordering import Ordered
from .surface import Envelope, View

_MIGRATED: Final = "v1"
_OF_PAYLOAD: Final = frozenset({"surface", "catalogVersion", "reasoning"})


@dataclass(frozen=True, slots=True)
class Frame:
    """A delta frame as it came, and its sequence where it has one."""

    frame: JsonValue
    sequence: int | None


class LegacyRun:
    """The version 1 surfaces of one run, with their frames applied.

    What a person entered belongs to the surface that they entered it into.
    """

    def __init__(self) -> None:
        self._log: Ordered[Envelope | Frame] = Ordered()
        self.entries: dict[str, dict[str, JsonValue]] = {}
        self.begin()

    def begin(self) -> None:
        """The state of a run of which nothing was taken."""
        self.consumer = Consumer(base="payload")
        self.fulls: dict[str, Envelope] = {}

    def add(self, envelope: Envelope) -> None:
        """Take a full surface."""
        self._log.put(envelope.sequence, envelope)

    def frame(self, frame: JsonValue, sequence: int | None) -> None:
        """Take a delta frame, whatever it holds."""
        self._log.put(sequence, Frame(frame, sequence))

    def settle(self) -> None:
        """Judge what has arrived since; all of it where something came late."""
        if self._log.disordered:
            self.begin()
        for item in self._log.rest():
            if isinstance(item, Frame):
                self.consumer.frame(rebased(item.frame), sequence=item.sequence)
            else:
                self.full(item)

    def full(self, envelope: Envelope) -> None:
        """Hand over one full surface; what else the envelope says counts if it was taken."""
        reference = reference_of(envelope)
        self.consumer.full(
            reference,
            envelope.payload,
            trusted=not envelope.untrusted,
            sequence=envelope.sequence,
        )
        held = self.consumer.surfaces.get(reference)
        if held is not None and held.payload is envelope.payload:
            self.fulls[reference] = envelope

    def surfaces(self) -> list[tuple[str, LegacySurface]]:
        """Those that came in full, by reference, the one delivered last at the end."""
        self.settle()
        return [
            (name, LegacySurface(self, name))
            for name, held in self.consumer.surfaces.items()
            if name in self.fulls and held.payload is not None
        ]

    def is_held(self, reference: str) -> bool:
        """Whether frames may name a surface by this reference."""
        self.settle()
        return reference in self.fulls and reference in self.consumer.surfaces

    def shown(self, held: Shown) -> bool:
        """Whether a surface may be shown: not after a frame that failed (RFC 0114 §Normative.8)."""
        return not held.stale


class LegacySurface:
    """One of a run's surfaces."""

    def __init__(self, run: LegacyRun, reference: str) -> None:
        self.run, self.reference = run, reference

    def view(self) -> View | None:
        """The surface as its migration to version 2, with what a person entered into it."""
        held, full = self.run.consumer.surfaces[self.reference], self.run.fulls[self.reference]
        surface = migrated(held.payload) if self.run.shown(held) else None
        if surface is None:
            return None
        for path, value in self.run.entries.get(self.reference, {}).items():
            if surface.data.get(path) is not MISSING:
                surface.data.put(path, value)
        tainted = held.trusted is False
        return View(surface.components, surface.data, full.partial, tainted, full.node)

    def frozen(self) -> JsonValue:
        """Nothing: a tree of version 1 is not locked."""
        return None

    def write(self, path: str, value: JsonValue) -> bool:
        """Keep what a person entered, for as long as the surface has that field."""
        self.run.entries.setdefault(self.reference, {})[path] = value
        return True


def reference_of(envelope: Envelope) -> str:
    """The ``surfaceRef`` by which frames name a full surface: the id of its recording event.

    Where that was not told it is the event's sequence, as a text.
    """
    return str(envelope.sequence) if envelope.event is None else envelope.event


def migrated(payload: JsonValue) -> Surface | None:
    """A tree as a folded surface, or ``None`` where it has more components than can be."""
    fold = Fold()
    try:
        fold.apply_all(migrate(payload, _MIGRATED)["messages"])
    except Violation:
        return None
    return fold.surfaces[_MIGRATED]


def rebased(frame: JsonValue) -> JsonValue:
    """A frame whose pointers start from the payload, also where they started from the tree.

    The first token tells them apart, as the two have no member in common. What is no frame is left
    as it is, to be refused.
    """
    patch = frame.get("patch") if isinstance(frame, dict) else None
    if not isinstance(patch, list):
        return frame
    return {**frame, "patch": [_rebased_operation(operation) for operation in patch]}


def _rebased_operation(operation: JsonValue) -> JsonValue:
    if not isinstance(operation, dict):
        return operation
    value = operation.get("value")
    if operation.get("path") == "" and isinstance(value, dict) and "surface" in value:
        return operation
    pointers = {m: operation[m] for m in ("path", "from") if isinstance(operation.get(m), str)}
    return {**operation, **{member: _moved(pointer) for member, pointer in pointers.items()}}


def _moved(pointer: str) -> str:
    first = pointer[1:].partition("/")[0]
    return pointer if first in _OF_PAYLOAD or pointer[:1] not in ("", "/") else f"/surface{pointer}"
