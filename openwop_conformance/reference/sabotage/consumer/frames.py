"""Sabotages of delta frames: what they are applied to, and what comes of one that fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from ....a2ui.catalog import check_payload, component_types
from ....a2ui.consumer import Consumer, Shown
from ....a2ui.delta import patched
from ....errors import Violation
from ....jsonvalue import JsonValue
from ....schemas import schema
from ...consumer.acting import TARGETS, Acting
from ...consumer.client import Client
from ...consumer.legacy import LegacyRun, LegacySurface
from ...consumer.rendering import Node
from ...consumer.surface import Envelope
from .model import ConsumerSabotage

Patch = Callable[[JsonValue, list[JsonValue]], JsonValue]
"""A payload and operations → the payload that is shown. Raises ``Violation``."""


def _begun_with(kind: type[Consumer]) -> Callable[..., None]:
    """A ``begin`` with another judge of what has arrived."""

    def begin(self: Any) -> None:
        LegacyRun.begin(self)
        self.consumer = kind(base="payload")

    return begin


def _patching(patch: Patch) -> type[Consumer]:
    """A consumer that shows what comes of its own way to patch, where that gives anything."""

    class Patching(Consumer):
        def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
            shown = self._held.get(frame["surfaceRef"])
            if shown is None or shown.stale:
                super().frame(frame, sequence=sequence)
                return
            try:
                payload = patch(shown.payload, frame["patch"])
            except Violation:
                super().frame(frame, sequence=sequence)
                return
            self._order(sequence, full=False)
            self._hold(frame["surfaceRef"], replace(shown, payload=payload))

    return Patching


def _skipping(payload: JsonValue, patch: list[JsonValue]) -> JsonValue:
    for operation in patch:
        try:
            payload = patched(payload, [operation])
        except Violation:
            continue
    check_payload(payload, 1)
    return payload


def _with_components(payload: JsonValue, components: list[JsonValue]) -> JsonValue:
    return {**payload, "surface": {**payload["surface"], "components": components}}


def _any_target(payload: JsonValue, patch: list[JsonValue]) -> JsonValue:
    result = patched(payload, patch)
    tame = [
        {**c, "action": {"target": "resume"}} if "action" in c else c
        for c in result["surface"]["components"]
    ]
    check_payload(_with_components(result, tame), 1)
    return result


def _known_types(payload: JsonValue, patch: list[JsonValue]) -> JsonValue:
    result = patched(payload, patch)
    known = [c for c in result["surface"]["components"] if c["component"] in component_types(1)]
    result = _with_components(result, known)
    check_payload(result, 1)
    return result


def _known_members(payload: JsonValue, patch: list[JsonValue]) -> JsonValue:
    result = patched(payload, patch)
    definitions = schema("ui.a2ui-surface")["$defs"]
    known = []
    for component in result["surface"]["components"]:
        definition = component_types(1).get(component["component"])
        members = component if definition is None else definitions[definition]["properties"]
        known.append({name: value for name, value in component.items() if name in members})
    result = _with_components(result, known)
    check_payload(result, 1)
    return result


def _open_target(self: Any, event: str) -> str:
    return TARGETS.get(event, "other")


class _OnFirst(Consumer):
    """Patches what was delivered first under a reference."""

    def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
        ref = frame["surfaceRef"]
        shown = self._held.get(ref)
        self.bases: dict[str, JsonValue] = getattr(self, "bases", {})
        if shown is not None and not shown.stale:
            base = self.bases.setdefault(ref, shown.payload)
            self._held[ref] = replace(shown, payload=base)
        super().frame(frame, sequence=sequence)


class _Mended(Consumer):
    """Takes a frame for a surface whose last one failed."""

    def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
        shown = self._held.get(frame["surfaceRef"])
        if shown is not None and shown.stale:
            self._held[frame["surfaceRef"]] = replace(shown, stale=False)
        super().frame(frame, sequence=sequence)


class _KeptUnpatched(Consumer):
    """Ignores a frame that cannot be applied."""

    def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
        shown = self._held.get(frame["surfaceRef"])
        if shown is not None and shown.payload is not None:
            try:
                patched(shown.payload, frame["patch"])
            except Violation:
                return
        super().frame(frame, sequence=sequence)


class _TrustedByPatch(Consumer):
    """Stores what comes of a patch as a surface of default trust."""

    def frame(self, frame: JsonValue, *, sequence: int | None = None) -> None:
        super().frame(frame, sequence=sequence)
        shown = self._held.get(frame["surfaceRef"])
        if shown is not None:
            self._held[frame["surfaceRef"]] = replace(shown, trusted=None)


def _first_full(self: Any, envelope: Envelope) -> None:
    if envelope.event not in self.fulls:
        LegacyRun.full(self, envelope)


def _trusting(self: Any, envelope: Envelope) -> None:
    LegacyRun.add(self, replace(envelope, untrusted=False))


def _on_latest(self: Any, frame: JsonValue, sequence: int | None) -> None:
    self.settle()
    latest = next(reversed(self.consumer.surfaces), frame["surfaceRef"])
    LegacyRun.frame(self, {**frame, "surfaceRef": latest}, sequence)


def _always_shown(self: Any, held: Shown) -> bool:
    return True


def _shown_to_press(self: Any, held: Shown) -> bool:
    return self.pressing or not held.stale


def _acting_on_stale(self: Any, surface_id: str) -> Iterator[tuple[Any, Acting]]:
    for held in self.legacy.values():
        held.pressing = True
    found = list(Client.acting(self, surface_id))
    for held in self.legacy.values():
        held.pressing = False
    yield from found


def _dead_when_patched(self: Any, name: str) -> Node | None:
    if isinstance(self.surface, LegacySurface):
        run, reference = self.surface.run, self.surface.reference
        if run.consumer.surfaces[reference].payload is not run.fulls[reference].payload:
            return None
    return Acting.fire(self, name)


SABOTAGES: Final = (
    ConsumerSabotage(
        "patches-first",
        "Each patch is applied to the surface that was delivered first.",
        legacy={"begin": _begun_with(_OnFirst)},
    ),
    ConsumerSabotage(
        "patches-latest",
        "A patch is applied to the surface that arrived last, under any reference.",
        legacy={"frame": _on_latest},
    ),
    ConsumerSabotage(
        "keeps-first-full",
        "A full surface that follows another under the same reference is ignored.",
        legacy={"full": _first_full},
    ),
    ConsumerSabotage(
        "patches-any-target",
        "A patched button may go anywhere.",
        legacy={"begin": _begun_with(_patching(_any_target))},
        acting={"target": _open_target},
    ),
    ConsumerSabotage(
        "patched-button-dead",
        "Buttons are made to work when the full surface arrives, and not after a patch.",
        acting={"fire": _dead_when_patched},
    ),
    ConsumerSabotage(
        "skips-failed-operations",
        "The operations of a patch that can be applied are, and the others skipped.",
        legacy={"begin": _begun_with(_patching(_skipping))},
    ),
    ConsumerSabotage(
        "keeps-unpatched",
        "A patch that cannot be applied is ignored, and the surface stays as it was.",
        legacy={"begin": _begun_with(_KeptUnpatched)},
    ),
    ConsumerSabotage(
        "patch-mends",
        "The next patch is taken after one that failed.",
        legacy={"begin": _begun_with(_Mended)},
    ),
    ConsumerSabotage(
        "shows-stale",
        "After a failed patch the old tree stays on the screen.",
        legacy={"shown": _always_shown},
    ),
    ConsumerSabotage(
        "fires-stale",
        "After a failed patch nothing is shown, and the buttons still submit.",
        legacy={"shown": _shown_to_press, "pressing": False},
        client={"acting": _acting_on_stale},
    ),
    ConsumerSabotage(
        "patch-drops-unknown-types",
        "Components of unknown types are dropped from a patched surface, and the rest is shown.",
        legacy={"begin": _begun_with(_patching(_known_types))},
    ),
    ConsumerSabotage(
        "patch-drops-unknown-members",
        "Members that a component does not have are dropped after a patch, and the rest is shown.",
        legacy={"begin": _begun_with(_patching(_known_members))},
    ),
    ConsumerSabotage(
        "patch-trusts",
        "The result of a patch is stored as a new surface of default trust.",
        legacy={"begin": _begun_with(_TrustedByPatch)},
    ),
    ConsumerSabotage(
        "trusts-version-1",
        "The trust of version 1 envelopes is not looked at.",
        legacy={"add": _trusting},
    ),
)
