"""PyPI a2ui-core as an SDK subject: its message processor, one for each state.

Named as ``py:openwop_conformance.sdks.a2ui_core:Core?checks=progressive``; needs the extra
``sdks``. Only the library's own errors become refusals; anything else that it raises goes on as it
is, and counts as a crash.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version as installed
from typing import Final

from a2ui.core import (
    STRICT_VALIDATION,
    A2uiCatalogError,
    A2uiDataError,
    A2uiError,
    A2uiIntegrityError,
    A2uiParseError,
    A2uiRecursionError,
    A2uiStateError,
    A2uiValidationError,
    Catalog,
    CatalogApi,
    MessageProcessor,
    MessageProcessorOptions,
    ValidationConfig,
)
from a2ui.core.basic_catalog import BasicCatalog
from a2ui.core.schema import ProtocolVersion
from a2ui.core.state import SurfaceModel

from ..errors import CallError, Kind, UsageError
from ..jsonvalue import JsonValue

KINDS: Final[Mapping[type, Kind]] = {
    A2uiParseError: "parse",
    A2uiCatalogError: "catalog",
    A2uiIntegrityError: "integrity",
    A2uiRecursionError: "recursion",
    A2uiValidationError: "validation",
    A2uiDataError: "data",
    A2uiStateError: "state",
    A2uiError: "validation",
}
"""The kind of each class; a class that is not here is of its nearest ancestor's kind."""

CHECKS: Final[Mapping[str, ValidationConfig | None]] = {
    "none": None,
    "progressive": ValidationConfig(
        allow_orphan_components=True, allow_dangling_references=True, allow_missing_root=True
    ),
    "strict": STRICT_VALIDATION,
}
"""What a processor checks: as it is made by default, as while a response streams, or all."""

VERSIONS: Final = tuple(version.value for version in ProtocolVersion)

basic_catalog = cache(BasicCatalog)


def catalogs_of(given: Sequence[JsonValue] | None, version: str) -> list[CatalogApi]:
    """The library's catalogs for ``basic`` and for documents; the basic one if none is given."""
    return [
        basic_catalog(version) if one == "basic" else Catalog.from_json(one, version)
        for one in given or ["basic"]
    ]


@contextmanager
def refusals() -> Iterator[None]:
    """Whatever the library refuses inside is an ``CallError`` outside.

    The paths of its details are its own, ``components.ID.PROPERTY``, not JSON Pointers.
    """
    try:
        yield
    except A2uiError as error:
        kind = next(KINDS[one] for one in type(error).__mro__ if one in KINDS)
        details = [detail.to_dict() for detail in error.details]
        raise CallError(kind, str(error), details=details) from error


class Core:
    """The library's ``MessageProcessor``; ``checks`` is one of ``CHECKS``."""

    OPERATIONS: Final = (
        "hello",
        "new_state",
        "apply",
        "apply_each",
        "read",
        "check_topology",
        "client_data",
    )

    def __init__(self, checks: str = "none") -> None:
        if checks not in CHECKS:
            raise UsageError(f"checks is {checks!r}, and not one of {', '.join(CHECKS)}")
        self._checks = CHECKS[checks]
        self._states: dict[str, MessageProcessor] = {}

    def hello(self, protocol: int) -> JsonValue:
        return {
            "name": "a2ui-core",
            "version": installed("a2ui-core"),
            "versions": list(VERSIONS),
            "operations": list(self.OPERATIONS),
            "features": ["custom-catalogs"],
        }

    def new_state(
        self,
        state: str,
        catalogs: Sequence[JsonValue] | None = None,
        version: str = ProtocolVersion.V0_9.value,
    ) -> JsonValue:
        options = MessageProcessorOptions(validation_config=self._checks)
        with refusals():
            held = catalogs_of(catalogs, version)
            self._states[state] = MessageProcessor(held, options=options)
        return {}

    def apply(self, state: str, messages: list[JsonValue]) -> JsonValue:
        with refusals():
            self._states[state].process_messages(messages)
        return {}

    def apply_each(self, state: str, messages: list[JsonValue]) -> JsonValue:
        process = self._states[state].process_messages
        for applied, message in enumerate(messages):
            try:
                process([message])
            except A2uiError:
                return {"applied": applied}
        return {"applied": len(messages)}

    def read(self, state: str) -> JsonValue:
        return {"surfaces": {one.id: _read(one) for one in self._surfaces(state)}}

    def check_topology(self, state: str, surfaces: Sequence[str]) -> JsonValue:
        with refusals():
            for surface in self._surfaces(state):
                if surface.id in surfaces:
                    config = ValidationConfig(root_id=surface.root_id)
                    surface.components_model.validate_topology(config)
        return {}

    def client_data(self, state: str) -> JsonValue:
        with refusals():
            return {"data": self._states[state].get_renderer_data_model()}

    def _surfaces(self, state: str) -> list[SurfaceModel]:
        return list(self._states[state].model.surfaces_map.values())


def _read(surface: SurfaceModel) -> JsonValue:
    """A surface as the library holds it; to it, no theme and an empty one are the same."""
    catalog = surface.default_catalog
    return {
        "components": {key: one.component_tree for key, one in surface.components_model.entries},
        "data": surface.data_model.get("/"),
        "sendDataModel": surface.send_data_model,
        **({"catalogId": catalog.catalog_id} if catalog is not None else {}),
        **({"theme": surface.theme} if surface.theme else {}),
    }
