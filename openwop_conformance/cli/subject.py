"""Which subject a command line names, and how patiently it is asked: alike for all who ask one."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..scenario.model import Subject as Kind


def add_subject(parser: argparse.ArgumentParser) -> None:
    """Declare HOST, --sdk and --consumer."""
    parser.add_argument(
        "host",
        nargs="?",
        metavar="HOST",
        help="a URL, asgi:pkg.mod:app, py:pkg.mod:Factory, reference, or an entry point; "
        "OPENWOP_BASE_URL, or else reference, when it is left out",
    )
    parser.add_argument(
        "--sdk",
        nargs="?",
        const="reference",
        metavar="SDK",
        help="an SDK instead of a host: stdio:COMMAND, py:pkg.mod:Factory, or an entry point; "
        "reference, when it is left out",
    )
    parser.add_argument(
        "--consumer",
        nargs="?",
        const="reference",
        metavar="CONSUMER",
        help="a consumer instead of a host: browser:reference, browser:PAGE, stdio:COMMAND, "
        "py:pkg.mod:Factory, or an entry point; reference, when it is left out",
    )


def named(args: argparse.Namespace) -> tuple[Kind, str]:
    """The one subject that was named, and what kind it is of. Raises ``UsageError`` for several."""
    from ..errors import UsageError

    if sum(named is not None for named in (args.host, args.sdk, args.consumer)) > 1:
        raise UsageError("a host, --sdk or --consumer: one run has one subject")
    if args.sdk is not None:
        return "sdk", args.sdk
    if args.consumer is not None:
        return "consumer", args.consumer
    return "host", args.host or os.environ.get("OPENWOP_BASE_URL") or "reference"


def opted_out(args: argparse.Namespace) -> frozenset[str]:
    """What the operator opts out of. Raises ``UsageError`` for what is not theirs to give."""
    from ..errors import UsageError
    from ..scenario.verbs import OPERATOR_NEEDS

    unknown = sorted(set(args.opt_out) - set(OPERATOR_NEEDS))
    if unknown:
        known = " and ".join(OPERATOR_NEEDS)
        raise UsageError(f"{unknown[0]!r} cannot be opted out of; {known} can")
    return frozenset(args.opt_out)


def scale(text: str) -> float:
    """What every time bound is multiplied by, as ``--time-scale`` has it."""
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.01 <= scale <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.01 to 1000")
    return scale
