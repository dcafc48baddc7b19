"""``verify``: whether a bundle holds, and what could not be found out."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..evidence.verification import Verification
    from ..jsonvalue import JsonValue


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "verify",
        help="verify a bundle, of this suite or of the published one",
        description="Derive again all that can be derived of a certification bundle (v1, v2, v3), "
        "check its signatures under the keys that you trust, and say what was not checked. "
        "Exit codes: 0 verified; 1 rejected; 2 coherent, but not verified independently; "
        "3 no bundle.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the bundle")
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="PUB",
        help="a host's public key that you trust: base64url, or a file of that or of PEM",
    )
    parser.add_argument(
        "--verifier-key",
        action="append",
        default=[],
        metavar="PUB",
        help="a second signer's public key that you trust",
    )
    parser.add_argument(
        "--envelope",
        type=Path,
        metavar="FILE",
        help="the DSSE envelope over the bundle (FILE.dsse.json, when it is there)",
    )
    parser.add_argument(
        "--trace", type=Path, metavar="FILE", help="the trace that the rows should rest on"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document instead")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Verify; the exit code."""
    from ..evidence.attestation import envelope_path
    from ..evidence.signing import read_public_key
    from ..evidence.trace import digest_of
    from ..evidence.verification import Outcome, Pinned, Verification, verify

    keys = [read_public_key(text) for text in args.key]
    verifier_keys = [read_public_key(text) for text in args.verifier_key]
    envelope = args.envelope
    if envelope is None and envelope_path(args.file).exists():
        envelope = envelope_path(args.file)
    carried = None if envelope is None else _read(envelope)
    trace = None if args.trace is None else digest_of(args.trace)
    if args.file.is_file():
        found = verify(_read(args.file), Pinned(keys, verifier_keys, carried, trace))
    else:
        found = Verification(Outcome.NO_BUNDLE, unchecked=(f"{args.file} is no file",))
    if args.json:
        import json

        print(json.dumps(as_json(found), ensure_ascii=False, indent=2))  # noqa: T201
    else:
        print("\n".join(lines_of(args.file, found)))  # noqa: T201
    return found.exit_code


def _read(path: Path) -> bytes:
    from ..errors import UsageError

    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def as_json(found: Verification) -> dict[str, JsonValue]:
    """What ``--json`` prints."""
    return {
        "outcome": str(found.outcome),
        "exitCode": found.exit_code,
        "bundleVersion": found.bundle.get("bundleVersion"),
        "rejections": [finding.as_json() for finding in found.rejections],
        "warnings": [finding.as_json() for finding in found.warnings],
        "unchecked": list(found.unchecked),
        "uncovered": list(found.uncovered),
        "certifiedProfiles": list(found.certified),
    }


def lines_of(path: Path, found: Verification) -> list[str]:
    """What a person reads."""
    from ..evidence.verification import Outcome
    from .printing import printable

    verdicts = {
        Outcome.VERIFIED: "verified under a key that you gave",
        Outcome.REJECTED: "rejected",
        Outcome.COHERENT: "coherent, but not verified independently",
        Outcome.NO_BUNDLE: "no bundle",
    }
    lines = [f"{path}: {verdicts[found.outcome]}", *_about(found.bundle)]
    lines += [f"rejected ({finding.kind}): {finding.message}" for finding in found.rejections]
    lines += [f"warning ({finding.kind}): {finding.message}" for finding in found.warnings]
    lines += [f"not checked: {text}" for text in found.unchecked]
    if found.uncovered:
        lines.append(f"covered by no signature: {', '.join(found.uncovered)}")
    if found.certified and found.outcome is not Outcome.REJECTED:
        lines.append(f"certified, by its own word: {', '.join(found.certified)}")
    return [printable(line) for line in lines]


def _about(bundle: dict[str, Any]) -> list[str]:
    """What the bundle is about, as far as it says so in its place."""
    suite, host = bundle.get("suite"), bundle.get("host")
    if not isinstance(suite, dict) or not isinstance(host, dict):
        return []
    named = suite.get("name") or suite.get("package")
    lines = [
        f"bundle v{bundle.get('bundleVersion')} of {named} {suite.get('version')} "
        f"about {host.get('name')} {host.get('version')}"
    ]
    results = bundle.get("results")
    counted = results.get("totals") if isinstance(results, dict) else None
    if isinstance(counted, dict):
        lines.append("totals: " + ", ".join(f"{name} {n}" for name, n in counted.items()))
    return lines
