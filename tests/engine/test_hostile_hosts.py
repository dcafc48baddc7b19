"""No hostile host gets a pass, and each run ends with reasons: by the CLI, over sockets."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from openwop_conformance.adapters.host import Bounds
from openwop_conformance.cli import main
from openwop_conformance.corpus import corpus
from openwop_conformance.engine.session import Options
from openwop_conformance.engine.verdict import Disposition, Row, exit_code
from openwop_conformance.evidence.ledger import read_ledger
from openwop_conformance.reference.connect import build_app
from openwop_conformance.reference.discovery import document
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.refusal import error_answer
from openwop_conformance.reference.settings import Settings
from tests.engine.hostile import (
    BODIES,
    CUT_OFF,
    GARBAGE,
    Asked,
    Respond,
    always,
    at_once,
    claiming_all,
    for_ever,
    gigabyte,
    http,
    listening,
    never,
    serving,
)
from tests.engine.subjects import SEAM, Alter, altered, polls, scenarios, short

KEYS = {
    "OPENWOP_API_KEY": "key-of-acme-0123456789",
    "OPENWOP_TENANT_B_API_KEY": "key-of-globex-0123456789",
    "OPENWOP_CANARY_SECRET_VALUE": "canary-of-these-tests",
}
SETTINGS = Settings(
    keys={"acme": KEYS["OPENWOP_API_KEY"], "globex": KEYS["OPENWOP_TENANT_B_API_KEY"]},
    secrets={"conformance-secret": KEYS["OPENWOP_CANARY_SECRET_VALUE"]},
)
SHORT = Bounds(connect=5.0, read=0.8, total=1.2)
PATIENT = Bounds(connect=20.0, read=20.0, total=60.0)
"""For hosts that do answer: a machine that is busy is no hostile host."""
ENDS_WITHIN = 40.0
"""Seconds: some short bounds in a row, on a machine that is busy."""


@dataclass
class Judged:
    """What the command line made of a host."""

    code: int
    out: str
    err: str
    rows: tuple[Row, ...]

    def are(self, disposition: Disposition) -> set[str]:
        return {short(row) for row in self.rows if row.disposition is disposition}

    def row(self, name: str) -> Row:
        return next(row for row in self.rows if short(row) == name)


Judge = Callable[..., Judged]


@pytest.fixture
def judge(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> Judge:
    """The CLI against a URL, with bounds for tests."""
    for module in ("reading", "listening"):
        monkeypatch.setattr(f"openwop_conformance.engine.{module}.SETTLES_WITHIN", 0.6)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)

    def judged(
        url: str, *names: str, bounds: Bounds = PATIENT, majors: tuple[str, ...] = ("v2",)
    ) -> Judged:
        monkeypatch.setattr(
            "openwop_conformance.engine.session.Options", partial(Options, bounds=bounds)
        )
        ledger, *files = (tmp_path / name for name in ("l.jsonl", "p.md", "r.json", "w.html"))
        wanted = [f"host.{major}.{name}" for name in names or ("*",) for major in majors]
        chosen = ["--select", *wanted]
        began = time.monotonic()
        forms = zip(("markdown", "json", "html"), files, strict=True)
        reports = [word for form, path in forms for word in ("--report", f"{form}:{path}")]
        code = main(["run", url, "--ledger", str(ledger), *chosen, *reports])
        assert time.monotonic() - began < ENDS_WITHIN
        out, err = capfd.readouterr()
        _, rows, footer = read_ledger(ledger)
        assert footer is not None
        shown = [out, err, *(path.read_text("utf-8") for path in (ledger, *files))]
        for text in shown:
            assert "Traceback" not in text
            assert "\x1b" not in text
            assert "\x9b" not in text
            assert not any(value in text for value in KEYS.values())
        for row in rows:
            passed = row.disposition is Disposition.PASS
            assert passed == (row.reason == ""), row
            assert "the suite itself failed" not in row.reason, row
            assert "scenario is wrong" not in row.reason, row
            assert len(row.reason) < 2000
        assert code == exit_code(rows)
        return Judged(code, out, err, rows)

    return judged


# ------------------------------------------------------------------- the same to everything

SLOW = (never, for_ever, gigabyte)


@pytest.mark.parametrize(
    ("respond", "code"),
    [
        pytest.param(always(http(200, b"{}")), 1, id="200 {}"),
        pytest.param(always(http(403, b'{"error": "forbidden", "message": "no"}')), 1, id="403"),
        pytest.param(always(http(500, b"oops")), 1, id="500"),
        pytest.param(always(http(302, b"", "Location: /elsewhere")), 1, id="redirects"),
        pytest.param(always(http(406, b"{}")), 3, id="406"),
        pytest.param(never, 3, id="never answers"),
        pytest.param(for_ever, 3, id="streams for ever"),
        pytest.param(gigabyte, 3, id="sends 1 GB"),
        pytest.param(always(CUT_OFF), 3, id="closes mid-body"),
        pytest.param(at_once, 3, id="closes at once"),
        pytest.param(always(GARBAGE), 3, id="speaks no HTTP"),
    ],
)
def test_what_answers_the_same_to_everything_gets_no_pass(
    judge: Judge, respond: Respond, code: int
) -> None:
    with listening(respond) as url:
        patience = SHORT if respond in SLOW else PATIENT
        found = judge(url, bounds=patience, majors=("v1", "v2"))
    assert found.are(Disposition.PASS) == set()
    assert len(found.rows) == len(scenarios())
    assert found.code == code


@pytest.mark.parametrize("name", sorted(BODIES))
def test_no_json_that_is_not_strict_is_taken(judge: Judge, name: str) -> None:
    with listening(always(http(200, BODIES[name]))) as url:
        found = judge(url, "discovery-*", "catalog-equality")
    assert found.are(Disposition.PASS) == set()
    assert found.row("catalog-equality").disposition is Disposition.BLOCKED


# --------------------------------------------------------------------- claims, and nothing else

KEPT_BY_A_SOUND_DOCUMENT = {"discovery-coherent"}
"""The document is the reference's, so this one rule is really kept."""


