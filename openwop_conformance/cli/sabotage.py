"""``sabotage``: break the reference subjects one rule at a time, and see that each is found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..reference.matrix import Matrix


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "sabotage",
        help="test the suite: break one rule at a time",
        description="Run the scenarios against reference subjects with just one rule broken, and "
        "print which rows each turns red. Fails when a break goes unseen, or is seen elsewhere "
        "than declared.",
        allow_abbrev=False,
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these sabotages")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the matrix; 1 when it is not as declared."""
    import asyncio

    from ..errors import UnreachableError
    from ..reference.library_matrix import FAMILIES, library_matrix_of, uncovered
    from ..reference.matrix import Matrix, matrix_of

    found = Matrix((), ())
    others = set(args.names)
    for kind, family in FAMILIES.items():
        named = [name for name in args.names if name in family.sabotages]
        others -= set(named)
        if named or not args.names:
            try:
                found += asyncio.run(library_matrix_of(kind, named))
            except UnreachableError as error:
                if named:
                    raise
                found += Matrix((), (f"the {kind} cannot be asked: {error}",))
    if not args.names:
        for subject in sorted({family.subject for family in FAMILIES.values()}):
            found += Matrix((), tuple(uncovered(found, subject)))
    if others or not args.names:
        found = asyncio.run(matrix_of([n for n in args.names if n in others])) + found
    if args.json:
        _print_json(found)
    else:
        _print(found)
    return 1 if found.faults else 0


def _print(found: Matrix) -> None:
    """The matrix for a person: a line for each sabotage, then what is wrong."""
    width = max(len(line.name) for line in found.lines)
    for line in found.lines:
        mark = "ok  " if not line.faults else "BAD "
        rows = ", ".join(row.rpartition(".")[2] for row in line.red) or "nothing"
        print(f"{mark}{line.name:<{width}}  turns red: {rows}")  # noqa: T201
    print()  # noqa: T201
    for fault in found.faults:
        print(f"fault: {fault}")  # noqa: T201
    count = len(found.lines)
    verdict = "as declared" if not found.faults else f"{len(found.faults)} faults"
    print(f"{count} sabotage{'s' * (count != 1)}: {verdict}")  # noqa: T201


def _print_json(found: Matrix) -> None:
    """The matrix for a program."""
    import json
    import sys

    document = {
        "faults": list(found.faults),
        "sabotages": [
            {
                "name": line.name,
                "breaks": line.breaks,
                "red": list(line.red),
                "declared": list(line.declared),
                "faults": list(line.faults),
            }
            for line in found.lines
        ],
    }
    json.dump(document, sys.stdout, indent=2)
    sys.stdout.write("\n")
