"""A host behind a URL that does not behave, or is not there: each ends in its bounds."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import ssl
import subprocess

import pytest

from openwop_conformance.adapters.host import Bounds, Request
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import ExchangeError

from .sockets import (
    CHUNKED,
    GET,
    PATIENT,
    SHORT,
    Handler,
    Reader,
    Writer,
    answering,
    ask,
    closing,
    drip,
    headers_then_silence,
    plain,
    pour,
    refused,
    reset,
    serving,
    silence,
    unreachable,
    unreached,
)


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


@pytest.mark.skipif(not shutil.which("openssl"), reason="there is no openssl to make one")
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
