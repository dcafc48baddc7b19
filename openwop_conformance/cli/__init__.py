"""The command line: one module a command, each thin over the layers below."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Final

from ..errors import ConformanceError
from ..version import VERSION
from .teaching import PROGRAM, epilog, filled, overview

COMMANDS: Final = {
    "run": "run",
    "list": "listing",
    "explain": "explain",
    "lint": "lint",
    "schema": "schema",
    "doctor": "doctor",
    "init": "init",
    "completion": "completion",
    "serve": "serve",
    "sabotage": "sabotage",
    "coherence": "coherence",
    "certify": "certify",
    "sign": "sign",
    "verify": "verify",
    "rederive": "rederive",
    "har": "har",
    "diff": "diff",
    "merge": "merge",
    "keygen": "keygen",
}
"""The commands by name, each with its module."""

DESCRIPTION = """\
Find out, truthfully, which of the A2UI rules an OpenWOP host, an A2UI SDK or a renderer keeps.
"""
OPTIONS = """
options:
  -h, --help     show this, or after a command the help of that command
  -V, --version  show the version
"""
EPILOG = """\
Exit codes: 0 conformant; 1 something failed; 2 usage or configuration; 3 incomplete: nothing
failed, but something that binds was not witnessed.

Keys come from the environment or a private file, never from the command line:
  OPENWOP_API_KEY              the key that the run uses
  OPENWOP_TENANT_B_API_KEY     a second tenant's key, for what it must not see
  OPENWOP_CANARY_SECRET_VALUE  the value of a secret that is configured in the host
"""


class _Parser(argparse.ArgumentParser):
    """The parser of the program, whose help shows the commands by what they are for."""

    def __init__(self) -> None:
        super().__init__(prog=PROGRAM, allow_abbrev=False)
        self.helps: dict[str, str] = {}

    def format_help(self) -> str:
        """The help as it is printed."""
        from ..corpus import corpus

        documents = f"The documents, README.md and docs/, are in {corpus().documents}\n"
        parts = (self.format_usage(), DESCRIPTION, overview(self.helps), OPTIONS, EPILOG, documents)
        return "\n".join(parts)


class _Commands:
    """What a command is declared to. It gets its examples, and its line of help is kept."""

    def __init__(self, parser: _Parser) -> None:
        self._helps = parser.helps
        self._commands = parser.add_subparsers(
            prog=PROGRAM, metavar="COMMAND", required=True, parser_class=argparse.ArgumentParser
        )

    def add_parser(
        self, name: str, *, help: str, description: str, allow_abbrev: bool
    ) -> argparse.ArgumentParser:
        """A command's own parser."""
        self._helps[name] = help
        return self._commands.add_parser(
            name,
            help=help,
            description=filled(description),
            epilog=epilog(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=allow_abbrev,
        )


def parser(names: Iterable[str] = COMMANDS) -> argparse.ArgumentParser:
    """The parser of every command, or of some."""
    parser = _Parser()
    parser.add_argument("-V", "--version", action="version", version=f"{PROGRAM} {VERSION}")
    commands = _Commands(parser)
    for name in names:
        import_module(f".{COMMANDS[name]}", __package__).add_to(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):  # a character that it lacks is no crash
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        words = sys.argv[1:] if arguments is None else arguments
        chosen = parser(words[:1] if words and words[0] in COMMANDS else COMMANDS).parse_args(words)
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
