"""A host behind a URL; the rules of an exchange stand in ``exchange``.

The only module that touches httpx, and only its transport: what a client adds to one (cookies,
redirects, authentication, proxies, decompression) is just what a witness must not have.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import re
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from ..errors import ConformanceError, ExchangeError, UnreachableError, UsageError
from .exchange import TARGET, Answer, read_headers, read_whole, same_loop, wire_headers
from .host import Bounds, Chunk, Request, Response
from .within import within

if TYPE_CHECKING:
    import httpx

_KEEP_ALIVE: Final = 1.0
"""Seconds an idle connection is kept: below the shortest that servers keep one, since a request
that crosses the server's closing would read as the host's fault."""


class HttpHost:
    """A host at a base URL, which may carry a path prefix. Raises ``UsageError`` for no such URL.

    Targets are sent as written, byte for byte. Connections are kept between exchanges of one
    event loop; from another loop, or after ``close``, a call raises ``UsageError``. No proxy or
    netrc of the environment is used; ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` may name the
    certificate authorities to trust.
    """

    def __init__(self, base_url: str) -> None:
        self._url, self._prefix = _base(base_url)
        self.name = base_url.rstrip("/")
        self._transport: httpx.AsyncHTTPTransport | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Send one request and read its whole answer."""
        return await read_whole(self.stream(request, bounds))

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Answer]:
        """Send one request and read its answer as it arrives; leaving closes what is unread."""
        transport = self._opened()
        sockets = _Sockets()
        outgoing = self._outgoing(request, bounds, sockets)
        until = asyncio.get_running_loop().time() + bounds.total
        whole = False
        try:
            async with within(bounds.total, until, "the answer"):
                with self._translated(bounds):
                    response = await transport.handle_async_request(outgoing)
            sockets.streams.append(response.extensions["network_stream"])
            parts = aiter(cast("httpx.AsyncByteStream", response.stream))

            async def pull() -> Chunk | None:
                nonlocal whole
                with self._translated(bounds):
                    async for part in parts:
                        if part:
                            return Chunk(part, perf_counter())
                whole = True
                return None

            try:
                headers = read_headers(response.headers.raw)
                yield Answer(response.status_code, headers, pull, bounds, until)
            finally:
                with contextlib.suppress(Exception):
                    await response.aclose()
        finally:
            if not whole:
                await sockets.close()

    async def close(self) -> None:
        """Close the connections. Once closed, nothing can be sent."""
        self._closed = True
        if self._transport is not None:
            same_loop(self._loop, self.name)
            transport, self._transport = self._transport, None
            with contextlib.suppress(Exception):
                await transport.aclose()

    def _opened(self) -> httpx.AsyncHTTPTransport:
        if self._closed:
            raise UsageError(f"{self.name} was closed; connect again")
        if self._transport is None:
            import httpx

            self._loop = asyncio.get_running_loop()
            self._transport = httpx.AsyncHTTPTransport(
                verify=_tls(self._url.scheme == "https"),
                trust_env=False,
                limits=httpx.Limits(keepalive_expiry=_KEEP_ALIVE),
            )
        same_loop(self._loop, self.name)
        return self._transport

    def _outgoing(self, request: Request, bounds: Bounds, sockets: _Sockets) -> httpx.Request:
        import httpx

        headers = wire_headers(request, self._url.netloc.decode("ascii"))
        timeout = {"connect": bounds.connect, "read": bounds.read, "write": bounds.read}
        target = (self._prefix + request.target).encode("ascii")
        return httpx.Request(
            request.method,
            self._url,
            headers=headers,
            content=request.body,
            extensions={"timeout": timeout, "target": target, "trace": sockets.trace},
        )

    @contextmanager
    def _translated(self, bounds: Bounds) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise _failure(error, self.name, bounds) from None


class _Sockets:
    """The network streams of one exchange, by httpcore's trace.

    The pool below loses sight of a connection whose request is cancelled between connecting and
    sending, so what is not read to its end is closed here too.
    """

    def __init__(self) -> None:
        self.streams: list[Any] = []

    async def trace(self, event: str, info: dict[str, Any]) -> None:
        if event in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self.streams.append(info["return_value"])

    async def close(self) -> None:
        for stream in self.streams:
            with contextlib.suppress(Exception):
                await stream.aclose()


@functools.cache
def _tls(secure: bool) -> ssl.SSLContext:
    """One context for the process. Loading authorities costs 30 ms, and plain HTTP needs none."""
    if not secure:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    import httpx

    try:
        return httpx.create_ssl_context(trust_env=True)
    except (OSError, ValueError) as error:
        message = f"cannot load the certificate authorities: {error}. Check SSL_CERT_FILE/_DIR."
        raise UsageError(message) from None


def _base(base_url: str) -> tuple[httpx.URL, str]:
    """The origin and the path prefix of a base URL; credentials and query never reach a message."""
    shown = re.sub(r"//[^/]*@", "//…@", re.split(r"[?#]", base_url)[0])

    def refused(why: str) -> UsageError:
        return UsageError(f"{shown!r} is no base URL: {why}. Write it as http://localhost:8080")

    if any(char.isspace() or not char.isprintable() for char in base_url):
        raise refused("it holds a space or a control character")
    try:
        parts = urlsplit(base_url)
        port = parts.port
    except ValueError as error:
        raise refused(str(error)) from None
    if parts.scheme not in ("http", "https") or "://" not in base_url:
        raise refused("it does not begin with http:// or https://")
    if "@" in parts.netloc:
        raise refused("it holds a user name or password; pass the credential with OPENWOP_API_KEY")
    if "?" in base_url or "#" in base_url:
        raise refused("it holds a query or a fragment")
    if not parts.hostname or port == 0:
        raise refused("it names no host" if port != 0 else "its port is 0")
    prefix = parts.path.rstrip("/")
    if prefix and not TARGET.fullmatch(prefix):
        raise refused("its path is not percent-encoded ASCII")
    import httpx

    try:
        return httpx.URL(f"{parts.scheme}://{parts.netloc}"), prefix
    except (httpx.InvalidURL, ValueError) as error:
        raise refused(str(error)) from None


# ----------------------------------------------------------------------------------- its errors


def _failure(error: Exception, name: str, bounds: Bounds) -> ConformanceError:
    """What a failure of the transport is called here. A local fault's text may quote headers."""
    import httpx

    if isinstance(error, httpx.ConnectTimeout):
        message = f"cannot reach {name}: no connection within {bounds.connect:g} s."
        return UnreachableError(f"{message} Is it up, and is a firewall between?")
    if isinstance(error, httpx.ConnectError | UnicodeError):
        return UnreachableError(f"cannot reach {name}: {_why_unreachable(error)}")
    if isinstance(error, httpx.TimeoutException):
        verb = "took in" if isinstance(error, httpx.WriteTimeout) else "sent"
        return ExchangeError("timeout", f"{name} {verb} nothing for {bounds.read:g} s")
    if isinstance(error, httpx.NetworkError):
        return ExchangeError("cut-off", f"{name} broke the connection off")
    if isinstance(error, httpx.RemoteProtocolError):
        said = str(error)
        if "disconnected" in said or "closed connection" in said:
            return ExchangeError("cut-off", f"{name} closed the connection too early: {said}")
        return ExchangeError("transport", f"{name} does not speak HTTP/1.1: {said}")
    if type(error).__name__ == "LocalProtocolError":  # httpx's own, or one of h11 that it let pass
        return ExchangeError("transport", "not sent: HTTP/1.1 cannot carry this request")
    return ExchangeError("transport", f"{name} failed below HTTP: {type(error).__name__}")


def _why_unreachable(error: BaseException) -> str:
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            hint = "Name a private authority's certificate in SSL_CERT_FILE."
            return f"its certificate is not trusted ({cause.verify_message}). {hint}"
        if isinstance(cause, ssl.SSLError):
            return f"TLS failed ({cause.reason}). Does it speak plain http:// there?"
        if isinstance(cause, socket.gaierror | UnicodeError):
            return "the host's name does not resolve. Check its spelling."
        if isinstance(cause, ConnectionRefusedError):
            return "connection refused. Start the host, or check its address and port."
    system = next((c.strerror for c in causes if isinstance(c, OSError) and c.strerror), None)
    return f"{system or str(error) or 'the connection failed'}. Check its address and port."


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and all that led to it, nearest first."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        cause = waiting.pop(0)
        if id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting.extend(getattr(cause, "exceptions", ()))
        waiting.extend(c for c in (cause.__cause__, cause.__context__) if c is not None)
