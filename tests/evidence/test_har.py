"""HAR: what an archive holds of each exchange, and that it is one by the rules of HAR 1.2."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from openwop_conformance.adapters.host import Bounds, Chunk, Request, Response, Stream
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.errors import ExchangeError, UnreachableError, UsageError
from openwop_conformance.evidence.har import har_of
from openwop_conformance.evidence.recording import RecordingHost
from openwop_conformance.evidence.redaction import Redaction
from openwop_conformance.evidence.trace import Trace, TraceWriter, read_trace

HEADER: Final[dict[str, Any]] = {
    "suite": {"name": "openwop-conformance", "version": "0.1.0"},
    "corpus": "a" * 64,
    "subject": "https://host.example/base/",
    "seed": 5,
    "leftOut": 0,
    "scenarios": [],
    "jobs": 1,
    "timeScale": 1,
    "optedOut": [],
    "given": [],
    "began": "2026-11-30T11:45:10+00:00",
}
FOOTER: Final = {"record": "footer", "rows": "b" * 64}


# ------------------------------------------------------------------- the rules of HAR 1.2


def shape(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    """An object of the specification: nothing else is in it but a comment, and ``_`` members."""
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **(optional or {}), "comment": {"type": "string"}},
        "patternProperties": {"^_": {}},
        "additionalProperties": False,
    }


def lists(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


TEXT = {"type": "string"}
SIZE = {"type": "integer", "minimum": -1}
TIME = {"type": "number", "minimum": 0}
URL = {"type": "string", "pattern": "^https?://[^/#]+/[^#]*$"}
PAIRS = lists(shape({"name": TEXT, "value": TEXT}))
POSTED = shape({"mimeType": TEXT, "text": TEXT})
CONTENT = shape(
    {"size": {"type": "integer", "minimum": 0}, "mimeType": TEXT},
    {"text": TEXT, "encoding": {"const": "base64"}},
)
MESSAGE = {
    "httpVersion": TEXT,
    "cookies": PAIRS,
    "headers": PAIRS,
    "headersSize": SIZE,
    "bodySize": SIZE,
}
ENTRY = shape(
    {
        "startedDateTime": {
            "type": "string",
            "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+(Z|[+-]\d\d:\d\d)$",
        },
        "time": TIME,
        "request": shape(
            {"method": TEXT, "url": URL, "queryString": PAIRS, **MESSAGE}, {"postData": POSTED}
        ),
        "response": shape(
            {
                "status": {"type": "integer"},
                "statusText": TEXT,
                "content": CONTENT,
                "redirectURL": TEXT,
                **MESSAGE,
            }
        ),
        "cache": shape({}),
        "timings": shape({"send": TIME, "wait": TIME, "receive": TIME}),
    }
)
LOG = shape(
    {
        "version": {"const": "1.2"},
        "creator": shape({"name": TEXT, "version": TEXT}),
        "entries": lists(ENTRY),
    }
)
HAR = Draft202012Validator(shape({"log": LOG}))


def held(archive: dict[str, Any]) -> list[dict[str, Any]]:
    """The entries of an archive that keeps the rules."""
    again = json.loads(json.dumps(archive, allow_nan=False))
    assert [error.message for error in HAR.iter_errors(again)] == []
    for entry in again["log"]["entries"]:
        assert entry["time"] == sum(entry["timings"].values())
    entries: list[dict[str, Any]] = again["log"]["entries"]
    return entries


def trace(*records: dict[str, Any], footer: Any = FOOTER, **header: Any) -> Trace:
    return Trace({**HEADER, **header}, records, footer)


def asked(n: int = 1, at: float = 1, **members: Any) -> dict[str, Any]:
    request: dict[str, Any] = {
        "scope": "s",
        "method": "GET",
        "target": "/t",
        "headers": [],
        "body": None,
    }
    return {"record": "request", "n": n, "at": at, **request, **members}


def heard(record: str, n: int = 1, at: float = 2, **members: Any) -> dict[str, Any]:
    if record == "reply":
        members = {"status": 200, "headers": [], **members}
    return {"record": record, "n": n, "at": at, **members}


# --------------------------------------------------------------------------- each exchange


def test_a_whole_exchange_is_an_entry_with_all_that_the_trace_holds() -> None:
    request = asked(
        at=1.25,
        scope="host.v2.limits",
        method="POST",
        target="/runs?a=1&b&c=x%20y&a=",
        headers=[["Content-Type", "application/json"], ["Cookie", "k=v; l=w=x"]],
        body='{"é":1}',
    )
    reply = heard(
        "reply",
        at=1.5,
        status=201,
        headers=[["content-type", "text/plain"], ["location", "/r"], ["set-cookie", "s=1; Path=/"]],
        body="naïve",
    )

    (entry,) = held(har_of(trace(request, reply)))
    assert entry == {
        "startedDateTime": "2026-11-30T11:45:11.250000+00:00",
        "time": 250,
        "request": {
            "method": "POST",
            "url": "https://host.example/base/runs?a=1&b&c=x%20y&a=",
            "httpVersion": "HTTP/1.1",
            "headers": [
                {"name": "Content-Type", "value": "application/json"},
                {"name": "Cookie", "value": "k=v; l=w=x"},
            ],
            "queryString": [
                {"name": "a", "value": "1"},
                {"name": "b", "value": ""},
                {"name": "c", "value": "x%20y"},
                {"name": "a", "value": ""},
            ],
            "cookies": [{"name": "k", "value": "v"}, {"name": "l", "value": "w=x"}],
            "headersSize": -1,
            "bodySize": 8,
            "postData": {"mimeType": "application/json", "text": '{"é":1}'},
        },
        "response": {
            "status": 201,
            "statusText": "Created",
            "httpVersion": "HTTP/1.1",
            "headers": [
                {"name": "content-type", "value": "text/plain"},
                {"name": "location", "value": "/r"},
                {"name": "set-cookie", "value": "s=1; Path=/"},
            ],
            "cookies": [{"name": "s", "value": "1"}],
            "content": {"size": 6, "mimeType": "text/plain", "text": "naïve"},
            "redirectURL": "/r",
            "headersSize": -1,
            "bodySize": 6,
        },
        "cache": {},
        "timings": {"send": 0, "wait": 250, "receive": 0},
        "comment": "host.v2.limits",
        "_exchange": 1,
    }


def test_a_streams_chunks_are_joined_and_each_ones_arrival_is_told() -> None:
    cut = [base64.b64encode(part).decode() for part in (b"data: \xc3", b"\xa9\n\n")]
    chunks = [heard("chunk", at=3 + i, data={"base64": data}) for i, data in enumerate(cut)]

    (entry,) = held(har_of(trace(asked(), heard("reply"), *chunks, heard("end", at=6))))
    assert entry["response"]["content"]["text"] == "data: é\n\n"
    assert entry["response"]["_chunks"] == [{"at": 3, "bytes": 7}, {"at": 4, "bytes": 3}]
    assert entry["timings"] == {"send": 0, "wait": 1000, "receive": 4000}
    assert "comment" not in entry["response"]


@pytest.mark.parametrize("end", [[], [heard("left", at=4)]], ids=["unread", "left"])
def test_a_stream_that_was_not_read_to_its_end_says_so(end: list[dict[str, Any]]) -> None:
    (entry,) = held(har_of(trace(asked(), heard("reply"), heard("chunk", data="x"), *end)))

    assert entry["response"]["comment"] == "The stream was not read to its end."
    assert (entry["response"]["status"], "_error" in entry["response"]) == (200, False)


def test_bytes_that_are_not_utf_8_are_base64_in_both_directions() -> None:
    data = {"base64": base64.b64encode(b"\xff\x00").decode()}

    (entry,) = held(har_of(trace(asked(body=data), heard("reply", body=data))))
    assert entry["request"]["postData"] == {"mimeType": "", "text": "/wA=", "_encoding": "base64"}
    assert entry["response"]["content"] == {
        "size": 2,
        "mimeType": "",
        "text": "/wA=",
        "encoding": "base64",
    }


@pytest.mark.parametrize(
    ("record", "error"),
    [
        (heard("fault", error="exchange", kind="slow", message="m"), "exchange slow: m"),
        (heard("fault", error="unreachable", kind="", message="refused"), "unreachable: refused"),
        (heard("fault", error="answer", kind="NoneType"), "answer NoneType"),
        (heard("left"), "left before an answer"),
        (None, "the trace holds no answer"),
    ],
    ids=str,
)
def test_an_exchange_without_an_answer_has_status_0_and_its_error(
    record: dict[str, Any] | None, error: str
) -> None:
    records = [record] if record else []

    (entry,) = held(har_of(trace(asked(), *records)))

    assert (entry["response"]["status"], entry["response"]["_error"]) == (0, error)
    assert entry["response"]["content"] == {"size": 0, "mimeType": ""}
    assert entry["timings"]["wait"] == (1000 if record else 0)


def test_a_stream_that_broke_off_keeps_its_status_and_what_came() -> None:
    fault = heard("fault", at=4, error="exchange", kind="cut-off", message="gone")

    (entry,) = held(har_of(trace(asked(), heard("reply"), heard("chunk", data="x"), fault)))
    assert entry["response"]["_error"] == "exchange cut-off: gone"
    assert (entry["response"]["status"], entry["response"]["content"]["text"]) == (200, "x")


def test_a_body_that_was_coded_on_the_wire_has_no_known_size_there() -> None:
    reply = heard("reply", headers=[["content-encoding", "gzip"]], body="xxx")

    (entry,) = held(har_of(trace(asked(), reply)))
    assert (entry["response"]["bodySize"], entry["response"]["content"]["size"]) == (-1, 3)


@pytest.mark.parametrize(
    ("subject", "url"),
    [
        ("http://h:1", "http://h:1/t"),
        ("HTTPS://h/", "HTTPS://h/t"),
        ("reference", "http://localhost/t"),
        ("reference?floor=v1", "http://localhost/t"),
        ("httpx:thing", "http://localhost/t"),
    ],
)
def test_the_url_is_the_subjects_where_it_has_one(subject: str, url: str) -> None:
    entry = har_of(trace(asked(), subject=subject))["log"]["entries"][0]

    assert entry["request"]["url"] == url


def test_entries_stand_in_the_order_of_their_requests_however_answers_came() -> None:
    records = [asked(1), asked(2), heard("reply", 2, body="b"), heard("reply", 1, body="a")]
    other: list[dict[str, Any]] = [
        {"record": "clock", "scope": "s", "at": 1},
        {"record": "row", "row": {}},
    ]

    entries = held(har_of(trace(*other, *records)))
    assert [entry["_exchange"] for entry in entries] == [1, 2]
    assert [entry["response"]["content"]["text"] for entry in entries] == ["a", "b"]


def test_a_trace_without_its_end_says_so() -> None:
    assert "comment" not in har_of(trace())["log"]
    log = har_of(trace(footer=None))["log"]
    assert log["comment"].startswith("The run died, or its trace grew too large")
    assert held({"log": log}) == []


@pytest.mark.parametrize(
    "records",
    [
        [heard("reply", body="")],
        [asked(), asked()],
        [asked(at=1e300)],
        [asked(), heard("reply", at=10**400, body="")],
        [asked(body={"base64": "x"})],
    ],
    ids=["unasked", "asked-twice", "never", "beyond", "no-base64"],
)
def test_what_no_run_records_is_refused(records: Sequence[dict[str, Any]]) -> None:
    with pytest.raises(UsageError, match=r"^exchange 1 of the trace "):
        har_of(trace(*records))


@pytest.mark.parametrize("began", ["9999-12-31T23:59:59Z", "2026-11-30T11:45:10", "2026"])
def test_a_date_that_none_can_be_counted_from_is_refused(began: str) -> None:
    with pytest.raises(UsageError, match=r"^exchange 1 of the trace is of no run: "):
        har_of(trace(asked(), began=began))


texts = st.text(st.characters(exclude_categories=["Cs"]))
headers = st.lists(st.lists(texts, min_size=2, max_size=2))
known = st.lists(
    st.tuples(st.sampled_from(["cookie", "set-cookie", "content-type", "location"]), texts)
).map(lambda pairs: [list(pair) for pair in pairs])
datas = texts | st.binary().map(lambda data: {"base64": base64.b64encode(data).decode()})
moments = st.floats(-1e6, 1e6)


@given(st.data())
def test_hostile_text_stays_text_and_the_archive_keeps_the_rules(data: st.DataObject) -> None:
    draw = data.draw
    target = "/" + draw(texts).replace("#", "")
    lines = draw(headers) + draw(known)
    body = draw(datas)
    request = asked(
        at=draw(moments), scope=draw(texts), method=draw(texts), target=target, headers=lines
    )
    reply = heard("reply", at=draw(moments), status=draw(st.integers()), headers=lines)
    chunk = heard("chunk", at=draw(moments), data=body)
    fault = heard("fault", at=draw(moments), error="adapter", kind=draw(texts), message=draw(texts))

    archive = har_of(trace(request, reply, chunk, fault))
    (entry,) = held(archive)
    assert json.dumps(archive).isascii()
    assert entry["comment"] == request["scope"]
    assert entry["request"]["url"] == "https://host.example/base" + target
    for side in ("request", "response"):
        assert [[line["name"], line["value"]] for line in entry[side]["headers"]] == lines
    content = entry["response"]["content"]
    text = content["text"]
    binary = base64.b64decode(text) if "encoding" in content else text.encode()
    assert binary == (body.encode() if isinstance(body, str) else base64.b64decode(body["base64"]))


# ----------------------------------------------------------------------- a recorded host

KEY, CANARY = "key-0123456789", 'can"ary/0123456789'


class Leaky:
    """A host that gives away every secret, in one piece and in two."""

    name = "leaky"

    def __init__(self) -> None:
        self.status = 200
        self.headers: tuple[tuple[str, str], ...] = (("set-cookie", f"k={KEY}"), ("x", CANARY))

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        if request.target == "/gone":
            raise UnreachableError(f"no {KEY} here")
        return Response(200, self.headers, json.dumps([KEY, CANARY]).encode())

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        yield self

    async def chunks(self) -> AsyncIterator[Chunk]:
        for part in (f"{KEY} {KEY[:7]}", f"{KEY[7:]} é".encode()[:-1], b"\xa9"):
            yield Chunk(part if isinstance(part, bytes) else part.encode(), 0)
        raise ExchangeError("cut-off", f"after {CANARY}")

    async def close(self) -> None: ...


@pytest.fixture
def leaked(tmp_path: Path) -> Trace:
    credentials = Credentials(owner=KEY, canary=CANARY)
    writer = TraceWriter(tmp_path / "t", HEADER)
    host = RecordingHost(Leaky(), writer, Redaction(credentials))
    percent = "".join(f"%{ord(letter):02X}" for letter in KEY)
    request = Request(
        "POST", f"/t?k={KEY}&p={percent}", (("Authorization", f"Bearer {KEY}"),), CANARY.encode()
    )

    async def run() -> None:
        await host.exchange(request, Bounds())
        with pytest.raises(UnreachableError):
            await host.exchange(Request("GET", "/gone"), Bounds())
        async with host.stream(request, Bounds()) as stream:
            with pytest.raises(ExchangeError):
                [chunk async for chunk in stream.chunks()]

    asyncio.run(run())
    writer.write(FOOTER)
    writer.close()
    return read_trace(tmp_path / "t")


def test_no_secret_that_a_host_gives_away_is_in_the_archive(leaked: Trace) -> None:
    archive = har_of(leaked)
    entries = held(archive)
    text = json.dumps(archive)
    spelt = (KEY, CANARY, json.dumps(CANARY)[1:-1], json.dumps(json.dumps(CANARY)[1:-1])[1:-1])

    assert len(entries) == 3
    assert [secret for secret in spelt if secret in text] == []
    assert entries[0]["request"]["headers"] == [
        {"name": "Authorization", "value": "Bearer $OPENWOP_API_KEY"}
    ]
    assert entries[0]["request"]["queryString"] == [
        {"name": "k", "value": "$OPENWOP_API_KEY"},
        {"name": "p", "value": "$OPENWOP_API_KEY"},
    ]
    assert entries[0]["response"]["cookies"] == [{"name": "k", "value": "$OPENWOP_API_KEY"}]
    assert entries[1]["response"]["_error"] == "unreachable: no $OPENWOP_API_KEY here"
    assert entries[2]["response"]["content"]["text"].startswith("$OPENWOP_API_KEY $OPENWOP_API_KEY")
    assert entries[2]["response"]["_error"] == (
        "exchange cut-off: after $OPENWOP_CANARY_SECRET_VALUE"
    )
