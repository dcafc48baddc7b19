"""A reference subject as a program: calls on standard input, answers on standard output."""

from __future__ import annotations

import asyncio
import json
import sys

from ..adapters.calls import METHOD, InProcess
from ..adapters.host import Bounds, Request
from ..jsonvalue import compact


def settings_of(words: list[str]) -> dict[str, str]:
    """The settings that a program is given as words ``name=value``."""
    return dict(word.split("=", 1) for word in words)


def serve(subject: InProcess) -> None:
    """Answer until the input ends."""
    asyncio.run(_serve(subject))


async def _serve(subject: InProcess) -> None:
    for line in sys.stdin.buffer:
        asked = json.loads(line)
        request = Request(METHOD, asked["call"], (), compact(asked["with"]))
        answered = await subject.exchange(request, Bounds())
        said = {"id": asked["id"], **json.loads(answered.body)}
        sys.stdout.buffer.write(compact(said) + b"\n")
        sys.stdout.buffer.flush()
