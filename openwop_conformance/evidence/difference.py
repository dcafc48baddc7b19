"""What became of each requirement between two recordings: ledgers of ours, or bundles v1 to v3.

Rows are compared by the id that they have now, and by what was witnessed; how many assertions it
took is no difference. Whether a recording can be believed is for the verifier, not for here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from ..engine.verdict import Disposition, Row
from ..jsonvalue import JsonValue
from .sides import NO_ROW, Side


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
