"""The ledger: what was witnessed, as JSON lines that a program reads and a stranger can digest.

One header, one row for each requirement sorted by id, one footer. The footer's digest covers the
rows alone, so no clock, place or worker changes it. While the run goes on, rows are appended as
they come, below a header that names those to come; without a footer the run died.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..engine.verdict import Disposition, Row
from ..errors import JsonError, UsageError
from ..jsonvalue import JsonValue, canonical, parse
from ..scenario.model import Scenario, Subject
from ..schemas import problems, validator


@dataclass(frozen=True, slots=True)
class Shard:
    """Which part of a run a ledger holds: the ``index``-th of ``of``, counted from 1."""

    index: int
    of: int
    scenarios: int
    """How many the whole run has."""
    rows: str
    """The digest of the rows of the whole run that are to come, as of ``planned_digest``."""

    @property
    def elsewhere(self) -> int:
        """How many scenarios the other shards have: all are dealt out in turn."""
        return self.scenarios - len(range(self.index - 1, self.scenarios, self.of))

    def as_json(self) -> dict[str, JsonValue]:
        """The shard as a JSON object."""
        return {"index": self.index, "of": self.of, "scenarios": self.scenarios, "rows": self.rows}


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
    resumed: tuple[int, ...] = ()
    """The seeds with which a run that had died was gone on with."""
    kind: Subject = "host"
    shard: Shard | None = None
    shards: tuple[int, ...] = ()
    """The seeds of the shards that were merged, in their order."""

    def as_json(self) -> dict[str, JsonValue]:
        """The header's line."""
        resumed: dict[str, JsonValue] = {"resumed": list(self.resumed)} if self.resumed else {}
        kind: dict[str, JsonValue] = {} if self.kind == "host" else {"kind": self.kind}
        shard: dict[str, JsonValue] = {"shard": self.shard.as_json()} if self.shard else {}
        shards: dict[str, JsonValue] = {"shards": list(self.shards)} if self.shards else {}
        return {
            "record": "header",
            "suite": {"name": "openwop-conformance", "version": self.suite},
            "corpus": self.corpus,
            "subject": self.subject,
            **kind,
            "seed": self.seed,
            "leftOut": self.left_out,
            "dialect": self.dialect,
            **resumed,
            **shard,
            **shards,
        }

    @property
    def limits(self) -> tuple[str, ...]:
        """In words, which scenarios for such a subject the rows are not about."""
        found = []
        elsewhere = self.shard.elsewhere if self.shard else 0
        if unselected := self.left_out - elsewhere:
            s = "s were" if unselected != 1 else " was"
            found.append(f"{unselected} scenario{s} left out by what was selected")
        if self.shard is not None:
            s, are = ("s", "are") if elsewhere != 1 else ("", "is")
            found.append(
                f"shard {self.shard.index} of {self.shard.of}: {elsewhere} scenario{s} {are} in "
                "the others; the verdict of all is for merge to say"
            )
        return tuple(found)


def digest(rows: Sequence[Row]) -> str:
    """SHA-256 over the RFC 8785 form of the rows, sorted by id."""
    ordered = sorted(rows, key=lambda row: row.id)
    return hashlib.sha256(canonical([row.as_json() for row in ordered])).hexdigest()


def planned_digest(planned: Mapping[str, str]) -> str:
    """SHA-256 over the RFC 8785 form of the rows to come: their ids, each with its scenario."""
    return hashlib.sha256(canonical(dict(planned))).hexdigest()


def counts(rows: Sequence[Row]) -> dict[str, int]:
    """How many rows have each disposition; all five are there."""
    found = Counter(row.disposition for row in rows)
    return {str(d): found[d] for d in Disposition}


class LedgerWriter:
    """A ledger in the making: whenever the process is killed, the file holds what was witnessed.

    Raises ``UsageError`` when the file cannot be written.
    """

    def __init__(self, path: Path, header: Header, planned: Sequence[Scenario]) -> None:
        rows = {scenario.requirement: scenario.id for scenario in planned}
        self._path = path
        line = canonical({**header.as_json(), "rows": rows}) + b"\n"
        self._write("wb", line, self._partial)
        self._put_in_place()

    @classmethod
    def going_on(cls, unfinished: Unfinished, seed: int) -> LedgerWriter:
        """Go on where a run died, with the seed of what is still to come."""
        writer = cls.__new__(cls)
        writer._path = unfinished.path
        writer._write("r+b", b"", size=unfinished.size)
        writer._write("ab", canonical({"record": "resumed", "seed": seed}) + b"\n")
        return writer

    @property
    def _partial(self) -> Path:
        """Where a file is made before it is put in place; a device is written as it is."""
        special = self._path.exists() and not self._path.is_file()
        return self._path if special else self._path.with_name(f".{self._path.name}.partial")

    def add(self, row: Row) -> None:
        """Append a row; it is the system's when this returns."""
        self._write("ab", canonical({"record": "row", **row.as_record()}) + b"\n")

    def finish(self, header: Header, rows: Sequence[Row]) -> None:
        """Put the whole ledger in place of the one in the making, at once."""
        write_ledger(self._partial, header, rows)
        self._put_in_place()

    def _put_in_place(self) -> None:
        try:
            self._partial.replace(self._path)
        except OSError as error:
            raise _unwritable(self._path, error) from None

    def _write(
        self, mode: str, data: bytes, path: Path | None = None, size: int | None = None
    ) -> None:
        path = path or self._path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open(mode) as file:
                if size is not None:
                    file.truncate(size)
                file.write(data)
        except OSError as error:
            raise _unwritable(self._path, error) from None