@pytest.mark.parametrize(
    "rest",
    [
        pytest.param(always(http(404, b'{"error": "not_found", "message": "no"}')), id="404"),
        pytest.param(always(http(405, b"")), id="405"),
        pytest.param(always(http(500, b"{}")), id="500"),
        pytest.param(always(http(200, b"{}")), id="200 {}"),
        pytest.param(always(http(201, b'{"runId": ""}')), id="201 without an id"),
        pytest.param(never, id="never answers"),
        pytest.param(at_once, id="closes at once"),
        pytest.param(always(http(200, BODIES["deep"])), id="deep JSON"),
        pytest.param(always(http(200, BODIES["not UTF-8"])), id="no UTF-8"),
    ],
)
def test_claims_that_nothing_serves_are_blocked(judge: Judge, rest: Respond) -> None:
    with listening(claiming_all(rest)) as url:
        found = judge(url, bounds=SHORT if rest in SLOW else PATIENT)
    assert found.are(Disposition.PASS) == KEPT_BY_A_SOUND_DOCUMENT
    assert found.are(Disposition.FAIL) == {"discovery-negotiated"}  # it has no ETag
    assert found.are(Disposition.INAPPLICABLE) == {"below-floor-strict", "legacy-readable"}
    assert len(found.rows) == len(scenarios("host.v2.*"))


def test_the_credential_goes_nowhere_but_to_the_host(judge: Judge) -> None:
    stolen: list[Asked] = []

    async def thief(asked: Asked, writer: asyncio.StreamWriter) -> None:
        stolen.append(asked)

    with listening(thief) as elsewhere:
        moved = http(307, b"", f"Location: {elsewhere}/runs")
        with listening(claiming_all(always(moved))) as url:
            found = judge(url)
    assert found.are(Disposition.PASS) == KEPT_BY_A_SOUND_DOCUMENT
    assert stolen == []


# ----------------------------------------------------------- the reference, with one thing wrong


def seam(status: int, body: Any) -> Alter:
    def alter(method: str, path: str, was: int, old: bytes) -> tuple[int, bytes] | None:
        return (status, json.dumps(body).encode()) if path == SEAM else None

    return alter


def app_with(alter: Alter, **policy: Any) -> ASGIApp:
    return altered(alter)(build_app(SETTINGS, replace(Policy(), **policy)))


def nothing(method: str, path: str, status: int, body: bytes) -> None:
    return None


