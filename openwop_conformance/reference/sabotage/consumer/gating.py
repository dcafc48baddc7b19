"""Sabotages of what keeps a button from being pressed: partial, untrusted, a failing check."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Final

from ....a2ui.fold import Component
from ....jsonvalue import MISSING, JsonValue
from ...consumer.acting import Acting
from ...consumer.binding import value_of
from ...consumer.client import Client
from ...consumer.rendering import Node, Rendering
from ...consumer.surface import Envelope, FoldedSurface, View
from .model import ConsumerSabotage

Later = Callable[[Any, Envelope, bool], bool]
"""A surface, an envelope that has touched it and what held before → whether it holds now."""


def _blind(member: str) -> Callable[..., Iterator[Node]]:
    """An ``operable`` of someone who can press what is shown as disabled."""

    def operable(self: Any) -> Iterator[Node]:
        view = replace(self.view, **{member: False})
        yield from Acting(self.surface, view, self.look).operable()

    return operable


def _shared(self: Any, key: tuple[str | None, str]) -> Any:
    """The ``surface`` of a client whose surfaces know it."""
    surface: Any = Client.surface(self, key)
    surface.client = self
    return surface


# -------------------------------------------------------------------------------------- partial


def _yes(self: Any) -> bool:
    return True


def _partial_by(later: Later) -> Callable[..., None]:
    def touch(self: Any, envelope: Envelope) -> None:
        before, first = self.partial, self.surface_id not in self.fold.surfaces
        FoldedSurface.touch(self, envelope)
        self.partial = later(first, envelope, before)

    return touch


def _of_first(first: bool, envelope: Envelope, before: bool) -> bool:
    return first and envelope.partial


def _for_good(first: bool, envelope: Envelope, before: bool) -> bool:
    return before or envelope.partial


def _partial_for_all(self: Any, envelope: Envelope) -> None:
    FoldedSurface.touch(self, envelope)
    self.client.partial = envelope.partial


def _partial_of_client(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    return None if view is None else replace(view, partial=getattr(self.client, "partial", False))


# ---------------------------------------------------------------------------------------- trust


def _trusting(self: Any, envelope: Envelope) -> None:
    """No envelope taints."""


def _trust_of_latest(self: Any, envelope: Envelope) -> None:
    self.tainted = envelope.untrusted


def _trust_of_first(self: Any, envelope: Envelope) -> None:
    if len(self._sequences) == 1:
        self.tainted = envelope.untrusted


def _trust_of_life(self: Any, envelope: Envelope) -> None:
    FoldedSurface.touch(self, envelope)
    begins = any("createSurface" in message for message in envelope.payload["messages"])
    self.tainted = envelope.untrusted or (self.tainted and not begins)


def _taints_all(self: Any, envelope: Envelope) -> None:
    self.client.tainted = getattr(self.client, "tainted", False) or envelope.untrusted


def _taint_of_client(self: Any) -> View | None:
    view = FoldedSurface.view(self)
    return None if view is None else replace(view, tainted=getattr(self.client, "tainted", False))


# --------------------------------------------------------------------------------------- checks


def _of_its_own(self: Any, component: Component) -> str | None:
    return Rendering.failing(self, component)


def _there(self: Any, check: JsonValue) -> bool:
    value = value_of(check["condition"]["args"]["value"], self.view.data)
    return value is not MISSING and value is not None


def _unsaid(self: Any, component: Component, role: str, value: JsonValue) -> Node:
    node = Rendering.field(self, component, role, value)
    if node.get("invalid"):
        del node["description"]
    return node


def _beside(self: Any, component: Component, role: str, value: JsonValue) -> Node:
    node = Rendering.field(self, component, role, value)
    if node.get("invalid"):
        node["text"] = node.pop("description")
    return node


def _said_for_good(self: Any, component: Component, role: str, value: JsonValue) -> Node:
    node = Rendering.field(self, component, role, value)
    for check in component.get("checks", ()):
        node.setdefault("description", check["message"])
    return node


def _passed_once(self: Any) -> View | None:
    """Once all checks have passed they are not looked at again."""
    view = FoldedSurface.view(self)
    if view is None:
        return None
    looked = Rendering(view)
    looked.nodes()
    self.passed = getattr(self, "passed", False) or (bool(view.components) and not looked.problems)
    if not self.passed:
        return view
    free = {n: {k: v for k, v in c.items() if k != "checks"} for n, c in view.components.items()}
    return replace(view, components=free)


SABOTAGES: Final = (
    ConsumerSabotage(
        "partial-ignored",
        "Buttons can be pressed while the envelope is not final.",
        rendering={"final": _yes},
    ),
    ConsumerSabotage(
        "partial-of-first",
        "Only the first envelope of a surface can be partial.",
        surface={"touch": _partial_by(_of_first)},
    ),
    ConsumerSabotage(
        "partial-for-good",
        "A surface that was partial once is never final.",
        surface={"touch": _partial_by(_for_good)},
    ),
    ConsumerSabotage(
        "partial-of-client",
        "The envelope that came last says of all surfaces whether they are final.",
        client={"surface": _shared},
        surface={"touch": _partial_for_all, "view": _partial_of_client},
    ),
    ConsumerSabotage(
        "partial-fires",
        "The buttons of a partial surface look disabled, and submit.",
        acting={"operable": _blind("partial")},
    ),
    ConsumerSabotage(
        "trust-ignored",
        "An untrusted surface can be approved.",
        surface={"taint": _trusting},
    ),
    ConsumerSabotage(
        "trust-of-latest",
        "A surface is as trusted as the envelope that came last.",
        surface={"taint": _trust_of_latest},
    ),
    ConsumerSabotage(
        "trust-of-first",
        "A surface is as trusted as the envelope that created it.",
        surface={"taint": _trust_of_first},
    ),
    ConsumerSabotage(
        "trust-of-life",
        "A surface that is created anew is trusted anew.",
        surface={"taint": _trusting, "touch": _trust_of_life},
    ),
    ConsumerSabotage(
        "trust-of-client",
        "One untrusted envelope blocks the approval of every surface.",
        client={"surface": _shared},
        surface={"taint": _taints_all, "view": _taint_of_client},
    ),
    ConsumerSabotage(
        "untrusted-fires",
        "The approval of an untrusted surface looks disabled, and submits.",
        acting={"operable": _blind("tainted")},
    ),
    ConsumerSabotage(
        "checks-of-fields-alone",
        "Checks belong to fields, and buttons know nothing of them.",
        rendering={"blocking": _of_its_own},
    ),
    ConsumerSabotage(
        "empty-is-given",
        "A required field that was emptied passes.",
        rendering={"passes": _there},
    ),
    ConsumerSabotage(
        "checks-pass-for-good",
        "A check that has passed is not looked at again.",
        surface={"view": _passed_once},
    ),
    ConsumerSabotage(
        "message-unsaid",
        "The message of a failing check is not shown.",
        rendering={"field": _unsaid},
    ),
    ConsumerSabotage(
        "message-for-good",
        "The message of a check stays when it passes.",
        rendering={"field": _said_for_good},
    ),
    ConsumerSabotage(
        "message-beside",
        "The message of a failing check stands beside its field, and does not describe it.",
        rendering={"field": _beside},
    ),
)
