"""Sticky trust: one untrusted envelope taints its surface for ever (RFC 0209 §C.12)."""

from __future__ import annotations


class Trust:
    """Which surfaces of one run are tainted, and to which nodes' interrupts they are bound.

    A surface is bound to each node that an envelope of it names. Taint belongs to the surface's
    identity, so neither a later trusted envelope nor deletion and re-creation takes it away.
    """

    __slots__ = ("_bound", "_tainted")

    def __init__(self) -> None:
        self._tainted: set[str] = set()
        self._bound: dict[str, set[str]] = {}

    def observe(self, surface_id: str, *, node_id: str | None, untrusted: bool) -> None:
        """Take note of one recorded envelope."""
        if node_id is not None:
            self._bound.setdefault(node_id, set()).add(surface_id)
        if untrusted:
            self._tainted.add(surface_id)

    def tainted(self, surface_id: str) -> bool:
        """Whether any recorded envelope of the surface was untrusted."""
        return surface_id in self._tainted

    def blocking(self, node_id: str) -> tuple[str, ...]:
        """The tainted surfaces bound to a node, sorted: while there is one, its approval waits."""
        return tuple(sorted(self._bound.get(node_id, set()) & self._tainted))
