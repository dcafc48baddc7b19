"""``certify``: run, and sign what was witnessed: the trace, the bundle, the envelope over it."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evidence.signing import SigningKey
    from ..suite import Plan


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "certify",
        help="run, and sign what was witnessed",
        description="Run the scenarios against a host and write a signed bundle to OUT, its DSSE "
        "envelope to OUT.dsse.json, and the trace. What was written is verified before anything "
        "is claimed. Exit codes: 0 conformant; 1 something failed; 2 usage, or the bundle does "
        "not verify (it is in OUT.rejected.json); 3 something was not witnessed.",
        allow_abbrev=False,
    )
    parser.add_argument("subject", metavar="SUBJECT", help="the host, as for run")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the bundle here"
    )
    parser.add_argument(
        "--host-build",
        required=True,
        metavar="KIND:ID",
        help="what is tested: image-digest:…, commit:… or artifact-sha256:…",
    )
    parser.add_argument(
        "--signing-key", type=Path, required=True, metavar="FILE", help="made by keygen"
    )
    parser.add_argument("--key-id", required=True, metavar="ID", help="the key's name")
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="a new file for the trace (OUT.trace.jsonl)"
    )
    parser.add_argument("--select", nargs="+", default=[], metavar="PATTERN", help="as for run")
    parser.add_argument(
        "--major", type=int, choices=(1, 2), default=2, help="the major that is certified (2)"
    )
    parser.add_argument("--shard", help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, metavar="N", help="repeat the ids of a run")
    parser.add_argument(
        "--credential-file", type=Path, metavar="FILE", help="the key, or NAME=VALUE lines"
    )
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Run and certify; the exit code."""
    from ..engine.credentials import read_credentials
    from ..engine.session import Options
    from ..engine.verdict import exit_code, verdict
    from ..errors import UsageError
    from ..evidence.bundle import build_of
    from ..evidence.signing import read_signing_key
    from ..suite import fresh_seed, plan

    if args.seed is not None and not 0 <= args.seed < 2**53:
        raise UsageError(f"--seed {args.seed} is not an integer from 0 to 2^53-1")
    if args.shard is not None:
        raise UsageError(
            "there is no certify --shard: a bundle is about one run and its one trace; certify "
            "whole, or a selection by --select, which the envelope tells"
        )
    build_of(args.host_build)
    key = read_signing_key(args.signing_key)
    key_id = key_id_of(args.key_id)
    trace = args.trace or args.out.with_name(args.out.name + ".trace.jsonl")
    for path in (args.out, trace):
        _make_room(path)
    if os.path.lexists(trace):
        raise UsageError(f"{trace} is there already: take it away, or give --trace another file")
    chosen = plan(
        args.subject,
        read_credentials(os.environ, args.credential_file),
        patterns=args.select,
        major=args.major,
        options=Options(seed=fresh_seed() if args.seed is None else args.seed),
    )
    rows = _certify(args, chosen, key, key_id, trace)
    if rows is None:
        return 2
    print(verdict(rows))  # noqa: T201
    for line in chosen.header.limits:
        print(line)  # noqa: T201
    return exit_code(rows)


def _certify(
    args: argparse.Namespace, chosen: Plan, key: SigningKey, key_id: str, trace: Path
) -> Any:
    """Run, write, and verify what was written; the rows, or ``None`` when it does not verify."""
    import asyncio
    import sys
    from dataclasses import replace
    from datetime import UTC, datetime

    from ..engine.verdict import Event, RunFinished
    from ..evidence.attestation import envelope_of, envelope_path, predicate_of
    from ..evidence.bundle import (
        Witnessed,
        attest,
        build_of,
        refuse_secrets,
        text_of,
        unsigned_bundle,
    )
    from ..evidence.trace import digest_of
    from ..evidence.verification import Outcome, Pinned, verify
    from ..suite import execute
    from .verify import lines_of

    finished: list[RunFinished] = []

    def tell(event: Event) -> None:
        if isinstance(event, RunFinished):
            finished.append(event)

    rows = asyncio.run(execute(chosen, tell, trace=trace))
    (end,) = finished
    traced = digest_of(trace)
    header = replace(chosen.header, dialect=end.dialect)
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    build = build_of(args.host_build)
    witnessed = Witnessed(
        header, rows, end.discovery, end.discovery_url, build, traced, args.major, now
    )
    unsigned = unsigned_bundle(witnessed, key_id)
    predicate = predicate_of(header, rows, traced)
    refuse_secrets([unsigned, predicate], _secrets(chosen))
    data = text_of(attest(unsigned, key, key_id))
    envelope = envelope_of(data, args.out.name, predicate, key, key_id)
    found = verify(data, Pinned([key.public], envelope=envelope, trace=traced))
    if found.outcome is not Outcome.VERIFIED:
        rejected = args.out.with_name(args.out.name + ".rejected.json")
        write(rejected, data)
        print("\n".join(lines_of(rejected, found)), file=sys.stderr)  # noqa: T201
        return None
    write(args.out, data)
    write(envelope_path(args.out), envelope)
    print(f"bundle {args.out}, signed as {key_id}")  # noqa: T201
    print(f"envelope {envelope_path(args.out)}")  # noqa: T201
    print(f"trace {trace}")  # noqa: T201
    return rows


def _secrets(chosen: Plan) -> list[tuple[str, str | None]]:
    from ..engine.credentials import API_KEY, CANARY, OTHER_KEY

    given = chosen.credentials
    return [(API_KEY, given.owner), (OTHER_KEY, given.other), (CANARY, given.canary)]


def key_id_of(text: str) -> str:
    """A key's id as the schema has it. Raises ``UsageError``."""
    from ..errors import UsageError

    if not text or len(text) > 256 or not all("!" <= letter <= "~" for letter in text):
        raise UsageError(f"{text!r} is no key id: 1 to 256 visible ASCII characters, no spaces")
    return text


def write(path: Path, content: bytes) -> None:
    """Write a file, and the folders over it. Raises ``UsageError``."""
    from ..errors import UsageError

    _make_room(path)
    try:
        path.write_bytes(content)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None


def _make_room(path: Path) -> None:
    from ..errors import UsageError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writable = os.access(path if path.exists() else path.parent, os.W_OK)
        if path.is_dir() or not writable:
            raise UsageError(f"{path} cannot be written")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from None
