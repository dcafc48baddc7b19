"""``merge``: the ledgers of shards as one, and the verdict of the whole."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evidence.merging import Merged


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "merge",
        help="join the ledgers of run --shard into one",
        description="Join the ledgers of all shards of a run into the one that a single run would "
        "have written, with the same digest. Exit codes: that of the whole, as of run; 2 also when "
        "the shards are not of one run, or one is missing, there twice, or of a run that died.",
        allow_abbrev=False,
    )
    parser.add_argument("shards", nargs="+", type=Path, metavar="SHARD", help="a shard's ledger")
    parser.add_argument(
        "--ledger", type=Path, required=True, metavar="FILE", help="write the whole ledger here"
    )
    parser.add_argument(
        "--allow-died",
        action="store_true",
        help="count as blocked what a run that died had not reached, instead of refusing it",
    )
    parser.add_argument(
        "--baseline", type=Path, metavar="FILE", help="failures that are known, as for run"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Merge; the exit code of the whole."""
    import json

    from ..engine.verdict import exit_code
    from ..errors import UsageError
    from ..evidence.ledger import counts, digest, write_ledger
    from ..evidence.merging import merge
    from .printing import printable

    if any(args.ledger.exists() and args.ledger.samefile(s) for s in args.shards if s.exists()):
        raise UsageError(f"{args.ledger} is one of the shards: give --ledger another file")
    baseline = None
    if args.baseline is not None:
        from ..corpus import corpus
        from .run import known_failures

        baseline = known_failures(args.baseline, corpus())
    found = merge(args.shards, allow_died=args.allow_died)
    header, rows = found.header, found.rows
    write_ledger(args.ledger, header, rows)
    if args.json:
        document = {
            **{name: value for name, value in header.as_json().items() if name != "record"},
            "exitCode": exit_code(rows),
            "counts": counts(rows),
            "sha256": digest(rows),
            "rows": [row.as_record() for row in rows],
        }
        print(json.dumps(document, indent=2))  # noqa: T201
    else:
        for line in _lines(found):
            print(printable(line))  # noqa: T201
        print(f"ledger {args.ledger}, digest {digest(rows)}")  # noqa: T201
    if baseline is None:
        return exit_code(rows)
    from .run import held_to

    return held_to(baseline, rows, corpus(), whole=header.left_out == 0, quiet=args.json)


def _lines(found: Merged) -> Iterator[str]:
    """What a person reads: why a row is no pass, and the verdict."""
    from ..engine.verdict import Disposition, verdict
    from ..evidence.ledger import counts

    header, rows = found.header, found.rows
    shards = len(header.shards)
    yield f"{shards} shard{'s' * (shards != 1)} of one run against {header.subject}"
    for name in found.died:
        yield f"the run of shard {name} died: what it had not reached is blocked"
    for row in rows:
        if row.disposition in (Disposition.FAIL, Disposition.BLOCKED):
            yield f"{row.disposition}  {row.id}"
            yield f"      {row.reason}"
    yield verdict(rows)
    counted = ", ".join(f"{n} {name}" for name, n in counts(rows).items() if n)
    yield f"{len(rows)} requirement{'s' * (len(rows) != 1)}: {counted}"
    yield from header.limits
