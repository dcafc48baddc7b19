"""``diff``: what became of each requirement between two ledgers or bundles."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..engine.verdict import Row
    from ..evidence.difference import Change, Difference
    from ..evidence.sides import Side


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "diff",
        help="compare two ledgers or bundles",
        description="Say what became of each requirement between two ledgers or bundles. Exit "
        "code 1 when a row that passed no longer does, or a row fails that did not; else 0.",
        allow_abbrev=False,
    )
    parser.add_argument("before", type=Path, metavar="A", help="a ledger or a bundle")
    parser.add_argument("after", type=Path, metavar="B", help="a later one")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the difference; 1 when something got worse."""
    from ..corpus import corpus
    from ..evidence.difference import compare
    from ..evidence.requirements import read_ids
    from ..evidence.sides import read_side
    from .printing import printable

    before, after = read_side(args.before), read_side(args.after)
    found = compare(before, after, read_ids(corpus().ids).aliases)
    if args.json:
        import json

        print(json.dumps(found.as_json(), indent=2))  # noqa: T201
    else:
        for line in _lines(found):
            print(printable(line))  # noqa: T201
    return 1 if found.worse else 0


def _lines(found: Difference) -> Iterator[str]:
    for name in found.changed:
        one, other = getattr(found.before, name), getattr(found.after, name)
        yield f"The {name} changed: {one}, then {other}."
    for letter, side in (("A", found.before), ("B", found.after)):
        yield from _about(letter, side)
    kind = None
    for change in found.changes:
        if change.kind is not kind:
            kind = change.kind
            yield ""
            yield f"{kind}: {sum(other.kind is kind for other in found.changes)}"
        yield from _change(change)
    yield ""
    yield _summary(found)


def _about(letter: str, side: Side) -> Iterator[str]:
    rows = f"{len(side.rows)} row{'s' * (len(side.rows) != 1)}"
    yield f"{letter}: {side.path}, a {side.form} of {side.subject}, {rows}, by {side.suite}"
    if side.died:
        yield f"{letter} is incomplete: its run died, and the rows that it lacks are blocked."
    if side.left_out:
        what = "a selection" if side.shard is None else "shard {} of {}".format(*side.shard)
        s = "s were" if side.left_out != 1 else " was"
        yield f"{letter} is {what}: {side.left_out} scenario{s} left out of its run."


def _change(change: Change) -> Iterator[str]:
    yield f"  {change.id}{'  (worse)' if change.worse else ''}"
    if change.former_id is not None:
        yield f"      formerly {change.former_id}"
    for word, row in (("was", change.before), ("is", change.after)):
        if row is not None:
            yield f"      {word:<3}  {_outcome(row)}"


def _outcome(row: Row) -> str:
    return f"{row.disposition}: {row.reason}" if row.reason else str(row.disposition)


def _summary(found: Difference) -> str:
    total, worse, same = len(found.changes) + found.same, len(found.worse), found.same
    s, are = "s" * (total != 1), "are" if same != 1 else "is"
    if worse:
        verb = "are" if worse != 1 else "is"
        return f"Regressed: {worse} of {total} row{s} {verb} worse; {same} {are} the same."
    return f"Nothing regressed: {same} of {total} row{s} {are} the same."
