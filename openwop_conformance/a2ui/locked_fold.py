"""A fold in which surfaces can be locked (experimental): see ``lock``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from ..errors import Violation
from ..jsonvalue import MISSING, JsonValue
from .data_model import Undo
from .fold import Fold, next_life
from .lock import LOCK, Locks, frozen_content, is_lock, policy_of, without_lock
from .message import kind_of

_OF_LOCKS: Final = ("lock", "lock-policy")


class LockedFold(Fold):
    """The surfaces of one run and their locks.

    A policy that comes with ``createSurface`` binds at the end of the outermost transaction, so
    that what comes in one payload with it can be shown. Whether its sender may lock was asked
    before.
    """

    __slots__ = ("locks",)

    def __init__(self, locks: Locks | None = None) -> None:
        super().__init__()
        self.locks = Locks() if locks is None else locks

    def apply(self, message: JsonValue) -> None:
        """Apply one message whole, or raise ``Violation`` and change nothing."""
        with self.transaction():
            self.locks.check_form(message)
            if is_lock(message):
                self._note(self._lock(message[LOCK]))
                return
            plain = without_lock(message)
            kind = kind_of(plain)
            body = plain[kind]
            surface_id = body.get("surfaceId")
            held = self.surfaces.get(surface_id) if isinstance(surface_id, str) else None
            self.locks.judge(kind, body, None if held is None else held.data)
            super().apply(plain)
            policy = policy_of(message)
            if policy is not MISSING:
                self._note(self.locks.create(surface_id, policy))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing for the messages applied inside; at the end of all, new locks bind."""
        with super().transaction():
            yield
            if self._depth == 1:
                self.seal()

    def seal(self) -> None:
        """End a payload: the policies that came with new surfaces bind from now on."""
        components = {s: held.components for s, held in self.surfaces.items()}
        for undo in self.locks.seal(components):
            self._note(undo)

    def frozen(self, surface_id: str) -> JsonValue:
        """The frozen content of a live surface, or ``None`` where it is not locked."""
        held, lock = self.surfaces.get(surface_id), self.locks.held.get(surface_id)
        if held is None or lock is None:
            return None
        return frozen_content(held.catalog_id, held.components, held.data.root, lock)

    def _lock(self, body: JsonValue) -> Undo:
        surface_id = body["surfaceId"]
        next_life(self.life(surface_id), LOCK)
        return self.locks.lock(body, self.surfaces[surface_id].components)

    def _note(self, undo: Undo) -> None:
        self._log.append(undo)


class _Undone(Exception):
    """Takes back what was tried."""


def refusal_of(fold: LockedFold, messages: list[JsonValue]) -> Violation | None:
    """Why the locks refuse a payload that would come next, or ``None``; the fold stays as it is.

    What else would be wrong with a message is not asked here: such a message is passed over.
    """
    index = 0
    try:
        with fold.transaction():
            for message in messages:
                try:
                    fold.apply(message)
                except Violation as violation:
                    if violation.rule in _OF_LOCKS:
                        raise
                index += 1
            fold.seal()
            raise _Undone
    except _Undone:
        return None
    except Violation as violation:
        violation.path = f"/messages/{min(index, len(messages) - 1)}{violation.path}"
        return violation
