"""One ledger from the shards of a run: the rows that one run would have given, and nothing added.

Shards that are not all of one run are refused, each time in words that name the files.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..engine.verdict import Row
from ..errors import UsageError
from ..jsonvalue import JsonValue
from .ledger import Header, planned_digest, read_ledger


@dataclass(frozen=True, slots=True)
class Part:
    """A shard's ledger, as it was read."""

    path: Path
    header: dict[str, JsonValue]
    rows: tuple[Row, ...]
    died: bool

    @property
    def index(self) -> int:
        """Which shard it is, from 1."""
        return int(self.header["shard"]["index"])

    @property
    def name(self) -> str:
        """``2/5``."""
        return f"{self.index}/{self.header['shard']['of']}"


@dataclass(frozen=True, slots=True)
class Merged:
    """The ledger of the whole."""

    header: Header
    rows: tuple[Row, ...]
    died: tuple[str, ...]
    """The shards whose runs died, as ``2/5``: what they had not reached is blocked."""


def merge(paths: Sequence[Path], *, allow_died: bool = False) -> Merged:
    """Join the ledgers of all shards of a run, in whatever order they come.

    Of a run that died, each row that had not been reached is blocked, where that is allowed. Raises
    ``UsageError`` for what is no shard, shards of different runs, one that is missing or there
    twice, and one whose run died.
    """
    parts = sorted((_read(path) for path in paths), key=lambda part: part.index)
    for part in parts[1:]:
        _require_same_run(parts[0], part)
    _require_each_once(parts)
    died = [part for part in parts if part.died]
    if died and not allow_died:
        raise UsageError(_how_to_go_on(died[0]))
    rows = tuple(sorted((row for part in parts for row in part.rows), key=lambda row: row.id))
    planned = {row.id: row.scenario for row in rows}
    of_whole = parts[0].header["shard"]["rows"]
    if len(planned) != len(rows) or planned_digest(planned) != of_whole:
        raise UsageError(
            f"{', '.join(str(part.path) for part in parts)}: their rows together are not those of "
            "the run that they say they are shards of"
        )
    return Merged(_header(parts, len(rows)), rows, tuple(part.name for part in died))


def _read(path: Path) -> Part:
    header, rows, total = read_ledger(path)
    if "shard" not in header:
        raise UsageError(f"{path} is no shard: merge takes what 'run --shard I/N --ledger' wrote")
    part = Part(path, header, rows, total is None)
    if part.index > header["shard"]["of"]:
        raise UsageError(f"{path} is no shard: there is no {part.name}")
    return part


def _require_same_run(one: Part, other: Part) -> None:
    """Raise ``UsageError`` for the first fact in which two shards are not of one run."""
    for what, there, here in zip(_FACTS, _facts(one), _facts(other), strict=True):
        if there != here:
            raise UsageError(
                f"{other.path} is not of the same run as {one.path}: its {what} is {here}, "
                f"not {there}"
            )


_FACTS: Final = (
    "suite",
    "corpus",
    "kind of subject",
    "subject",
    "number of shards",
    "number of scenarios",
    "selection of scenarios",
    "number of scenarios left out",
)


def _facts(part: Part) -> Iterable[JsonValue]:
    header, shard = part.header, part.header["shard"]
    yield header["suite"]["version"]
    yield header["corpus"]
    yield header.get("kind", "host")
    yield header["subject"]
    yield shard["of"]
    yield shard["scenarios"]
    yield shard["rows"]
    yield header["leftOut"] - (shard["scenarios"] - len(part.rows))


def _require_each_once(parts: Sequence[Part]) -> None:
    of = parts[0].header["shard"]["of"]
    seen: dict[int, Path] = {}
    for part in parts:
        if part.index in seen:
            raise UsageError(
                f"shard {part.name} is there twice: {seen[part.index]} and {part.path}"
            )
        seen[part.index] = part.path
    missing = [f"{index}/{of}" for index in range(1, of + 1) if index not in seen]
    if missing:
        s, are = ("s", "are") if len(missing) > 1 else ("", "is")
        raise UsageError(f"the shard{s} {', '.join(missing)} {are} missing; give all {of}")


def _how_to_go_on(part: Part) -> str:
    return (
        f"{part.path}: the run of shard {part.name} died; go on with it by 'run --resume --shard "
        f"{part.name} --ledger {part.path}', or merge with --allow-died, and what it had not "
        "reached is blocked"
    )


def _header(parts: Sequence[Part], rows: int) -> Header:
    """The header that one run would have written, with the seeds of all."""
    first = parts[0].header
    return Header(
        first["suite"]["version"],
        first["corpus"],
        first["subject"],
        first["seed"],
        first["leftOut"] - (rows - len(parts[0].rows)),
        _dialect(parts),
        tuple(seed for part in parts for seed in part.header.get("resumed", ())),
        first.get("kind", "host"),
        shards=tuple(part.header["seed"] for part in parts),
    )


def _dialect(parts: Sequence[Part]) -> JsonValue:
    """The dialect of those that asked for it. Raises ``UsageError`` where they were told others."""
    asked = [part for part in parts if part.header["dialect"] is not None]
    for part in asked[1:]:
        there, here = asked[0].header["dialect"], part.header["dialect"]
        if there != here:
            names = ", ".join(sorted(_differing(there, here)))
            raise UsageError(
                f"{part.path} and {asked[0].path} found the host speak major 1 differently "
                f"({names}): these are two hosts, or one that changed meanwhile"
            )
    return asked[0].header["dialect"] if asked else None


def _differing(one: Mapping[str, JsonValue], other: Mapping[str, JsonValue]) -> Iterable[str]:
    return (name for name in one.keys() | other.keys() if one.get(name) != other.get(name))
