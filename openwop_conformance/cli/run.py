"""``run``: the scenarios against a host, the verdict, the ledger."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..engine.verdict import Event, Listener, Row
    from ..evidence.baseline import Baseline
    from ..evidence.requirements import Requirement
    from ..jsonvalue import JsonValue
    from ..reports.pictures import PictureReport
    from ..scenario.model import Subject as Kind
    from ..suite import Plan


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "run",
        help="run the scenarios against a host, an SDK or a consumer",
        description="Run the scenarios against a host, an SDK or a consumer; print the verdict.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "host",
        nargs="?",
        metavar="HOST",
        help="a URL, asgi:pkg.mod:app, py:pkg.mod:Factory, reference, or an entry point; "
        "OPENWOP_BASE_URL, or else reference, when it is left out",
    )
    parser.add_argument(
        "--sdk",
        nargs="?",
        const="reference",
        metavar="SDK",
        help="an SDK instead of a host: stdio:COMMAND, py:pkg.mod:Factory, or an entry point; "
        "reference, when it is left out",
    )
    parser.add_argument(
        "--consumer",
        nargs="?",
        const="reference",
        metavar="CONSUMER",
        help="a consumer instead of a host: browser:reference, browser:PAGE, stdio:COMMAND, "
        "py:pkg.mod:Factory, or an entry point; reference, when it is left out",
    )
    parser.add_argument(
        "--select",
        nargs="+",
        default=[],
        metavar="PATTERN",
        help="only scenarios or requirements of these ids; * and ? stand for anything",
    )
    parser.add_argument(
        "--resume", action="store_true", help="go on with the run that died and left --ledger FILE"
    )
    parser.add_argument("--major", type=int, choices=(1, 2), help="only this major's scenarios")
    parser.add_argument("--ledger", type=Path, metavar="FILE", help="write the ledger here")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="write every exchange here, as it happens"
    )
    parser.add_argument(
        "--report",
        action="append",
        default=[],
        type=_report,
        metavar="FORMAT:FILE",
        help="write a report as well: html:FILE, markdown:FILE or json:FILE",
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
    parser.add_argument("--seed", type=_natural, metavar="N", help="repeat the ids of a run")
    parser.add_argument(
        "--jobs", type=_positive, default=8, metavar="N", help="scenarios at once (8)"
    )
    parser.add_argument(
        "--time-scale", type=_scale, default=1.0, metavar="X", help="multiply every time bound"
    )
    parser.add_argument(
        "--opt-out",
        nargs="+",
        default=[],
        metavar="NEED",
        help="skip what needs this: second-tenant, canary",
    )
    parser.add_argument(
        "--credential-file", type=Path, metavar="FILE", help="the key, or NAME=VALUE lines"
    )
    parser.add_argument("--json", action="store_true", help="print the rows as JSON instead")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Run; the exit code."""
    import asyncio
    from dataclasses import replace

    from ..engine.credentials import read_credentials
    from ..engine.session import Options
    from ..engine.verdict import RunFinished, RunStarted, ScenarioFinished, exit_code
    from ..errors import UsageError
    from ..evidence.ledger import LedgerWriter, digest, read_unfinished
    from ..evidence.requirements import read_requirements
    from ..scenario.verbs import OPERATOR_NEEDS
    from ..suite import execute, fresh_seed, plan, resumed

    unknown = sorted(set(args.opt_out) - set(OPERATOR_NEEDS))
    if unknown:
        known = " and ".join(OPERATOR_NEEDS)
        raise UsageError(f"{unknown[0]!r} cannot be opted out of; {known} can")
    options = Options(
        seed=fresh_seed() if args.seed is None else args.seed,
        jobs=args.jobs,
        time_scale=args.time_scale,
        opted_out=frozenset(args.opt_out),
    )
    kind, subject = _subject(args)
    if args.pictures is not None and (args.consumer or "").partition(":")[0] != "browser":
        raise UsageError("--pictures goes with --consumer browser:…: nothing else can be seen")
    chosen = plan(
        subject,
        read_credentials(os.environ, args.credential_file),
        patterns=args.select,
        major=args.major,
        options=options,
        kind=kind,
    )
    unfinished = None
    if args.resume:
        if args.ledger is None or args.trace is not None:
            raise UsageError("--resume goes with --ledger, and without --trace: half is no trace")
        unfinished = read_unfinished(args.ledger)
        chosen = resumed(chosen, unfinished)
    files = (path for path in (args.ledger, args.trace) if path is not None)
    outputs = [*(path for _, path in args.report), *files]
    if args.pictures is not None:
        chosen = replace(chosen, pictures=True)
        outputs.append(args.pictures / "1.png")
    for path in outputs:
        _require_writable(path)
    baseline = _baseline(args.baseline, chosen) if args.baseline is not None else None
    requirements = read_requirements(chosen.corpus.requirements)
    listeners, console = _listeners(args, requirements, chosen)
    pictures = _pictures(args.pictures, listeners)

    dialect: JsonValue = None
    ledger: LedgerWriter | None = None

    def tell(event: Event) -> None:
        nonlocal dialect, ledger
        if isinstance(event, RunStarted) and args.ledger is not None:
            if unfinished is None:
                ledger = LedgerWriter(args.ledger, chosen.header, chosen.scenarios)
            else:
                ledger = LedgerWriter.going_on(unfinished, options.seed)
        elif isinstance(event, ScenarioFinished) and ledger and event.row not in chosen.kept:
            ledger.add(event.row)
        elif isinstance(event, RunFinished):
            dialect = event.dialect
        for listener in listeners:
            listener(event)

    try:
        rows = asyncio.run(execute(chosen, tell, args.trace))
    finally:
        if console is not None:
            console.close()
    if ledger is not None:
        seeds = () if unfinished is None else (*unfinished.seeds, options.seed)
        ledger.finish(replace(chosen.header, dialect=dialect, resumed=seeds), rows)
    if not args.json:
        if chosen.left_out:
            s = "s were" if chosen.left_out != 1 else " was"
            print(f"{chosen.left_out} scenario{s} left out by what was selected")  # noqa: T201
        if args.ledger is not None:
            print(f"ledger {args.ledger}, digest {digest(rows)}")  # noqa: T201
        if args.trace is not None:
            print(f"trace {args.trace}")  # noqa: T201
        for form, path in args.report:
            print(f"report {path} ({form})")  # noqa: T201
        if pictures is not None:
            print(f"pictures {args.pictures} ({pictures.written})")  # noqa: T201
    return exit_code(rows) if baseline is None else _held_to(baseline, rows, chosen, args.json)


