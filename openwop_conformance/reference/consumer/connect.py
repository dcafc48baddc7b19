"""How the reference consumer is reached: in this process, or as a program over JSON lines."""

from __future__ import annotations

import json
import sys

from ...adapters.sdk import InProcessSdk
from ...errors import UsageError
from ...jsonvalue import compact
from .operations import ReferenceConsumer


def reference_consumer(**args: str) -> InProcessSdk:
    """The subject that ``reference`` names; ``sabotage=NAME`` breaks one rule of it."""
    unknown = ", ".join(sorted(set(args) - {"sabotage"}))
    if unknown:
        raise UsageError(f"the reference consumer takes no {unknown}, only sabotage=NAME")
    shown = "".join(f"?{key}={value}" for key, value in args.items())
    return InProcessSdk(consumer_with(args.get("sabotage")), f"reference{shown}", trusted=True)


def consumer_with(sabotage: str | None) -> ReferenceConsumer:
    """The consumer, whole or with one rule broken."""
    if sabotage is None:
        return ReferenceConsumer()
    from ..sabotage.consumer import consumer_sabotage_called

    return consumer_sabotage_called(sabotage).made()


def main() -> None:
    """Answer calls on standard input with lines on standard output, until the input ends."""
    import asyncio

    subject = reference_consumer(**dict(word.split("=", 1) for word in sys.argv[1:]))
    asyncio.run(_serve(subject))


async def _serve(subject: InProcessSdk) -> None:
    from ...adapters.host import Bounds, Request
    from ...adapters.sdk import METHOD

    for line in sys.stdin.buffer:
        asked = json.loads(line)
        request = Request(METHOD, asked["call"], (), compact(asked["with"]))
        answered = await subject.exchange(request, Bounds())
        said = {"id": asked["id"], **json.loads(answered.body)}
        sys.stdout.buffer.write(compact(said) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
