"""``schema``: the JSON Schema of a file format, for editors and other programs."""

from __future__ import annotations

import argparse
from typing import Any

NAMES = (
    "scenario",
    "fixture",
    "upstream",
    "requirements",
    "aliases",
    "ledger-record",
    "trace-record",
    "report",
    "bundle-v3",
    "bundle-older",
    "attestation",
    "baseline",
    "corpus-ledger",
    "ai-envelope",
    "ui.a2ui-surface",
    "locked-surfaces",
    "a2ui-surface-delta-frame",
    "run-event",
    "run-event-v1",
    "error-envelope",
    "discovery",
    "sdk-line",
    "consumer-line",
)


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "schema",
        help="print a JSON Schema",
        description="Print the JSON Schema of a file or wire format.",
        allow_abbrev=False,
    )
    parser.add_argument("name", nargs="?", default="scenario", choices=NAMES)
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the schema."""
    import json

    from ..scenario.grammar import scenario_schema
    from ..schemas import schema

    document = scenario_schema() if args.name == "scenario" else schema(args.name)
    print(json.dumps(document, indent=2, ensure_ascii=False))  # noqa: T201
    return 0
