"""How an SDK or a consumer is reached: calls by name with JSON arguments, whatever carries them.

The calls are closed sets, ``schemas/sdk-line`` and ``schemas/consumer-line``. A subject in this
process is any object that has a method for each call it offers; one in another language speaks the
same calls over JSON lines.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from queue import SimpleQueue
from threading import Thread
from typing import Final

from ..errors import CallError, ExchangeError, Kind
from ..jsontree import with_texts
from ..jsonvalue import JsonValue, compact, parse
from .host import Bounds, Request, Response

METHOD: Final = "CALL"
"""What stands for the method of an exchange that is a call."""


_STATUS: Final[dict[Kind, int]] = {"unsupported": 501, "crash": 500}
"""The status of an answer, as HTTP would have it: 200 for a result, else 422."""
_MOST_SAID: Final = 2000


def call(name: str, arguments: Mapping[str, JsonValue]) -> Request:
    """A call as an exchange carries it: its name is the target, its arguments are the body."""
    return Request(METHOD, name, (), compact(arguments))


def answer(answered: JsonValue) -> Response:
    """An answer (``result`` or ``error``, and perhaps ``work``) as an exchange carries it."""
    error = answered.get("error")
    status = 200 if error is None else _STATUS.get(error["kind"], 422)
    return Response(status, (), compact(answered))


class InProcess:
    """An object in this process as a subject: each call is a method of its own name.

    The method takes the call's arguments by name and returns its result; it raises ``CallError`` to
    refuse. Anything else that it raises is a crash of the library. Calls run one after the other
    in one thread, so that an endless one is noticed; it cannot be ended, so the subject is lost.
    A ``trusted`` object is called in the caller's own thread, without a limit of time.
    """

    def __init__(self, target: object, name: str, *, trusted: bool = False) -> None:
        self.name = name
        self._target, self._trusted = target, trusted
        self._worker: _Worker | None = None

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Call the method. Raises ``ExchangeError``."""
        began = time.perf_counter()
        if self._trusted:
            answered = self.answered(request)
        else:
            self._worker = self._worker or _Worker()
            answered = await self._worker.run(lambda: self.answered(request), bounds.total)
        if len(answered.body) > bounds.body:
            raise ExchangeError("too-large", f"an answer of more than {bounds.body} bytes")
        return replace(answered, seconds=time.perf_counter() - began)

    async def close(self) -> None:
        """Let the thread end."""
        if self._worker is not None:
            self._worker.end()

    def answered(self, request: Request, read: Callable[[bytes], JsonValue] = parse) -> Response:
        """The answer to a call, at once and in this thread.

        An object of an adapter's that is no JSON is its crash.
        """
        method = getattr(self._target, request.target, None)
        try:
            if not callable(method):
                raise CallError("unsupported", f"there is no {request.target}")
            result = method(**read(request.body or b"{}"))
            return Response(200, (), _utf8(_RESULT.encode({"result": result, **self._work()})))
        except CallError as error:
            return self._refused(error)
        except Exception as error:
            return self._refused(
                CallError("crash", f"{type(error).__name__}: {error}"[:_MOST_SAID])
            )

    def _refused(self, error: CallError) -> Response:
        """An error as an answer; of its words, what is no text is a question mark."""
        said = with_texts(error.as_json(), lambda text: text.encode(errors="replace").decode())
        return answer({"error": said, **self._work()})

    def _work(self) -> dict[str, JsonValue]:
        """What the object has counted, if it counts."""
        work = getattr(self._target, "work", None)
        return {"work": work} if isinstance(work, int) else {}


_RESULT: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _utf8(text: str) -> bytes:
    """A text's bytes; a character in two halves is put together, half a one ``UnicodeError``."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16").encode()


class _Worker:
    """One thread that does one thing after the other."""

    def __init__(self) -> None:
        self._waiting: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lost = False
        Thread(target=self._work, daemon=True, name="calls").start()

    def _work(self) -> None:
        while (job := self._waiting.get()) is not None:
            job()

    async def run(self, function: Callable[[], Response], seconds: float) -> Response:
        """What a function returns. Raises ``ExchangeError`` when it takes too long."""
        if self._lost:
            raise ExchangeError("timeout", "a call before this one has not ended")
        loop = asyncio.get_running_loop()
        done: asyncio.Future[Response] = loop.create_future()

        def job() -> None:
            result = function()
            with contextlib.suppress(RuntimeError):  # the loop may be gone
                loop.call_soon_threadsafe(settle, result)

        def settle(result: Response) -> None:
            if not done.done():
                done.set_result(result)

        self._waiting.put(job)
        try:
            async with asyncio.timeout(seconds):
                return await done
        except TimeoutError:
            self._lost = True
            raise ExchangeError("timeout", f"the call took more than {seconds:g} s") from None

    def end(self) -> None:
        """Let the thread end when it is done."""
        self._waiting.put(None)
