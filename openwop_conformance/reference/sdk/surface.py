"""One surface as a renderer holds it, and the errors of the SDK for what the rules refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn, Protocol

from ...a2ui.data_model import DataModel
from ...a2ui.graph import Graph
from ...a2ui.topology import ROOT
from ...errors import CallError, Kind, Violation
from ...jsonvalue import JsonValue

Component = dict[str, JsonValue]


class Catalog(Protocol):
    """What a state asks of a catalog; ``CallError`` says what is wrong, and where."""

    @property
    def catalog_id(self) -> str: ...

    def check_component(self, component: JsonValue, path: str = ..., /) -> None: ...

    def children(self, component: dict[str, JsonValue], /) -> Sequence[str]: ...

    def check_theme(self, theme: JsonValue, path: str = ..., /) -> None: ...


@dataclass(slots=True)
class Surface:
    """A live surface. ``components`` are by id, in the order in which they first came; ``changed``
    are those added or replaced since the last check of the tree."""

    surface_id: str
    catalog: Catalog
    graph: Graph
    root: str = ROOT
    theme: JsonValue = None
    send_data_model: bool = False
    assumed: bool = False
    components: dict[str, Component] = field(default_factory=dict)
    data: DataModel = field(default_factory=DataModel)
    changed: dict[str, None] = field(default_factory=dict)


KINDS: Final[Mapping[str, Kind]] = {
    "cycle": "recursion",
    "data-path": "data",
    "depth": "recursion",
    "fold": "integrity",
}
"""The kind of fault that a broken rule of ``a2ui`` is."""


def refuse(violation: Violation, path: str) -> NoReturn:
    """Raise the SDK's error for a broken rule, at a place in the message."""
    raise refusal(KINDS[violation.rule], str(violation), path) from None


def refusal(kind: Kind, message: str, path: str = "") -> CallError:
    """An error with one detail that says where in the message the fault is."""
    detail = {"path": path, "code": "VALIDATION_FAILED", "message": message}
    return CallError(kind, message, details=(detail,))
