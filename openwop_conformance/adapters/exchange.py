"""The rules of an exchange with a host, which every transport here keeps."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from time import perf_counter
from typing import Final

from ..errors import ExchangeError, UsageError
from .host import Bounds, Chunk, Request, Response, Stream
from .within import within

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
TARGET: Final = re.compile(r"/[\x21\x22\x24-\x7e]*")
_CONTROLS: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")

Headers = tuple[tuple[str, str], ...]


def wire_headers(request: Request, authority: str) -> list[tuple[bytes, bytes]]:
    """The header lines of a request as sent: names lower case, values UTF-8.

    ``host``, ``user-agent``, ``accept-encoding: identity`` and ``content-length`` are added
    where the request has none. Raises ``ExchangeError("transport")`` for a request that HTTP/1.1
    cannot carry; nothing was sent then, and no header's value is in the message.
    """
    if not _TOKEN.fullmatch(request.method):
        raise ExchangeError("transport", f"not sent: {request.method!r} is no method")
    if not TARGET.fullmatch(request.target):
        why = "must begin with '/' and be percent-encoded ASCII without a fragment"
        raise ExchangeError("transport", f"not sent: the target {request.target!r} {why}")
    lines: list[tuple[bytes, bytes]] = []
    for name, value in request.headers:
        if not _TOKEN.fullmatch(name):
            raise ExchangeError("transport", f"not sent: {name!r} is no header name")
        octets = value.strip(" \t").encode("utf-8", "surrogatepass")
        if _CONTROLS.search(octets):
            why = "holds a control character"
            raise ExchangeError("transport", f"not sent: the value of header {name!r} {why}")
        lines.append((name.lower().encode(), octets))
    given = dict(lines)
    length = str(len(request.body or b"")).encode()
    if given.get(b"content-length", length) != length:
        raise ExchangeError("transport", "not sent: content-length is not the body's length")
    added = [
        (b"host", authority.encode()),
        (b"user-agent", b"openwop-conformance"),
        (b"accept-encoding", b"identity"),
    ]
    framed = request.body is not None or request.method in ("POST", "PUT", "PATCH")
    if framed and b"transfer-encoding" not in given:
        added.append((b"content-length", length))
    return [line for line in added if line[0] not in given] + lines


def is_header(name: bytes, value: bytes) -> bool:
    """Whether HTTP/1.1 can carry a header line as it is."""
    return bool(_TOKEN.fullmatch(name.decode("latin-1"))) and not _CONTROLS.search(value)


def read_headers(lines: list[tuple[bytes, bytes]]) -> Headers:
    """Header lines as received, for a ``Response``: names lower case, octets as Latin-1."""
    return tuple((name.lower().decode("latin-1"), value.decode("latin-1")) for name, value in lines)


class Answer:
    """A ``Stream`` over ``pull``, which gives the next chunk, then ``None``, or raises.

    Holds the total time and the bytes of body to their bounds, and refuses a coded body, since
    only ``identity`` was asked for and nothing here decompresses. A read that failed or was
    cancelled ends the stream: later reads fail too, and never look like the end of the body.
    """

    __slots__ = ("_bounds", "_coding", "_end", "_pull", "_size", "_until", "headers", "status")

    def __init__(
        self,
        status: int,
        headers: Headers,
        pull: Callable[[], Awaitable[Chunk | None]],
        bounds: Bounds,
        until: float,
    ) -> None:
        self.status = status
        self.headers = headers
        self._pull, self._bounds, self._until = pull, bounds, until
        self._size = 0
        self._coding = ",".join(value for name, value in headers if name == "content-encoding")
        self._end: Exception | None = None

    def chunks(self) -> AsyncIterator[Chunk]:
        return self

    def __aiter__(self) -> AsyncIterator[Chunk]:
        return self

    async def __anext__(self) -> Chunk:
        if self._end is not None:
            raise self._end
        self._end = ExchangeError("cut-off", "an earlier read of this body was abandoned")
        try:
            async with within(self._bounds.total, self._until, "the whole answer"):
                chunk = await self._pull()
            if chunk is None:
                raise StopAsyncIteration
            self._admit(chunk)
        except (ExchangeError, StopAsyncIteration) as error:
            self._end = error
            raise
        self._end = None
        return chunk

    def _admit(self, chunk: Chunk) -> None:
        if self._coding.strip().lower() not in ("", "identity"):
            message = f"the body has Content-Encoding {self._coding!r}; only identity was accepted"
            raise ExchangeError("transport", message)
        self._size += len(chunk.data)
        if self._size > self._bounds.body:
            message = f"the body is larger than the {self._bounds.body} bytes allowed"
            raise ExchangeError("too-large", message)


async def read_whole(answering: AbstractAsyncContextManager[Stream]) -> Response:
    """The answer of a stream, read to its end; what ``exchange`` is on any transport."""
    began = perf_counter()
    body = bytearray()
    async with answering as answer:
        async for chunk in answer.chunks():
            body += chunk.data
        seconds = perf_counter() - began
    return Response(answer.status, answer.headers, bytes(body), seconds)


def same_loop(loop: asyncio.AbstractEventLoop | None, name: str) -> None:
    """Raise ``UsageError`` unless ``loop`` is the one running."""
    if loop is not asyncio.get_running_loop():
        raise UsageError(f"{name} belongs to another event loop; connect again in this one")
