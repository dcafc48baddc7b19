"""Broken locks (experimental), the same for host, SDK and consumer: each gets one wrong rule.

What only one of them can do wrong (who may lock, what is recorded, handed on or reported) stands
below the common ones, and with the SDK's and the consumer's sabotages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from ...a2ui import lock
from ...a2ui.data_model import DataModel, Undo, segments_of
from ...a2ui.lock import LOCK, Lock, Locks, LockViolation, check_shown, is_lock, sets_lock
from ...a2ui.locked_fold import LockedFold
from ...jsonvalue import JsonValue, equal, unescape
from ..events import SURFACE_RECORDED, Draft, Event
from ..policy import fork_prefix, untrusted
from ..redaction import Secrets, redact_error
from ..rules import Admission
from .model import Sabotage, set_to

Segments = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BrokenLocks:
    """One rule of locks that is broken, and what makes the locks that break it."""

    name: str
    breaks: str
    make: Callable[[], Locks]


# ------------------------------------------------------------------- what a lock lets through


def _lets_through(passes: Callable[[Lock, Segments, JsonValue, DataModel], bool]) -> type[Lock]:
    """Locks that let some updates of data through."""

    class Lenient(Lock):
        def check_data(self, surface_id: str, body: JsonValue, data: DataModel) -> None:
            segments = self.segments(body)
            inside = self.region_of(segments) is not None
            if inside or not passes(self, segments, body, data):
                super().check_data(surface_id, body, data)

    return Lenient


def _removes_member(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return "value" not in body and len(at) == 1


def _new_member(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return len(at) == 1 and at[0] not in data.root


def _equal_value(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return bool(at) and "value" in body and equal(data.get(body["path"]), body["value"])


def _nulled(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return len(at) == 1 and body.get("value", "") is None


def _no_path(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return "path" not in body


def _allowed_members(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    value = body.get("value")
    members = {region[0] for region in held.allowed if region}
    return not at and "path" in body and bool(value) and members.issuperset(value)


def _root_removed(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return not at and "path" in body and "value" not in body


def _parent(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return bool(at) and any(region[: len(at)] == at for region in held.allowed)


def _longer_text(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    allowed = ("/" + "/".join(region) for region in held.allowed)
    return any(("/" + "/".join(at)).startswith(text) for text in allowed)


def _sibling(held: Lock, at: Segments, body: JsonValue, data: DataModel) -> bool:
    return len(at) > 1 and any(region[:-1] == at[:-1] for region in held.allowed)


class _Unescaped(Lock):
    def segments(self, body: JsonValue) -> Segments:
        return segments_of(unescape(body.get("path", "/")))


class _NeighboursOpen(Lock):
    def changes_frozen(self, root: JsonValue, region: Segments) -> bool:
        return False


class _DeepRefused(Lock):
    def region_of(self, segments: Segments) -> Segments | None:
        region = super().region_of(segments)
        return None if region is not None and len(region) > 1 else region


class _RootRefused(Lock):
    def region_of(self, segments: Segments) -> Segments | None:
        return super().region_of(segments) or None


class _ComponentsOpen(Lock):
    def check_components(self, surface_id: str) -> None:
        pass


class _TextsFrozen(Lock):
    def judge(self, kind: str, body: JsonValue, data: DataModel) -> None:
        texts = [c for c in body.get("components", ()) if c["component"] == "Text"]
        if kind != "updateComponents" or texts:
            super().judge(kind, body, data)


class _FlagIgnored(Lock):
    def check_components(self, surface_id: str) -> None:
        raise LockViolation(surface_id, "updateComponents", "no component is updated")


class _DeleteOpen(Lock):
    def check_delete(self, surface_id: str) -> None:
        pass


class _Recreated(Lock):
    def check_created(self, surface_id: str) -> None:
        pass


class _PathRewritten(Lock):
    def check_data(self, surface_id: str, body: JsonValue, data: DataModel) -> None:
        try:
            super().check_data(surface_id, body, data)
        except LockViolation as violation:
            violation.violation["path"] = "/" + "/".join(segments_of(body.get("path")))
            raise


class _KindMistaken(Lock):
    def check_data(self, surface_id: str, body: JsonValue, data: DataModel) -> None:
        try:
            super().check_data(surface_id, body, data)
        except LockViolation as violation:
            violation.violation["messageType"] = "updateComponents"
            raise


# ----------------------------------------------------------------------- when a lock begins


class _Late(Locks):
    def lock(self, body: JsonValue, components: Mapping[str, JsonValue]) -> Undo:
        if body["surfaceId"] in self.held:
            return super().lock(body, components)
        check_shown(components, LOCK)
        return self.create(body["surfaceId"], body)


class _CreatedOpen(Locks):
    def seal(self, surfaces: Mapping[str, Mapping[str, JsonValue]]) -> list[Undo]:
        for undo in super().seal(surfaces):
            undo()
        return []


class _CreatedAtOnce(Locks):
    def create(self, surface_id: str, policy: JsonValue) -> Undo:
        return self._hold(surface_id, self.lock_type.of(policy))


class _CreatedEmpty(Locks):
    def seal(self, surfaces: Mapping[str, Mapping[str, JsonValue]]) -> list[Undo]:
        return super().seal({surface: {"root": None} for surface in surfaces})


class _Rootless(Locks):
    def lock(self, body: JsonValue, components: Mapping[str, JsonValue]) -> Undo:
        return super().lock(body, {"root": None})


class _Replaced(Locks):
    def lock(self, body: JsonValue, components: Mapping[str, JsonValue]) -> Undo:
        before = self.held.pop(body["surfaceId"], None)
        undo = super().lock(body, components)

        def restore() -> None:
            undo()
            if before is not None:
                self.held[body["surfaceId"]] = before

        return restore


class _FormLenient(Locks):
    def check_form(self, message: JsonValue) -> None:
        if not is_lock(message) or not _only_unknown_members(message[LOCK], _LOCK_MEMBERS):
            super().check_form(message)


class _FormLenientCreated(Locks):
    def check_form(self, message: JsonValue) -> None:
        policy = lock.policy_of(message)
        if is_lock(message) or not isinstance(policy, dict):
            super().check_form(message)


_LOCK_MEMBERS: Final = frozenset(
    (
        "surfaceId",
        "reason",
        "allowedDataModelPaths",
        "allowComponentUpdates",
        "allowDeleteSurface",
    )
)


def _only_unknown_members(body: JsonValue, known: frozenset[str]) -> bool:
    return isinstance(body, dict) and not known.issuperset(body)


def _of(lock_type: type[Lock]) -> Callable[[], Locks]:
    return lambda: Locks(lock_type)


def _data(passes: Callable[[Lock, Segments, JsonValue, DataModel], bool]) -> Callable[[], Locks]:
    return _of(_lets_through(passes))


COMMON: Final = (
    BrokenLocks(
        "components-open", "A lock guards the data and no component.", _of(_ComponentsOpen)
    ),
    BrokenLocks("buttons-open", "A lock guards texts and no button.", _of(_TextsFrozen)),
    BrokenLocks("removal-open", "Frozen members may be removed.", _data(_removes_member)),
    BrokenLocks("new-members-open", "What was not there is not frozen.", _data(_new_member)),
    BrokenLocks("equal-values-open", "An equal value is let through.", _data(_equal_value)),
    BrokenLocks("no-path-open", "A missing path is not that of the root.", _data(_no_path)),
    BrokenLocks(
        "root-of-allowed-open", "A root of allowed members is let through.", _data(_allowed_members)
    ),
    BrokenLocks("root-removal-open", "The whole model may be removed.", _data(_root_removed)),
    BrokenLocks("parents-open", "What holds an allowed member may be replaced.", _data(_parent)),
    BrokenLocks("paths-as-text", "Paths are compared as texts.", _data(_longer_text)),
    BrokenLocks("siblings-open", "Beside an allowed member all are open.", _data(_sibling)),
    BrokenLocks("escapes-open", "An escaped slash parts segments.", _of(_Unescaped)),
    BrokenLocks(
        "neighbours-open", "What a write changes on its way is not asked.", _of(_NeighboursOpen)
    ),
    BrokenLocks("delete-open", "A locked surface may be deleted.", _of(_DeleteOpen)),
    BrokenLocks("deep-refused", "Only whole members can be allowed.", _of(_DeepRefused)),
    BrokenLocks("allowed-root-refused", "The root is never allowed.", _of(_RootRefused)),
    BrokenLocks(
        "component-flag-ignored", "Component updates are never allowed.", _of(_FlagIgnored)
    ),
    BrokenLocks("late", "A lock binds from the next payload on.", _Late),
    BrokenLocks("created-open", "The policy of createSurface never binds.", _CreatedOpen),
    BrokenLocks("replaced", "A later lock takes the place of the first.", _Replaced),
    BrokenLocks("recreated", "A deleted surface forgets its lock.", _of(_Recreated)),
    BrokenLocks("violation-path-rewritten", "A violation names another path.", _of(_PathRewritten)),
    BrokenLocks(
        "violation-of-other-kind", "A violation names another kind of message.", _of(_KindMistaken)
    ),
)
"""Those of all three subjects."""
FORM: Final = (
    BrokenLocks("created-empty", "A surface may be born locked with no root.", _CreatedEmpty),
    BrokenLocks("rootless", "A surface may be locked before it has a root.", _Rootless),
    BrokenLocks("form-lenient", "Unknown members of a lock are passed over.", _FormLenient),
    BrokenLocks(
        "form-lenient-created", "A policy of createSurface is never read.", _FormLenientCreated
    ),
)
"""Those that show where a lock is refused: not at a consumer, which refuses nothing aloud."""
AT_ONCE: Final = BrokenLocks(
    "created-at-once", "The policy of createSurface binds at once.", _CreatedAtOnce
)
NULLS_OPEN: Final = BrokenLocks("nulls-open", "A frozen member may become null.", _data(_nulled))
"""What only a consumer's rows need, one of which the common ones turn red beside another."""


