"""``init``: the files that a project begins with, for a host, an SDK or a consumer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

KINDS = ("host", "sdk", "consumer")

_WHAT = {
    "host": "the adapter, with a toy host in it until you name yours",
    "sdk": "the adapter, with a toy library in it until yours is there",
    "consumer": "the page, with a toy renderer in it until yours is there",
}
_TESTS = "two rules as tests: one green, and one red, to see what that looks like"


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "init",
        help="write the files that a project begins with",
        description="Write a small project into FOLDER: an adapter that works at once, two tests "
        "(one green, one red that says how to turn it green), and a README. No file is ever "
        "written over: where one is there already, nothing is written.",
        allow_abbrev=False,
    )
    parser.add_argument("kind", choices=KINDS, help="what is to be judged")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=Path(), metavar="FOLDER", help="where (here)"
    )
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Write the files, and say what to do next."""
    import shlex

    from ..starting import SUBJECTS, files_of, write
    from .printing import printable

    files = files_of(args.kind)
    write(files, args.folder)
    says = dict(zip(files, (_WHAT[args.kind], _TESTS, "the same in a few lines"), strict=True))
    wide = max(map(len, says))
    print(f"Written into {printable(str(args.folder))}:")  # noqa: T201
    for name, what in says.items():
        print(f"  {name:<{wide}}  {what}")  # noqa: T201
    print("\nNext:")  # noqa: T201
    subject = SUBJECTS[args.kind]
    enter = [f"cd {shlex.quote(str(args.folder))}"] if args.folder != Path() else []
    asking = [f"openwop-conformance {verb} {subject}" for verb in ("doctor", "run")]
    for line in (*enter, *asking, "pytest"):
        print(f"  {printable(line)}")  # noqa: T201
    return 0
