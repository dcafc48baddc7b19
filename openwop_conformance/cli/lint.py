"""``lint``: what is wrong with scenario files, with file, line and column."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "lint",
        help="check scenario files",
        description="Check scenario files, or without any the whole corpus: one line a fault.",
        allow_abbrev=False,
    )
    parser.add_argument("files", nargs="*", type=Path, metavar="FILE", help="scenario files")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the faults; 1 when there are any."""
    from ..corpus import corpus
    from ..errors import DocumentError, UsageError
    from ..evidence.requirements import check_subjects, read_requirements
    from ..reference.sabotage.names import SABOTAGES_OF
    from ..scenario.expand import load_scenario
    from ..scenario.fixtures import Fixtures
    from ..scenario.lint import cross_faults, lint, load_all

    found = corpus()
    faults: list[DocumentError] = []
    if args.files:
        scenarios = []
        fixtures = Fixtures(found.fixtures)
        for file in args.files:
            if not file.is_file():
                raise UsageError(f"there is no file {file}")
            try:
                scenarios.append(load_scenario(file, fixtures))
            except DocumentError as error:
                faults.append(error)
        faults += cross_faults(scenarios)
    else:
        faults = lint(found)
        scenarios = [] if faults else list(load_all(found))
    known = read_requirements(found.requirements)
    for scenario in scenarios:
        try:
            check_subjects([scenario], known)
        except DocumentError as error:
            faults.append(error)
        for name in scenario.sabotage:
            if name not in SABOTAGES_OF[scenario.subject]:
                faults.append(scenario.place.error(f"no sabotage {name!r}"))
    for fault in faults:
        print(fault)  # noqa: T201
    if not faults:
        count = len(scenarios)
        print(f"{count} scenario{'s' * (count != 1)}: nothing is wrong")  # noqa: T201
    return 1 if faults else 0
