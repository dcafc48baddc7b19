"""The ledger: what was witnessed, as JSON lines that a program reads and a stranger can digest.

One header, one row for each requirement sorted by id, one footer. The footer's digest covers the
rows alone, so no clock, place or worker changes it; without a footer the run died.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..engine.verdict import Disposition, Row
from ..errors import JsonError, UsageError
from ..jsonvalue import JsonValue, canonical, parse
from ..schemas import problems, validator


@dataclass(frozen=True, slots=True)
class Header:
    """What a ledger is about: the suite, its corpus, the subject, the seed of the run's ids."""

    suite: str
    corpus: str
    subject: str
    seed: int
    left_out: int = 0
    """How many scenarios for such a subject were not chosen: a ledger of some rules says so."""
    dialect: JsonValue = None
    """How the host speaks major 1 where the text leaves room, or ``None`` when nobody asked."""

    def as_json(self) -> dict[str, JsonValue]:
        """The header's line."""
        return {
            "record": "header",
            "suite": {"name": "openwop-conformance", "version": self.suite},
            "corpus": self.corpus,
            "subject": self.subject,
            "seed": self.seed,
            "leftOut": self.left_out,
            "dialect": self.dialect,
        }


def digest(rows: Sequence[Row]) -> str:
    """SHA-256 over the RFC 8785 form of the rows, sorted by id."""
    ordered = sorted(rows, key=lambda row: row.id)
    return hashlib.sha256(canonical([row.as_json() for row in ordered])).hexdigest()


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows have each disposition; all five are there."""
    found = Counter(row.disposition for row in rows)
    return {str(d): found[d] for d in Disposition}


def write_ledger(path: Path, header: Header, rows: Sequence[Row]) -> None:
    """Write a whole ledger. Raises ``UsageError`` when the file cannot be written."""
    ordered = sorted(rows, key=lambda row: row.id)
    footer = {"record": "footer", "counts": counts(rows), "sha256": digest(rows)}
    lines = [
        header.as_json(),
        *({"record": "row", **row.as_json()} for row in ordered),
        footer,
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(canonical(line) + b"\n" for line in lines))
    except OSError as error:
        raise UsageError(f"the ledger cannot be written to {path}: {error.strerror}") from None


def read_ledger(path: Path) -> tuple[dict[str, JsonValue], tuple[Row, ...], str | None]:
    """The header's record, the rows, and the digest of the footer or ``None`` without one.

    Raises ``UsageError`` for a file that is no ledger, or whose footer does not fit its rows.
    """
    try:
        records = [parse(line) for line in path.read_bytes().splitlines()]
    except (OSError, JsonError) as error:
        raise UsageError(f"{path} is no ledger: {error}") from None
    for number, record in enumerate(records, start=1):
        for problem in problems(validator("ledger-record"), record):
            raise UsageError(f"{path}:{number}: {problem.path or '/'}: {problem.message}")
    if not records or records[0]["record"] != "header":
        raise UsageError(f"{path} is no ledger: it does not begin with a header")
    footer = records[-1] if records[-1]["record"] == "footer" else None
    body = records[1:] if footer is None else records[1:-1]
    ids = [record["id"] for record in body if record["record"] == "row"]
    if len(ids) != len(body) or any(one >= next_ for one, next_ in pairwise(ids)):
        raise UsageError(f"{path} is no ledger: between header and footer stand rows, by id")
    rows = tuple(_row(record) for record in body)
    if footer is None:
        return records[0], rows, None
    if footer["sha256"] != digest(rows):
        raise UsageError(f"{path}: the footer's digest is not that of the rows")
    if footer["counts"] != counts(rows):
        raise UsageError(f"{path}: the footer's counts are not those of the rows")
    return records[0], rows, footer["sha256"]


def _row(record: JsonValue) -> Row:
    return Row(
        record["id"],
        record["scenario"],
        Disposition(record["disposition"]),
        record["assertions"],
        record.get("reason", ""),
    )
