"""The checkup: it foresees what a run says, for the same gates are asked; and what it finds."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from starlette.types import ASGIApp

from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.calls import InProcess
from openwop_conformance.adapters.host import Request, Response, Subject
from openwop_conformance.engine.checkup import hosts
from openwop_conformance.engine.checkup.advice import advice, parted
from openwop_conformance.engine.checkup.findings import Finding
from openwop_conformance.engine.checkup.foresight import Outlook, exit_code, foreseen, gathered
from openwop_conformance.engine.checkup.noted import NotedSubject
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.run import run
from openwop_conformance.engine.session import Options, Session
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import ExchangeError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.connect import credentials_for, reference_subject
from openwop_conformance.reference.consumer.operations import ReferenceConsumer
from openwop_conformance.reference.sdk.operations import ReferenceSdk
from openwop_conformance.reference.settings import Settings
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.scenario.model import Subject as Kind
from openwop_conformance.wire.discovery import PATH
from tests.engine.subjects import SEAM, Scripted, altered, claiming, json_answer
from tests.results import scenarios

OWNER_ALONE = ("owner",)
EVERYTHING = ("owner", "other", "canary")


def of(kind: Kind) -> list[Scenario]:
    """Those that measure nothing: what takes seconds is gated alike."""
    return scenarios(kind, timed=False)


# ------------------------------------------------------------------- what a run will say


def same(
    chosen: Sequence[Scenario],
    subject: Callable[[], tuple[Subject, Credentials]],
    kind: Kind,
    options: Options | None = None,
) -> dict[str, Outlook]:
    """Run, foresee, hold them to each other; the outlooks, by their scenarios."""
    options = options or Options(seed=1)

    async def both() -> tuple[Sequence[Row], Sequence[Outlook]]:
        asked, credentials = subject()
        other, same_credentials = subject()
        try:
            rows = await run(
                chosen, Session(asked, options, credentials, kind=kind), lambda event: None
            )
            session = Session(other, options, same_credentials, kind=kind)
            await session.first_contact()
            return rows, await foreseen(chosen, session)
        finally:
            await asked.close()
            await other.close()

    rows, outlooks = asyncio.run(both())
    by_scenario = {row.scenario: row for row in rows}
    assert by_scenario.keys() == {outlook.scenario.id for outlook in outlooks}
    for outlook in outlooks:
        row = by_scenario[outlook.scenario.id]
        if outlook.disposition is None:
            unasked = (Disposition.INAPPLICABLE, Disposition.SKIPPED)
            assert row.disposition not in unasked, row
        else:
            assert (outlook.disposition, outlook.reason) == (row.disposition, row.reason)
    return {outlook.scenario.id: outlook for outlook in outlooks}


def reference(
    settings: dict[str, Any], given: Sequence[str], wrap: Callable[[ASGIApp], ASGIApp]
) -> Callable[[], tuple[Subject, Credentials]]:
    def made() -> tuple[Subject, Credentials]:
        app, used = reference_subject(Settings(**settings))
        whole = credentials_for(used)
        some = {name: getattr(whole, name) for name in given}
        return AsgiHost(wrap(app), "reference"), Credentials(**some)

    return made


def discovering(change: Callable[[Any], Any]) -> Callable[[ASGIApp], ASGIApp]:
    """Wrap a host so that its discovery documents are changed."""

    def alter(method: str, path: str, status: int, body: bytes) -> tuple[int, bytes] | None:
        if path != PATH or status != 200:
            return None
        return status, json.dumps(change(json.loads(body))).encode()

    return altered(alter)


def answering(path: str, status: int) -> Callable[[ASGIApp], ASGIApp]:
    """Wrap a host so that one path answers a status."""
    return altered(lambda _, there, __, ___: (status, b"{}") if there == path else None)


def without(*members: str) -> Callable[[ASGIApp], ASGIApp]:
    return discovering(lambda found: {k: v for k, v in found.items() if k not in members})


def as_it_is(app: ASGIApp) -> ASGIApp:
    return app


@pytest.mark.parametrize(
    ("settings", "given", "wrap", "held", "disposition"),
    [
        ({}, EVERYTHING, as_it_is, "v2.legacy-readable", "inapplicable"),
        ({"floor": 1}, EVERYTHING, as_it_is, "v2.fold-guarded", "inapplicable"),
        (
            {"strictness": "strict", "dialect": "openwop-app"},
            OWNER_ALONE,
            as_it_is,
            "v1.fork-full",
            "inapplicable",
        ),
        ({}, OWNER_ALONE, without("conformance", "a2uiSurface"), "v2.limits", "inapplicable"),
        ({}, EVERYTHING, answering(SEAM, 404), "v2.limits", "blocked"),
        ({}, (), as_it_is, "v2.no-secret", "blocked"),
        ({}, EVERYTHING, without("fixtures", "replay"), "v1.delta-agrees", "inapplicable"),
    ],
    ids=["whole", "floor 1", "strict", "no seams", "dead seam", "no keys", "no fixtures"],
)
def test_what_is_foreseen_of_a_host_is_what_a_run_says(
    settings: dict[str, Any],
    given: Sequence[str],
    wrap: Callable[[ASGIApp], ASGIApp],
    held: str,
    disposition: str,
) -> None:
    outlooks = same(of("host"), reference(settings, given, wrap), "host")
    assert outlooks[f"host.{held}"].disposition == disposition
    for outlook in outlooks.values():
        if outlook.disposition is not None:
            assert advice(outlook.reason), outlook.reason


def test_what_the_operator_opts_out_of_is_foreseen_as_skipped() -> None:
    options = Options(seed=1, opted_out=frozenset({"canary", "second-tenant"}))
    chosen = [s for s in of("host") if {"canary", "second-tenant"} & set(s.needs)]
    outlooks = same(chosen, reference({}, OWNER_ALONE, as_it_is), "host", options)
    assert {o.disposition for o in outlooks.values()} == {Disposition.SKIPPED}


def lacking(
    made: type, kind: str, **members: JsonValue
) -> Callable[[], tuple[Subject, Credentials]]:
    """A library whose hello says something else than it does."""

    def hello(self: Any, protocol: int) -> JsonValue:
        return {**made.hello(self, protocol=protocol), **members}  # type: ignore[attr-defined]

    library = type("Lacking", (made,), {"hello": hello})
    return lambda: (InProcess(library(), kind, trusted=True), Credentials())


FEW: JsonValue = ["hello", "new_state", "apply", "read"]


@pytest.mark.parametrize(
    ("kind", "subject", "asked", "held"),
    [
        ("sdk", lacking(ReferenceSdk, "sdk"), "data-index", None),
        ("sdk", lacking(ReferenceSdk, "sdk", operations=FEW), "data-index", "feed-undone"),
        ("sdk", lacking(ReferenceSdk, "sdk", versions=["v0.9"]), "data-index", "v08-undone"),
        ("sdk", lacking(ReferenceSdk, "sdk", features=[]), "data-index", "stream-multibyte"),
        ("sdk", lacking(ReferenceSdk, "sdk", operations="all"), None, "data-index"),
        ("consumer", lacking(ReferenceConsumer, "consumer"), "words-as-written", "no-code"),
        (
            "consumer",
            lacking(ReferenceConsumer, "consumer", features=[]),
            "words-as-written",
            "delta-confined",
        ),
        (
            "consumer",
            lacking(ReferenceConsumer, "consumer", operations=["hello"], capabilities={}),
            None,
            "words-as-written",
        ),
    ],
    ids=lambda value: "" if callable(value) else str(value),
)
def test_what_is_foreseen_of_a_library_is_what_a_run_says(
    kind: Kind,
    subject: Callable[[], tuple[Subject, Credentials]],
    asked: str | None,
    held: str | None,
) -> None:
    outlooks = same(of(kind), subject, kind)
    would = {name for name, outlook in outlooks.items() if outlook.disposition is None}
    assert asked is None or f"{kind}.{asked}" in would
    assert held is None or f"{kind}.{held}" not in would
    assert bool(would) is (asked is not None)


def test_nothing_is_sent_but_what_the_gates_send() -> None:
    def refuse(request: Request) -> Response:
        return json_answer(404, {"error": "not_found", "message": "no"})

    host = claiming(refuse)

    async def all_of_it() -> None:
        session = Session(host, Options(seed=1), Credentials("owner-key-0000"))
        await session.first_contact()
        await foreseen([s for s in of("host") if s.major == 2], session)

    asyncio.run(all_of_it())
    assert [(request.method, request.target) for request in host.asked] == [
        ("GET", PATH),
        ("POST", SEAM),
    ]


def test_ready_is_who_can_be_asked_and_would_not_be_blocked() -> None:
    chosen = of("host")[0]
    asked, blocked = Outlook(chosen), Outlook(chosen, Disposition.BLOCKED, "why")
    other = Outlook(chosen, Disposition.INAPPLICABLE, "why")
    assert [exit_code(o) for o in ([asked, other], [asked, blocked], [other], [])] == [0, 3, 3, 3]


def test_reasons_are_gathered_and_the_most_frequent_comes_first() -> None:
    chosen = of("host")[:3]
    outlooks = [
        Outlook(chosen[0], Disposition.INAPPLICABLE, "a"),
        Outlook(chosen[1], Disposition.INAPPLICABLE, "b"),
        Outlook(chosen[2], Disposition.INAPPLICABLE, "b"),
        Outlook(chosen[2], Disposition.BLOCKED, "c"),
    ]
    assert gathered(outlooks, Disposition.INAPPLICABLE) == [("b", chosen[1:]), ("a", chosen[:1])]
    assert parted("it does not offer apply_each") == ("it does not offer", "apply_each")
    assert parted("it does not say hello") == ("it does not say hello", "")


# -------------------------------------------------------------------------- what is found


def contact(answer: Response | Exception) -> Finding:
    """What is found of a host whose discovery answers so."""

    async def asked() -> Finding:
        noted = NotedSubject(Scripted(lambda request: answer))
        return await hosts.reached(Session(noted, Options(seed=1), Credentials()), noted)

    return asyncio.run(asked())


JSON = (("content-type", "application/json"),)
HTML = (("content-type", "text/html; charset=utf-8"),)


@pytest.mark.parametrize(
    ("answer", "said", "todo"),
    [
        (
            Response(302, (("location", "https://other.example/x"),), b""),
            "answers 302 and sends to https://other.example/x",
            "name that address",
        ),
        (Response(401, JSON, b"{}"), "answers 401", "without a key"),
        (Response(403, JSON, b"{}"), "answers 403", "without a key"),
        (Response(404, JSON, b"{}"), "answers 404", "path prefix"),
        (Response(404, HTML, b"<html>Not here"), "answers 404", "path prefix"),
        (Response(503, HTML, b"<html>Bad gateway"), "answers 503", "log"),
        (
            Response(200, HTML, b"\n<!doctype html><title>My \n App</title>"),
            "answers with a web page, 'My App'",
            "the host's own address",
        ),
        (Response(200, JSON, b"{"), "is no JSON", "serve the discovery document"),
        (Response(200, JSON, b'{"hello": 1}'), "names no version", "path prefix"),
        (Response(200, JSON, b"[]"), "names no version", "path prefix"),
        (Response(204, (), b""), "answers 204", "path prefix"),
        (ExchangeError("timeout", "it sent nothing for 10 s"), "sent nothing", "--time-scale"),
        (ExchangeError("cut-off", "it broke off"), "broke off", "log"),
        (ExchangeError("transport", "no HTTP"), "no HTTP", "https://"),
        (ZeroDivisionError("oops"), "the adapter failed: ZeroDivisionError: oops", "mend"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_no_discovery_document_is_told_apart(
    answer: Response | Exception, said: str, todo: str
) -> None:
    found = contact(answer)
    assert found.mark == "bad"
    assert said in found.said
    assert todo in found.advice


def test_a_document_of_another_content_type_is_told_and_taken() -> None:
    body = json.dumps({"protocolVersions": ["2.0"]}).encode()
    found = contact(Response(200, (("content-type", "text/plain"),), body))
    assert (found.mark, found.said) == ("lacking", f"{PATH} is served as text/plain")
    assert contact(Response(200, JSON, body)).mark == "good"


def test_who_speaks_no_major_that_is_asked_for_is_not_ready() -> None:
    async def asked(majors: tuple[int, ...], *versions: str) -> list[Finding]:
        host = claiming(lambda request: json_answer(401, {}), protocolVersions=versions)
        noted = NotedSubject(host)
        session = Session(noted, Options(seed=1), Credentials())
        await session.first_contact()
        return await hosts.examined(session, noted, majors)

    found = asyncio.run(asked((1, 2), "3.0"))
    assert [f.mark for f in found] == ["lacking", "lacking", "bad"]
    assert found[-1].said == "it does not speak major 1 or 2"
    assert {f.part for f in asyncio.run(asked((2,), "1.1", "2.0"))} == {"major 2", "keys"}


def keys(statuses: dict[str, int], credentials: Credentials) -> dict[str, Finding]:
    """What is found of the keys where a read by each of them is answered so."""
    names = {
        None: "none",
        "Bearer owner-key-0000": "owner",
        "Bearer other-key-0000": "other",
        "Bearer openwop-conformance-no-such-key": "wrong",
    }

    def answer(request: Request) -> Response:
        whose = names[dict(request.headers).get("Authorization")]
        return json_answer(statuses[whose], {"error": "x", "message": "x"})

    async def asked() -> list[Finding]:
        host = claiming(answer, protocolVersions=["2.0"])
        noted = NotedSubject(host)
        session = Session(noted, Options(seed=1), credentials)
        await session.first_contact()
        found = await hosts.examined(session, noted)
        assert {request.method for request in host.asked} == {"GET"}
        return found

    return {f.what: f for f in asyncio.run(asked()) if f.part == "keys"}


GIVEN = Credentials("owner-key-0000", "other-key-0000", "canary-0000")
CLOSED = {"none": 401, "wrong": 401, "owner": 404, "other": 404}


@pytest.mark.parametrize(
    ("changed", "mark", "said"),
    [
        ({}, "good", "taken; a made-up key is answered 401"),
        ({"owner": 401}, "bad", "the host does not know it (401)"),
        ({"owner": 403}, "bad", "known, and may not read runs (403)"),
        ({"owner": 500}, "bad", "answered 500"),
        ({"none": 404, "wrong": 404}, "lacking", "a made-up key is answered 404 as well"),
    ],
)
def test_a_key_is_held_to_a_made_up_one(changed: dict[str, int], mark: str, said: str) -> None:
    found = keys({**CLOSED, **changed}, GIVEN)
    assert found["OPENWOP_API_KEY"].mark == mark
    assert said in found["OPENWOP_API_KEY"].said
    assert found["OPENWOP_CANARY_SECRET_VALUE"].mark == "good"


def test_a_key_that_is_wanted_and_not_given_is_named() -> None:
    found = keys(CLOSED, Credentials())
    assert [f.mark for f in found.values()] == ["bad", "lacking", "lacking"]
    assert "OPENWOP_API_KEY" in found["OPENWOP_API_KEY"].advice
    found = keys({**CLOSED, "none": 404}, Credentials())
    assert found["OPENWOP_API_KEY"].mark == "lacking"
    assert "is the host open?" in found["OPENWOP_API_KEY"].said
