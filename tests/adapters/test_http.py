"""A host behind a URL: what goes out, what comes back, and what URLs are taken."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from time import perf_counter

import pytest

from openwop_conformance.adapters.host import Host, Request
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError, UsageError

from .sockets import (
    GET,
    PATIENT,
    SHORT,
    Reader,
    Writer,
    answering,
    ask,
    plain,
    serving,
)


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
