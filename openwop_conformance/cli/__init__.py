"""The command line: one module a command, each thin over the layers below."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence

from ..errors import ConformanceError
from . import (
    certify,
    coherence,
    diff,
    doctor,
    explain,
    har,
    init,
    keygen,
    lint,
    listing,
    rederive,
    run,
    sabotage,
    schema,
    serve,
    sign,
    verify,
)

COMMANDS = (
    run,
    listing,
    explain,
    lint,
    schema,
    doctor,
    init,
    serve,
    sabotage,
    coherence,
    certify,
    sign,
    verify,
    rederive,
    har,
    diff,
    keygen,
)

EPILOG = """\
Exit codes: 0 conformant; 1 something failed; 2 usage or configuration; 3 incomplete: nothing
failed, but something that binds was not witnessed.

Keys come from the environment or a private file, never from the command line:
  OPENWOP_API_KEY              the key that the run uses
  OPENWOP_TENANT_B_API_KEY     a second tenant's key, for what it must not see
  OPENWOP_CANARY_SECRET_VALUE  the value of a secret that is configured in the host
"""


def parser() -> argparse.ArgumentParser:
    """The parser of every command."""
    parser = argparse.ArgumentParser(
        prog="openwop-conformance",
        description="Find out, truthfully, which of the A2UI rules an OpenWOP host keeps.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("-V", "--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    chosen = parser().parse_args(arguments)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a character that it lacks is no crash
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code: int = chosen.command(chosen)
        sys.stdout.flush()
    except ConformanceError as error:
        print(f"openwop-conformance: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except KeyboardInterrupt:
        print("openwop-conformance: interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except BrokenPipeError:  # the reader has gone; what is left must not fail again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    return code


def _version() -> str:
    from importlib.metadata import version

    return f"openwop-conformance {version('openwop-conformance')}"
