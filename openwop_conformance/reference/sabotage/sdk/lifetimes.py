"""Sabotages of how long a state lives, of whom it fits, of what clients tell, and of v0.8."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from ....errors import CallError
from ....jsonvalue import JsonValue
from ...sdk import early
from ...sdk.operations import ReferenceSdk
from ...sdk.state import RendererState
from .model import SdkSabotage


def _stream_afresh(self: Any, state: str, *rest: Any, **named: Any) -> JsonValue:
    if state in self.__dict__.get("_parsed", ()):
        self._state(state).surfaces.clear()
    return ReferenceSdk.stream(self, state, *rest, **named)


def _parse_remembered(self: Any, content: str, state: str | None = None, **rest: Any) -> JsonValue:
    result = ReferenceSdk.parse_response(self, content, state, **rest)
    self.__dict__.setdefault("_parsed", set()).add(state)
    return result


def _stream_in_a_fresh_state(self: Any, stream: str, state: str, **rest: Any) -> JsonValue:
    if state not in self.__dict__.get("_parsed", ()):
        return ReferenceSdk.open_stream(self, stream, state, **rest)
    held = self._state(state)
    self._states["fresh"] = self.make_state(held.catalogs, held.version)
    return ReferenceSdk.open_stream(self, stream, "fresh", **rest)


# ------------------------------------------------------------------------------- processors


def _accepts_any_order(self: Any, catalogs: Sequence[Any], version: str = "v0.9") -> bool:
    theirs = sorted(catalogs, key=lambda catalog: str(catalog.catalog_id))
    self_sorted = RendererState(
        sorted(self.catalogs, key=lambda catalog: str(catalog.catalog_id)), self.version
    )
    return self_sorted.accepts(theirs, version)


def _accepts_same_text(self: Any, catalogs: Sequence[Any], version: str = "v0.9") -> bool:
    return version == self.version and RendererState.accepts(self, catalogs, version)


def _accepts_any_version(self: Any, catalogs: Sequence[Any], version: str = "v0.9") -> bool:
    return RendererState.accepts(self, catalogs, self.version)


def _first_catalog_compared(
    self: Any, state: str, catalogs: Sequence[JsonValue], version: str = "v0.9"
) -> JsonValue:
    held = self._state(state)
    asked = [*self._read(catalogs[:1], version), *held.catalogs[1:]]
    return {"accepts": held.accepts(asked, version)}


def _bind_anything(
    self: Any, state: str, catalogs: Sequence[JsonValue], version: str = "v0.9"
) -> JsonValue:
    return {}


# -------------------------------------------------------------------------- clients and v0.8


def _all_models(self: Any) -> JsonValue:
    models = {name: surface.data.root for name, surface in self.surfaces.items()}
    opted_in = RendererState.client_data(self)
    return None if opted_in is None else {**opted_in, "surfaces": models}


def _first_model(self: Any) -> JsonValue:
    opted_in = RendererState.client_data(self)
    if opted_in is None:
        return None
    return {**opted_in, "surfaces": dict(list(opted_in["surfaces"].items())[:1])}


def _version_key_demanded(self: Any, capabilities: JsonValue, version: str = "v0.9") -> JsonValue:
    if version not in capabilities:
        raise CallError("validation", f"the capabilities have no key {version}")
    return ReferenceSdk.read_capabilities(self, capabilities, version)


def _any_catalog_will_do(
    self: Any, catalog: Any, components: Sequence[JsonValue], path: str
) -> Any:
    for one in self.catalogs if self.version == early.VERSION else ():
        try:
            return RendererState.check_components(self, one, components, path)
        except CallError:
            continue
    return RendererState.check_components(self, catalog, components, path)


def _first_catalog_only(self: Any, catalog: Any, components: Sequence[JsonValue], path: str) -> Any:
    chosen = self.catalogs[0] if self.version == early.VERSION else catalog
    return RendererState.check_components(self, chosen, components, path)


def _early_data_dropped(self: Any, message: JsonValue) -> None:
    is_early = self.version == early.VERSION and self.surface_of(message) not in self.surfaces
    if not is_early or self.check_frame(message) != "dataModelUpdate":
        RendererState.apply_one(self, message)


def _left_over_dropped(self: Any) -> None:
    self.waiting.clear()


def _revert_but_waiting(self: Any, mark: int) -> None:
    before = {name: list(held) for name, held in self.waiting.items()}
    RendererState.revert(self, mark)
    self.waiting = {**self.waiting, **before}


def _revert_without_waiting(self: Any, mark: int) -> None:
    before = set(self.waiting)
    RendererState.revert(self, mark)
    self.waiting = {name: held for name, held in self.waiting.items() if name in before}


SABOTAGES: Final = (
    SdkSabotage(
        "sdk-state-of-one-response",
        "the state is emptied when a stream follows a response that was parsed",
        sdk={"parse_response": _parse_remembered, "stream": _stream_afresh},
    ),
    SdkSabotage(
        "sdk-stream-in-a-fresh-state",
        "a stream opens a state of its own after a response that was parsed",
        sdk={"parse_response": _parse_remembered, "open_stream": _stream_in_a_fresh_state},
    ),
    SdkSabotage(
        "sdk-catalogs-compared-as-a-set",
        "the order of catalogs makes no difference to whether a state fits",
        state={"accepts": _accepts_any_order},
    ),
    SdkSabotage(
        "sdk-versions-compared-as-text",
        "a state of v0.9 does not fit v0.9.1",
        state={"accepts": _accepts_same_text},
    ),
    SdkSabotage(
        "sdk-versions-not-compared",
        "a state of v0.8 fits v0.9",
        state={"accepts": _accepts_any_version},
    ),
    SdkSabotage(
        "sdk-first-catalog-compared",
        "accepts_state looks at the first catalog alone",
        sdk={"accepts_state": _first_catalog_compared},
    ),
    SdkSabotage(
        "sdk-state-bound-as-it-is",
        "a processor takes any state",
        sdk={"bind_state": _bind_anything},
    ),
    SdkSabotage(
        "sdk-all-models-attached",
        "all data models are attached as soon as one surface has opted in",
        state={"client_data": _all_models},
    ),
    SdkSabotage(
        "sdk-first-model-attached",
        "of the surfaces that opted in only the first is attached",
        state={"client_data": _first_model},
    ),
    SdkSabotage(
        "sdk-version-key-demanded",
        "capabilities without a key for the version are none",
        sdk={"read_capabilities": _version_key_demanded},
    ),
    SdkSabotage(
        "sdk-waiting-checked-once",
        "v0.8 components are taken when any catalog knows them",
        state={"check_components": _any_catalog_will_do},
    ),
    SdkSabotage(
        "sdk-waiting-checked-by-first-catalog",
        "v0.8 components are held to the first catalog, whichever their surface has",
        state={"check_components": _first_catalog_only},
    ),
    SdkSabotage(
        "sdk-waiting-data-lost",
        "v0.8 data that comes before its surface is dropped",
        state={"apply_one": _early_data_dropped},
    ),
    SdkSabotage(
        "sdk-left-over-dropped",
        "updates that still wait when a v0.8 response ends are dropped without a word",
        state={"check_finished": _left_over_dropped},
    ),
    SdkSabotage(
        "sdk-waiting-not-undone",
        "v0.8 updates of a failed transaction go on waiting",
        state={"revert": _revert_but_waiting},
    ),
    SdkSabotage(
        "sdk-begun-forgets-what-waited",
        "when the beginning of a v0.8 surface is undone, what waited for it is lost",
        state={"revert": _revert_without_waiting},
    ),
)
