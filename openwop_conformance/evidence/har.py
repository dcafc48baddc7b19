"""HAR: a trace's exchanges as an HTTP Archive 1.2, for the tools that read those.

What HAR asks for and a trace does not hold is given as HAR's own "unknown", but for
``httpVersion``, which is the adapters' HTTP/1.1. Members that begin with ``_`` are ours.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Final

from ..adapters.calls import METHOD
from ..errors import UsageError
from ..jsonvalue import JsonValue
from .trace import Record, Trace, data_from_json

_HTTP: Final = "HTTP/1.1"
_MILLISECOND: Final = timedelta(milliseconds=1)
_CUT: Final = "The run died, or its trace grew too large: what came later is not here."


def har_of(trace: Trace) -> dict[str, JsonValue]:
    """The archive of a trace: an entry an exchange, in the order in which they were asked.

    An entry's ``comment`` is the scenario that asked, its ``_exchange`` the trace's ``n``. A
    stream's chunks are joined; ``_chunks`` says when each came: ``at`` in seconds since the run
    began, as in the trace, and its size in ``bytes``. Without an answer ``status`` is 0; whatever
    broke an exchange off is ``_error``. Raises ``UsageError`` for what no run records.
    """
    suite = trace.header["suite"]
    log: Record = {
        "version": "1.2",
        "creator": {"name": suite["name"], "version": suite["version"]},
        "entries": list(_entries(trace)),
    }
    if trace.footer is None:
        log["comment"] = _CUT
    return {"log": log}


def _entries(trace: Trace) -> Iterator[Record]:
    subject: str = trace.header["subject"]
    if any(record.get("method") == METHOD for record in trace.records):
        raise UsageError(
            "the trace is that of an SDK or a consumer: its calls are no HTTP, and make no HAR"
        )
    is_url = subject.lower().startswith(("http://", "https://"))
    base = subject.rstrip("/") if is_url else "http://localhost"
    for number, (asked, *heard) in _exchanges(trace).items():
        try:
            yield _entry(base, _date(trace.header["began"]), asked, heard)
        except (ValueError, OverflowError) as error:  # a date, a moment or Base64 that is none
            raise UsageError(f"exchange {number} of the trace is of no run: {error}") from None


def _date(text: str) -> datetime:
    date = datetime.fromisoformat(text)
    if date.tzinfo is None:
        raise ValueError(f"{text!r} has no offset")
    return date


def _exchanges(trace: Trace) -> dict[int, list[Record]]:
    found: dict[int, list[Record]] = {}
    for record in trace.records:
        if "n" not in record:
            continue
        number: int = record["n"]
        if (record["record"] == "request") == (number in found):
            raise UsageError(f"exchange {number} of the trace has not one request before all else")
        found.setdefault(number, []).append(record)
    return found


def _entry(base: str, began: datetime, asked: Record, heard: list[Record]) -> Record:
    reply = next((record for record in heard if record["record"] == "reply"), None)
    last = heard[-1]["at"] if heard else asked["at"]
    answered = last if reply is None else reply["at"]
    wait, receive = _milliseconds(asked["at"], answered), _milliseconds(answered, last)
    started = began + timedelta(seconds=asked["at"])
    return {
        "startedDateTime": started.isoformat(timespec="microseconds"),
        "time": wait + receive,
        "request": _request(base, asked),
        "response": _response(reply, heard),
        "cache": {},
        "timings": {"send": 0, "wait": wait, "receive": receive},
        "comment": asked["scope"],
        "_exchange": asked["n"],
    }


def _milliseconds(since: float, until: float) -> float:
    return max(0.0, (timedelta(seconds=until) - timedelta(seconds=since)) / _MILLISECOND)


def _request(base: str, asked: Record) -> Record:
    """The request. Its query stays as it is spelt: decoded, it could spell what was redacted."""
    query = asked["target"].partition("?")[2]
    pairs = [pair.partition("=") for pair in query.split("&") if pair]
    body = b"" if asked["body"] is None else data_from_json(asked["body"])
    request: Record = {
        "method": asked["method"],
        "url": base + asked["target"],
        "httpVersion": _HTTP,
        "headers": _headers(asked),
        "queryString": [{"name": name, "value": value} for name, _, value in pairs],
        "cookies": [
            cookie
            for line in _values(asked, "cookie")
            for part in line.split(";")
            for cookie in _cookie(part)
        ],
        "headersSize": -1,
        "bodySize": len(body),
    }
    if asked["body"] is not None:
        text, binary = _text(body)
        posted = {"mimeType": _value(asked, "content-type"), "text": text}
        request["postData"] = posted | ({"_encoding": "base64"} if binary else {})
    return request


def _response(reply: Record | None, heard: list[Record]) -> Record:
    response: Record = _unanswered() if reply is None else _answer(reply, heard)
    fault = next((record for record in heard if record["record"] == "fault"), None)
    ends = {record["record"] for record in heard}
    if fault is not None:
        what = f"{fault['error']} {fault['kind']}".rstrip()
        response["_error"] = f"{what}: {fault['message']}" if "message" in fault else what
    elif reply is None:
        left = "left" in ends
        response["_error"] = "left before an answer" if left else "the trace holds no answer"
    elif "body" not in reply and "end" not in ends:
        response["comment"] = "The stream was not read to its end."
    return response


def _answer(reply: Record, heard: list[Record]) -> Record:
    chunks = [record for record in heard if record["record"] == "chunk"]
    parts = [data_from_json(chunk["data"]) for chunk in chunks]
    body = data_from_json(reply.get("body", "")) + b"".join(parts)
    text, binary = _text(body)
    content: Record = {"size": len(body), "mimeType": _value(reply, "content-type"), "text": text}
    response: Record = {
        "status": reply["status"],
        "statusText": _phrase(reply["status"]),
        "httpVersion": _HTTP,
        "headers": _headers(reply),
        "cookies": [
            cookie
            for line in _values(reply, "set-cookie")
            for cookie in _cookie(line.partition(";")[0])
        ],
        "content": content | ({"encoding": "base64"} if binary else {}),
        "redirectURL": _value(reply, "location"),
        "headersSize": -1,
        "bodySize": -1 if _values(reply, "content-encoding") else len(body),
    }
    if "body" not in reply:
        response["_chunks"] = [
            {"at": chunk["at"], "bytes": len(part)}
            for chunk, part in zip(chunks, parts, strict=True)
        ]
    return response


def _unanswered() -> Record:
    return {
        "status": 0,
        "statusText": "",
        "httpVersion": "",
        "headers": [],
        "cookies": [],
        "content": {"size": 0, "mimeType": ""},
        "redirectURL": "",
        "headersSize": -1,
        "bodySize": -1,
    }


def _text(data: bytes) -> tuple[str, bool]:
    """Bytes as text, and whether that is Base64, for what is not UTF-8."""
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return base64.b64encode(data).decode(), True


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def _headers(record: Record) -> list[JsonValue]:
    return [{"name": name, "value": value} for name, value in record["headers"]]


def _values(record: Record, name: str) -> list[str]:
    return [value for known, value in record["headers"] if known.lower() == name]


def _value(record: Record, name: str) -> str:
    return next(iter(_values(record, name)), "")


def _cookie(text: str) -> Iterator[JsonValue]:
    name, equals, value = text.strip().partition("=")
    if equals:
        yield {"name": name, "value": value}
