"""``docs/reference/commands.md``: every command and option, from the parsers themselves."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from openwop_conformance.cli import EPILOG, parser
from openwop_conformance.cli.teaching import GROUPS, LESSONS, PROGRAM
from tests.docs.markdown import code, plain, table

_TITLES: Final = {
    "start": "To begin",
    "judge": "To judge",
    "evidence": "To show others",
    "rules": "To work on the rules",
}
_FEW: Final = 5
"""So many choices are named in the place of the value; more stand beside it."""
_HEAD: Final = """\
# Commands

Made by `make docs-reference` from the parsers; `openwop-conformance COMMAND --help` says the same.
"""


def commands_page() -> str:
    """The page."""
    whole = parser()
    lines = [_HEAD, *EPILOG.split("\n\n")[0].split("\n"), ""]
    lines += [
        "Keys come from [the environment or a private file](subjects.md#keys), never from the"
    ]
    lines += ["command line.", "", *table(("option", ""), _options(whole))]
    for group, commands in GROUPS.items():
        lines += ["", f"## {_TITLES[group]}"]
        for name in commands:
            lines += ["", *_command(name, commands_of(whole)[name])]
    return "\n".join(lines) + "\n"


def commands_of(whole: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parser of each command by its name."""
    (group,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    return dict(group.choices)


def _command(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    yield f"### {name}"
    yield ""
    yield plain(command.description or "")
    yield ""
    words = " ".join([PROGRAM, name, *_positional(command)])
    yield "```text"
    yield f"{words} [OPTION…]" if _options(command) else words
    yield "```"
    yield ""
    rows = [(code(word.strip("[]")), _said(action)) for word, action in _arguments(command)]
    if rows or _options(command):
        yield from table(("argument or option", ""), [*rows, *_options(command)])
        yield ""
    yield "For example:"
    yield ""
    yield from (f"    {PROGRAM} {example}" for example in LESSONS[name].examples)


def _arguments(command: argparse.ArgumentParser) -> list[tuple[str, argparse.Action]]:
    found = []
    for action in command._actions:
        if action.option_strings or isinstance(action, argparse._SubParsersAction):
            continue
        word = _value(action)
        found.append((f"[{word}]" if action.nargs in ("*", "?") else word, action))
    return found


def _positional(command: argparse.ArgumentParser) -> list[str]:
    return [word for word, _ in _arguments(command)] + [
        _option(action) for action in command._actions if action.option_strings and action.required
    ]


def _options(command: argparse.ArgumentParser) -> list[tuple[str, str]]:
    return [
        (code(_option(action)), _said(action))
        for action in command._actions
        if action.option_strings and action.help != argparse.SUPPRESS and action.dest != "help"
    ]


def _said(action: argparse.Action) -> str:
    parts = [plain(action.help or "")]
    choices = [str(choice) for choice in action.choices or ()]
    if len(choices) > _FEW:
        parts.append("one of " + ", ".join(map(code, choices)))
    default = action.default if choices else None
    if default is not None and f"({default})" not in parts[0]:
        parts.append(f"{default} unless given")
    said = "; ".join(filter(None, parts))
    return f"{said} (required)".strip() if action.required and action.option_strings else said


def _option(action: argparse.Action) -> str:
    name = max(action.option_strings, key=len)
    if action.nargs == 0:
        return name
    value = _value(action)
    return f"{name} [{value}]" if action.nargs == "?" else f"{name} {value}"


def _value(action: argparse.Action) -> str:
    """What stands for a value: a word, or the few values that there are."""
    choices = [str(choice) for choice in action.choices or ()]
    few = "|".join(choices) if len(choices) <= _FEW else ""
    word = str(action.metavar or few or action.dest.upper())
    return f"{word}…" if action.nargs in ("*", "+") else word
