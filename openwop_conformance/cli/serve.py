"""``serve``: the reference host on a port of this machine."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

DEFAULT_FILE = Path("openwop-reference.credentials")


def add_to(commands: Any) -> None:
    """Declare the command."""
    parser = commands.add_parser(
        "serve",
        help="serve the reference host",
        description="Serve the reference host on 127.0.0.1 until it is interrupted. Its keys and "
        "its canary go into a file that only you can read.",
        allow_abbrev=False,
    )
    parser.add_argument("--port", type=_port, default=0, metavar="N", help="0: any free port (0)")
    parser.add_argument("--strictness", choices=("warn", "strict"), default="warn")
    parser.add_argument("--floor", type=int, choices=(1, 2), default=2)
    parser.add_argument("--db", default=":memory:", metavar="FILE", help="keep the log in a file")
    parser.add_argument(
        "--credential-file",
        type=Path,
        default=DEFAULT_FILE,
        metavar="FILE",
        help=f"write the keys here ({DEFAULT_FILE})",
    )
    parser.add_argument("--sabotage", metavar="NAME", help="break one rule, to see it found")
    parser.set_defaults(command=command)


def command(args: argparse.Namespace) -> int:
    """Serve until interrupted."""
    import socket

    import uvicorn
    from starlette.types import ASGIApp

    from ..errors import UsageError
    from ..reference.connect import build_app
    from ..reference.policy import Policy
    from ..reference.sabotage import sabotage_called
    from ..reference.settings import Settings

    settings = Settings(strictness=args.strictness, floor=args.floor, database=args.db)
    if args.sabotage:
        broken = sabotage_called(args.sabotage)
        app: ASGIApp = broken.wrap(build_app(settings, broken.change(Policy())), settings)
    else:
        app = build_app(settings)
    # asyncio turns Nagle's delay off only on sockets that name their protocol
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind(("127.0.0.1", args.port))
        except OSError as error:
            raise UsageError(f"port {args.port} cannot be had: {error.strerror}") from None
        _write_credentials(args.credential_file, settings)
        _say_where(args, listener.getsockname()[1])
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listener])
    return 0


def _say_where(args: argparse.Namespace, port: int) -> None:
    """Print the line to copy into another terminal."""
    import shlex

    url = f"http://127.0.0.1:{port}"
    kind = f" with the sabotage {args.sabotage}" if args.sabotage else ""
    print(f"The reference host{kind} is at {url}. In another terminal:\n", flush=True)  # noqa: T201
    file = shlex.quote(str(args.credential_file))
    print(f"  openwop-conformance run {url} --credential-file {file}\n", flush=True)  # noqa: T201


def _write_credentials(file: Path, settings: Any) -> None:
    """Write the keys and the canary, readable by the owner alone from the first byte on."""
    from ..engine.credentials import API_KEY, CANARY, OTHER_KEY
    from ..errors import UsageError

    owner, other = list(settings.keys.values())[:2]
    canary = next(iter(settings.secrets.values()))
    text = f"{API_KEY}={owner}\n{OTHER_KEY}={other}\n{CANARY}={canary}\n"
    try:
        file.unlink(missing_ok=True)
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)
