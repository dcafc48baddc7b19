"""``list``: the scenarios and the rows they fill."""

from __future__ import annotations

import argparse
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "list",
        help="list the scenarios",
        description="List the scenarios: id, title, and with --long what each needs.",
        allow_abbrev=False,
    )
    parser.add_argument("patterns", nargs="*", metavar="PATTERN", help="only these ids")
    parser.add_argument("--long", action="store_true", help="requirement, source and needs too")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the list."""
    from ..corpus import corpus
    from ..scenario.outline import outlines, select_outlines

    chosen = select_outlines(outlines(corpus()), args.patterns)
    if args.json:
        import json

        print(json.dumps([o.as_json() for o in chosen], indent=2, ensure_ascii=False))  # noqa: T201
        return 0
    width = max(len(o.id) for o in chosen)
    for outline in chosen:
        print(f"{outline.id:<{width}}  {outline.title}")  # noqa: T201
        if args.long:
            print(f"{'':<{width}}  {outline.requirement}")  # noqa: T201
            print(f"{'':<{width}}  {outline.source}")  # noqa: T201
            if outline.needs:
                print(f"{'':<{width}}  needs {', '.join(outline.needs)}")  # noqa: T201
    return 0
