"""``keygen``: a key that signs bundles, in a file that only its owner can read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "keygen",
        help="make a key that signs bundles",
        description="Make an Ed25519 key: FILE holds the private one, FILE.pub the public one, "
        "which is printed as well. Nothing is ever written over a file.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="a new file")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Make the key."""
    from ..evidence.signing import base64url, keygen

    print(base64url(keygen(args.file)))  # noqa: T201
    return 0
