"""``sign``: a verifier's second signature on a bundle, under another key than the host's."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "sign",
        help="add a verifier's signature to a bundle",
        description="Verify a bundle v3 and sign it again as an independent verifier. The host's "
        "own key is refused. A bundle of this suite gets a new envelope next to OUT.",
        allow_abbrev=False,
    )
    parser.add_argument("file", type=Path, metavar="FILE", help="the bundle")
    parser.add_argument(
        "--signing-key", type=Path, required=True, metavar="FILE", help="made by keygen"
    )
    parser.add_argument("--key-id", required=True, metavar="ID", help="the key's name")
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FILE", help="write the signed bundle here"
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="PUB",
        help="the host's public key: sign only what verifies under it",
    )
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Sign; 0, or the exit code of the verification that failed."""
    import sys

    from ..errors import UsageError
    from ..evidence.attestation import envelope_of, envelope_path, read_envelope
    from ..evidence.bundle import OUR_NAME, countersign, text_of
    from ..evidence.signing import read_public_key, read_signing_key
    from ..evidence.verification import Outcome, Pinned, attested_by, verify
    from .certify import key_id_of, write
    from .verify import lines_of

    key = read_signing_key(args.signing_key)
    key_id = key_id_of(args.key_id)
    keys = [read_public_key(text) for text in args.key]
    if not args.file.is_file():
        raise UsageError(f"{args.file} is no file")
    data = args.file.read_bytes()
    carried = envelope_path(args.file)
    envelope = carried.read_bytes() if carried.is_file() else None
    found = verify(data, Pinned(keys=keys, envelope=envelope))
    wanted = (Outcome.VERIFIED,) if keys else (Outcome.VERIFIED, Outcome.COHERENT)
    if found.outcome not in wanted:
        print("\n".join(lines_of(args.file, found)), file=sys.stderr)  # noqa: T201
        return found.exit_code
    bundle = found.bundle
    if bundle["bundleVersion"] != "3":
        raise UsageError(f"{args.file} is a bundle v{bundle['bundleVersion']}, and not signed")
    if bundle.get("verifierSignature"):
        raise UsageError(f"{args.file} has a verifier's signature already")
    if bundle["suite"]["name"] == OUR_NAME and envelope is None:
        raise UsageError(f"{carried} is not there, and only a bundle with its envelope is signed")
    if key.public in keys or attested_by(bundle, key.public):
        raise UsageError("independent-self-signed: this is the host's own key; take another")
    if key_id == bundle["signature"]["keyId"]:
        raise UsageError(f"independent-self-signed: {key_id} is the id of the host's key")
    signed = countersign(bundle, key, key_id)
    write(args.out, text_of(signed))
    print(f"signed {args.out} as {key_id}")  # noqa: T201
    if envelope is not None and bundle["suite"]["name"] == OUR_NAME:
        predicate = read_envelope(envelope).statement["predicate"]
        content = envelope_of(text_of(signed), args.out.name, predicate, key, key_id)
        write(envelope_path(args.out), content)
        print(f"envelope {envelope_path(args.out)}")  # noqa: T201
    if not keys:
        print("the host's signature was not checked: no --key was given")  # noqa: T201
    return 0