# ------------------------------------------------------------------------------- the host


def _untrusted_may(envelope: JsonValue) -> bool:
    return bool(envelope["meta"]["source"] == "system")


def _user_may(envelope: JsonValue) -> bool:
    return envelope["meta"]["source"] in ("system", "user") and not untrusted(envelope)


def _agent_may(envelope: JsonValue) -> bool:
    return envelope["meta"]["source"] in ("system", "ai-generation") and not untrusted(envelope)


def _recorded(admission: Admission) -> Draft | None:
    of_data = all("updateDataModel" in message for message in admission.messages)
    if not admission.state.locked or not of_data:
        return None
    payload = {"envelope": admission.redacted, "version": admission.branch, "trust": "trusted"}
    return Draft(SURFACE_RECORDED, payload, causation_id=admission.redacted.get("correlationId"))


def _without_lock(event: Event) -> Event:
    if event["type"] != SURFACE_RECORDED:
        return event
    recorded = event["payload"]
    envelope = recorded["envelope"]
    plain = {**envelope, "payload": lock.without_locks(envelope["payload"])}
    return {**event, "payload": {**recorded, "envelope": plain}}


def _with_later_locks(events: Iterable[Event], from_seq: int) -> list[Event]:
    listed = list(events)
    later = (
        event
        for event in listed
        if event["sequence"] >= from_seq
        and event["type"] == SURFACE_RECORDED
        and any(map(sets_lock, event["payload"]["envelope"]["payload"]["messages"]))
    )
    return [*fork_prefix(listed, from_seq), *later]


