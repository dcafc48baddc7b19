"""What a renderer would hold after a response, for as long as the caller chooses to keep it.

The log (``undo_log``) takes changes back, ``surfaces`` applies messages; here are the checks of
whole trees, and what parsers and processors ask (A2UI's agent SDK blueprint).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...a2ui.catalog import MESSAGE_KINDS
from ...a2ui.graph import Graph
from ...jsontree import copied
from ...jsonvalue import JsonValue
from . import early
from .locking import LockedSurfaces
from .surface import Catalog, Surface, refusal
from .surfaces import LATE


class RendererState(LockedSurfaces):
    """The surfaces of one response or of one conversation, with all that a rollback takes back.

    Methods refuse with ``CallError`` and then have changed nothing.
    """

    __slots__ = ()

    @property
    def work(self) -> int:
        """How many components and references were looked at or changed since the beginning."""
        return self.counter.count

    # --------------------------------------------------------------------------- trees

    def check_topology(self, surface_ids: Iterable[str]) -> None:
        """Check what changed since the last check; ``integrity`` for the first fault.

        A surface that holds any component must have its root; a changed component refers only to
        what is there and the root reaches it. Ids that are unknown, deleted or assumed are left
        out.
        """
        surfaces = self.checkable(surface_ids)
        for surface in surfaces:
            self.check_root(surface)
            self.check_references(surface)
            self.check_reachable(surface)
        for surface in surfaces:
            self.settle(surface)

    def mark_checked(self, surface_ids: Iterable[str]) -> None:
        """Let all components of these surfaces count as checked."""
        for surface in self.checkable(surface_ids):
            self.settle(surface)

    def checkable(self, surface_ids: Iterable[str]) -> list[Surface]:
        """Each surface once, without those of which not everything is known."""
        found = map(self.surfaces.get, dict.fromkeys(surface_ids))
        return [surface for surface in found if surface is not None and not surface.assumed]

    def check_root(self, surface: Surface) -> None:
        if surface.components and surface.root not in surface.components:
            raise refusal(
                "integrity", f"surface {surface.surface_id!r} has no component {surface.root!r}"
            )

    def check_references(self, surface: Surface) -> None:
        found = surface.graph.first_missing(surface.changed)
        if found is not None:
            name, missing = found
            raise refusal("integrity", f"{name!r} refers to {missing!r}, which is not there")

    def check_reachable(self, surface: Surface) -> None:
        name = surface.graph.first_unreached(surface.changed, surface.root)
        if name is not None:
            raise refusal("integrity", f"{name!r} is not reachable from {surface.root!r}")

    def settle(self, surface: Surface) -> None:
        """Count everything of a surface as checked, until an enclosing transaction fails."""
        before = surface.changed
        if before:
            surface.changed = {}

            def undo() -> None:
                surface.changed = before

            self.record(undo)

    def check_finished(self) -> None:
        """``integrity`` when updates still wait for the surface that they are for (v0.8)."""
        for surface_id in self.waiting:
            raise refusal("integrity", f"updates wait for surface {surface_id!r}, never begun")

    # ------------------------------------------------------------------ for the callers

    def assume(self, surface_id: str, catalog_id: str) -> None:
        """Take a surface as live of which only updates will be seen; nothing is asked of its tree.

        Raises ``catalog`` for an unknown catalog and ``integrity`` when the surface lives.
        """
        self.check_life(surface_id, "createSurface")
        catalog = self.catalog_for(catalog_id, "")
        self.add_surface(Surface(surface_id, catalog, Graph(self.counter), assumed=True))

    def accepts(self, catalogs: Sequence[Catalog], version: str = "v0.9") -> bool:
        """Whether a processor for these catalogs, in this order, and this version fits."""
        ours, theirs = ([c.catalog_id for c in some] for some in (self.catalogs, catalogs))
        same_version = version == self.version or (version in LATE and self.version in LATE)
        return same_version and ours == theirs

    def surface_of(self, message: JsonValue) -> str | None:
        """The id of the surface that a message names, be the message right or wrong."""
        if not isinstance(message, dict):
            return None
        for kind in (*MESSAGE_KINDS, *early.KINDS):
            body = message.get(kind)
            if isinstance(body, dict) and isinstance(body.get("surfaceId"), str):
                return str(body["surfaceId"])
        return None

    def snapshot(self) -> JsonValue:
        """The live surfaces by id, as a ``read`` answers; apart from the state from now on."""
        return {"surfaces": {name: _read(surface) for name, surface in self.surfaces.items()}}

    def client_data(self) -> JsonValue:
        """The data of all surfaces that opted in, as a client attaches it, or ``None``."""
        models = {
            name: copied(surface.data.root)
            for name, surface in self.surfaces.items()
            if surface.send_data_model
        }
        return {"version": self.version, "surfaces": models} if models else None


def _read(surface: Surface) -> dict[str, JsonValue]:
    read: dict[str, JsonValue] = {
        "components": dict(surface.components),
        "data": copied(surface.data.root),
        "catalogId": surface.catalog.catalog_id,
        "sendDataModel": surface.send_data_model,
    }
    if surface.theme is not None:
        read["theme"] = surface.theme
    return read
