"""Locked surfaces (experimental): what a person was shown to confirm is not changed afterwards.

A reading of the proposal "Locked surfaces for safety-critical confirmations"; its open questions
and how they are read here stand in docs/explanation/locked-surfaces.md. A lock comes as a message
(``lockSurface``) or as a member of ``createSurface`` (``surfacePolicy``); who may set one is asked
by whoever knows where a message came from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

from ..errors import Violation
from ..jsonvalue import MISSING, JsonValue, canonical, pointer_of
from ..schemas import problems, validator
from .data_model import DataModel, Undo, is_index, place_in, segments_of
from .topology import ROOT

PROFILE: Final = "locked-surfaces"
"""What a subject that has all of this advertises, by two flags."""
FLAGS: Final = ("surfacePolicies", "lockedSurfacePolicy")
LOCK: Final = "lockSurface"
POLICY: Final = "surfacePolicy"

_PATH_FROZEN: Final = "surface is locked and path is not mutable"
_COMPONENTS_FROZEN: Final = "surface is locked and components are not mutable"
_NOT_DELETED: Final = "surface is locked and must not be deleted"
_NOT_AGAIN: Final = "surface was locked and its id is not used again"
_FINAL: Final = "surface is locked and its policy is final"


class LockViolation(Violation):
    """A message that a lock refuses; rule ``lock``. ``violation`` is the structured error."""

    def __init__(
        self, surface_id: str, kind: str, reason: str, data_path: str | None = None
    ) -> None:
        super().__init__("lock", f"{kind}: {reason}", path=f"/{kind}")
        self.violation: dict[str, JsonValue] = {
            "type": "A2UI_POLICY_VIOLATION",
            "surfaceId": surface_id,
            "messageType": kind,
            **({} if data_path is None else {"path": data_path}),
            "reason": reason,
        }


@dataclass(frozen=True)
class Lock:
    """One lock that was accepted. What is not allowed is frozen.

    ``allowed`` are the regions of the data model that may be written, as segments, none of them
    within another. The methods raise ``LockViolation``.
    """

    allowed: tuple[tuple[str, ...], ...] = ()
    components: bool = False
    """Whether components may be updated."""
    delete: bool = False
    """Whether the surface may be deleted."""
    reason: str | None = None

    @classmethod
    def of(cls, policy: Mapping[str, JsonValue]) -> Lock:
        """The lock of a policy that has its form."""
        paths = sorted((segments_of(p) for p in policy.get("allowedDataModelPaths", ())), key=len)
        allowed: list[tuple[str, ...]] = []
        for path in paths:
            if not any(path[: len(region)] == region for region in allowed):
                allowed.append(path)
        return cls(
            tuple(allowed),
            policy.get("allowComponentUpdates", False),
            policy.get("allowDeleteSurface", False),
            policy.get("reason"),
        )

    def judge(self, kind: str, body: JsonValue, data: DataModel) -> None:
        """Whether a message to the surface, which holds ``data`` now, may be applied."""
        surface_id = body["surfaceId"]
        if kind == "updateDataModel":
            self.check_data(surface_id, body, data)
        elif kind == "updateComponents":
            self.check_components(surface_id)
        elif kind == "deleteSurface":
            self.check_delete(surface_id)

    def check_components(self, surface_id: str) -> None:
        """No component is updated, unless that is allowed."""
        if not self.components:
            raise LockViolation(surface_id, "updateComponents", _COMPONENTS_FROZEN)

    def check_delete(self, surface_id: str) -> None:
        """The surface is not deleted, unless that is allowed."""
        if not self.delete:
            raise LockViolation(surface_id, "deleteSurface", _NOT_DELETED)

    def check_again(self, surface_id: str, other: Lock) -> None:
        """A lock is final: the same again changes nothing, and another is refused."""
        if other != self:
            raise LockViolation(surface_id, LOCK, _FINAL)

    def check_created(self, surface_id: str) -> None:
        """Once deleted, which was allowed, the surface does not come back with other words."""
        raise LockViolation(surface_id, "createSurface", _NOT_AGAIN)

    def check_data(self, surface_id: str, body: JsonValue, data: DataModel) -> None:
        """Only what is at or below an allowed path is written; no path is the root's."""
        segments = self.segments(body)
        region = self.region_of(segments)
        writes = "value" in body
        if region is None or (writes and self.changes_frozen(data.root, region)):
            raise LockViolation(
                surface_id, "updateDataModel", _PATH_FROZEN, data_path=body.get("path", "/")
            )

    def segments(self, body: JsonValue) -> tuple[str, ...]:
        """The segments of the path that an update is judged by."""
        return segments_of(body.get("path"))

    def region_of(self, segments: tuple[str, ...]) -> tuple[str, ...] | None:
        """The allowed region that a path lies in, compared by whole segments."""
        return next((r for r in self.allowed if segments[: len(r)] == r), None)

    def changes_frozen(self, root: JsonValue, region: tuple[str, ...]) -> bool:
        """Whether writing into an allowed region also changes what is around it.

        A missing object on the way is made and shows nothing that was frozen. A ``null`` on the
        way would be replaced, and a list would be filled up to the index: both are frozen.
        """
        node = root
        for segment in region:
            if node is None:
                return True
            if isinstance(node, dict):
                node = node.get(segment, MISSING)
            elif isinstance(node, list) and is_index(segment):
                place = place_in(node, segment)
                if place is None:
                    return True
                node = node[place] if place < len(node) else MISSING
            elif node is MISSING:
                if is_index(segment) and segment != "0":
                    return True
            else:
                return False  # the data model itself refuses: a primitive stands in the way
        return False