def _silent(body: JsonValue, heard: JsonValue, secrets: Secrets) -> JsonValue:
    body = redact_error(body, heard, secrets)
    details = {k: v for k, v in body.get("details", {}).items() if k != "violation"}
    return {**body, "details": details} if details else body


def _host(broken: BrokenLocks) -> Sabotage:
    return Sabotage(
        f"lock-{broken.name}",
        broken.breaks,
        set_to(new_fold=lambda: LockedFold(broken.make())),
    )


SABOTAGES: Final = (
    *map(_host, (*COMMON, *FORM)),
    Sabotage(
        "lock-violation-silent",
        "A refusal does not say what a lock refused.",
        set_to(redact_error=_silent),
    ),
    Sabotage(
        "lock-untrusted-locks", "Untrusted content may lock.", set_to(may_lock=_untrusted_may)
    ),
    Sabotage("lock-user-locks", "A person's envelope may lock.", set_to(may_lock=_user_may)),
    Sabotage("lock-agent-locks", "An agent may lock.", set_to(may_lock=_agent_may)),
    Sabotage(
        "lock-refused-recorded",
        "What a lock refuses is recorded.",
        set_to(left_behind=_recorded),
    ),
    Sabotage("lock-fork-unlocks", "A fork has no locks.", set_to(fork_event=_without_lock)),
    Sabotage(
        "lock-fork-locks-later",
        "A fork has the locks that came after its point.",
        set_to(fork_prefix=_with_later_locks),
    ),
)
