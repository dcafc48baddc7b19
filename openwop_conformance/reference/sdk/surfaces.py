"""The surfaces that messages make and change: each message checked whole, then applied and logged.

Gaps of a tree may still be filled and pass here; unknown components, circles and repeated ids do
not (A2UI's core blueprint). What v0.8 does otherwise is in ``early``.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from ...a2ui.data_model import Undo
from ...a2ui.fold import Life, next_life
from ...a2ui.graph import Graph, Link, Work
from ...a2ui.open_catalog import check_depth, check_frame
from ...errors import CallError, Violation
from ...jsonvalue import JsonValue, tokens_of
from . import early
from .surface import Catalog, Component, Surface, refusal, refuse
from .undo_log import UndoLog

LATE: Final = ("v0.9", "v0.9.1")
"""The versions that count as one."""
MAX_VALUE_DEPTH: Final = 50
"""How deep a value may be nested, and how many segments a path may have."""
_COMPONENTS: Final = "/updateComponents/components"


class Surfaces(UndoLog):
    """Surfaces by id. A method refuses with ``CallError`` and then has changed nothing.

    Components are kept as they were given and never changed; data is copied in. ``waiting`` are the
    updates of v0.8 that came before their surface.
    """

    __slots__ = ("_deleted", "_early", "catalogs", "counter", "surfaces", "version", "waiting")

    def __init__(self, catalogs: Sequence[Catalog], version: str = "v0.9") -> None:
        super().__init__()
        if version not in (*LATE, early.VERSION):
            raise CallError("unsupported", f"a state of version {version!r} is not offered")
        if not catalogs:
            raise CallError("catalog", "a state needs at least one catalog")
        self.catalogs, self.version = tuple(catalogs), version
        self.surfaces: dict[str, Surface] = {}
        self.waiting: dict[str, list[early.Update]] = {}
        self._early = version == early.VERSION
        self._deleted: set[str] = set()
        self.counter = Work()

    # ------------------------------------------------------------------------ applying

    def apply(self, messages: Sequence[JsonValue]) -> None:
        """Apply all messages in order, or none and ``CallError``."""
        if not isinstance(messages, list | tuple):
            raise CallError("validation", "messages come as a list")
        if len(messages) == 1:
            self.apply_one(messages[0])
            return
        with self.transaction():
            for message in messages:
                self.apply_one(message)

    def apply_one(self, message: JsonValue) -> None:
        """Apply one message whole, or raise ``CallError`` and change nothing."""
        kind = self.check_frame(message)
        body = message[kind]
        if self._early:
            early.take(self, kind, body)
        elif kind == "updateComponents":
            surface = self.live(body["surfaceId"], kind)
            self.put_components(surface, body["components"], _COMPONENTS)
        elif kind == "updateDataModel":
            self.record(self.write(self.live(body["surfaceId"], kind), body))
        elif kind == "createSurface":
            self.create_surface(body)
        else:
            self.delete_surface(body["surfaceId"])

    def check_frame(self, message: JsonValue) -> str:
        """The kind of a message whose envelope and body have the right members."""
        if self._early:
            return early.check_frame(message)
        return check_frame(message, LATE)

    def life(self, surface_id: str) -> Life:
        """Whether a surface was never made, lives (or is assumed to), or was deleted."""
        if surface_id in self.surfaces:
            return "live"
        return "deleted" if surface_id in self._deleted else "absent"

    def live(self, surface_id: str, kind: str) -> Surface:
        """The surface that a message of ``kind`` is about; ``integrity`` when it is not there."""
        surface = self.surfaces.get(surface_id)
        if surface is None:
            self.check_life(surface_id, kind)
            raise AssertionError("no update meets a surface that does not live")
        return surface

    def check_life(self, surface_id: str, kind: str) -> None:
        """Whether a message of ``kind`` may come now; ``integrity`` when not."""
        try:
            next_life(self.life(surface_id), kind)
        except Violation as violation:
            raise refusal(
                "integrity", f"{violation}: {surface_id!r}", f"/{kind}/surfaceId"
            ) from None

    def catalog_for(self, catalog_id: str, path: str) -> Catalog:
        """The catalog of exactly that id; ``catalog`` when the state has none."""
        for catalog in self.catalogs:
            if catalog.catalog_id == catalog_id:
                return catalog
        raise refusal("catalog", f"no catalog {catalog_id!r} is known", path)

    def create_surface(self, body: JsonValue) -> None:
        surface_id = body["surfaceId"]
        self.check_life(surface_id, "createSurface")
        catalog = self.catalog_for(body["catalogId"], "/createSurface/catalogId")
        surface = Surface(surface_id, catalog, Graph(self.counter))
        if "theme" in body:
            catalog.check_theme(body["theme"], "/createSurface/theme")
            surface.theme = body["theme"]
        surface.send_data_model = body.get("sendDataModel", False)
        self.add_surface(surface)

    def add_surface(self, surface: Surface) -> None:
        surface_id = surface.surface_id
        was_deleted = surface_id in self._deleted
        self._deleted.discard(surface_id)
        self.surfaces[surface_id] = surface

        def undo() -> None:
            del self.surfaces[surface_id]
            if was_deleted:
                self._deleted.add(surface_id)

        self.record(undo)

    def delete_surface(self, surface_id: str) -> None:
        surface = self.surfaces.pop(surface_id, None)
        if surface is None:
            self.refuse_delete(surface_id)
            return
        self._deleted.add(surface_id)
        self.record(lambda: self.restore(surface))

    def refuse_delete(self, surface_id: str) -> None:
        """What is not there cannot be deleted (upstream's matrix; most renderers let it pass)."""
        self.check_life(surface_id, "deleteSurface")

    def restore(self, surface: Surface) -> None:
        """Bring a deleted surface back: all of it, since it was set aside and not taken apart."""
        self._deleted.discard(surface.surface_id)
        self.surfaces[surface.surface_id] = surface

    # ---------------------------------------------------------------------- components

    def put_components(self, surface: Surface, components: Sequence[Component], path: str) -> None:
        """Check components together, then add them or replace those of the same ids."""
        links = self.check_components(surface.catalog, components, path)
        undo = self.relink(surface, links, path)
        self.store(surface, components, undo)

    def check_components(
        self, catalog: Catalog, components: Sequence[Component], path: str
    ) -> list[Link]:
        """Each component against its catalog, and no id twice; the references of each.

        One alone, as most messages of a stream have it, is spared the loop.
        """
        self.counter.count += len(components)
        if len(components) == 1:
            (component,) = components
            catalog.check_component(component, path + "/0")
            return [(component["id"], catalog.children(component))]
        links: list[Link] = []
        for index, component in enumerate(components):
            catalog.check_component(component, f"{path}/{index}")
            links.append((component["id"], catalog.children(component)))
        self.check_duplicates(links, path)
        return links

    def check_duplicates(self, links: Sequence[Link], path: str) -> None:
        seen: set[str] = set()
        for index, (name, _) in enumerate(links):
            if name in seen:
                raise refusal(
                    "integrity", f"{name!r} comes twice in one message", f"{path}/{index}/id"
                )
            seen.add(name)

    def relink(self, surface: Surface, links: Sequence[Link], path: str) -> Undo:
        """Change the graph; ``recursion`` for a circle or a chain that is too deep."""
        try:
            if len(links) == 1:
                ((name, children),) = links
                return surface.graph.replace(name, children)
            return surface.graph.replace_all(links)
        except Violation as violation:
            (name,) = tokens_of(violation.path)
            index = next(i for i, link in enumerate(links) if link[0] == name)
            refuse(violation, f"{path}/{index}")

    def store(self, surface: Surface, components: Sequence[Component], undo_graph: Undo) -> None:
        """Put components that were checked where they belong; ``undo_graph`` goes into the log."""
        held, changed, logged = surface.components, surface.changed, self._depth > 0
        if logged:
            self._log.append(undo_graph)
        for component in components:
            name = component["id"]
            if logged:
                before = held.get(name), name in changed
                self._log.append(partial(self.unstore, surface, name, *before))
            held[name] = component
            changed[name] = None

    def unstore(
        self, surface: Surface, name: str, before: Component | None, was_changed: bool
    ) -> None:
        """Take a stored component back, to what was there before it."""
        self.counter.count += 1
        if before is None:
            del surface.components[name]
        else:
            surface.components[name] = before
        if not was_changed:
            del surface.changed[name]

    # ---------------------------------------------------------------------------- data

    def write(self, surface: Surface, body: JsonValue) -> Undo:
        """Write or remove: the presence of ``value`` decides, not its nullness."""
        path = body.get("path")
        self.counter.count += 1
        if path is not None and path.count("/") > MAX_VALUE_DEPTH:
            raise refusal("recursion", "the path is too deep", "/updateDataModel/path")
        if "value" in body:
            self.check_value(body["value"])
        try:
            if "value" in body:
                return surface.data.put(path, body["value"])
            return surface.data.remove(path)
        except Violation as violation:
            refuse(violation, "/updateDataModel/path")

    def check_value(self, value: JsonValue) -> None:
        if isinstance(value, dict | list):
            check_depth(value, MAX_VALUE_DEPTH, "/updateDataModel/value")