def _subject(args: argparse.Namespace) -> tuple[Kind, str]:
    """The one subject of a run, and what kind it is of."""
    from ..errors import UsageError

    if sum(named is not None for named in (args.host, args.sdk, args.consumer)) > 1:
        raise UsageError("a host, --sdk or --consumer: one run has one subject")
    if args.sdk is not None:
        return "sdk", args.sdk
    if args.consumer is not None:
        return "consumer", args.consumer
    return "host", args.host or os.environ.get("OPENWOP_BASE_URL") or "reference"


def _baseline(path: Path, chosen: Plan) -> Baseline:
    from ..evidence.baseline import read_baseline
    from ..evidence.requirements import read_ids

    return read_baseline(path, read_ids(chosen.corpus.ids).aliases)


def _held_to(baseline: Baseline, rows: tuple[Row, ...], chosen: Plan, as_json: bool) -> int:
    """Print what a baseline makes of a run; the exit code. JSON keeps standard output alone."""
    import sys
    from datetime import UTC, datetime

    from ..engine.verdict import verdict
    from ..evidence.baseline import judge
    from ..scenario.outline import outlines

    others = {outline.requirement for outline in outlines(chosen.corpus)}
    left_out = others - {row.id for row in rows} if chosen.left_out else set()
    judged = judge(baseline, rows, left_out, datetime.now(UTC).date())
    file = sys.stderr if as_json else sys.stdout
    for fault in judged.faults:
        print(fault, file=file)
    if judged.verdict != verdict(rows):
        print(judged.verdict, file=file)
    return judged.exit_code


def _require_writable(path: Path) -> None:
    """Say before the run, and not after it, that a file cannot be written."""
    from ..errors import UsageError

    folder = path.absolute().parent
    while not folder.exists():
        folder = folder.parent
    target = path if path.exists() else folder
    if path.is_dir() or not folder.is_dir() or not os.access(target, os.W_OK):
        raise UsageError(f"{path} cannot be written")


def _listeners(
    args: argparse.Namespace, requirements: dict[str, Requirement], chosen: Plan
) -> tuple[list[Listener], Any]:
    from ..suite import VERSION

    listeners: list[Listener] = []
    console = None
    if args.json:
        from ..reports.jsonfile import JsonReport

        listeners.append(JsonReport(None, chosen.header))
    else:
        from rich.console import Console

        from ..reports.console import ConsoleReport

        console = ConsoleReport(Console(), requirements, VERSION)
        listeners.append(console)
    for form, path in args.report:
        if form == "markdown":
            from ..reports.markdown import MarkdownReport

            listeners.append(MarkdownReport(path, requirements, VERSION))
        elif form == "html":
            from ..reports.html import HtmlReport

            listeners.append(HtmlReport(path, requirements, chosen.header))
        else:
            from ..reports.jsonfile import JsonReport

            listeners.append(JsonReport(path, chosen.header))
    return listeners, console


def _pictures(folder: Path | None, listeners: list[Listener]) -> PictureReport | None:
    """What writes pictures into a folder, among those who are told."""
    if folder is None:
        return None
    from ..reports.pictures import PictureReport

    report = PictureReport(folder)
    listeners.append(report)
    return report


def _report(text: str) -> tuple[str, Path]:
    form, colon, file = text.partition(":")
    if form not in ("html", "markdown", "json") or not colon or not file:
        raise argparse.ArgumentTypeError(f"{text!r} is not html:FILE, markdown:FILE or json:FILE")
    return form, Path(file)


def _natural(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**53:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 0 to 2^53-1")
    return int(text)


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is not an integer from 1 to 256")
    return int(text)


def _scale(text: str) -> float:
    try:
        scale = float(text)
    except ValueError:
        scale = 0.0
    if not 0.01 <= scale <= 1000:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 0.01 to 1000")
    return scale
