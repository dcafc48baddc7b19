"""Keys and the canary: found wherever a host lets them out, and shown nowhere by the suite."""

from __future__ import annotations

import asyncio
import io
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.session import Session
from openwop_conformance.engine.verdict import Disposition, Event, Listener
from openwop_conformance.errors import ExchangeError
from openwop_conformance.evidence.ledger import Header, write_ledger
from openwop_conformance.evidence.redaction import Redaction, without_secrets
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.pytest_plugin import NotKept
from openwop_conformance.reference.connect import credentials_for
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import sabotage_called
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reports.console import ConsoleReport
from openwop_conformance.reports.forms import FORMS
from tests.engine.subjects import SEAM, Breaking, Ran, altered, ran, scenario, streaming

SETTINGS = Settings(
    keys={"acme": "key-of-acme-0123456789", "globex": "key-of-globex-0123456789"},
    secrets={"conformance-secret": "canary-of-these-tests"},
)
GIVEN = credentials_for(SETTINGS)


def everything_written(name: str, tmp_path: Path, **how: Any) -> tuple[Ran, str]:
    """Run one scenario with every report; all that is written, and all that could be."""
    requirements = read_requirements(corpus().requirements)
    header = Header("0", "0" * 64, "reference", 1)
    screen = io.StringIO()
    reports, ledger = {form: tmp_path / form for form in FORMS}, tmp_path / "ledger.jsonl"
    listeners: list[Listener] = [
        ConsoleReport(Console(file=screen, width=200), requirements, "0"),
        *(FORMS[form](path, requirements, header) for form, path in reports.items()),
    ]

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    found = asyncio.run(
        ran(
            [scenario(name)], settings=SETTINGS, tell=without_secrets(tell, Redaction(GIVEN)), **how
        )
    )
    write_ledger(ledger, header, found.rows)
    files = (*reports.values(), ledger)
    parts = [screen.getvalue(), *(path.read_text("utf-8") for path in files)]
    for finished in found.finished.values():
        parts += [repr(finished.row), NotKept(finished).text()]
        parts += [repr((f.message, f.expected, f.got)) for f in finished.failures]
        parts += [repr((x.request, x.fault)) for x in finished.exchanges]
    return found, "\n".join(parts)


def none_of(secrets: Sequence[str | None], text: str) -> bool:
    return not any(s and (s in text or json.dumps(s)[1:-1] in text) for s in secrets)


ALL = (GIVEN.owner, GIVEN.other, GIVEN.canary)


@pytest.mark.parametrize("name", ["secret-in-log", "secret-in-error", "secret-in-names"])
def test_a_leak_is_found_and_not_shown(name: str, tmp_path: Path) -> None:
    policy = sabotage_called(name).change(Policy())
    found, written = everything_written("no-secret", tmp_path, policy=policy)
    (row,) = found.rows
    assert row.disposition is Disposition.FAIL
    assert "a secret that is configured in the host came back out of it" in row.reason
    assert "OPENWOP_CANARY_SECRET_VALUE" in written
    assert none_of(ALL, written)
    assert "Authorization: Bearer $OPENWOP_API_KEY" in written


def test_a_kept_secret_is_in_no_request_that_is_kept(tmp_path: Path) -> None:
    found, written = everything_written("no-secret", tmp_path)
    assert found.dispositions == {"no-secret": Disposition.PASS}
    assert none_of(ALL, written)
    requests = [x.request for x in found.finished["no-secret"].exchanges]
    assert not any(k.lower() == "authorization" for r in requests for k, _ in r.headers)
    assert any(b"$OPENWOP_CANARY_SECRET_VALUE" in (r.body or b"") for r in requests)


