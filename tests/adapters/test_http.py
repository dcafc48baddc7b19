"""A host behind a URL, against servers on loopback that behave, and many that do not."""

from __future__ import annotations

import asyncio
import gc
import gzip
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from time import perf_counter
from typing import TypeAlias

import pytest

from openwop_conformance.adapters.host import Bounds, Host, Request, Response
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError

Reader: TypeAlias = asyncio.StreamReader
Writer: TypeAlias = asyncio.StreamWriter
Handler: TypeAlias = Callable[[Reader, Writer], Awaitable[None]]
SHORT = Bounds(connect=1.0, read=0.2, total=0.5, body=1_000_000)
PATIENT = Bounds(connect=20.0, read=20.0, total=20.0)
GET = Request("GET", "/")


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_left_unclosed() -> Iterator[None]:
    """Warnings are errors, those of a late ``__del__`` too."""
    yield
    gc.collect()


class Served:
    """A server on loopback: its URL, the request heads it read, and who has gone."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"
        self.heads: list[bytes] = []
        self.open = 0

    async def all_gone(self) -> None:
        async with asyncio.timeout(10.0):
            while self.open:
                await asyncio.sleep(0.005)


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[Served]:
    """Serve with ``handler`` after each request head; at the end, every client must be gone."""
    served: Served

    async def accept(reader: Reader, writer: Writer) -> None:
        served.open += 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    served.heads.append(await reader.readuntil(b"\r\n\r\n"))
                    await handler(reader, writer)
                    await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            served.open -= 1

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    served = Served(server.sockets[0].getsockname()[1])
    try:
        yield served
        await served.all_gone()
    finally:
        server.close()
        await server.wait_closed()


def answering(raw: bytes) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(raw)

    return handler


def plain(body: bytes, status: str = "200 OK", headers: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\n{headers}Content-Length: {len(body)}\r\n\r\n".encode() + body


def ask(
    handler: Handler, request: Request = GET, bounds: Bounds = PATIENT, prefix: str = ""
) -> tuple[Response, bytes]:
    """The answer to one request, and the head that the server read."""

    async def run() -> tuple[Response, bytes]:
        async with serving(handler) as served:
            host = HttpHost(served.url + prefix)
            response = await host.exchange(request, bounds)
            await host.close()
        return response, served.heads[0]

    return asyncio.run(run())


def refused(handler: Handler, bounds: Bounds = PATIENT) -> ExchangeError:
    """The error of one exchange; it must come within the total bound, and leave nothing open."""

    async def run() -> ExchangeError:
        async with serving(handler) as served:
            host = HttpHost(served.url)
            began = perf_counter()
            with pytest.raises(ExchangeError) as refusal:
                await host.exchange(GET, bounds)
            assert perf_counter() - began < bounds.total + 5.0  # a busy machine, not a hang
            await served.all_gone()  # before close: the exchange itself let go
            await host.close()
        return refusal.value

    return asyncio.run(run())


# ------------------------------------------------------------------------- what goes and comes


def test_it_is_a_host() -> None:
    assert isinstance(HttpHost("http://localhost:1"), Host)


def test_an_answer_comes_whole_with_lower_case_headers_in_order() -> None:
    raw = plain(b"{}", "418 No", "X-One: a\r\nSet-Cookie: b\r\nx-ONE: \xe9\r\n")
    response, _ = ask(answering(raw))
    assert (response.status, response.body) == (418, b"{}")
    assert response.headers[:3] == (("x-one", "a"), ("set-cookie", "b"), ("x-one", "Ã©"))
    assert 0 < response.seconds < 5


def test_a_request_goes_out_as_written_with_its_body() -> None:
    bodies: list[bytes] = []

    async def handler(reader: Reader, writer: Writer) -> None:
        bodies.append(await reader.readexactly(5))
        writer.write(plain(b""))

    headers = (("Authorization", "Bearer s"), ("Accept", "x"), ("Accept", "y"))
    _, head = ask(handler, Request("POST", "/v1/runs", headers, b"hello"))
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "post /v1/runs http/1.1"
    assert {"authorization: bearer s", "accept: x", "accept: y", "content-length: 5"} <= {*lines}
    assert "accept-encoding: identity" in lines
    assert bodies == [b"hello"]


@pytest.mark.parametrize(
    "target",
    [
        "/a%2Fb/%7e/%zz",
        "/a/../b/./c",
        "//double//slash",
        "/q?x=a+b%20c&x=&y?z",
        "/q?",
        '/"<>\\^`{|}[]',
    ],
)
@pytest.mark.parametrize("prefix", ["", "/base%2F1/"])
def test_a_target_is_sent_byte_for_byte(target: str, prefix: str) -> None:
    _, head = ask(answering(plain(b"")), Request("GET", target), prefix=prefix)
    expected = prefix.rstrip("/") + target
    assert head.split(b"\r\n")[0].decode() == f"GET {expected} HTTP/1.1"


def test_nothing_of_the_environment_or_of_earlier_answers_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")

    async def run() -> list[bytes]:
        async with serving(answering(plain(b"", headers="Set-Cookie: a=b\r\n"))) as served:
            host = HttpHost(served.url)
            for _ in range(2):
                await host.exchange(GET, PATIENT)
            await host.close()
        return served.heads

    heads = asyncio.run(run())
    assert len(heads) == 2
    assert not any(b"cookie" in head.lower() for head in heads)


def test_a_connection_is_used_again_once_an_answer_was_read() -> None:
    async def run() -> int:
        connections: set[object] = set()

        async def handler(_: Reader, writer: Writer) -> None:
            connections.add(writer)
            writer.write(plain(b"{}"))

        async with serving(handler) as served:
            host = HttpHost(served.url)
            for _ in range(5):
                await host.exchange(GET, PATIENT)
            await host.close()
        return len(connections)

    assert asyncio.run(run()) == 1


def test_an_answer_to_head_has_no_body_whatever_it_declares() -> None:
    raw = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nContent-Encoding: gzip\r\n\r\n"
    response, _ = ask(answering(raw), Request("HEAD", "/"))
    assert (response.status, response.body) == (200, b"")


def test_each_chunk_arrives_before_the_next_is_sent() -> None:
    read = asyncio.Semaphore(0)

    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
        for number in range(4):
            await read.acquire()
            writer.write(b"1\r\n%d\r\n" % number)
        writer.write(b"0\r\n\r\n")

    async def run() -> None:
        async with serving(handler) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                stamps = [perf_counter()]
                read.release()
                chunks = []
                async for chunk in answer.chunks():
                    chunks.append(chunk.data)
                    stamps += [chunk.at, perf_counter()]
                    read.release()
            await host.close()
        assert chunks == [b"0", b"1", b"2", b"3"]
        assert stamps == sorted(set(stamps))

    asyncio.run(run())


# ------------------------------------------------------------------------------ hostile servers


@pytest.mark.parametrize(("status", "body"), [("200 OK", b"{}"), ("403 Forbidden", b"")])
def test_a_server_with_one_answer_to_everything_is_just_answered(status: str, body: bytes) -> None:
    for request in (GET, Request("POST", "/v1/runs", (), b"{}")):
        response, _ = ask(answering(plain(body, status)), request)
        assert (response.status, response.body) == (int(status[:3]), body)


def test_a_redirect_is_an_answer_and_is_not_followed() -> None:
    async def run() -> None:
        async with serving(answering(plain(b"stolen"))) as elsewhere:
            raw = plain(b"", "307 Temporary Redirect", f"Location: {elsewhere.url}/\r\n")
            async with serving(answering(raw)) as served:
                host = HttpHost(served.url)
                request = Request("GET", "/", (("authorization", "Bearer s"),))
                response = await host.exchange(request, PATIENT)
                await host.close()
            assert (response.status, response.header("location")) == (307, elsewhere.url + "/")
            assert elsewhere.heads == []

    asyncio.run(run())


async def silence(reader: Reader, _: Writer) -> None:
    await reader.read()


async def headers_then_silence(reader: Reader, writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n1")
    await reader.read()


def drip(first: bytes, again: bytes) -> Handler:
    """One byte at a time, each soon enough for the read bound, for ever."""

    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(first)
        while True:
            for byte in again:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.01)

    return handler


def pour(first: bytes, again: bytes, pause: float = 0.0) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(first)
        while True:
            writer.write(again)
            await writer.drain()
            await asyncio.sleep(pause)

    return handler


@pytest.mark.parametrize(
    "handler",
    [
        silence,
        headers_then_silence,
        drip(b"", b"HTTP/1.1 200 OK\r\n" + b"X-Slow: y\r\n" * 1000),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", b"x"),
        drip(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n", b"data: x\n\n"),
        pour(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n", pause=0.002),
    ],
    ids=["silent", "half-a-body", "slow-headers", "slow-body", "endless-events", "endless-hints"],
)
def test_a_server_that_does_not_come_to_an_end_is_ended_in_time(handler: Handler) -> None:
    assert refused(handler, SHORT).kind == "timeout"


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    "handler",
    [
        pour(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\n\r\n", b"x" * 65536),
        pour(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 65536),
        pour(CHUNKED, b"10000\r\n" + b"x" * 65536 + b"\r\n"),
    ],
    ids=["declared", "until-close", "chunked"],
)
def test_a_body_over_the_bound_is_cut_there(handler: Handler) -> None:
    error = refused(handler, Bounds(connect=20, read=20, total=20, body=1_000_000))
    assert error.kind == "too-large"
    assert "1000000" in str(error)


def test_a_body_of_just_the_bound_is_read_and_one_byte_more_is_not() -> None:
    bounds = Bounds(body=10)
    assert ask(answering(plain(b"x" * 10)), bounds=bounds)[0].body == b"x" * 10
    with pytest.raises(ExchangeError) as refusal:
        ask(answering(plain(b"x" * 11)), bounds=bounds)
    assert refusal.value.kind == "too-large"


def test_a_body_in_tiny_chunks_is_not_held_as_many_objects() -> None:
    tiny = b"1\r\nx\r\n" * 2_000
    response, _ = ask(answering(CHUNKED + tiny + b"0\r\n\r\n"))
    assert response.body == b"x" * 2_000


@pytest.mark.parametrize("coding", ["gzip", "GZIP", "br", "identity, gzip"])
def test_a_coded_body_is_refused_before_anything_is_unpacked(coding: str) -> None:
    bomb = gzip.compress(b"\0" * 10_000_000)
    raw = plain(bomb, headers=f"Content-Encoding: {coding}\r\n")
    error = refused(closing(raw))
    assert error.kind == "transport"
    assert coding in str(error)


def test_a_body_coded_as_identity_is_read() -> None:
    assert ask(answering(plain(b"{}", headers="Content-Encoding: identity\r\n")))[0].body == b"{}"


def closing(raw: bytes) -> Handler:
    async def handler(_: Reader, writer: Writer) -> None:
        writer.write(raw)
        await writer.drain()
        writer.close()
        raise ConnectionError

    return handler


async def reset(_: Reader, writer: Writer) -> None:
    writer.transport.abort()
    raise ConnectionError


@pytest.mark.parametrize(
    "handler",
    [
        closing(b""),
        reset,
        closing(b"HTTP/1.1 200 OK\r\nContent-Le"),
        closing(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n12"),
        closing(CHUNKED + b"5\r\n12345\r\n"),
        closing(CHUNKED + b"5\r\n12"),
    ],
    ids=["at-once", "reset", "in-headers", "in-body", "between-chunks", "in-chunk"],
)
def test_a_connection_closed_too_early_is_cut_off(handler: Handler) -> None:
    assert refused(handler).kind == "cut-off"


@pytest.mark.parametrize(
    "raw",
    [
        b"SSH-2.0-OpenSSH_9.9\r\n\r\n",
        b"\x00\x01\x02\xff" * 50 + b"\r\n\r\n",
        b"<html>hello</html>\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nx",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n123456",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"y" * 200_000 + b"\r\n\r\n",
        CHUNKED + b"zz\r\n12\r\n",
        CHUNKED + b"1\r\nxx\r\n0\r\n\r\n",
    ],
    ids=[
        "another-protocol",
        "binary",
        "bare-html",
        "switch",
        "no-status",
        "bad-header",
        "two-lengths",
        "negative-length",
        "coded-transfer",
        "huge-header",
        "bad-chunk-size",
        "bad-chunk-end",
    ],
)
def test_what_is_not_http_is_a_transport_error(raw: bytes) -> None:
    assert refused(closing(raw)).kind == "transport"


# ---------------------------------------------------------------------------- leaving and ending


def test_leaving_an_endless_stream_closes_its_connection() -> None:
    async def run() -> None:
        handler = pour(b"HTTP/1.1 200 OK\r\n\r\n", b"data: x\n\n")
        async with serving(handler) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                async for chunk in answer.chunks():
                    assert chunk.data.startswith(b"data: x")
                    break
            await served.all_gone()
            await host.close()

    asyncio.run(run())


@pytest.mark.parametrize("handler", [silence, headers_then_silence])
def test_a_cancelled_exchange_leaves_no_connection(handler: Handler) -> None:
    async def run() -> None:
        async with serving(handler) as served:
            host = HttpHost(served.url)
            task = asyncio.create_task(host.exchange(GET, PATIENT))
            while not served.heads:
                await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await served.all_gone()
            await host.close()

    asyncio.run(run())


def test_no_moment_of_cancelling_leaves_a_connection() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            for turns_of_the_loop in range(40):
                task = asyncio.create_task(host.exchange(GET, PATIENT))
                for _ in range(turns_of_the_loop):
                    await asyncio.sleep(0)
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
            assert served.heads
            await served.all_gone()
            await host.close()

    asyncio.run(run())


def test_a_read_that_was_cancelled_never_looks_like_the_end() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                chunks = answer.chunks()
                assert (await anext(chunks)).data == b"1"
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(anext(chunks), 0.05)
                with pytest.raises(ExchangeError) as refusal:
                    await anext(chunks)
            assert refusal.value.kind == "cut-off"
            await host.close()

    asyncio.run(run())


def test_closing_the_host_ends_a_stream_that_is_being_read() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with host.stream(GET, PATIENT) as answer:
                chunks = answer.chunks()
                await anext(chunks)
                reading = asyncio.ensure_future(anext(chunks))
                await asyncio.sleep(0)
                await host.close()
                with pytest.raises(ExchangeError):
                    await reading

    asyncio.run(run())


def test_an_error_of_the_reader_passes_through_the_stream() -> None:
    async def run() -> None:
        async with serving(answering(plain(b"{}"))) as served:
            host = HttpHost(served.url)
            with pytest.raises(KeyError):
                async with host.stream(GET, PATIENT):
                    raise KeyError
            await host.close()

    asyncio.run(run())


def test_a_closed_host_and_another_loop_are_refused() -> None:
    host = HttpHost("http://127.0.0.1:1")

    async def ask_once() -> None:
        await host.exchange(GET, SHORT)

    with pytest.raises(UnreachableError):
        asyncio.run(ask_once())
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(ask_once())
    with pytest.raises(UsageError, match="event loop"):
        asyncio.run(host.close())
    with pytest.raises(UsageError, match="closed"):
        asyncio.run(ask_once())


def test_many_streams_at_once_do_not_wait_for_each_other() -> None:
    async def run() -> None:
        async with serving(headers_then_silence) as served:
            host = HttpHost(served.url)
            async with asyncio.TaskGroup() as group:
                inside = asyncio.Barrier(30)

                async def one() -> None:
                    async with host.stream(GET, PATIENT):
                        await inside.wait()

                for _ in range(30):
                    group.create_task(one())
            await host.close()

    asyncio.run(run())


# ---------------------------------------------------------------------------------- unreachable


def unreachable(url: str) -> str:
    async def run() -> None:
        host = HttpHost(url)
        try:
            await host.exchange(GET, PATIENT)
        finally:
            await host.close()

    with pytest.raises(UnreachableError) as refusal:
        asyncio.run(run())
    assert url in str(refusal.value)
    return str(refusal.value)


def test_a_port_where_nothing_listens_is_unreachable() -> None:
    async def free_port() -> int:
        async with serving(silence) as served:
            return int(served.url.rpartition(":")[2])

    assert "refused" in unreachable(f"http://127.0.0.1:{asyncio.run(free_port())}")


def test_a_name_that_does_not_resolve_is_unreachable() -> None:
    assert "resolve" in unreachable("http://nowhere.invalid")
    assert "resolve" in unreachable(f"http://{'a' * 64}.invalid")
    assert "resolve" in unreachable("http://a..invalid")


def test_a_plain_port_spoken_to_in_tls_is_unreachable() -> None:
    async def accept(_: Reader, writer: Writer) -> None:
        writer.write(plain(b"", "400 Bad Request"))
        writer.close()

    assert "plain http://" in unreached(accept, None)


def test_a_certificate_nobody_vouches_for_is_unreachable(tmp_path: object) -> None:
    pem = f"{tmp_path}/cert.pem"
    openssl = ["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-days", "1"]
    where = ["-subj", "/CN=localhost", "-keyout", pem + ".key", "-out", pem]
    subprocess.run(openssl + where, check=True, capture_output=True)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(pem, pem + ".key")

    async def accept(_: Reader, writer: Writer) -> None:
        writer.close()

    assert "SSL_CERT_FILE" in unreached(accept, context)


def unreached(accept: Handler, context: ssl.SSLContext | None) -> str:
    """What is said of an https:// URL whose server answers the handshake as ``accept`` does."""

    async def run() -> str:
        server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
        host = HttpHost(f"https://localhost:{server.sockets[0].getsockname()[1]}")
        with pytest.raises(UnreachableError) as refusal:
            await host.exchange(GET, PATIENT)
        await host.close()
        server.close()
        await server.wait_closed()
        return str(refusal.value)

    return asyncio.run(run())


