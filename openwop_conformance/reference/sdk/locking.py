"""Locks on the surfaces of a state (experimental): who applies messages for a host may set them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from ...a2ui.catalog import MESSAGE_KINDS
from ...a2ui.lock import (
    LOCK,
    Locks,
    LockViolation,
    is_lock,
    policy_of,
    sets_lock,
    without_lock,
)
from ...errors import CallError, Violation
from ...jsonvalue import JsonValue
from .surface import Catalog, refusal
from .surfaces import LATE, Surfaces


class LockedSurfaces(Surfaces):
    """Surfaces that can be locked. What a response of a model says of locks is no message."""

    __slots__ = ("_may_lock", "locks")

    make_locks: Callable[[], Locks] = Locks

    def __init__(self, catalogs: Sequence[Catalog], version: str = "v0.9") -> None:
        super().__init__(catalogs, version)
        self.locks = self.make_locks()
        self._may_lock = False

    def apply_from(self, source: str, messages: Sequence[JsonValue]) -> None:
        """Apply the messages of one payload that somebody made; ``system`` is the host itself."""
        with self.transaction(), self.speaking(source):
            self.apply(messages)
            for undo in self.locks.seal({s: held.components for s, held in self.surfaces.items()}):
                self.record(undo)

    @contextmanager
    def speaking(self, source: str) -> Iterator[None]:
        """Whether what is applied inside may lock."""
        self._may_lock = self.may_lock(source)
        try:
            yield
        except Violation as violation:
            refuse_lock(violation)
        finally:
            self._may_lock = False

    def may_lock(self, source: str) -> bool:
        """Who may lock."""
        return source == "system" and self.version in LATE

    def apply_one(self, message: JsonValue) -> None:
        """Apply one message whole, or raise ``CallError`` and change nothing."""
        if self._may_lock and sets_lock(message):
            self.apply_locking(message)
            return
        if self.locks.held:
            self.check_locks(message)
        super().apply_one(message)

    def apply_locking(self, message: JsonValue) -> None:
        """Apply a message that asks for a lock."""
        try:
            self.locks.check_form(message)
            if is_lock(message):
                surface = self.live(message[LOCK]["surfaceId"], LOCK)
                self.record(self.locks.lock(message[LOCK], surface.components))
                return
        except Violation as violation:
            refuse_lock(violation)
        plain = without_lock(message)
        self.apply_one(plain)
        self.record(self.locks.create(plain["createSurface"]["surfaceId"], policy_of(message)))

    def check_locks(self, message: JsonValue) -> None:
        """Refuse what a lock does not allow (``policy``)."""
        self.check_frame(message)
        for kind in MESSAGE_KINDS:
            if kind in message:
                held = self.surfaces.get(message[kind]["surfaceId"])
                try:
                    self.locks.judge(kind, message[kind], None if held is None else held.data)
                except LockViolation as violation:
                    refuse_lock(violation)
                except Violation:
                    return  # a path that is none is refused where it is written


def refuse_lock(violation: Violation) -> NoReturn:
    """Raise the SDK's error for what a lock refuses, or for a policy that has not its form."""
    if not isinstance(violation, LockViolation):
        raise refusal("validation", str(violation), violation.path) from None
    detail = {
        "path": violation.path,
        "code": "A2UI_POLICY_VIOLATION",
        "message": str(violation),
        "violation": violation.violation,
    }
    raise CallError("policy", str(violation), details=(detail,)) from None
