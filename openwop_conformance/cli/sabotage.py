"""``sabotage``: break the reference host one rule at a time, and see that each is found."""

from __future__ import annotations

import argparse
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "sabotage",
        help="test the suite: break one rule at a time",
        description="Run the scenarios against reference hosts with exactly one rule broken, and "
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

    from ..reference.matrix import matrix_of, print_json, print_matrix

    found = asyncio.run(matrix_of(args.names))
    if args.json:
        print_json(found)
    else:
        print_matrix(found)
    return 1 if found.faults else 0