def test_a_host_that_repeats_every_header_does_not_get_the_key_shown(tmp_path: Path) -> None:
    def repeating(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or scope["path"] != SEAM:
                await app(scope, receive, send)
                return
            heard = {k.decode(): v.decode() for k, v in scope["headers"]}
            said = {"error": heard["authorization"], "message": json.dumps(heard)}
            start: Message = {"type": "http.response.start", "status": 422, "headers": []}
            await send(start)
            await send({"type": "http.response.body", "body": json.dumps(said).encode()})

        return wrapped

    found, written = everything_written("catalog-equality", tmp_path, wrap=repeating)
    assert found.dispositions == {"catalog-equality": Disposition.FAIL}
    assert "$OPENWOP_API_KEY" in written
    assert none_of(ALL, written)


def test_a_secret_that_the_end_of_a_line_cuts_is_hidden_too(tmp_path: Path) -> None:
    """What a host said is cut at 120 characters: each place in a secret may be that one."""
    assert GIVEN.canary is not None
    for before in range(80, 125, 4):
        said = json.dumps({"error": "no", "message": "x" * before + GIVEN.canary + "y" * 99})

        def telling(
            method: str, path: str, status: int, body: bytes, said: str = said
        ) -> tuple[int, bytes] | None:
            return (422, said.encode()) if path == SEAM else None

        found, written = everything_written("catalog-equality", tmp_path, wrap=altered(telling))
        assert found.dispositions == {"catalog-equality": Disposition.FAIL}
        assert GIVEN.canary[:12] not in written


@pytest.mark.parametrize("secret", ['geheim-"quoted"-1', "geheim-ü-ß-😀", "a/b\\c/d-geheim"])
@pytest.mark.parametrize("leaks", [True, False])
def test_a_secret_is_found_however_json_spells_it(secret: str, leaks: bool) -> None:
    settings = Settings(secrets={"conformance-secret": secret})
    policy = replace(Policy(), redact=lambda value, secrets: value) if leaks else None

    def in_ascii(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        if not body:
            return None
        return status, json.dumps(json.loads(body)).replace("/", "\\/").encode()

    found = asyncio.run(
        ran([scenario("no-secret")], settings=settings, policy=policy, wrap=altered(in_ascii))
    )
    assert found.row("no-secret").disposition is (Disposition.FAIL if leaks else Disposition.PASS)


@pytest.mark.parametrize("where", [b"/cancel", b"/events"])
def test_a_secret_in_a_header_is_found(where: bytes) -> None:
    """Also in one of a stream."""

    def telling(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            async def sent(message: Message) -> None:
                if message["type"] == "http.response.start":
                    header = (b"x-debug", str(GIVEN.canary).encode())
                    message = {**message, "headers": [*message["headers"], header]}
                await send(message)

            here = scope["type"] == "http" and scope["path"].encode().endswith(where)
            await app(scope, receive, sent if here else send)

        return wrapped

    found = asyncio.run(ran([scenario("no-secret")], settings=SETTINGS, wrap=telling))
    assert found.row("no-secret").disposition is Disposition.FAIL


def test_a_secret_in_a_streams_comment_is_found() -> None:
    comment = f": {GIVEN.canary}\n\n".encode()
    wrap = streaming(lambda body: comment + body)
    found = asyncio.run(ran([scenario("no-secret")], settings=SETTINGS, wrap=wrap))
    assert found.row("no-secret").disposition is Disposition.FAIL


def test_a_fault_that_quotes_the_key_does_not_show_it(tmp_path: Path) -> None:
    """As where a host repeats the request in what is no HTTP."""
    error = ExchangeError("transport", f"does not speak HTTP/1.1: {GIVEN.owner}\x1b[31m")

    def host(app: ASGIApp) -> Breaking:
        return Breaking(app, lambda request: "/events/poll" in request.target, error)

    found, written = everything_written("catalog-equality", tmp_path, host=host)
    assert found.dispositions == {"catalog-equality": Disposition.FAIL}
    assert "does not speak HTTP/1.1: $OPENWOP_API_KEY" in written
    assert none_of(ALL, written)
    assert "\x1b" not in written


def test_no_secret_is_in_what_python_prints_of_the_engines_values() -> None:
    assert none_of(ALL, repr(GIVEN))
    session = Session.__new__(Session)
    assert none_of(ALL, repr(session))


def test_short_keys_are_not_hidden_since_they_stand_in_innocent_text() -> None:
    assert Credentials(owner="run").hidden_in("run 'run' is run") == "run 'run' is run"
