"""``explain``: a rule, why there is one, how it is witnessed, what usually breaks it."""

from __future__ import annotations

import argparse
import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evidence.requirements import Requirement


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "explain",
        help="explain a requirement",
        description="Explain a requirement: the rule, why it exists, how it is witnessed, "
        "what usually breaks it.",
        allow_abbrev=False,
    )
    parser.add_argument("id", metavar="ID", help="a requirement's or a scenario's id, or its end")
    parser.add_argument("--json", action="store_true", help="as JSON")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the explanation."""
    from ..corpus import corpus
    from ..evidence.requirements import read_ids, read_requirements, requirement
    from ..scenario.outline import outlines

    found = corpus()
    requirements = read_requirements(found.requirements)
    heads = outlines(found)
    by_scenario = {name: o.requirement for o in heads for name in (o.id, o.id.rpartition(".")[2])}
    wanted = by_scenario.get(args.id, args.id)
    row = requirement(requirements, read_ids(found.ids).aliases.get(wanted, wanted))
    head = next((o for o in heads if o.requirement == row.id), None)
    if args.json:
        import dataclasses
        import json

        document = {**dataclasses.asdict(row), "scenario": head.as_json() if head else None}
        print(json.dumps(document, indent=2, ensure_ascii=False))  # noqa: T201
        return 0
    print(f"{row.id}\n")  # noqa: T201
    parts = [
        (f"The rule ({row.level})", row.rule),
        ("Source", row.source),
        ("Why", row.why),
        ("What usually breaks it", row.breaks),
        ("How it is witnessed", _witnessing(row)),
    ]
    if head is not None:
        asked = f"{head.file}; needs {', '.join(head.needs)}" if head.needs else head.file
        parts.append(("Scenario", f"{head.id}, in {asked}"))
        parts.append(("Sabotages that turn it red", ", ".join(head.sabotage)))
    if row.subject == "corpus":
        from ..rulebook.breaking import CORPUS_SABOTAGES

        breaking = [s.name for s in CORPUS_SABOTAGES.values() if row.id in s.red]
        parts.append(("Sabotages that turn it red", ", ".join(breaking)))
    if row.not_yet:
        parts.append(("Not witnessed yet", row.not_yet))
    for title, text in parts:
        print(title)  # noqa: T201
        print(_filled(text))  # noqa: T201
        print()  # noqa: T201
    return 0


def _filled(text: str) -> str:
    """Text in lines; ids are not broken at their hyphens."""
    return textwrap.fill(
        text, 92, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False
    )


def _witnessing(row: Requirement) -> str:
    subject = {"sdk": "an SDK", "consumer": "a consumer"}.get(row.subject, "a host")
    requests = "through its adapter" if row.subject in ("sdk", "consumer") else "by plain requests"
    return {
        "witnessable-unaided": f"On {subject} of any kind, {requests}.",
        "witnessable-gated": f"On {subject} that claims the feature, {requests}.",
        "seam-gated": "Through the emit-surface seam, which hands an envelope to the host's "
        "production admission path. A host without the seams profile cannot be witnessed.",
        "claims-check": f"By holding what {subject} claims to what it serves.",
        "negative-existence": "By the absence of something that must not be there.",
        "corpus": "By a gate over schemas and fixtures: 'openwop-conformance coherence'.",
        "unwitnessable": "By nobody from outside.",
    }[row.witness]
