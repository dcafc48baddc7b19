"""A subject in any language: a program that answers calls over its standard streams, as JSON lines.

One call is open at a time. A program that dies, says something else than an answer, or takes too
long is ended; the next call starts it afresh. What it writes to standard error is kept.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import shlex
import signal
import time
from collections import deque
from dataclasses import replace
from typing import Final

from ..errors import ExchangeError, JsonError, UnreachableError, UsageError
from ..jsonvalue import compact, parse
from ..schemas import problems, validator
from .calls import answer
from .host import Bounds, Request, Response

_KEPT_LINES: Final = 50
_LONGEST: Final = 2000
"""Characters of one line of standard error that are kept."""
_ENDED_WITHIN: Final = 2.0


class Stdio:
    """The program of a command, split into words as a shell does; no shell runs.

    It does not see this program's keys: no variable of ``OPENWOP_…`` is handed on.
    """

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError as error:
            raise UsageError(f"'stdio:{command}' cannot be split into words: {error}") from None
        if not self._words:
            raise UsageError("'stdio:' is followed by a command")
        self.name = f"stdio:{command}"
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._stderr: deque[str] = deque(maxlen=_KEPT_LINES)
        self._count = 0
        self._lock = asyncio.Lock()

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Write one call, read the line that answers it."""
        async with self._lock:
            process = self._process or await self._start(bounds)
            began = time.perf_counter()
            try:
                async with asyncio.timeout(bounds.total):
                    answered = await self._ask(process, request)
            except TimeoutError:
                await self._end()
                raise ExchangeError("timeout", f"no answer within {bounds.total:g} s") from None
            except (ExchangeError, asyncio.CancelledError):
                await self._end()
                raise
            return replace(answered, seconds=time.perf_counter() - began)

    def said(self) -> list[str]:
        """The last lines that the program, or those before it, wrote to standard error."""
        return list(self._stderr)

    async def close(self) -> None:
        """Let the program end with its input, and end it if it does not."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_ENDED_WITHIN / 4):
                    await self._process.wait()
        await self._end()

    async def _start(self, bounds: Bounds) -> asyncio.subprocess.Process:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENWOP_")}
        try:
            process = await asyncio.create_subprocess_exec(
                *self._words,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=bounds.body,
                env=environment,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UnreachableError(f"{self._words[0]} cannot be started: {reason}") from None
        self._process = process
        self._reading = asyncio.create_task(self._keep_stderr(process))
        return process

    async def _ask(self, process: asyncio.subprocess.Process, request: Request) -> Response:
        assert process.stdin is not None
        assert process.stdout is not None
        self._count += 1
        head = compact({"id": self._count, "call": request.target})[:-1]
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it is read even so
            process.stdin.write(head + b',"with":' + (request.body or b"{}") + b"}\n")
            await process.stdin.drain()
        try:
            line = await process.stdout.readline()
        except ValueError:
            raise ExchangeError("too-large", "an answer that is longer than is read") from None
        if not line.endswith(b"\n"):
            raise ExchangeError("crashed", await self._last_words(process))
        return self._read(line)

    def _read(self, line: bytes) -> Response:
        """The answer that a line holds."""
        try:
            said = parse(line)
        except JsonError as error:
            raise ExchangeError("garbage", f"a line that is no JSON: {error}") from None
        for problem in problems(validator("sdk-line", "answer"), said):
            where = f"{problem.path}: " if problem.path else ""
            raise ExchangeError("garbage", f"a line that is no answer: {where}{problem.message}")
        if said.pop("id") != self._count:
            raise ExchangeError("garbage", "an answer to another call")
        return answer(said)

    async def _last_words(self, process: asyncio.subprocess.Process) -> str:
        """How the program ended, and the last that it said of it."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ENDED_WITHIN):
                await process.wait()
                if self._reading is not None:
                    await self._reading
        code = process.returncode
        how = "closed its output" if code is None else f"ended with {_named(code)}"
        said = " | ".join(list(self._stderr)[-3:])
        return f"the program {how}{': ' + said if said else ''}"

    async def _keep_stderr(self, process: asyncio.subprocess.Process) -> None:
        """Keep the last lines, and read the rest away so that the program is never stopped."""
        assert process.stderr is not None
        rest = b""
        while chunk := await process.stderr.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-_LONGEST:]
            self._stderr.extend(line.decode(errors="replace")[:_LONGEST] for line in lines if line)
        if rest:
            self._stderr.append(rest.decode(errors="replace")[:_LONGEST])

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):  # what it started goes too
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
        with contextlib.suppress(TimeoutError):  # its pipes have an end now, and close with it
            async with asyncio.timeout(_ENDED_WITHIN):
                assert process.stdout is not None
                while await process.stdout.read(65536):
                    pass
                if self._reading is not None:
                    await self._reading


def _named(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    with contextlib.suppress(ValueError):
        return f"signal {signal.Signals(-code).name}"
    return f"signal {-code}"
