"""``har``: a trace as an HTTP Archive, which browsers and proxies open."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "har",
        help="write the exchanges of a trace as an HTTP Archive",
        description="Write the exchanges of a trace as an HTTP Archive (HAR 1.2), which browsers "
        "and proxies open. What the trace hides is hidden there too.",
        allow_abbrev=False,
    )
    parser.add_argument("trace", type=Path, metavar="TRACE", help="what run --trace has written")
    parser.add_argument("--out", type=Path, metavar="FILE", help="write it there, not to stdout")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Write the archive; the exit code."""
    import json

    from ..errors import UsageError
    from ..evidence.har import har_of
    from ..evidence.trace import read_trace

    archive = har_of(read_trace(args.trace))
    text = json.dumps(archive, allow_nan=False)
    if args.out is None:
        print(text)  # noqa: T201
        return 0
    if os.path.exists(args.out) and args.out.samefile(args.trace):
        raise UsageError(f"{args.out} is the trace itself: give --out another file")
    try:
        args.out.parent.mkdir(parents=True, exist_ok=True)
        args.out.write_text(text + "\n", "ascii")
    except OSError as error:
        raise UsageError(f"{args.out} cannot be written: {error.strerror}") from None
    return 0
