"""The corpus ledger: the rows of the corpus gates, and of nothing else, as one JSON document."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from ..errors import JsonError, UsageError
from ..evidence.requirements import read_requirements
from ..jsonvalue import JsonValue, canonical, first_difference, parse
from ..schemas import problems, validator
from ..version import VERSION
from .gates import GateRow, GateRun


def corpus_ledger(run: GateRun, found: Sequence[GateRow]) -> dict[str, JsonValue]:
    """The ledger of a run of the gates.

    Raises ``UsageError`` for a row that is not about the corpus: what no host was asked can never
    stand beside what one answered.
    """
    requirements = read_requirements(run.book.corpus.requirements)
    rows = []
    for gate in sorted(found, key=lambda gate: gate.row.id):
        row = gate.row.as_json()
        about = requirements[row["id"]].subject if row["id"] in requirements else "nothing known"
        if about != "corpus":
            raise UsageError(f"{row['id']} is about a {about}: it is no row of a corpus ledger")
        row["gate"] = row.pop("scenario")
        rows.append(row)
    return {
        "suite": {"name": "openwop-conformance", "version": VERSION},
        "corpus": run.book.corpus.digest,
        "upstream": {name: pin["sha256"] for name, pin in run.upstream.pins.items()},
        "seed": run.seed,
        "generated": run.generated,
        "rows": rows,
        "sha256": hashlib.sha256(canonical(rows)).hexdigest(),
    }


def write_corpus_ledger(path: Path, document: dict[str, JsonValue]) -> None:
    """Write a ledger. Raises ``UsageError`` when the file cannot be written."""
    try:
        path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", "utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def stale(path: Path, document: dict[str, JsonValue]) -> str:
    """In what the committed ledger differs from this one; empty when in nothing.

    Raises ``UsageError`` for a file that is no corpus ledger.
    """
    try:
        committed = parse(path.read_bytes())
    except (OSError, JsonError) as error:
        raise UsageError(f"{path} is no corpus ledger: {error}") from None
    for problem in problems(validator("corpus-ledger"), committed):
        raise UsageError(f"{path}: {problem.path or '/'}: {problem.message}")
    difference = first_difference(document, committed)
    return "" if difference is None else str(difference)
