"""The help teaches: commands by what they are for, examples that parse, what to read next."""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from openwop_conformance.cli import COMMANDS, parser, teaching
from openwop_conformance.corpus import corpus

Cli = Callable[..., Any]


def examples(text: str) -> list[str]:
    """The command lines that a help shows, without what stands behind them."""
    block = re.split(r"^examples?:\n", text, flags=re.MULTILINE)[1].split("\n\n")[0]
    return [line.strip().split("  ")[0] for line in block.splitlines()]


def parses(line: str) -> argparse.Namespace:
    name, *words = shlex.split(line)
    assert name == "openwop-conformance"
    return parser().parse_args(words)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_shows_an_example_that_parses_and_what_to_read(cli: Cli, name: str) -> None:
    code, out, err = cli(name, "--help")

    assert (code, err) == (0, "")
    shown = examples(out)
    assert shown
    for line in shown:
        assert line.startswith(f"openwop-conformance {name}")
        assert parses(line).command
    (read,) = re.findall(r"^read next: (.*)$", out, re.MULTILINE)
    for document in re.split(", | or ", read):
        assert (corpus().documents / document).is_file(), document


def test_the_overview_has_every_command_once_and_in_a_group(cli: Cli) -> None:
    code, out, err = cli("--help")

    assert (code, err) == (0, "")
    head, _, rest = out.partition("start:\n")
    assert "an OpenWOP host, an A2UI SDK or a renderer" in head
    listed, _, rest = rest.partition("examples:\n")
    assert re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE) == list(teaching.LESSONS)
    assert sorted(teaching.LESSONS) == sorted(COMMANDS)
    assert re.findall(r"^(\w+):$", listed, re.MULTILINE) == ["judge", "evidence", "rules"]
    shown = examples(out)
    assert len(shown) == 3
    for line in shown:
        assert parses(line).command
    assert f"The documents, README.md and docs/, are in {corpus().documents}\n" in out
    assert max(map(len, out.splitlines()[:-1])) <= 100


def test_a_command_without_a_lesson_is_listed_all_the_same() -> None:
    helps = dict.fromkeys(COMMANDS, "…") | {"newcomer": "what is new"}
    assert "more:\n  newcomer    what is new\n" in teaching.overview(helps)
    assert teaching.epilog("newcomer") == ""
    assert "more:" not in teaching.overview(dict.fromkeys(COMMANDS, "…"))
