"""A surface is a fold: messages applied in order, each atomic, all undoable by a log.

Nothing is copied per message or per transaction: each applied message leaves behind what it
replaced, and going back replays that in reverse (RFC 0209 §C.9; A2UI v0.9 semantics).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal

from ..errors import Violation
from ..jsonvalue import JsonValue
from .data_model import DataModel, Undo
from .message import kind_of

Component = Mapping[str, JsonValue]
Life = Literal["absent", "live", "deleted"]


def next_life(life: Life, kind: str) -> Life:
    """What a surface is after a message of ``kind``; the guard of RFC 0209 §C.9.

    Raises ``Violation`` with rule ``fold`` when the message would make the fold invalid.
    """
    if kind == "createSurface":
        if life == "live":
            raise Violation("fold", "createSurface on a live surface")
        return "live"
    if life == "absent":
        raise Violation("fold", f"{kind} before createSurface")
    if life == "deleted":
        raise Violation("fold", f"{kind} after deleteSurface, without a new createSurface")
    return "deleted" if kind == "deleteSurface" else "live"


@dataclass(slots=True)
class Surface:
    """One live surface. ``components`` are by id, in the order in which they first came."""

    surface_id: str
    catalog_id: JsonValue
    theme: JsonValue = None
    components: dict[str, Component] = field(default_factory=dict)
    data: DataModel = field(default_factory=DataModel)


class Fold:
    """The surfaces of one run. What the catalog says of a message is ``catalog.check_payload``'s
    business; here a message is asked for no more than applying it needs."""

    __slots__ = ("_depth", "_lives", "_log", "surfaces")

    def __init__(self) -> None:
        self.surfaces: dict[str, Surface] = {}
        self._lives: dict[str, Life] = {}
        self._log: list[Undo] = []
        self._depth = 0

    def life(self, surface_id: str) -> Life:
        """Whether a surface was never made, lives, or was deleted."""
        return self._lives.get(surface_id, "absent")

    def apply(self, message: JsonValue) -> None:
        """Apply one message whole, or raise ``Violation`` and change nothing."""
        kind = kind_of(message)
        body = message[kind]
        surface_id = body.get("surfaceId")
        if not isinstance(surface_id, str):
            raise Violation("message", f"{kind} names no surface")
        before = self.life(surface_id)
        after = next_life(before, kind)
        undo = _APPLY[kind](self, surface_id, body)
        self._lives[surface_id] = after
        if self._depth:
            self._log.append(undo)
            if after != before:
                self._log.append(lambda: self._lives.__setitem__(surface_id, before))

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing for the messages applied inside; nests as positions in one log."""
        mark = len(self._log)
        self._depth += 1
        try:
            yield
        except BaseException:
            while len(self._log) > mark:
                self._log.pop()()
            raise
        finally:
            self._depth -= 1
            if not self._depth:
                self._log.clear()

    def apply_all(self, messages: Iterable[JsonValue]) -> None:
        """The messages of one envelope: applied in order, or, if one fails, not at all."""
        with self.transaction():
            for message in messages:
                self.apply(message)


def _create(fold: Fold, surface_id: str, body: JsonValue) -> Undo:
    fold.surfaces[surface_id] = Surface(surface_id, body.get("catalogId"), body.get("theme"))

    def undo() -> None:
        del fold.surfaces[surface_id]

    return undo


def _update_components(fold: Fold, surface_id: str, body: JsonValue) -> Undo:
    """Upsert by id: same id and type has its properties replaced, another type takes its place.

    Either way nothing of the old component remains, so both are one assignment. A repeated id in
    one list is read in array order: the last one stays.
    """
    components = fold.surfaces[surface_id].components
    incoming = body.get("components")
    if not isinstance(incoming, list) or not all(map(_is_component, incoming)):
        raise Violation("component", "components are a list; each has an id and a type, both text")
    replaced: list[tuple[str, Component | None]] = []
    for component in incoming:
        name = component["id"]
        replaced.append((name, components.get(name)))
        components[name] = component

    def undo() -> None:
        for name, before in reversed(replaced):
            if before is None:
                del components[name]
            else:
                components[name] = before

    return undo


def _is_component(value: JsonValue) -> bool:
    return (
        isinstance(value, dict)
        and isinstance(value.get("id"), str)
        and isinstance(value.get("component"), str)
    )


def _update_data_model(fold: Fold, surface_id: str, body: JsonValue) -> Undo:
    """The presence of ``value`` decides, not its nullness: omitted removes, ``null`` is written."""
    data, path = fold.surfaces[surface_id].data, body.get("path")
    if path is not None and not isinstance(path, str):
        raise Violation("data-path", f"{path!r} is no path")
    return data.put(path, body["value"]) if "value" in body else data.remove(path)


def _delete(fold: Fold, surface_id: str, _: JsonValue) -> Undo:
    surface = fold.surfaces.pop(surface_id)

    def undo() -> None:
        fold.surfaces[surface_id] = surface

    return undo


_APPLY = {
    "createSurface": _create,
    "updateComponents": _update_components,
    "updateDataModel": _update_data_model,
    "deleteSurface": _delete,
}
