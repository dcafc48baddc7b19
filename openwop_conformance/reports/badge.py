"""The verdict as a badge: the JSON that shields.io reads from an endpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from ..engine.verdict import Disposition, Event, Row, RunFinished, exit_code
from ..evidence.ledger import Header
from ..evidence.requirements import Requirement
from ..jsonvalue import JsonValue
from .output import put

_COLOURS: Final = {0: "brightgreen", 1: "red", 3: "yellow"}


class BadgeReport:
    """Listens to a run and writes its badge when it is over: a verdict, never a score."""

    def __init__(
        self, path: Path | None, requirements: Mapping[str, Requirement], header: Header
    ) -> None:
        self._path, self._header = path, header

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunFinished):
            badge = badge_of(event.rows, whole=self._header.left_out == 0)
            put(self._path, json.dumps(badge, indent=2) + "\n")


def badge_of(rows: tuple[Row, ...], *, whole: bool) -> dict[str, JsonValue]:
    """The badge of some rows. It says so where they are not all the rules that could bind."""
    code = exit_code(rows)
    broken = sum(row.disposition is Disposition.FAIL for row in rows)
    whole = whole and not any(row.disposition is Disposition.SKIPPED for row in rows)
    return {
        "schemaVersion": 1,
        "label": "A2UI conformance" if whole else "A2UI conformance, in part",
        "message": {0: "conformant", 1: f"{broken} broken", 3: "incomplete"}[code],
        "color": _COLOURS[code],
    }
