"""What became of each requirement between two recordings: ledgers of ours, or bundles v1 to v3.

Rows are compared by the id that they have now, and by what was witnessed; how many assertions it
took is no difference. Whether a recording can be believed is for the verifier, not for here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Final

from ..engine.verdict import Disposition, Row
from ..errors import JsonError, UsageError
from ..jsonvalue import JsonValue, parse
from .ledger import read_ledger

NO_ROW: Final = "the run died before this row"
"""Why a row is blocked that a ledger without a footer lacks."""
_UNSAID: Final = "no reason is given"


class Kind(StrEnum):
    """What became of a row. Each pair of dispositions has one, and so has a row on one side."""

    REGRESSED = "regressed"
    BROKEN = "broken"
    VANISHED = "vanished"
    BLOCKED = "newly blocked"
    OPTED_OUT = "opted out"
    UNBOUND = "no longer binds"
    FIXED = "fixed"
    KEPT = "newly kept"
    UNBLOCKED = "no longer blocked"
    REASON = "reason changed"
    APPEARED = "appeared"
    SAME = "same"


_ORDER: Final = tuple(Disposition)
_TABLE: Final = {
    # then:            pass            fail            skipped         inapplicable    blocked
    Disposition.PASS: (Kind.SAME, Kind.REGRESSED, Kind.OPTED_OUT, Kind.UNBOUND, Kind.BLOCKED),
    Disposition.FAIL: (Kind.FIXED, Kind.SAME, Kind.OPTED_OUT, Kind.UNBOUND, Kind.BLOCKED),
    Disposition.SKIPPED: (Kind.KEPT, Kind.BROKEN, Kind.SAME, Kind.UNBOUND, Kind.BLOCKED),
    Disposition.INAPPLICABLE: (Kind.KEPT, Kind.BROKEN, Kind.OPTED_OUT, Kind.SAME, Kind.BLOCKED),
    Disposition.BLOCKED: (
        Kind.UNBLOCKED,
        Kind.BROKEN,
        Kind.UNBLOCKED,
        Kind.UNBLOCKED,
        Kind.SAME,
    ),
}


def kind_of(before: Disposition, after: Disposition) -> Kind:
    """What a change of disposition is called; ``SAME`` when there is none."""
    return _TABLE[before][_ORDER.index(after)]


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


@dataclass(frozen=True, slots=True)
class Change:
    """One requirement on both sides; ``None`` where a side has no row."""

    id: str
    kind: Kind
    before: Row | None
    after: Row | None

    @property
    def worse(self) -> bool:
        """A pass is lost, whatever became of it, or a failure is there that was not."""
        was, now = (row.disposition if row else None for row in (self.before, self.after))
        lost = was is Disposition.PASS and now is not Disposition.PASS
        return lost or (now is Disposition.FAIL and was is not Disposition.FAIL)

    @property
    def former_id(self) -> str | None:
        """What the row was called before it was renamed."""
        old = self.before.id if self.before else self.id
        return old if old != self.id else None

    def as_json(self) -> dict[str, JsonValue]:
        """The change as a JSON object."""
        return {
            "id": self.id,
            "formerId": self.former_id,
            "change": str(self.kind),
            "worse": self.worse,
            "before": _outcome(self.before),
            "after": _outcome(self.after),
        }


@dataclass(frozen=True, slots=True)
class Difference:
    """All that two recordings differ in: the changes by kind, the worse first, then by id."""

    before: Side
    after: Side
    changes: tuple[Change, ...]
    same: int
    """How many rows are as they were."""

    @property
    def worse(self) -> tuple[Change, ...]:
        """The changes that are regressions."""
        return tuple(change for change in self.changes if change.worse)

    @property
    def changed(self) -> tuple[str, ...]:
        """Which of ``suite``, ``corpus`` and ``subject`` are not the same on both sides.

        A ledger names its subject by how it was reached and a bundle by what it calls itself:
        between the two, subjects are not compared.
        """
        alike = (self.before.form == "ledger") is (self.after.form == "ledger")
        about = ("suite", "corpus", "subject") if alike else ("suite", "corpus")
        pairs = {name: (getattr(self.before, name), getattr(self.after, name)) for name in about}
        return tuple(name for name, (one, other) in pairs.items() if one and other and one != other)

    def as_json(self) -> dict[str, JsonValue]:
        """The difference as one JSON document."""
        return {
            "exitCode": 1 if self.worse else 0,
            "before": self.before.as_json(),
            "after": self.after.as_json(),
            "changed": list(self.changed),
            "worse": len(self.worse),
            "same": self.same,
            "rows": [change.as_json() for change in self.changes],
        }


def compare(before: Side, after: Side, aliases: Mapping[str, str]) -> Difference:
    """Compare two recordings. ``aliases`` says what ids that were given up are called now."""
    one, other = _current(before, aliases), _current(after, aliases)
    if before.form != after.form:
        one, other = _by_scenario(before, one, other), _by_scenario(after, other, one)
    found = []
    for name in one.keys() | other.keys():
        was = one.get(name) or (_missing(name, other[name]) if before.died else None)
        now = other.get(name) or (_missing(name, one[name]) if after.died else None)
        found.append(Change(name, _kind(was, now), was, now))
    order = list(Kind)
    changes = [change for change in found if change.kind is not Kind.SAME]
    changes.sort(key=lambda change: (order.index(change.kind), not change.worse, change.id))
    return Difference(before, after, tuple(changes), len(found) - len(changes))


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


# ------------------------------------------------------------------------------- bundles


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


# ------------------------------------------------------------------------------- pairing


def current_id(name: str, aliases: Mapping[str, str]) -> str:
    """What a row of this id is called now."""
    seen = {name}
    while (name_ := aliases.get(name)) is not None and name_ not in seen:
        seen.add(name := name_)
    return name


def _current(side: Side, aliases: Mapping[str, str]) -> dict[str, Row]:
    """The rows under the ids that they have now; one whose new name is taken keeps its own."""
    found = {name: row for name, row in side.rows.items() if name not in aliases}
    for name, row in side.rows.items():
        if name in aliases:
            now = current_id(name, aliases)
            found[name if now in side.rows or now in found else now] = row
    return found


def _by_scenario(side: Side, rows: dict[str, Row], others: dict[str, Row]) -> dict[str, Row]:
    """The rows of a bundle v1 under the other side's ids, where a file there has one row."""
    if side.form != "bundle v1":
        return rows
    ids: dict[str, list[str]] = {}
    for name, row in others.items():
        ids.setdefault(row.scenario, []).append(name)
    named = {file: ids.get(file, [file]) for file in rows}
    return {names[0] if len(names) == 1 else file: rows[file] for file, names in named.items()}


def _missing(name: str, other: Row) -> Row:
    return replace(other, id=name, disposition=Disposition.BLOCKED, assertions=0, reason=NO_ROW)


def _kind(before: Row | None, after: Row | None) -> Kind:
    if before is None:
        return Kind.APPEARED
    if after is None:
        return Kind.VANISHED
    kind = kind_of(before.disposition, after.disposition)
    return Kind.REASON if kind is Kind.SAME and before.reason != after.reason else kind


def _outcome(row: Row | None) -> JsonValue:
    if row is None:
        return None
    return {"disposition": str(row.disposition), **({"reason": row.reason} if row.reason else {})}
