"""A host that repeats every key and secret it hears: none of them comes through in any report."""

from __future__ import annotations

import asyncio
import io
import json
from pathlib import Path

import pytest
from rich.console import Console
from starlette.types import ASGIApp, Receive, Scope, Send

from openwop_conformance import suite
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.session import Options
from openwop_conformance.engine.verdict import Disposition, Event, Listener
from openwop_conformance.evidence.ledger import write_ledger
from openwop_conformance.reference.connect import build_app, credentials_for
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reports.console import ConsoleReport
from openwop_conformance.reports.forms import FORMS

PADDING = 70
"""So long a text before a secret that a report cuts some of them in two."""


def parrot(app: ASGIApp, canary: str) -> ASGIApp:
    """Makes runs and shows them; answers all else with what it heard."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        shows = scope["method"] == "GET" and "/events" not in scope["path"]
        if shows or scope["path"] == "/runs":
            await app(scope, receive, send)
            return
        heard = dict(scope["headers"]).get(b"authorization", b"").decode()
        message = "x" * PADDING + f"{heard} {canary} {heard} {json.dumps(canary)}"
        body = {"error": f"code {heard}", "message": message, "details": {"rule": canary}}
        await send(
            {
                "type": "http.response.start",
                "status": 400,
                "headers": [(b"content-type", b"application/json"), (b"x-heard", heard.encode())],
            }
        )
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    return wrapped


@pytest.mark.parametrize("canary", ["a-canary-of-the-operator", 'quotes "\\" and \\back ähm'])
def test_no_report_repeats_a_key_or_the_canary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, canary: str
) -> None:
    settings = Settings(secrets={"one": canary})
    credentials = credentials_for(settings)
    chosen = suite.plan("reference", credentials, options=Options(seed=1))
    console, told = io.StringIO(), list[Event]()
    listeners: list[Listener] = [
        told.append,
        ConsoleReport(Console(file=console, width=80), {}, "1.2.3"),
        *(make(tmp_path / form, {}, chosen.header) for form, make in FORMS.items()),
    ]

    def tell(event: Event) -> None:
        for listener in listeners:
            listener(event)

    host = AsgiHost(parrot(build_app(settings), canary), "reference")
    monkeypatch.setattr(suite, "open_subject", lambda *_, **__: (host, credentials))
    rows = asyncio.run(suite.execute(chosen, tell))
    write_ledger(tmp_path / "ledger.jsonl", chosen.header, rows)
    assert Disposition.FAIL in {row.disposition for row in rows}

    texts = [console.getvalue(), *(path.read_text("utf-8") for path in tmp_path.iterdir())]
    assert len(texts) == 2 + len(FORMS)
    assert "$OPENWOP_API_KEY" in (tmp_path / "html").read_text("utf-8")
    for text in texts:
        for secret in (credentials.owner, credentials.other, credentials.canary):
            assert secret
            for shown in (secret, json.dumps(secret)[1:-1], secret.replace('"', '\\"')):
                assert shown[:8] not in text


def test_text_is_rid_of_each_secret_also_where_it_was_cut() -> None:
    given = Credentials("owner-key-1", "other-key-2", "canary-value-3")

    assert given.hidden_in("a owner-key-1, other-key-2/canary-value-3 b") == (
        "a $OPENWOP_API_KEY, $OPENWOP_TENANT_B_API_KEY/$OPENWOP_CANARY_SECRET_VALUE b"
    )
    assert given.hidden_in("a canary-va… b") == "a $OPENWOP_CANARY_SECRET_VALUE… b"
    assert given.hidden_in("a canary… b canary-") == "a canary… b canary-"
    assert Credentials("short", None, None).hidden_in("a short text") == "a short text"
    assert Credentials().hidden_in("a text") == "a text"
