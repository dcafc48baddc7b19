"""``completion``: a script by which a shell completes commands, options, files and scenario ids."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

SHELLS: Final = ("bash", "zsh", "fish")
_IDS: Final = {
    "bash": "_openwop_conformance_ids",
    "zsh": "_openwop_conformance_ids",
    "fish": "(openwop-conformance list 2>/dev/null | string split -f1 ' ')",
    "preamble": {
        "bash": """
_openwop_conformance_ids() {
  compgen -W "$(openwop-conformance list 2>/dev/null | cut -d' ' -f1)" -- "$1"
}""",
        "zsh": """
_openwop_conformance_ids() {
  compadd -- ${(f)"$(openwop-conformance list 2>/dev/null | cut -d' ' -f1)"}
}""",
    },
}
"""How each shell asks for the ids of scenarios: when the key is pressed, and not before."""


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "completion",
        help="print what a shell needs to complete this command",
        description="Print a script by which bash, zsh or fish completes commands, options, files "
        "and scenario ids. For bash, write it to "
        "~/.local/share/bash-completion/completions/openwop-conformance; for fish, to "
        "~/.config/fish/completions/openwop-conformance.fish; for zsh, to "
        "_openwop-conformance, in a folder of $fpath. It needs what "
        "pip install 'openwop-conformance[completion]' brings.",
        allow_abbrev=False,
    )
    parser.add_argument("shell", choices=SHELLS, help="whose script")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the script."""
    from ..errors import UsageError

    try:
        import shtab
    except ImportError:
        hint = "pip install 'openwop-conformance[completion]'"
        raise UsageError(f"shtab, which writes the script, is not installed: {hint}") from None
    from . import parser

    whole = parser()
    _completed(whole, {Path: shtab.FILE, "FOLDER": shtab.DIRECTORY, "DIR": shtab.DIRECTORY})
    print(shtab.complete(whole, args.shell))  # noqa: T201
    return 0


def _completed(parser: argparse.ArgumentParser, means: dict[Any, Any]) -> None:
    """Say of each argument what completes it: as shtab does, by going through the actions."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _completed(command, means)
        elif action.metavar == "PATTERN" or (action.metavar == "ID" and not action.option_strings):
            action.complete = _IDS  # type: ignore[attr-defined]
        elif (how := means.get(action.metavar) or means.get(action.type)) is not None:
            action.complete = how  # type: ignore[attr-defined]
