"""Sabotages of the renderer state's transactions and of its undo log."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import Any, Final

from ....a2ui.data_model import DataModel, Undo
from ....errors import CallError
from ....jsonvalue import MISSING, JsonValue
from ...sdk.state import RendererState
from ...sdk.surface import Surface
from .model import SdkSabotage


def _apply_one_by_one(self: Any, messages: Sequence[JsonValue]) -> None:
    for message in messages:
        self.apply_one(message)


def _revert_all(self: Any, mark: int) -> None:
    RendererState.revert(self, 0)


def _revert_outermost(self: Any, mark: int) -> None:
    if self._depth == 1:
        RendererState.revert(self, mark)


def _log_ends_with_inner(self: Any, callback: Callable[[], object]) -> object:
    result = RendererState.run(self, callback)
    self._log.clear()
    return result


def _promise_is_a_result(self: Any, callback: Callable[[], object]) -> object:
    with self.transaction():
        result = callback()
    if inspect.iscoroutine(result):
        result.close()
        return None
    return result


def _promise_seen_late(self: Any, callback: Callable[[], object]) -> object:
    with self.transaction():
        result = callback()
    if inspect.iscoroutine(result):
        result.close()
        raise CallError("state", "a transaction's callback must not be asynchronous")
    return result


def _result_dropped(self: Any, callback: Callable[[], object]) -> None:
    RendererState.run(self, callback)


# --------------------------------------------------------------------------------- undo log


def _revert_once_each(self: Any, mark: int) -> None:
    self.undone = set()
    RendererState.revert(self, mark)


def _unstore_once(self: Any, surface: Surface, name: str, *before: Any) -> None:
    if (surface.surface_id, name) not in self.undone:
        self.undone.add((surface.surface_id, name))
        RendererState.unstore(self, surface, name, *before)


def _store_in_place(
    self: Any, surface: Surface, components: Sequence[dict[str, JsonValue]], undo_graph: Undo
) -> None:
    for component in components:
        held = surface.components.get(component["id"])
        RendererState.store(self, surface, [component], undo_graph)
        undo_graph = _nothing
        if held is not None and "action" in held and "action" in component:
            held["action"] = component["action"]


def _nothing() -> None:
    """What undoes nothing."""


def _parents_stay(self: Any, surface: Surface, body: JsonValue) -> Undo:
    path = body.get("path") or "/"
    before = deepcopy(surface.data)
    undo = RendererState.write(self, surface, body)
    if before.get(path.rpartition("/")[0]) is not MISSING:
        return undo

    def undo_last() -> None:
        surface.data.remove(path)

    return undo_last


def _restore_without_data(self: Any, surface: Surface) -> None:
    surface.data = DataModel()
    RendererState.restore(self, surface)


def _restore_without_settings(self: Any, surface: Surface) -> None:
    surface.theme, surface.send_data_model = None, False
    RendererState.restore(self, surface)


def _restore_by_first_catalog(self: Any, surface: Surface) -> None:
    surface.catalog = self.catalogs[0]
    RendererState.restore(self, surface)


def _restore_as_new(self: Any, surface: Surface) -> None:
    surface.changed = dict.fromkeys(surface.components)
    RendererState.restore(self, surface)


def _settle_unlogged(self: Any, surface: Surface) -> None:
    surface.changed = {}


def _unstore_as_checked(
    self: Any, surface: Surface, name: str, before: dict[str, JsonValue] | None, was_changed: bool
) -> None:
    gone = {} if name in surface.changed else {name: None}
    surface.changed.update(gone)
    RendererState.unstore(self, surface, name, before, was_changed and not gone)


def _unstore_leaves_changed(
    self: Any, surface: Surface, name: str, before: dict[str, JsonValue] | None, was_changed: bool
) -> None:
    RendererState.unstore(self, surface, name, before, was_changed)
    if before is not None:
        surface.changed[name] = None


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-apply-stops-halfway",
        "the messages of a list are applied one after the other, and the error ends the loop",
        state={"apply": _apply_one_by_one},
    ),
    SdkSabotage(
        "sdk-inner-failure-undoes-all",
        "a failed inner transaction undoes the outer one as well",
        state={"revert": _revert_all},
    ),
    SdkSabotage(
        "sdk-inner-failure-kept",
        "only the outermost transaction undoes anything",
        state={"revert": _revert_outermost},
    ),
    SdkSabotage(
        "sdk-inner-success-kept",
        "the end of an inner transaction empties the log, and the outer one cannot undo it",
        state={"run": _log_ends_with_inner},
    ),
    SdkSabotage(
        "sdk-promise-returned",
        "an asynchronous callback counts as done",
        state={"run": _promise_is_a_result},
    ),
    SdkSabotage(
        "sdk-asynchronous-kept",
        "an asynchronous callback is refused once its transaction is over",
        state={"run": _promise_seen_late},
    ),
    SdkSabotage(
        "sdk-callback-result-lost",
        "a transaction returns nothing",
        state={"run": _result_dropped},
    ),
    SdkSabotage(
        "sdk-last-change-undone",
        "of several changes of one component the last alone is undone",
        state={"revert": _revert_once_each, "unstore": _unstore_once},
    ),
    SdkSabotage(
        "sdk-component-changed-in-place",
        "the log keeps a component whose action is then changed in place",
        state={"store": _store_in_place},
    ),
    SdkSabotage(
        "sdk-undo-leaves-parents",
        "undoing a write removes the value and leaves the parents that were made for it",
        state={"write": _parents_stay},
    ),
    SdkSabotage(
        "sdk-deleted-restored-without-data",
        "a deleted surface comes back with its components alone",
        state={"restore": _restore_without_data},
    ),
    SdkSabotage(
        "sdk-deleted-restored-without-settings",
        "a deleted surface comes back without its theme and its opting in to data",
        state={"restore": _restore_without_settings},
    ),
    SdkSabotage(
        "sdk-deleted-restored-by-first-catalog",
        "a deleted surface comes back with the state's first catalog",
        state={"restore": _restore_by_first_catalog},
    ),
    SdkSabotage(
        "sdk-restored-counts-as-new",
        "the components of a surface that came back count as added",
        state={"restore": _restore_as_new},
    ),
    SdkSabotage(
        "sdk-checked-for-good",
        "what was checked or marked in a failed transaction stays so",
        state={"settle": _settle_unlogged, "unstore": _unstore_as_checked},
    ),
    SdkSabotage(
        "sdk-undone-counts-as-changed",
        "a component that was restored counts as changed",
        state={"unstore": _unstore_leaves_changed},
    ),
)
