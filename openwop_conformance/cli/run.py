"""``run``: the scenarios against a host, the verdict, the ledger."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .subject import add_subject, named, opted_out, scale

if TYPE_CHECKING:
    from ..corpus import Corpus
    from ..engine.verdict import Row
    from ..evidence.baseline import Baseline
    from ..scenario.model import Subject as Kind


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="run the scenarios against a host, an SDK or a consumer",
        description="Run the scenarios against a host, an SDK or a consumer; print the verdict.",
        allow_abbrev=False,
    )
    add_subject(parser)
    parser.add_argument(
        "--select",
        nargs="+",
        action="extend",
        default=[],
        metavar="PATTERN",
        help="only scenarios or requirements of these ids; * and ? stand for anything",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run that died and left --ledger FILE"
    )
    parser.add_argument("--major", type=int, choices=(1, 2), help="only this major's scenarios")
    parser.add_argument(
        "--shard",
        type=_shard,
        metavar="I/N",
        help="only the I-th of N parts, for as many machines; merge joins their ledgers",
    )
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="write the ledger here")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="write every exchange here, as it happens"
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        type=_report,
        metavar="FORM:FILE",
        help="write a report as well: badge, html, json, junit or markdown; "
        "a FILE of - is standard output, alone",
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="FOLDER",
        help="with --consumer browser:…, write each look at the page as FOLDER/SCENARIO-NUMBER.png",
    )
    parser.add_argument(
        "--baseline",
        type=Path,
        metavar="FILE",
        help="failures that are known: they stay red, and do not make the exit code 1",
    )
    parser.add_argument(
        "--wait",
        type=_seconds,
        metavar="SECONDS",
        help="first wait up to so long until the host at a URL answers",
    )
    parser.add_argument("--seed", type=_natural, metavar="N", help="repeat the ids of a run")
    parser.add_argument(
        "--jobs", type=_positive, default=8, metavar="N", help="scenarios at once (8)"
    )
    parser.add_argument(
        "--time-scale", type=scale, default=1.0, metavar="X", help="multiply every time bound"
    )
    parser.add_argument(
        "--opt-out",
        nargs="+",
        action="extend",
        default=[],
        metavar="NEED",
        help="skip what needs this: second-tenant, canary",
    )
    parser.add_argument(
        "--credential-file", type=Path, metavar="FILE", help="the key, or NAME=VALUE lines"
    )
    parser.add_argument("--json", action="store_true", help="the same as --report json:-")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Run; the exit code."""
    import asyncio
    from dataclasses import replace

    from ..engine.credentials import read_credentials
    from ..engine.session import Options
    from ..engine.verdict import exit_code
    from ..errors import UsageError
    from ..evidence.ledger import read_unfinished
    from ..suite import execute, fresh_seed, plan, resumed
    from .outputs import Outputs

    options = Options(
        seed=fresh_seed() if args.seed is None else args.seed,
        jobs=args.jobs,
        time_scale=args.time_scale,
        opted_out=opted_out(args),
    )
    kind, subject = named(args)
    if args.pictures is not None and (args.consumer or "").partition(":")[0] != "browser":
        raise UsageError("--pictures goes with --consumer browser:…: nothing else can be seen")
    chosen = plan(
        subject,
        read_credentials(os.environ, args.credential_file),
        patterns=args.select,
        major=args.major,
        options=options,
        kind=kind,
        shard=args.shard,
    )
    unfinished = None
    if args.resume:
        if args.ledger is None or args.trace is not None:
            raise UsageError("--resume goes with --ledger, and without --trace: half is no trace")
        unfinished = read_unfinished(args.ledger)
        chosen = resumed(chosen, unfinished)
    if args.pictures is not None:
        chosen = replace(chosen, pictures=True)
    baseline = known_failures(args.baseline, chosen.corpus) if args.baseline is not None else None
    outputs = Outputs(args, chosen, unfinished)
    if args.wait is not None:
        _wait(kind, subject, args.wait)
    try:
        rows = asyncio.run(execute(chosen, outputs, args.trace))
    finally:
        outputs.close()
    outputs.finish(rows)
    if baseline is None:
        return exit_code(rows)
    whole = chosen.header.left_out == 0
    return held_to(baseline, rows, chosen.corpus, whole=whole, quiet=outputs.quiet)


def known_failures(path: Path, corpus: Corpus) -> Baseline:
    """Read a baseline. Raises ``DocumentError``."""
    from ..evidence.baseline import read_baseline
    from ..evidence.requirements import read_ids

    return read_baseline(path, read_ids(corpus.ids).aliases)


def held_to(
    baseline: Baseline, rows: tuple[Row, ...], corpus: Corpus, *, whole: bool, quiet: bool
) -> int:
    """Print what a baseline makes of a run; the exit code. A report keeps standard output alone."""
    import sys
    from datetime import UTC, datetime

    from ..engine.verdict import verdict
    from ..evidence.baseline import judge
    from ..scenario.outline import outlines

    others = {outline.requirement for outline in outlines(corpus)}
    left_out = set() if whole else others - {row.id for row in rows}
    judged = judge(baseline, rows, left_out, datetime.now(UTC).date())
    file = sys.stderr if quiet else sys.stdout
    for fault in judged.faults:
        print(fault, file=file)
    if judged.verdict != verdict(rows):
        print(judged.verdict, file=file)
    return judged.exit_code


def _wait(kind: Kind, subject: str, seconds: float) -> None:
    """Wait until a host answers, and say so: a host may take its time to start."""
    import asyncio
    import sys

    from ..adapters.connect import connect_host
    from ..adapters.waiting import until_it_answers
    from ..errors import UsageError

    if kind != "host" or not subject.lower().startswith(("http://", "https://")):
        raise UsageError("--wait goes with a host at a URL: all else is started by the run itself")
    host = connect_host(subject)
    waiting = f"openwop-conformance: waiting up to {seconds:g} s for {host.name} to answer"
    print(waiting, file=sys.stderr, flush=True)  # noqa: T201

    async def answered() -> None:
        try:
            await until_it_answers(host, seconds)
        finally:
            await host.close()

    asyncio.run(answered())


def _report(text: str) -> tuple[str, Path | None]:
    from ..reports.forms import FORMS

    form, _, file = text.partition(":")
    if form not in FORMS or not file:
        forms = ", ".join(FORMS)
        raise argparse.ArgumentTypeError(f"{text!r} is not FORM:FILE with a FORM of {forms}")
    return form, None if file == "-" else Path(file)


def _shard(text: str) -> tuple[int, int]:
    index, slash, of = text.partition("/")
    numbers = slash and all(n.isascii() and n.isdecimal() and len(n) < 5 for n in (index, of))
    if not numbers or not 1 <= int(index) <= int(of):
        raise argparse.ArgumentTypeError(f"{text!r} is not I/N, as 2/5 for the second of five")
    return int(index), int(of)


def _natural(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 0 to 2^53-1")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 1 to 256")
    return int(text)


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds up to 3600")
    return seconds
