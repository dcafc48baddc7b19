"""``rederive``: a trace is judged again, with no subject at hand."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "rederive",
        help="judge a trace again, with no subject",
        description="Judge what a trace holds again. Exit code 0: the rows are those of the run, "
        "whatever they say; 1: they differ; 3: the run died, and what it had judged is the same.",
        allow_abbrev=False,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help="what run --trace has written")
    parser.add_argument(
        "--ledger", type=Path, metavar="FILE", help="write the ledger that it gives"
    )
    parser.add_argument("--json", action="store_true", help="print the outcome as JSON")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Rederive; the exit code."""
    import asyncio
    import json

    from ..corpus import corpus
    from ..engine.verdict import verdict
    from ..evidence.ledger import digest, write_ledger
    from ..evidence.rederiving import rederive
    from ..suite import VERSION
    from .printing import printable

    found = asyncio.run(rederive(args.trace, VERSION, corpus()))
    if args.ledger is not None:
        write_ledger(args.ledger, found.header, found.rows)
    if args.json:
        document = {
            "rows": [row.as_json() for row in found.rows],
            "sha256": digest(found.rows),
            "complete": found.complete,
            "differences": list(found.differences),
            "notes": list(found.notes),
        }
        print(json.dumps(document, indent=2))  # noqa: T201
    else:
        for note in found.notes:
            print(f"note: {printable(note)}")  # noqa: T201
        for difference in found.differences:
            print(f"differs: {printable(difference)}")  # noqa: T201
        print(verdict(found.rows))  # noqa: T201
        same = "other than in the run" if found.differences else "as in the run"
        print(f"{len(found.rows)} rows, {same}; digest {digest(found.rows)}")  # noqa: T201
        if not found.complete:
            print("The run died: what it had not judged is blocked.")  # noqa: T201
    if found.differences:
        return 1
    return 0 if found.complete else 3