# ------------------------------------------------------------------------- requests and base URLs


@pytest.mark.parametrize(
    "request_",
    [
        Request("GET", "no-slash"),
        Request("GET", ""),
        Request("GET", "/a b"),
        Request("GET", "/é"),
        Request("GET", "/#fragment"),
        Request("GET", "/ HTTP/1.1\r\nX: y\r\n\r\n"),
        Request("GE T", "/"),
        Request("GET", "/", (("x y", "z"),)),
        Request("GET", "/", (("x", "hunter2\r\ny: z"),)),
        Request("GET", "/", (("x", "hunter2\0"),)),
        Request("POST", "/", (("content-length", "9"),), b"hunter2"),
    ],
)
def test_a_request_that_http_cannot_carry_is_not_sent(request_: Request) -> None:
    async def run() -> None:
        async with serving(answering(plain(b"{}"))) as served:
            host = HttpHost(served.url)
            with pytest.raises(ExchangeError, match="not sent") as refusal:
                await host.exchange(request_, SHORT)
            await host.close()
        assert served.heads == []
        assert refusal.value.kind == "transport"
        assert "hunter2" not in str(refusal.value)

    asyncio.run(run())


def test_a_header_beyond_ascii_is_sent_as_utf_8() -> None:
    _, head = ask(answering(plain(b"")), Request("GET", "/", (("last-event-id", "é"),)))
    assert "last-event-id: é\r\n".encode() in head


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "http://"),
        ("localhost:8080", "http://"),
        ("ftp://h", "http://"),
        ("http:/h", "http://"),
        ("http://", "no host"),
        ("http:///path", "no host"),
        ("http://:80", "no host"),
        ("http://h:99999", "ort"),
        ("http://h:x", "ort"),
        ("http://h:0", "port"),
        ("http://user:hunter2@h", "OPENWOP_API_KEY"),
        ("http://hunter2@h/", "OPENWOP_API_KEY"),
        ("http://h/?key=hunter2", "query"),
        ("http://h?", "query"),
        ("http://h/#hunter2", "fragment"),
        ("http://h/a b", "space"),
        ("http://h\r\n/", "control"),
        ("http://h/é", "percent-encoded"),
        ("http://[::1", ""),
        ("http://xn--\u2603.example", ""),
    ],
)
def test_what_is_no_base_url_is_refused_without_its_secrets(url: str, why: str) -> None:
    with pytest.raises(UsageError, match="no base URL") as refusal:
        HttpHost(url)
    assert why in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize(
    "url",
    ["http://localhost", "HTTPS://h.example:8443/a/b/", "http://[::1]:80", "http://bücher.example"],
)
def test_a_base_url_is_taken(url: str) -> None:
    assert HttpHost(url).name == url.rstrip("/")


def test_importing_the_module_does_not_import_httpx() -> None:
    code = "import sys, openwop_conformance.adapters.connect as _; sys.exit('httpx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
