"""Sabotages of the check of a payload on its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk.operations import ReferenceSdk
from ...sdk.payload import judge
from ...sdk.state import RendererState
from ...sdk.surface import Component, Surface
from .model import SdkSabotage


def _last_remembered(self: Any, payload: JsonValue, *rest: Any, **named: Any) -> JsonValue:
    gone = self.__dict__.pop("_gone", None)
    body = payload.get("updateComponents", {}) if isinstance(payload, dict) else {}
    if gone is not None and body.get("surfaceId") == gone:
        raise CallError("integrity", f"surface {gone!r} was deleted")
    result = ReferenceSdk.validate_payload(self, payload, *rest, **named)
    if isinstance(payload, dict) and "deleteSurface" in payload:
        self.__dict__["_gone"] = payload["deleteSurface"]["surfaceId"]
    return result


def _outside_references_dangle(self: Any, surface_ids: Sequence[str]) -> None:
    RendererState.check_topology(self, surface_ids)
    for surface in self.surfaces.values():
        if surface.assumed:
            self.check_references(surface)


def _one_surface_assumed(self: Any, surface_id: str, catalog_id: str) -> None:
    if not any(surface.assumed for surface in self.surfaces.values()):
        RendererState.assume(self, surface_id, catalog_id)


def _assume_first_catalog(self: Any, surface_id: str, catalog_id: str) -> None:
    RendererState.assume(self, surface_id, self.catalogs[0].catalog_id)


class _WithoutTrees(RendererState):
    __slots__ = ()

    def check_topology(self, surface_ids: object) -> None:
        """Nothing is checked."""


class _TreeByMessage(RendererState):
    __slots__ = ()

    def put_components(self, surface: Surface, components: Sequence[Component], path: str) -> None:
        super().put_components(surface, components, path)
        self.check_topology([surface.surface_id])


def _judged_by(made: type[RendererState]) -> Callable[..., JsonValue]:
    def validate_payload(
        self: Any,
        payload: JsonValue,
        catalogs: Sequence[JsonValue] = ("basic",),
        version: str = "v0.9",
        surface_catalogs: Mapping[str, str] | None = None,
    ) -> JsonValue:
        messages = [payload] if isinstance(payload, dict) else payload
        state = made(self._read(catalogs, version), version)
        judge(state, messages, surface_catalogs or {})
        return {}

    return validate_payload


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-last-payload-remembered",
        "a surface that one payload deletes is gone for the next",
        sdk={"validate_payload": _last_remembered},
    ),
    SdkSabotage(
        "sdk-outside-references-dangle",
        "a payload that only updates a surface has to bring all that it refers to",
        state={"check_topology": _outside_references_dangle},
    ),
    SdkSabotage(
        "sdk-one-surface-assumed",
        "of several surfaces that a payload only updates the first is assumed to exist",
        state={"assume": _one_surface_assumed},
    ),
    SdkSabotage(
        "sdk-named-catalog-ignored",
        "an assumed surface has the first catalog, whichever the caller names",
        state={"assume": _assume_first_catalog},
    ),
    SdkSabotage(
        "sdk-payload-tree-unchecked",
        "the tree of a payload's surfaces is not looked at",
        sdk={"validate_payload": _judged_by(_WithoutTrees)},
    ),
    SdkSabotage(
        "sdk-payload-tree-by-message",
        "each message of a payload has to leave a whole tree",
        sdk={"validate_payload": _judged_by(_TreeByMessage)},
    ),
)
