"""``doctor``: whether a run can begin, and what of it would say nothing, before it is made."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .subject import add_subject, named, opted_out, scale

if TYPE_CHECKING:
    from ..reports.checkup import Checkup
    from ..suite import Plan


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "doctor",
        help="see what a run could witness, before it is made",
        description="See whether a host, an SDK or a consumer is reached, what it claims, whether "
        "the keys work, and which rules a run would leave unasked, and why. Nothing is started "
        "but what a run asks before its first rule. Exit codes: 0 ready; 2 not reached, or "
        "misconfigured; 3 something that binds would be blocked.",
        allow_abbrev=False,
    )
    add_subject(parser)
    parser.add_argument(
        "--select",
        nargs="+",
        default=[],
        metavar="PATTERN",
        help="only scenarios or requirements of these ids; * and ? stand for anything",
    )
    parser.add_argument("--major", type=int, choices=(1, 2), help="only this major's scenarios")
    parser.add_argument(
        "--opt-out", nargs="+", default=[], metavar="NEED", help="as for run: second-tenant, canary"
    )
    parser.add_argument(
        "--credential-file", type=Path, metavar="FILE", help="the key, or NAME=VALUE lines"
    )
    parser.add_argument(
        "--time-scale", type=scale, default=1.0, metavar="X", help="multiply every time bound"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Print the checkup; its exit code."""
    import asyncio

    from rich.console import Console

    from ..engine.credentials import read_credentials
    from ..engine.session import Options
    from ..reports.checkup import CheckupPrinter, print_json
    from ..suite import fresh_seed, plan

    kind, subject = named(args)
    options = Options(fresh_seed(), time_scale=args.time_scale, opted_out=opted_out(args))
    chosen = plan(
        subject,
        read_credentials(os.environ, args.credential_file),
        patterns=args.select,
        major=args.major,
        options=options,
        kind=kind,
    )
    checkup = asyncio.run(examined(chosen))
    if args.json:
        print_json(checkup)
    else:
        CheckupPrinter(Console()).print(checkup, _options(args))
    return checkup.exit_code


def _options(args: argparse.Namespace) -> list[str]:
    """The options that a run takes too, as they were given."""
    words: list[str] = []
    for option in ("--select", "--major", "--opt-out", "--credential-file", "--time-scale"):
        value = getattr(args, option[2:].replace("-", "_"))
        if value not in (None, [], 1.0):
            words += [option, *map(str, value if isinstance(value, list) else [value])]
    return words


async def examined(chosen: Plan) -> Checkup:
    """The checkup of the subject of a plan. Raises ``UsageError`` where it names none."""
    from dataclasses import replace

    from ..engine.checkup import hosts, libraries
    from ..engine.checkup.findings import Finding
    from ..engine.checkup.foresight import Outlook, foreseen
    from ..engine.checkup.noted import NotedSubject
    from ..engine.session import Session
    from ..reports.checkup import Checkup
    from ..suite import VERSION, open_subject

    subject, credentials = open_subject(chosen.subject, chosen.credentials, chosen.kind)
    noted = NotedSubject(subject)
    session = Session(noted, chosen.options, credentials, kind=chosen.kind)
    found: list[Finding]
    outlooks: tuple[Outlook, ...] = ()
    try:
        if chosen.kind == "host":
            found = [await hosts.reached(session, noted)]
        else:
            found = await libraries.examined(session, subject, noted)
        if not any(finding.mark == "bad" for finding in found):
            outlooks = await foreseen(chosen.scenarios, session)
            if chosen.kind == "host":
                majors = {scenario.major for scenario in chosen.scenarios}
                found += await hosts.examined(session, noted, majors)
    finally:
        await subject.close()
    found += libraries.log_of(subject)
    hidden = tuple(replace(one, said=credentials.hidden_in(one.said)) for one in found)
    return Checkup(VERSION, chosen.subject, chosen.kind, hidden, outlooks)