def test_a_seam_that_is_declared_and_not_served_fails_alone_and_blocks_what_needs_it(
    judge: Judge,
) -> None:
    with serving(app_with(seam(404, {"error": "not_found", "message": "no such path"}))) as url:
        found = judge(url)
    assert found.are(Disposition.FAIL) == {"seam-contract"}
    assert "the seam is not served" in found.row("seam-contract").reason
    gated = {short_of(s.id) for s in scenarios() if "seam.emit-surface" in s.needs}
    out = {"below-floor-strict", "legacy-readable"}
    assert found.are(Disposition.BLOCKED) == gated - out
    assert found.are(Disposition.INAPPLICABLE) == out
    assert "the seam answers 404" in found.row("fold-guarded").reason
    kept = {"auth-before-existence", "discovery-coherent", "discovery-negotiated"}
    assert found.are(Disposition.PASS) == kept


def test_a_seam_that_is_not_declared_is_inapplicable(judge: Judge) -> None:
    """Such a host is conformant: it keeps what binds it, and claims no more."""

    def silent(settings: Settings) -> dict[str, Any]:
        return {k: v for k, v in document(settings).items() if k != "conformance"}

    with serving(app_with(nothing, discovery=silent)) as url:
        found = judge(url)
    assert found.code == 0
    assert found.are(Disposition.BLOCKED) == found.are(Disposition.FAIL) == set()
    assert "conformance.seamsProfile" in found.row("seam-contract").reason
    assert "conformance.seamsProfile" in found.row("no-secret").reason
    kept = {"auth-before-existence", "discovery-coherent", "discovery-negotiated"}
    assert found.are(Disposition.PASS) == kept


def admitting_everything() -> ASGIApp:
    """The seam admits all with sequences that rise; the log is empty."""
    inner = build_app(SETTINGS)
    count = 0

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal count
        path = scope.get("path", "")
        if path == SEAM:
            count += 1
            await _send(send, 201, {"sequence": count})
        elif path.endswith("/events/poll"):
            await _send(send, 200, {"events": [], "lastSequence": -1})
        else:
            await inner(scope, receive, send)

    return app


async def _send(send: Send, status: int, value: Any) -> None:
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(value).encode()})


KEPT_WITHOUT_THE_SEAM = {"discovery-coherent", "discovery-negotiated", "auth-before-existence"}
"""Rows about what the altered hosts leave as it is."""


def test_a_host_that_admits_everything_and_records_nothing_gets_no_pass(judge: Judge) -> None:
    with serving(admitting_everything()) as url:
        found = judge(url)
    assert found.are(Disposition.PASS) <= KEPT_WITHOUT_THE_SEAM
    assert found.code == 1


def test_a_host_that_refuses_everything_gets_no_pass(judge: Judge) -> None:
    refusal = http(422, b'{"error": "envelope_invalid", "message": "no"}')
    with listening(claiming_all(always(refusal))) as url:
        found = judge(url)
    assert found.are(Disposition.PASS) == KEPT_BY_A_SOUND_DOCUMENT


def test_a_seam_that_refuses_everything_keeps_no_rule(judge: Judge) -> None:
    no = {"error": "envelope_invalid", "message": "no", "details": {"rule": "fold"}}
    with serving(app_with(seam(422, no))) as url:
        found = judge(url)
    assert found.are(Disposition.PASS) == KEPT_WITHOUT_THE_SEAM
    assert found.are(Disposition.BLOCKED) == set()
    assert "the twin, one edit away" in found.row("fold-guarded").reason


# ------------------------------------------------------------------------------- logs and streams

READS_A_LOG = ("catalog-equality", "recorded-as-recorded")


def _page(change: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    return lambda body: {**body, "events": change(body["events"])}


def _each(**members: Any) -> Callable[[list[Any]], Any]:
    return lambda events: [{**event, **members} for event in events]


def _negative(events: list[Any]) -> Any:
    return [{**event, "sequence": event["sequence"] - 100} for event in events]


def _halves(events: list[Any]) -> Any:
    return [{**event, "sequence": event["sequence"] + 0.5} for event in events]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_page(lambda events: []), id="never advances"),
        pytest.param(lambda body: {**body, "events": [], "lastSequence": 2**53}, id="promises"),
        pytest.param(_page(lambda events: events[:1] * 2), id="repeats"),
        pytest.param(_page(lambda events: events[::-1]), id="reorders"),
        pytest.param(_page(lambda events: events[:-1]), id="ends early"),
        pytest.param(_page(_negative), id="negative sequences"),
        pytest.param(_page(_halves), id="fractions for sequences"),
        pytest.param(_page(_each(sequence="1")), id="strings for sequences"),
        pytest.param(_page(_each(sequence=True)), id="true for sequences"),
        pytest.param(_page(_each(sequence=None)), id="null for sequences"),
        pytest.param(_page(_each(payload="x")), id="no payloads"),
        pytest.param(_page(_each(surprise=1)), id="open events"),
        pytest.param(_page(lambda events: {str(i): e for i, e in enumerate(events)}), id="a map"),
        pytest.param(lambda body: [body], id="a list"),
        pytest.param(lambda body: BODIES["deep"], id="deep JSON"),
        pytest.param(lambda body: BODIES["NaN"], id="NaN"),
        pytest.param(lambda body: BODIES["not UTF-8"], id="no UTF-8"),
        pytest.param(lambda body: BODIES["huge"], id="huge"),
    ],
)
def test_a_log_that_is_no_log_keeps_no_rule(judge: Judge, change: Callable[[Any], Any]) -> None:
    with serving(app_with(polls(change))) as url:
        found = judge(url, *READS_A_LOG)
    assert found.are(Disposition.PASS) == set()


