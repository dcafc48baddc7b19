"""One surface as the rest of a client sees it, and one that is folded from version 2 envelopes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from ...a2ui.data_model import DataModel
from ...a2ui.fold import Component
from ...a2ui.lock import LockViolation, without_lock
from ...a2ui.locked_fold import LockedFold
from ...a2ui.message import kind_of
from ...errors import Violation
from ...jsonvalue import JsonValue
from .ordering import Ordered


@dataclass(frozen=True, slots=True)
class Envelope:
    """An envelope that was found to be in the profile."""

    payload: JsonValue
    sequence: int
    untrusted: bool = False
    partial: bool = False
    node: str | None = None
    event: str | None = None
    """The id of the recording event, where it was told."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a person wrote into the data model, at an absolute path."""

    path: str
    value: JsonValue


@dataclass(frozen=True, slots=True)
class View:
    """A live surface at one moment. Nothing in it is to be changed."""

    components: Mapping[str, Component]
    data: DataModel
    partial: bool
    """Whether the envelope that last touched it is not final."""
    tainted: bool
    """Whether any envelope of it was untrusted."""
    node: str | None
    """The node whose interrupt it is bound to."""


class Surface(Protocol):
    """What a client keeps of a surface, however it came."""

    def view(self) -> View | None:
        """The surface now, or ``None`` where there is none to show."""

    def write(self, path: str, value: JsonValue) -> bool:
        """Put what a person entered into the data model, and say whether it could be."""

    def frozen(self) -> JsonValue:
        """What a lock has frozen of it, or ``None``."""


class FoldedSurface:
    """The fold of a surface's envelopes by sequence (RFC 0209 §C.9), whenever each one came.

    A person's entries are folded where they were made: behind what had come by then. So an envelope
    that was late does not undo them, and one that follows may. An envelope whose messages cannot be
    applied, all of them, leaves no trace but its taint: it may be one that came early.
    """

    make_fold: Callable[[], LockedFold] = LockedFold

    def __init__(self, surface_id: str) -> None:
        self.surface_id: Final = surface_id
        self.tainted = False
        self._log: Ordered[Envelope | Entry] = Ordered()
        self._sequences: set[int] = set()
        self._locked_at: int | None = None
        """The sequence of the envelope that locked the surface, once it was folded."""
        self._late: list[JsonValue] = []
        self.begin()

    def begin(self) -> None:
        """The state of a surface of which nothing was folded."""
        self.fold = self.make_fold()
        self.refused: list[JsonValue] = []
        """The structured violations of a lock, by envelopes that were folded."""
        self.partial = False
        self.node: str | None = None

    def add(self, envelope: Envelope) -> None:
        """Take an envelope; one whose sequence came already is ignored."""
        if envelope.sequence in self._sequences:
            return
        self._sequences.add(envelope.sequence)
        self.taint(envelope)
        if self._locked_at is not None and envelope.sequence < self._locked_at:
            self.refuse_late(envelope)
            return
        self._log.put(envelope.sequence, envelope)

    def refuse_late(self, envelope: Envelope) -> None:
        """What would come before a lock, and comes after it was seen, changes nothing any more."""
        first = without_lock(envelope.payload["messages"][0])
        reason = "surface is locked and what came before it came too late"
        self._late.append(LockViolation(self.surface_id, kind_of(first), reason).violation)

    def violations(self) -> list[JsonValue]:
        """What locks have refused, as structured violations."""
        self.settle()
        return [*self._late, *self.refused]

    def frozen(self) -> JsonValue:
        """What a lock has frozen of the surface, or ``None``."""
        self.settle()
        return self.fold.frozen(self.surface_id)

    def taint(self, envelope: Envelope) -> None:
        """Trust is sticky (RFC 0209 §C.12)."""
        self.tainted = self.tainted or envelope.untrusted

    def write(self, path: str, value: JsonValue) -> bool:
        """Write to the data model; ``False`` where the path leads through a primitive and such."""
        self.settle()
        entry = Entry(path, value)
        if not self.enter(entry):
            return False
        self._log.put_taken(entry)
        return True

    def view(self) -> View | None:
        """The surface, if it lives."""
        self.settle()
        held = self.fold.surfaces.get(self.surface_id)
        if held is None:
            return None
        return View(held.components, held.data, self.partial, self.tainted, self.node)

    def settle(self) -> None:
        """Fold what was not folded yet; from the beginning where something came late."""
        if self._log.disordered:
            self.begin()
        for item in self._log.rest():
            if isinstance(item, Entry):
                self.enter(item)
            else:
                self.touch(item)

    def touch(self, envelope: Envelope) -> None:
        """Fold one envelope, whole or not at all."""
        try:
            self.apply(envelope.payload["messages"])
        except LockViolation as refusal:
            self.refused.append(refusal.violation)
            return
        except Violation:
            return
        if self._locked_at is None and self.surface_id in self.fold.locks.held:
            self._locked_at = envelope.sequence
        self.partial = envelope.partial
        self.node = envelope.node if envelope.node is not None else self.node

    def apply(self, messages: list[JsonValue]) -> None:
        """Apply the messages of one envelope. Raises ``Violation`` and changes nothing."""
        self.fold.apply_all(messages)

    def enter(self, entry: Entry) -> bool:
        """Write one entry into the data model as it is now."""
        held = self.fold.surfaces.get(self.surface_id)
        if held is None:
            return False
        try:
            held.data.put(entry.path, entry.value)
        except Violation:
            return False
        return True
