"""Sabotages of version 1 trees: readers that do not read them any more, or only in part."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from ....a2ui.catalog import Branch
from ....jsonvalue import JsonValue
from ...consumer.client import Client
from ...consumer.legacy import LegacyRun, LegacySurface
from ...consumer.surface import View
from .model import ConsumerSabotage


def _version_two_alone(self: Any, envelope: JsonValue) -> Branch | None:
    branch = Client.branch(self, envelope)
    return None if branch == 1 else branch


def _with_surfaces(kind: type[LegacySurface]) -> Callable[..., list[tuple[str, LegacySurface]]]:
    def surfaces(self: Any) -> list[tuple[str, LegacySurface]]:
        return [(name, kind(self, name)) for name, _ in LegacyRun.surfaces(self)]

    return surfaces


class _WithoutFields(LegacySurface):
    def view(self) -> View | None:
        view = super().view()
        if view is None:
            return None
        kept = {n: c for n, c in view.components.items() if "label" not in c}
        return replace(view, components=kept)


class _ReadOnly(LegacySurface):
    def write(self, path: str, value: JsonValue) -> bool:
        return False


SABOTAGES: Final = (
    ConsumerSabotage(
        "drops-version-1",
        "Envelopes of version 1 are not read any more.",
        client={"branch": _version_two_alone},
    ),
    ConsumerSabotage(
        "drops-fields-of-version-1",
        "The fields of a version 1 tree are not shown.",
        legacy={"surfaces": _with_surfaces(_WithoutFields)},
    ),
    ConsumerSabotage(
        "locks-fields-of-version-1",
        "The fields of a version 1 tree are shown, and cannot be filled in.",
        legacy={"surfaces": _with_surfaces(_ReadOnly)},
    ),
)
