"""The shell lines of a failure: a person who copies them meets what the suite met, without keys."""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest
import uvicorn

from openwop_conformance.adapters.host import Request, Response
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import API_KEY, CANARY, OTHER_KEY, Credentials
from openwop_conformance.engine.run import run_one
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Exchange, ScenarioFinished
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reference.connect import build_app, credentials_for
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import sabotage_called
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reports.reproduce import headline, shell_lines
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.scenario.model import Scenario
from tests.report_events import AGAIN, EMITTED, JSON, LOST, MADE, SEAM, answered

SHELLS = [shell for shell in ("bash", "dash") if shutil.which(shell)]


@cache
def scenarios() -> dict[str, Scenario]:
    return {scenario.id: scenario for scenario in load_all(corpus())}


@contextmanager
def broken_host(name: str) -> Iterator[tuple[str, Credentials]]:
    """The reference host with one sabotage, on a port of this machine."""
    settings, broken = Settings(), sabotage_called(name)
    app = broken.wrap(build_app(settings, broken.change(Policy())), settings)
    server = uvicorn.Server(
        uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1, ws="none")
    )
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}", credentials_for(settings)
        finally:
            server.should_exit = True
            thread.join(10)


def failed(base: str, credentials: Credentials, name: str) -> ScenarioFinished:
    async def run() -> ScenarioFinished:
        host = HttpHost(base)
        try:
            return await run_one(scenarios()[name], Session(host, Options(seed=1), credentials))
        finally:
            await host.close()

    return asyncio.run(run())


def executed(
    shell: str, lines: list[str], credentials: Credentials
) -> subprocess.CompletedProcess[str]:
    keys = {
        API_KEY: credentials.owner or "",
        OTHER_KEY: credentials.other or "",
        CANARY: credentials.canary or "",
    }
    return subprocess.run(
        [shell, "-c", "\n".join(lines)],
        env={"PATH": os.environ["PATH"], "no_proxy": "127.0.0.1", **keys},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.skipif(not shutil.which("curl"), reason="there is no curl to copy the lines to")
@pytest.mark.skipif(not SHELLS, reason="there is no POSIX shell")
@pytest.mark.parametrize(
    ("sabotage", "name"),
    [
        ("second-create-admitted", "host.v2.fold-guarded"),
        ("terminal-run-admits", "host.v2.run-terminal"),
        ("fork-forgets-fold", "host.v2.fork-folds-prefix"),
        ("stream-not-live", "host.v2.streamed-as-recorded"),
        ("resume-inclusive", "host.v2.streamed-as-recorded"),
        ("secret-in-error", "host.v2.no-secret"),
    ],
)
def test_the_lines_of_a_real_failure_meet_the_same_answer(sabotage: str, name: str) -> None:
    with broken_host(sabotage) as (base, credentials):
        finished = failed(base, credentials, name)
        failing = finished.failures[0].exchange
        assert failing is not None
        assert failing.response is not None
        lines = shell_lines(finished.exchanges, failing, base)

        canary = credentials.canary or ""
        for secret in (credentials.owner, credentials.other, canary):
            assert secret
            assert secret not in "\n".join(lines)
        for shell in SHELLS if sabotage == "second-create-admitted" else SHELLS[:1]:
            done = executed(shell, lines, credentials)
            assert (done.returncode, done.stderr) == (0, ""), shell
            assert done.stdout.splitlines()[-1] == str(failing.response.status), shell
            if sabotage == "secret-in-error":
                assert canary in done.stdout


# ------------------------------------------------------------------------------ by hand


def test_the_lines_make_the_run_then_what_led_there_then_the_failing_exchange() -> None:
    elsewhere = answered(
        5,
        Request("POST", SEAM, JSON, b'{"runId":"acme/1","envelope":{"payload":{"surfaceId":"b"}}}'),
        201,
        b"{}",
        "owner",
    )
    failing = Exchange(6, AGAIN.request, "owner", AGAIN.response)

    lines = shell_lines([MADE, EMITTED, AGAIN, LOST, elsewhere, failing], failing, "http://h")

    assert lines[0] == "HOST=http://h"
    assert lines[1].startswith("RUN1=$(curl -sS -X POST ")
    assert len(lines) == 5, "another surface's envelope leads nowhere"
    assert all('"runId":"\'"$RUN1"\'"' in line for line in lines[2:])
    assert "acme/1" not in "".join(lines)


def test_a_read_of_a_run_is_led_to_by_all_that_was_sent_into_it() -> None:
    read = answered(3, Request("GET", "/runs/acme~2F1/events/poll?timeout=1"), 200, b"[]", "owner")

    lines = shell_lines([MADE, EMITTED, read], read, None)

    assert lines[0] == "HOST=http://127.0.0.1:8080  # its URL"
    assert len(lines) == 4
    assert lines[-1].endswith(
        "\"$HOST\"/runs/\"$(echo $RUN1 | sed 's,/,~2F,')\"'/events/poll?timeout=1'"
    )


def test_a_request_without_a_run_stands_alone() -> None:
    read = answered(3, Request("GET", "/.well-known/openwop?a=b&c=$(d)"), 200, b"", "none")

    assert shell_lines([MADE, EMITTED, read], read, "http://h") == [
        "HOST=http://h",
        "curl -sS -w '\\n%{http_code}\\n' \"$HOST\"'/.well-known/openwop?a=b&c=$(d)'",
    ]


@pytest.mark.parametrize(
    ("whose", "shown"),
    [
        ("owner", f'-H "Authorization: Bearer ${API_KEY}"'),
        ("other", f'-H "Authorization: Bearer ${OTHER_KEY}"'),
        ("wrong", "-H 'Authorization: Bearer no-such-key'"),
        ("none", None),
    ],
)
def test_a_key_is_named_and_never_written(whose: str, shown: str | None) -> None:
    read = answered(1, Request("GET", "/x"), 200, b"", whose)

    line = shell_lines([read], read, "http://h")[-1]
    assert "Authorization" not in line if shown is None else shown in line


@pytest.mark.skipif(not SHELLS, reason="there is no POSIX shell")
@pytest.mark.parametrize(
    "text",
    [
        'it\'s $HOME `id` $(id) \\ "quoted" !x',
        "@/etc/passwd",
        "a\\nb",
        "ä 😀 \u2028 \u202e",
        "-d @x",
    ],
)
def test_a_body_goes_through_a_shell_as_it_is(text: str) -> None:
    body = ('{"a":"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"}').encode()
    sent = answered(1, Request("POST", "/x", (), body), 400, b"", "none")
    line = shell_lines([sent], sent, "http://h")[-1]

    said = executed(SHELLS[0], ["curl() { printf '%s\\n' \"$@\"; }", line], Credentials())
    words = said.stdout.split("\n")
    got = words[words.index("--data-raw") + 1]
    assert said.stderr == ""
    assert line.isprintable()
    assert parse(got) == parse(body)


def test_an_exchange_in_one_line_is_what_was_asked_and_what_came() -> None:
    assert headline(MADE) == "POST /runs → 201"
    assert headline(LOST) == "GET /runs/acme~2F1 → no answer in 10 s"
    assert headline(Exchange(1, Request("GET", "/x"), "none")) == "GET /x → no answer"
    assert (
        headline(Exchange(1, Request("GET", "/a?k=v"), "none", Response(204, (), b"")))
        == "GET /a → 204"
    )
