"""The trace: every exchange of a run as JSON lines, written as it happens, each bound to the last.

A line's ``prev`` is the SHA-256 of the line before it, so nothing can be left out of the middle;
the footer closes the end. What a line may hold is in ``schemas/trace-record.schema.json``.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

from ..errors import JsonError, UsageError
from ..jsonvalue import JsonValue, compact, parse
from ..schemas import problems, validator

Record: TypeAlias = dict[str, JsonValue]

MOST_BYTES: Final = 1 << 30
"""A trace grows no larger: what comes after is left out, and the last line says so."""
_FIRST: Final = "0" * 64


class TraceWriter:
    """Appends records to a new file. Raises ``UsageError`` when it cannot be written."""

    def __init__(self, path: Path, header: Mapping[str, JsonValue]) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            special = path.exists() and not path.is_file()
            made = path if special else path.with_name(f".{path.name}.partial")
            self._file = made.open("wb")
            self._previous, self._size, self._full = _FIRST, 0, False
            self.write({"record": "header", **header})
            if not special:
                made.replace(path)  # whenever the process is killed, the file has a header
        except OSError as error:
            raise UsageError(f"the trace cannot be written to {path}: {error.strerror}") from None
        self.path = path

    def write(self, record: Record) -> None:
        """Append one record, and hand it to the system before anything else happens."""
        if self._full:
            return
        if self._size > MOST_BYTES:
            self._full, record = True, {"record": "full"}
        line = compact({"prev": self._previous, **record}) + b"\n"
        self._previous = hashlib.sha256(line[:-1]).hexdigest()
        self._size += len(line)
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace as it was read."""

    header: Record
    records: tuple[Record, ...]
    """All between the header and the footer."""
    footer: Record | None
    """``None`` for a run that died, or whose trace grew too large."""

    @property
    def rows(self) -> tuple[Record, ...]:
        """The rows as the run had them, in the order of their ends."""
        return tuple(record["row"] for record in self.records if record["record"] == "row")


def read_trace(path: Path) -> Trace:
    """Read a trace, and hold its chain. Raises ``UsageError`` with the line of a fault."""
    records = list(_records(path))
    if not records or records[0]["record"] != "header":
        raise UsageError(f"{path} is no trace: it does not begin with a header")
    for number, record in enumerate(records[1:], start=2):
        if record["record"] == "header" or (
            record["record"] in ("footer", "full") and number != len(records)
        ):
            raise UsageError(f"{path}:{number}: a {record['record']} does not belong here")
    footer = records[-1] if records[-1]["record"] == "footer" else None
    return Trace(records[0], tuple(records[1 : -1 if footer else None]), footer)


def _records(path: Path) -> Iterator[Record]:
    """The records of a file. A last line that was cut short by a kill is left out."""
    check, previous = validator("trace-record"), _FIRST
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"the trace {path} cannot be read: {error.strerror}") from None
    *lines, rest = data.split(b"\n")
    if not lines:
        raise UsageError(f"{path} is no trace: it has no whole line")
    for number, line in enumerate(lines, start=1):
        try:
            record = parse(line)
        except JsonError as error:
            raise UsageError(f"{path}:{number}: no record of a trace: {error}") from None
        for problem in problems(check, record):
            raise UsageError(f"{path}:{number}: {problem.path or '/'}: {problem.message}")
        if record["prev"] != previous:
            raise UsageError(f"{path}:{number}: the chain is broken: the line before was changed")
        previous = hashlib.sha256(line).hexdigest()
        yield record
    if rest and record["record"] == "footer":
        raise UsageError(f"{path}: something follows the footer")


def digest_of(path: Path) -> str:
    """SHA-256 of a trace's bytes, in hex, as any tool gives it. Raises ``UsageError``."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def data_to_json(data: bytes) -> JsonValue:
    """Bytes as text where they are UTF-8, else as Base64."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(data).decode()}


def data_from_json(value: JsonValue) -> bytes:
    """The bytes of ``data_to_json``."""
    return value.encode() if isinstance(value, str) else base64.b64decode(value["base64"])
