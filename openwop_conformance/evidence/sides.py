"""A recording as one side of a comparison: a ledger of ours, or a bundle v1 to v3, by its rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ..engine.verdict import Disposition, Row
from ..errors import JsonError, UsageError
from ..jsonvalue import JsonValue, parse
from .ledger import read_ledger

NO_ROW: Final = "the run died before this row"
"""Why a row is blocked that a ledger without a footer lacks."""
_UNSAID: Final = "no reason is given"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison. ``corpus`` is whatever names the rules, or empty."""

    path: str
    form: str
    """``ledger``, ``bundle v1``, ``bundle v2`` or ``bundle v3``."""
    suite: str
    corpus: str
    subject: str
    rows: dict[str, Row]
    """By id. A bundle v1 has no ids: its rows stand under the file names of its scenarios."""
    left_out: int = 0
    died: bool = False
    shard: tuple[int, int] | None = None
    """Which part of a run it is: the i-th of n."""

    def as_json(self) -> dict[str, JsonValue]:
        """The recording without its rows."""
        return {
            "file": self.path,
            "form": self.form,
            "suite": self.suite,
            "corpus": self.corpus,
            "subject": self.subject,
            "rows": len(self.rows),
            "leftOut": self.left_out,
            "died": self.died,
            "shard": self.shard and {"index": self.shard[0], "of": self.shard[1]},
        }


def read_side(path: Path) -> Side:
    """Read a ledger or a bundle. Raises ``UsageError`` for a file that is neither."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        first = parse(data.partition(b"\n")[0])
    except JsonError:
        first = None
    if isinstance(first, dict) and "record" in first:
        header, rows, total = read_ledger(path)
        shard = header.get("shard")
        return Side(
            str(path),
            "ledger",
            f"{header['suite']['name']} {header['suite']['version']}",
            header["corpus"],
            header["subject"],
            {row.id: row for row in rows},
            header["leftOut"],
            total is None,
            (shard["index"], shard["of"]) if shard else None,
        )
    try:
        document = parse(data)
    except JsonError as error:
        raise UsageError(f"{path} is neither a ledger nor a bundle: {error}") from None
    if not isinstance(document, dict) or "bundleVersion" not in document:
        raise UsageError(
            f"{path} is neither a ledger nor a bundle: it has no header and no bundleVersion"
        )
    try:
        return _bundle(str(path), document)
    except (TypeError, KeyError, AttributeError, ValueError) as error:
        shown = f"{error!s:.200}"
        raise UsageError(
            f"{path} is no bundle as published: {type(error).__name__}: {shown}"
        ) from None


def _bundle(path: str, document: dict[str, JsonValue]) -> Side:
    version = str(document["bundleVersion"])
    if version not in ("1", "2", "3"):
        raise UsageError(f"{path}: bundleVersion {version[:20]!r} is not one of 1, 2 and 3")
    suite, host = document["suite"], document["host"]
    rows: dict[str, Row] = {}
    for row in _ROWS[version](document):
        if row.id in rows:
            raise UsageError(f"{path}: the row {row.id[:200]!r} stands twice")
        rows[row.id] = row
    return Side(
        path,
        f"bundle v{version}",
        f"{_text(suite.get('name', suite.get('package')))} {_text(suite['version'])}",
        _text(suite.get("stampSha256") or document.get("scenarioManifestSha256") or ""),
        f"{_text(host['name'])} {_text(host['version'])}",
        rows,
    )


def _rows_v1(document: dict[str, JsonValue]) -> Iterator[Row]:
    for member, disposition in (
        ("passed", Disposition.PASS),
        ("failed", Disposition.FAIL),
        ("skipped", Disposition.SKIPPED),
    ):
        for file in _list(document["results"][member]):
            reason = "" if disposition is Disposition.PASS else _UNSAID
            yield Row(_text(file), _text(file), disposition, 0, reason)


def _rows_v2(document: dict[str, JsonValue]) -> Iterator[Row]:
    for row in _list(document["results"]["requirements"]):
        yield _row(row["requirementId"], row["scenarioId"], row["disposition"], row.get("detail"))


def _rows_v3(document: dict[str, JsonValue]) -> Iterator[Row]:
    from .bundle import reason_of

    reasons = {row["id"]: row["reason"] for row in document.get("detail", {}).get("nonPass", ())}
    for row in _list(document["results"]["requirements"]):
        reason = reason_of(row) or reasons.get(row["id"])
        yield _row(row["id"], row["scenario"], row["result"], reason)


_ROWS: Final = {"1": _rows_v1, "2": _rows_v2, "3": _rows_v3}


def _row(name: JsonValue, scenario: JsonValue, result: JsonValue, reason: JsonValue) -> Row:
    disposition = Disposition(result)
    unsaid = "" if disposition is Disposition.PASS else _UNSAID
    return Row(_text(name), _text(scenario or ""), disposition, 0, _text(reason or unsaid))


def _text(value: JsonValue) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.80} is no text")
    return value


def _list(value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r:.80} is no list")
    return value
