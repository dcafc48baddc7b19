"""Sabotages of what surfaces are made, deleted and known by, and of what they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from ....a2ui.data_model import Undo
from ....a2ui.graph import Graph
from ....jsonvalue import JsonValue
from ...sdk.state import RendererState
from ...sdk.surface import Component, Surface, refusal
from .model import SdkSabotage

Create = Callable[[Any, JsonValue], None]


def _second_of_empty_ignored(self: Any, body: JsonValue) -> None:
    surface = self.surfaces.get(body["surfaceId"])
    if surface is None or surface.components or not surface.data.root:
        RendererState.create_surface(self, body)


def _second_opts_in(self: Any, body: JsonValue) -> None:
    surface = self.surfaces.get(body["surfaceId"])
    if surface is None or body.get("sendDataModel", False) == surface.send_data_model:
        RendererState.create_surface(self, body)
        return
    surface.send_data_model = body["sendDataModel"]


def _ids_folded(self: Any, body: JsonValue) -> None:
    name = body["surfaceId"]
    if any(name != held and name.lower() == held.lower() for held in self.surfaces):
        raise refusal("integrity", f"surface {name!r} lives", "/createSurface/surfaceId")
    RendererState.create_surface(self, body)


def _outlived(restore: Callable[[Surface, Surface], None]) -> dict[str, Any]:
    """Deleting and creating, where something of the old surface is found in the new one."""

    def delete_surface(self: Any, surface_id: str) -> None:
        if surface_id in self.surfaces:
            self.__dict__.setdefault("ghosts", {})[surface_id] = self.surfaces[surface_id]
        RendererState.delete_surface(self, surface_id)

    def create_surface(self: Any, body: JsonValue) -> None:
        RendererState.create_surface(self, body)
        ghost = self.__dict__.get("ghosts", {}).get(body["surfaceId"])
        if ghost is not None:
            restore(self.surfaces[body["surfaceId"]], ghost)

    return {"delete_surface": delete_surface, "create_surface": create_surface}


def _data_restored(surface: Surface, ghost: Surface) -> None:
    surface.data.root = deepcopy(ghost.data.root)


def _components_restored(surface: Surface, ghost: Surface) -> None:
    surface.components = {k: v for k, v in ghost.components.items() if k != surface.root}


def _updates_folded(self: Any, surface_id: str, kind: str) -> Surface:
    for name, surface in self.surfaces.items():
        if surface_id not in self.surfaces and name.lower() == surface_id.lower():
            found: Surface = surface
            return found
    return RendererState.live(self, surface_id, kind)


def _deleted_updated(self: Any, surface_id: str, kind: str) -> Surface:
    if kind == "updateComponents" and self.life(surface_id) == "deleted":
        surface = Surface(surface_id, self.catalogs[0], Graph(self.counter))
        self.add_surface(surface)
        return surface
    return RendererState.live(self, surface_id, kind)


def _lost_removal_ignored(self: Any, message: JsonValue) -> None:
    body = message.get("updateDataModel") if isinstance(message, dict) else None
    if isinstance(body, dict) and "value" not in body:
        self.check_frame(message)
        if body["surfaceId"] not in self.surfaces:
            return
    RendererState.apply_one(self, message)


def _kept(change: Callable[[Component, Component], Component]) -> Callable[..., None]:
    """Storing, where a component that is there has a say in what replaces it."""

    def store(
        self: Any, surface: Surface, components: Sequence[Component], undo_graph: Undo
    ) -> None:
        held = surface.components
        stored = [change(held[c["id"]], c) if c["id"] in held else c for c in components]
        RendererState.store(self, surface, stored, undo_graph)

    return store


def _merged(old: Component, new: Component) -> Component:
    return {**old, **new} if old["component"] == new["component"] else new


def _field_kept(old: Component, new: Component) -> Component:
    return old if old["component"] == "TextField" != new["component"] else new


# ------------------------------------------------------------------------------- catalogs


@dataclass(frozen=True, slots=True)
class _Blank:
    """A catalog that has an id and nothing else."""

    catalog_id: str

    def check_component(self, component: JsonValue, path: str = "") -> NoReturn:
        raise refusal("validation", "no such component", path)

    def children(self, component: Component) -> Sequence[str]:
        return ()

    def check_theme(self, theme: JsonValue, path: str = "") -> None:
        """No theme is looked at."""


def _by_beginning(self: Any, body: JsonValue) -> None:
    asked = body["catalogId"]
    for catalog in self.catalogs:
        known = catalog.catalog_id
        if known.startswith(asked) or asked.startswith(known):
            RendererState.create_surface(self, {**body, "catalogId": known})
            return
    RendererState.create_surface(self, body)


def _blank_instead(self: Any, body: JsonValue) -> None:
    if "/" in body["catalogId"]:
        RendererState.create_surface(self, body)
        return
    self.check_life(body["surfaceId"], "createSurface")
    blank = _Blank(body["catalogId"])
    self.add_surface(Surface(body["surfaceId"], blank, Graph(self.counter)))


def _create(name: str, breaks: str, create: Create) -> SdkSabotage:
    return SdkSabotage(f"sdk-{name}", breaks, state={"create_surface": create})


SABOTAGES: Final = (
    _create(
        "second-create-ignored",
        "a surface without components may be created again",
        _second_of_empty_ignored,
    ),
    _create(
        "second-create-opts-in",
        "a second createSurface changes the sendDataModel of a live surface",
        _second_opts_in,
    ),
    _create("surface-ids-folded", "ids of surfaces differ in case only if alone", _ids_folded),
    SdkSabotage(
        "sdk-data-outlives-deletion",
        "a new surface finds the data of a deleted one of its name",
        state=_outlived(_data_restored),
    ),
    SdkSabotage(
        "sdk-components-outlive-deletion",
        "a new surface finds the components of a deleted one of its name",
        state=_outlived(_components_restored),
    ),
    SdkSabotage(
        "sdk-updates-find-any-case",
        "an update finds a surface whose id differs in case",
        state={"live": _updates_folded},
    ),
    SdkSabotage(
        "sdk-deleted-surface-updated",
        "components for a deleted surface bring it back",
        state={"live": _deleted_updated},
    ),
    SdkSabotage(
        "sdk-lost-removal-ignored",
        "a removal from a surface that is not there is passed over",
        state={"apply_one": _lost_removal_ignored},
    ),
    SdkSabotage(
        "sdk-components-merged",
        "new properties are merged into the old ones",
        state={"store": _kept(_merged)},
    ),
    SdkSabotage(
        "sdk-field-stays",
        "a field in which a person types stays what it is",
        state={"store": _kept(_field_kept)},
    ),
    _create(
        "catalog-by-beginning",
        "a catalog is found by the beginning of its id",
        _by_beginning,
    ),
    _create(
        "unknown-catalog-is-blank",
        "a surface whose catalog id is no address is made without components",
        _blank_instead,
    ),
)