class Locks:
    """The locks of surfaces by their ids. What changes returns what undoes it."""

    __slots__ = ("_pending", "held", "lock_type")

    def __init__(self, lock_type: type[Lock] = Lock) -> None:
        self.lock_type = lock_type
        self.held: dict[str, Lock] = {}
        """Locks in force. They outlast their surfaces."""
        self._pending: dict[str, Lock] = {}

    def check_form(self, message: JsonValue) -> None:
        """The form of what a message says of locks; see ``check_form``."""
        check_form(message)

    def judge(self, kind: str, body: JsonValue, data: DataModel | None) -> None:
        """Whether a message may be applied, to a surface with ``data`` or to one that is gone.

        Raises ``LockViolation``, and ``Violation`` (``data-path``) for a path that is none.
        """
        lock = self.held.get(body.get("surfaceId"))
        if lock is None:
            return
        if data is not None:
            lock.judge(kind, body, data)
        elif kind == "createSurface":
            lock.check_created(body["surfaceId"])

    def lock(self, body: JsonValue, components: Mapping[str, JsonValue]) -> Undo:
        """Take the body of a ``lockSurface`` for a live surface: it binds from now on."""
        surface_id, lock = body["surfaceId"], self.lock_type.of(body)
        held = self.held.get(surface_id)
        if held is not None:
            held.check_again(surface_id, lock)
            return _nothing
        check_shown(components, LOCK)
        return self._hold(surface_id, lock)

    def create(self, surface_id: str, policy: JsonValue) -> Undo:
        """Take the policy of a surface that is being made: it binds once its payload is applied."""
        self._pending[surface_id] = self.lock_type.of(policy)
        return partial(_forget, self._pending, surface_id)

    def seal(self, surfaces: Mapping[str, Mapping[str, JsonValue]]) -> list[Undo]:
        """Let the pending locks bind, at the end of a payload; ``surfaces`` are live components."""
        pending = {s: lock for s, lock in self._pending.items() if s in surfaces}
        for surface_id in pending:
            check_shown(surfaces[surface_id], "createSurface")
        self._pending.clear()
        return [self._hold(surface_id, lock) for surface_id, lock in pending.items()]

    def _hold(self, surface_id: str, lock: Lock) -> Undo:
        self.held[surface_id] = lock
        return partial(_forget, self.held, surface_id)