def test_a_log_of_very_many_events_ends(judge: Judge) -> None:
    """The cost is linear in what is sent, and what is kept is bounded."""

    def many(body: Any) -> bytes:
        event = {**body["events"][0], "payload": {}}
        text = json.dumps({**event, "sequence": -7}).encode()
        before, after = text.split(b"-7")
        last = body["events"][-1]["sequence"]
        page = b",".join(b"%b%d%b" % (before, last + 1 + n, after) for n in range(40_000))
        return b'{"lastSequence": 90000, "events": [' + page + b"]}"

    with serving(app_with(polls(many))) as url:
        found = judge(url, "catalog-equality")
    assert found.row("catalog-equality").disposition is Disposition.BLOCKED
    assert "does not end" in found.row("catalog-equality").reason


def test_a_stream_that_never_closes_is_blocked_and_not_failed(judge: Judge) -> None:
    with serving(app_with(nothing, closes=False)) as url:
        found = judge(url, "streamed-as-recorded", "no-secret")
    assert found.are(Disposition.BLOCKED) == {"streamed-as-recorded", "no-secret"}


@pytest.mark.parametrize("answer", ["-1", '"4"', "4.5", "true", "null", "9" * 5000, "[]"])
def test_a_sequence_is_an_integer_from_0(judge: Judge, answer: str) -> None:
    def alter(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        return (
            (201, f'{{"sequence": {answer}}}'.encode()) if status == 201 and path == SEAM else None
        )

    with serving(app_with(alter)) as url:
        found = judge(url, "catalog-equality", "seam-contract")
    assert found.are(Disposition.FAIL) == {"catalog-equality", "seam-contract"}


# ---------------------------------------------------------------------------------- what it says

SHOUT = "\x1b[2J\x1b]0;owned\x07 \x9b31m‮ red\n\r\0"


def test_what_a_host_says_is_shown_as_text_and_cut(judge: Judge) -> None:
    def shouting(code: str, message: str, details: Any) -> tuple[int, Any]:
        status, body = error_answer(code, message, details)
        return status, {**body, "error": SHOUT + code + "x" * 100_000, "message": SHOUT * 1000}

    with serving(app_with(nothing, error_answer=shouting)) as url:
        found = judge(url, "catalog-equality", "errors-closed")
    assert found.are(Disposition.FAIL) == {"catalog-equality", "errors-closed"}
    assert "owned" in found.out
    assert len(found.out) < 40_000


def test_a_host_that_repeats_the_credential_does_not_get_it_shown(judge: Judge) -> None:
    """``judge`` looks for the keys in everything that was written."""

    def telling(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        if path != SEAM or status < 400:
            return None
        said = f"not with {KEYS['OPENWOP_API_KEY']} nor {KEYS['OPENWOP_CANARY_SECRET_VALUE']}"
        return 422, json.dumps({"error": "envelope_refusal", "message": said}).encode()

    with serving(app_with(telling)) as url:
        found = judge(url, "catalog-equality", "no-secret")
    assert found.are(Disposition.FAIL) == {"catalog-equality", "no-secret"}
    assert "$OPENWOP_API_KEY" in found.out


def test_what_cannot_be_reached_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with listening(at_once) as gone:
        pass
    assert main(["run", gone, "--select", "host.v2.catalog-equality"]) == 2
    out, err = capsys.readouterr()
    assert "connection refused" in err
    assert "Traceback" not in out + err
    assert not corpus().scenarios.joinpath("out").exists()


def short_of(scenario_id: str) -> str:
    return scenario_id.removeprefix("host.v2.")