def write_ledger(path: Path, header: Header, rows: Sequence[Row]) -> None:
    """Write a whole ledger. Raises ``UsageError`` when the file cannot be written."""
    ordered = sorted(rows, key=lambda row: row.id)
    footer = {"record": "footer", "counts": counts(rows), "sha256": digest(rows)}
    lines = [
        header.as_json(),
        *({"record": "row", **row.as_record()} for row in ordered),
        footer,
    ]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(canonical(line) + b"\n" for line in lines))
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"the ledger cannot be written to {path}: {error.strerror}")


def read_ledger(path: Path) -> tuple[dict[str, JsonValue], tuple[Row, ...], str | None]:
    """The header's record, the rows, and the digest of the footer or ``None`` without one.

    Of a run that died, each row that had not been reached is blocked. Raises ``UsageError`` for a
    file that is no ledger, or whose footer does not fit its rows.
    """
    records, _ = _records(path)
    footer = records[-1] if records[-1]["record"] == "footer" else None
    if footer is None:
        unfinished = _unfinished(path, records, 0)
        return records[0], (*unfinished.rows, *unfinished.lost()), None
    body = records[1:-1]
    ids = [record["id"] for record in body if record["record"] == "row"]
    if len(ids) != len(body) or any(one >= next_ for one, next_ in pairwise(ids)):
        raise UsageError(f"{path} is no ledger: between header and footer stand rows, by id")
    rows = tuple(_row(record) for record in body)
    if footer["sha256"] != digest(rows):
        raise UsageError(f"{path}: the footer's digest is not that of the rows")
    if footer["counts"] != counts(rows):
        raise UsageError(f"{path}: the footer's counts are not those of the rows")
    return records[0], rows, footer["sha256"]


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The ledger of a run that died."""

    path: Path
    header: dict[str, JsonValue]
    rows: tuple[Row, ...]
    seeds: tuple[int, ...]
    """Those with which it was gone on with already."""
    size: int
    """Bytes of its whole lines."""

    def lost(self) -> tuple[Row, ...]:
        """A blocked row for each that had not been reached."""
        reached = {row.id for row in self.rows}
        planned = self.header.get("rows", {})
        why = "the run died before it was judged"
        return tuple(
            Row(id_, planned[id_], Disposition.BLOCKED, 0, why)
            for id_ in sorted(planned)
            if id_ not in reached
        )


def read_unfinished(path: Path) -> Unfinished:
    """The ledger of a run that died. Raises ``UsageError`` for one that is whole, or none."""
    records, size = _records(path)
    if records[-1]["record"] == "footer":
        raise UsageError(f"{path} is whole: there is nothing to resume")
    return _unfinished(path, records, size)


def _unfinished(path: Path, records: list[dict[str, JsonValue]], size: int) -> Unfinished:
    rows = tuple(_row(record) for record in records if record["record"] == "row")
    planned = records[0].get("rows", {})
    if len({row.id for row in rows}) != len(rows) or any(
        planned and planned.get(row.id) != row.scenario for row in rows
    ):
        raise UsageError(f"{path} is no ledger: a row stands twice, or was not planned")
    if any(record["record"] in ("header", "footer") for record in records[1:]):
        raise UsageError(f"{path} is no ledger: below the header stand rows")
    seeds = tuple(record["seed"] for record in records if record["record"] == "resumed")
    return Unfinished(path, records[0], rows, seeds, size)


def _records(path: Path) -> tuple[list[dict[str, JsonValue]], int]:
    """The records, and the bytes of the whole lines: a kill may have cut the last one short."""
    try:
        data = path.read_bytes()
        whole = data if data.endswith(b"\n") else data[: data.rfind(b"\n") + 1]
        records = [parse(line) for line in whole.splitlines()]
    except (OSError, JsonError) as error:
        raise UsageError(f"{path} is no ledger: {error}") from None
    for number, record in enumerate(records, start=1):
        for problem in problems(validator("ledger-record"), record):
            raise UsageError(f"{path}:{number}: {problem.path or '/'}: {problem.message}")
    if not records or records[0]["record"] != "header":
        raise UsageError(f"{path} is no ledger: it does not begin with a header")
    if records[-1]["record"] == "footer" and len(whole) != len(data):
        raise UsageError(f"{path} is no ledger: something follows the footer")
    return records, len(whole)


def _row(record: JsonValue) -> Row:
    return Row(
        record["id"],
        record["scenario"],
        Disposition(record["disposition"]),
        record["assertions"],
        record.get("reason", ""),
        record.get("measured"),
    )
