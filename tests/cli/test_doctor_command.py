"""``doctor``: what it says of subjects that are ready, that are not, and that are not there."""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import socketserver
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH

Cli = Callable[..., Any]

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = REPOSITORY / "docs" / "examples"
PROGRAM = REPOSITORY / "tests" / "adapters" / "program.py"
NOT_READY = "Not ready: mend what is marked ✗, then ask again.\n"


def stdio(*words: object) -> str:
    return "stdio:" + shlex.join([sys.executable, *map(str, words)])


# --------------------------------------------------------------------------------- ready


def test_the_reference_is_ready_and_all_of_it_is_told_in_a_screenful(cli: Cli) -> None:
    code, out, err = cli("doctor")

    assert (code, err) == (0, "")
    lines = out.splitlines()
    for line in (
        "  ✓ discovery  /.well-known/openwop: versions 1.1, 2.0, by openwop-conformance-reference ",
        "  ✓ seams     emit-surface takes the whole payload (200); the acceptor is served too",
        "  ✓ deltas    claimed",
        "  ✓ surfaces  ui.a2ui-surface 2, strictness warn",
        "  ✓ fixtures  conformance-approval, conformance-noop",
        "  ✓ forks     branch, replay",
        "  ✓ OPENWOP_API_KEY              taken; a made-up key is answered 401",
        "2 rules do not bind this subject",
        "    1  envelopeStrictness.mode is warn, not strict",
        "Ready: ",
    ):
        assert any(found.startswith(line) for found in lines), line
    assert lines[-1] == "Next: openwop-conformance run reference"
    assert len(lines) < 40
    assert max(map(len, lines)) <= 110


def test_json_is_one_document_with_every_row(cli: Cli) -> None:
    code, out, err = cli("doctor", "reference?floor=1", "--json", "--major", "2")

    found = json.loads(out)
    assert (code, err) == (0, "")
    assert (found["subject"], found["kind"], found["exitCode"]) == ("reference?floor=1", "host", 0)
    rows = {row["scenario"]: row for row in found["rows"]}
    assert rows["host.v2.discovery-coherent"]["outlook"] == "asked"
    assert rows["host.v2.limits"]["outlook"] == "inapplicable"
    assert "not 2" in rows["host.v2.limits"]["reason"]
    assert "a second run" in rows["host.v2.limits"]["advice"]
    assert {finding["mark"] for finding in found["findings"]} <= {"good", "lacking", "bad"}