def check_shown(components: Mapping[str, JsonValue], kind: str) -> None:
    """What is locked has been shown: the surface has its root. Rule ``lock-policy``."""
    if ROOT not in components:
        raise Violation("lock-policy", f"{kind}: there is nothing to be locked without a root")


def is_lock(message: JsonValue) -> bool:
    """Whether a message is a ``lockSurface``, right or wrong."""
    return isinstance(message, dict) and LOCK in message


def policy_of(message: JsonValue) -> JsonValue:
    """The ``surfacePolicy`` of a ``createSurface``, right or wrong, or ``MISSING``."""
    body = message.get("createSurface") if isinstance(message, dict) else None
    return body.get(POLICY, MISSING) if isinstance(body, dict) else MISSING


def sets_lock(message: JsonValue) -> bool:
    """Whether a message asks for a lock in either form."""
    return is_lock(message) or policy_of(message) is not MISSING


def check_form(message: JsonValue) -> None:
    """The form of what a message says of locks. Rule ``lock-policy``; its place in ``path``.

    A member that is not known is refused and not passed over: it may be a misspelt restriction.
    """
    if is_lock(message):
        where, value, definition = "", message, "lockMessage"
    else:
        where, value, definition = f"/createSurface/{POLICY}", policy_of(message), "surfacePolicy"
        if value is MISSING:
            return
    for problem in problems(validator(PROFILE, definition), value):
        raise Violation("lock-policy", problem.message, path=where + problem.path)
    policy = value[LOCK] if is_lock(message) else value
    for path in policy.get("allowedDataModelPaths", ()):
        segments_of(path)


def without_lock(message: JsonValue) -> JsonValue:
    """A message as the closed profile knows it.

    Instead of a ``lockSurface`` stands the shortest message that a surface has to live for; of a
    ``createSurface`` the policy is left out.
    """
    if is_lock(message):
        body = message[LOCK]
        surface_id = body.get("surfaceId") if isinstance(body, dict) else None
        others = {name: value for name, value in message.items() if name != LOCK}
        return {**others, "updateDataModel": {"surfaceId": surface_id}}
    if policy_of(message) is MISSING:
        return message
    body = {name: value for name, value in message["createSurface"].items() if name != POLICY}
    return {**message, "createSurface": body}


def without_locks(payload: JsonValue) -> JsonValue:
    """A payload as the closed profile knows it."""
    messages = payload.get("messages") if isinstance(payload, dict) else None
    if not isinstance(messages, list) or not any(map(sets_lock, messages)):
        return payload
    return {**payload, "messages": [without_lock(message) for message in messages]}


# ------------------------------------------------------------------------- what was seen


def frozen_content(
    catalog_id: JsonValue, components: Mapping[str, JsonValue], data: JsonValue, lock: Lock
) -> JsonValue:
    """What of a locked surface cannot change any more (schema locked-surfaces, frozenContent)."""
    tails = frozenset(lock.allowed)
    content = {"catalogId": catalog_id, "data": dict(_frozen(data, (), tails))}
    return content if lock.components else {**content, "components": dict(components)}


def digest(content: JsonValue) -> str:
    """``sha256:`` and the SHA-256 of the RFC 8785 form, in hexadecimal digits."""
    return f"sha256:{hashlib.sha256(canonical(content)).hexdigest()}"


def _frozen(
    node: JsonValue, at: tuple[str, ...], allowed: frozenset[tuple[str, ...]]
) -> Iterator[tuple[str, JsonValue]]:
    """The frozen values, each as high as can be, where ``allowed`` are regions below ``node``."""
    if () in allowed:
        return
    if allowed and isinstance(node, dict | list):
        children = node.items() if isinstance(node, dict) else enumerate(node)
        for key, child in children:
            name = str(key)
            below = frozenset(region[1:] for region in allowed if region[0] == name)
            yield from _frozen(child, (*at, name), below)
    else:
        yield pointer_of(at), node


def _forget(locks: dict[str, Lock], surface_id: str) -> None:
    """Undo a lock; one that was pending may be in force already, and no more be there."""
    locks.pop(surface_id, None)


def _nothing() -> None:
    """Undo a lock that was there already."""
