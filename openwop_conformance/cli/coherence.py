"""``coherence``: the corpus gates, which check the rules themselves."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .printing import printable

if TYPE_CHECKING:
    from ..rulebook.gates import GateRow, GateRun

SHOWN = 8
"""How many failures of one row are printed."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "coherence",
        help="check the rules themselves",
        description="Hold the schemas, fixtures and requirements to upstream's pinned files, to a "
        "second JSON Schema library, and to each other: one row for each rule about the corpus.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--corpus", type=Path, metavar="DIR", help="an edited copy of the corpus, or parts of one"
    )
    parser.add_argument(
        "--upstream",
        type=Path,
        metavar="DIR",
        help="a folder with upstream's files or archives; without it they are fetched by name "
        "with pip, once, into the user's cache",
    )
    parser.add_argument("--seed", type=int, metavar="N", help="generate other messages")
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead")
    instead = parser.add_mutually_exclusive_group()
    instead.add_argument(
        "--check", action="store_true", help="fail also when ledger/corpus-ledger.json is stale"
    )
    instead.add_argument("--write", action="store_true", help="write ledger/corpus-ledger.json")
    instead.add_argument(
        "--export", type=Path, metavar="DIR", help="write a copy of the corpus to edit, and stop"
    )
    instead.add_argument(
        "--fetch", type=Path, metavar="DIR", help="bring upstream's archives here, and stop"
    )
    instead.add_argument(
        "--sabotage",
        nargs="*",
        metavar="NAME",
        help="break the corpus in one way at a time, and see that the gates notice",
    )
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Run the gates; the exit code."""
    from ..corpus import corpus
    from ..rulebook.book import Rulebook
    from ..rulebook.gates import SEED, GateRun, run_gates
    from ..rulebook.ledger import corpus_ledger, stale, write_corpus_ledger
    from ..rulebook.upstream import Upstream

    found = corpus(args.corpus)
    if args.export is not None:
        found.copy_to(args.export)
        print(f"{args.export}: edit it, then 'coherence --corpus {args.export}'")  # noqa: T201
        return 0
    book = Rulebook(found)
    upstream = Upstream(book, _folder(args.upstream), fetch=True)
    if args.fetch is not None:
        for path in upstream.bring(args.fetch):
            print(path)  # noqa: T201
        return 0
    if args.sabotage is not None:
        return _sabotage(upstream, args.sabotage)
    run = GateRun(book, upstream, seed=SEED if args.seed is None else args.seed)
    started = time.perf_counter()
    rows = run_gates(run)
    document = corpus_ledger(run, rows)
    if args.json:
        import json

        print(json.dumps(document, indent=2, ensure_ascii=False))  # noqa: T201
    else:
        _print(run, rows, time.perf_counter() - started)
    if args.write:
        write_corpus_ledger(found.corpus_ledger, document)
    difference = stale(found.corpus_ledger, document) if args.check else ""
    if difference:
        print(f"{found.corpus_ledger} is stale: {difference}")  # noqa: T201
    return _exit_code(rows) or int(bool(difference))


def _folder(path: Path | None) -> Path | None:
    from ..errors import UsageError

    if path is not None and not path.is_dir():
        raise UsageError(f"{path} is no folder")
    return path


def _exit_code(rows: Sequence[GateRow]) -> int:
    from ..engine.verdict import exit_code

    return exit_code(tuple(gate.row for gate in rows))


def _print(run: GateRun, rows: Sequence[GateRow], seconds: float) -> None:
    from ..evidence.requirements import read_requirements

    requirements = read_requirements(run.book.corpus.requirements)
    words = {"executed-pass": "kept", "executed-fail": "FAIL", "blocked": "blocked"}
    print(f"{len(rows)} rules about the corpus {run.book.corpus.digest[:12]}, seed {run.seed}\n")  # noqa: T201
    for gate in rows:
        row = gate.row
        lines = [
            f"{words[row.disposition]:<8}{requirements[row.id].rule}",
            f"        {row.id}: {row.assertions:,} assertions",
            *(f"        {note}" for note in gate.notes),
        ]
        if gate.failures:
            lines += [f"        {requirements[row.id].source}; {row.scenario}"]
            lines += [f"      - {text}" for text in gate.failures[:SHOWN]]
            more = len(gate.failures) - SHOWN
            lines += [f"      … and {more} more"] if more > 0 else []
        elif row.reason:
            lines += [f"      - {row.reason}"]
        print("\n".join(printable(line) for line in lines))  # noqa: T201
    print()  # noqa: T201
    counts = [
        f"{count} {word if word != 'FAIL' else 'broken'}"
        for name, word in words.items()
        if (count := sum(gate.row.disposition == name for gate in rows))
    ]
    total = sum(gate.row.assertions for gate in rows)
    print(f"{', '.join(counts)}; {total:,} assertions; {seconds:.1f} s")  # noqa: T201


def _sabotage(upstream: Any, names: Sequence[str]) -> int:
    from ..rulebook.sabotage import broken

    faults = 0
    for outcome in broken(upstream, names):
        print(outcome)  # noqa: T201
        faults += bool(outcome.faults)
    return int(bool(faults))
