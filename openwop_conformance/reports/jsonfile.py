"""The run as one JSON document, for programs: the header, the verdict, every row and failure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..engine.verdict import Disposition, Event, RunFinished, ScenarioFinished
from ..engine.verdict import exit_code as code_of
from ..evidence.ledger import Header, counts, digest
from ..evidence.requirements import Requirement
from ..jsonvalue import JsonValue
from .output import put


class JsonReport:
    """Listens to a run and writes one document, of the schema ``report``, when it is over."""

    def __init__(
        self, path: Path | None, requirements: Mapping[str, Requirement], header: Header
    ) -> None:
        self._path, self._header = path, header
        self._failed: list[ScenarioFinished] = []

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, ScenarioFinished):
            if event.row.disposition is Disposition.FAIL:
                self._failed.append(event)
        elif isinstance(event, RunFinished):
            self._write(event)

    def _write(self, event: RunFinished) -> None:
        document: dict[str, JsonValue] = {
            **{k: v for k, v in self._header.as_json().items() if k != "record"},
            "dialect": event.dialect,
            "exitCode": code_of(event.rows),
            "counts": counts(event.rows),
            "sha256": digest(event.rows),
            "rows": [row.as_record() for row in event.rows],
            "failures": [
                {
                    "id": finished.row.id,
                    "message": failure.message,
                    "place": failure.place,
                    **{
                        name: value
                        for name, value in (
                            ("because", failure.because),
                            ("case", failure.case),
                            ("expected", failure.expected),
                            ("got", failure.got),
                            ("scenario", failure.scenario),
                        )
                        if value is not None
                    },
                }
                for finished in sorted(self._failed, key=lambda f: f.row.id)
                for failure in finished.failures
            ],
        }
        put(self._path, json.dumps(document, indent=2) + "\n")  # ASCII: no terminal obeys any of it