def test_what_would_be_blocked_is_exit_3_and_what_to_set_is_named(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a_host_to_see.py").write_text(
        "from openwop_conformance.reference.connect import build_app\n"
        "from openwop_conformance.reference.settings import Settings\n"
        "keys = {'acme': 'the-key-of-acme', 'globex': 'the-key-of-globex'}\n"
        "def app():\n    return build_app(Settings(keys=keys))\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    host = ("doctor", "asgi:a_host_to_see:app()", "--major", "2")
    code, out, _ = cli(*host)
    assert code == 2, "without a key nothing can be started"
    assert "✗ OPENWOP_API_KEY              not given, and without a key a read is" in out
    assert "→ set OPENWOP_API_KEY, or name a --credential-file" in out

    monkeypatch.setenv("OPENWOP_API_KEY", "the-key-of-acme")
    code, out, _ = cli(*host)
    assert code == 3
    assert "rules would be blocked" in out
    assert "no second tenant's key was given (OPENWOP_TENANT_B_API_KEY)" in out
    assert "→ set OPENWOP_TENANT_B_API_KEY to another tenant's key; or leave these out:" in out
    assert "Nearly ready: " in out

    code, out, _ = cli(*host, "--opt-out", "second-tenant", "canary")
    assert code == 0
    assert "rules are opted out of\n" in out
    assert "major 1" not in out
    again = "run 'asgi:a_host_to_see:app()' --major 2 --opt-out second-tenant canary\n"
    assert out.endswith(f"Next: openwop-conformance {again}")

    monkeypatch.setenv("OPENWOP_API_KEY", "an-old-key-of-acme")
    code, out, _ = cli(*host)
    assert code == 2
    assert "✗ OPENWOP_API_KEY              refused: the host does not know it (401)" in out
    assert out.endswith(NOT_READY)


# ----------------------------------------------------------------------------- not there


@contextmanager
def served(raw: bytes) -> Iterator[int]:
    """The port of a server that answers every request with the same bytes, and closes."""

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            self.wfile.write(raw)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def http(status: str, body: bytes = b"", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "Connection: close"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def test_an_address_where_nothing_listens_is_exit_2(cli: Cli) -> None:
    with served(b"") as port:
        pass
    code, out, err = cli("doctor", f"http://127.0.0.1:{port}")

    assert (code, err) == (2, "")
    assert f"✗ answers  cannot reach http://127.0.0.1:{port}: connection refused\n" in out
    assert "→ start the host, or check its address and port\n" in out
    assert out.endswith(NOT_READY)
    found = json.loads(cli("doctor", f"http://127.0.0.1:{port}", "--json").out)
    assert (found["exitCode"], found["rows"]) == (2, [])


@pytest.mark.parametrize(
    ("raw", "said", "todo"),
    [
        (
            http("301 Moved", b"", "Location: https://h.example/"),
            "sends to https://h.example/",
            "name",
        ),
        (
            http("200 OK", b"<title>A \x1b[31mpage</title>", "Content-Type: text/html"),
            "web page",
            "name the host's own",
        ),
        (http("404 Not Found"), "answers 404", "is the address right?"),
        (b"SSH-2.0-x\r\n\r\n", "does not speak HTTP/1.1", "see what listens there"),
        (b"", "closed the connection too early", "see the host's log"),
    ],
    ids=["redirect", "page", "404", "no http", "nothing"],
)
def test_what_answers_otherwise_is_told_apart(cli: Cli, raw: bytes, said: str, todo: str) -> None:
    with served(raw) as port:
        code, out, err = cli("doctor", f"http://127.0.0.1:{port}")

    flat = " ".join(out.split())
    assert (code, err) == (2, "")
    assert said in flat
    assert f"→ {todo}" in flat
    assert "\x1b" not in out
    assert out.endswith(NOT_READY)


def test_plain_http_where_tls_is_asked_for_is_told(cli: Cli) -> None:
    with served(http("404 Not Found")) as port:
        code, out, _ = cli("doctor", f"https://127.0.0.1:{port}")

    assert code == 2
    assert "TLS failed" in out
    assert "→ does it speak plain http:// there?" in out


def test_a_key_is_not_repeated_by_whoever_says_it(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENWOP_API_KEY", "the-key-of-acme")
    raw = http("302 Found", b"", "Location: https://h.example/?key=the-key-of-acme")
    with served(raw) as port:
        for form in ((), ("--json",)):
            out = cli("doctor", f"http://127.0.0.1:{port}", *form).out
            assert "the-key-of-acme" not in out
            assert "$OPENWOP_API_KEY" in out


# ----------------------------------------------------------------------------- libraries


def test_an_sdk_that_offers_little_is_told_in_a_few_lines(cli: Cli) -> None:
    code, out, err = cli("doctor", "--sdk", stdio(EXAMPLES / "sdk_adapter.py"))

    assert (code, err) == (0, "")
    assert "  ✓ hello     it is toy 1\n" in out
    assert "  ✓ versions  v0.9\n" in out
    assert "  ✓ calls     4 of 28: hello, new_state, apply, read\n" in out
    assert "it does not offer transaction (10), open_stream (7)" in out
    assert len(out.splitlines()) < 26
    named = shlex.quote(stdio(EXAMPLES / "sdk_adapter.py"))
    assert out.endswith(f"Next: openwop-conformance run --sdk {named}\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((PROGRAM, "ends at once"), ["the program ended with exit code 1", "no such library"]),
        ((PROGRAM, "chatters"), ["hello is answered wrongly", "xxxx", "sdk-line"]),
        (("-c", "print('loading…')"), ["a line that is no JSON", "logs belong on standard error"]),
        (("-c", "import time; time.sleep(60)"), ["no answer within", "each answer is flushed"]),
    ],
    ids=["ends", "chatters", "garbage", "hangs"],
)
def test_a_program_that_does_not_say_hello_is_told_with_its_log(
    cli: Cli, words: tuple[object, ...], said: list[str]
) -> None:
    scale = "0.02" if "sleep" in str(words) else "1"
    code, out, err = cli("doctor", "--sdk", stdio(*words), "--time-scale", scale)

    assert (code, err) == (2, "")
    flat = " ".join(out.split())
    for words_said in said:
        assert words_said in flat
    assert out.endswith(NOT_READY)


def test_a_program_that_is_not_there_is_exit_2(cli: Cli) -> None:
    code, out, _ = cli("doctor", "--consumer", "stdio:no-such-program-anywhere")

    assert code == 2
    assert "no-such-program-anywhere cannot be started: No such file or directory" in out
    assert "→ see that the program is on the PATH" in out


def test_without_chromium_or_playwright_it_says_how_to_get_them(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "chromium"))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    code, out, _ = cli("doctor", "--consumer", "browser")

    assert code == 2
    assert "✗ driver    playwright is not installed\n" in out
    assert "→ pip install 'openwop-conformance[browser]'\n" in out
    assert f"there is no browser {tmp_path}" in " ".join(out.split())
    assert "→ apt-get install chromium, or name another in CHROMIUM\n" in out


def test_a_browser_that_does_not_run_is_told(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "chromium"
    broken.write_text("#!/bin/sh\nexit 7\n")
    broken.chmod(0o700)
    monkeypatch.setenv("CHROMIUM", str(broken))
    code, out, _ = cli("doctor", "--consumer", "browser")

    assert code == 2
    assert "does not say its version" in " ".join(out.split())


def test_a_page_in_chromium_is_ready(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    code, out, _ = cli("doctor", "--consumer", f"browser:{EXAMPLES / 'consumer_page.html'}")
    assert code == 0
    assert "  ✓ driver    Playwright 1." in out
    assert "  ✓ hello     it is toy 1\n" in out
    assert "  ✓ calls     9 of 11: all but frame, violations\n" in out

    (tmp_path / "empty.html").write_text("<p>Nothing")
    page = f"browser:{tmp_path / 'empty.html'}"
    code, out, _ = cli("doctor", "--consumer", page, "--time-scale", "0.2")
    assert code == 2
    assert "defines no window.openwop with deliver()" in " ".join(out.split())


# -------------------------------------------------------------------------------- usage


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reference", "--sdk"], "a host, --sdk or --consumer: one run has one subject"),
        (["ftp://x"], "'ftp' is no scheme of a host"),
        (["--select", "nothing.*"], "no scenario matches 'nothing.*'"),
        (["--opt-out", "canari"], "'canari' cannot be opted out of; second-tenant and canary can"),
    ],
    ids=" ".join,
)
def test_what_makes_no_sense_is_exit_2_in_words(cli: Cli, arguments: list[str], said: str) -> None:
    code, out, err = cli("doctor", *arguments)

    assert (code, out) == (2, "")
    assert err.startswith(f"openwop-conformance: {said}")
