"""Objects in this process as subjects: what they return, refuse and break."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from openwop_conformance.adapters.calls import InProcess, call
from openwop_conformance.adapters.connect import SDK_FORMS, connect_sdk
from openwop_conformance.adapters.host import Bounds, Response
from openwop_conformance.errors import CallError, ExchangeError, UsageError
from openwop_conformance.jsonvalue import JsonValue, parse


class Library:
    """A little of everything."""

    def __init__(self) -> None:
        self.work = 0

    def hello(self, protocol: int) -> JsonValue:
        return {"protocol": protocol}

    def echo(self, **given: Any) -> JsonValue:
        self.work += 1
        given["changed"] = True
        return given

    def refuse(self) -> JsonValue:
        details = [{"path": "/a", "code": "X", "message": "m"}]
        raise CallError("integrity", "no root", details=details, partial_results=[{"text": "t"}])

    def crash(self) -> JsonValue:
        raise KeyError("surfaceId")

    def half(self) -> JsonValue:
        return {"a": "\ud800"}

    def refuses_in_halves(self) -> JsonValue:
        raise CallError("integrity", "no \ud800 root")

    def no_json(self) -> JsonValue:
        return {"a": {1, 2}}

    def not_a_number(self) -> JsonValue:
        return float("nan")

    def halves(self) -> JsonValue:
        return ["Zoë", "\ud83d\ude00"]

    def sleep(self) -> JsonValue:
        time.sleep(0.4)
        return {}

    def large(self) -> JsonValue:
        return "x" * 5000


@pytest.mark.parametrize("trusted", [False, True])
def test_a_result_and_the_count_of_work_come_back(trusted: bool) -> None:
    response = answered("echo", {"a": [1]}, trusted=trusted)
    assert response.status == 200
    assert parse(response.body) == {"result": {"a": [1], "changed": True}, "work": 1}


def test_a_character_in_two_halves_is_one_in_the_text() -> None:
    assert answered("halves", {}).body == '{"result":["Zoë","😀"],"work":0}'.encode()


def test_a_refusal_tells_kind_place_and_partial_results() -> None:
    response = answered("refuse")
    assert response.status == 422
    assert parse(response.body)["error"] == {
        "kind": "integrity",
        "message": "no root",
        "details": [{"path": "/a", "code": "X", "message": "m"}],
        "partial_results": [{"text": "t"}],
    }


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("crash", {}, "KeyError: 'surfaceId'"),
        ("half", {}, "UnicodeDecodeError"),
        ("no_json", {}, "TypeError"),
        ("not_a_number", {}, "ValueError"),
        ("crash", {"unknown": 1}, "TypeError"),
    ],
)
def test_what_is_not_raised_on_purpose_is_a_crash(name: str, given: JsonValue, why: str) -> None:
    response = answered(name, given)
    error = parse(response.body)["error"]
    assert (response.status, error["kind"]) == (500, "crash")
    assert why in error["message"]


@pytest.mark.parametrize("trusted", [True, False])
def test_half_a_character_in_the_words_of_a_refusal_loses_nobody(trusted: bool) -> None:
    subject = InProcess(Library(), "a library", trusted=trusted)
    response = asyncio.run(subject.exchange(call("refuses_in_halves", {}), Bounds(total=5)))
    assert parse(response.body)["error"] == {"kind": "integrity", "message": "no ? root"}


@pytest.mark.parametrize("name", ["missing", "__class__x", "work"])
def test_what_is_not_there_is_unsupported(name: str) -> None:
    assert answered(name).status == 501


def test_a_call_that_does_not_end_loses_the_subject() -> None:
    async def ask() -> list[str]:
        subject = InProcess(Library(), "lab")
        kinds = []
        for name in ("sleep", "echo"):
            try:
                await subject.exchange(call(name, {}), Bounds(total=0.05))
            except ExchangeError as error:
                kinds.append(f"{error.kind}: {error}")
        await subject.close()
        return kinds

    first, second = asyncio.run(ask())
    assert first.startswith("timeout: the call took more than 0.05 s")
    assert second == "timeout: a call before this one has not ended"


def test_an_answer_that_is_too_large_is_none() -> None:
    with pytest.raises(ExchangeError, match="more than 2000 bytes"):
        answered("large", bounds=Bounds(body=2000))


@pytest.mark.parametrize(
    ("connectable", "why"),
    [
        ("http://localhost:1", "'http' is no scheme of an SDK"),
        ("py:tests.adapters.test_calls:Nothing", "no SDK: it has no hello()"),
        ("py:tests.adapters.test_calls:missing", "no attribute 'missing'"),
        ("py:tests.adapters.test_calls:Library()", "needs no '()'"),
        ("stdio:", "followed by a command"),
        ("no such", "names no SDK"),
        ("unknown", "is no entry point of openwop_conformance.sdks"),
        ("reference?speed=1", "takes counts=yes or no, and sabotage=NAME"),
        ("reference?sabotage=sdk-null-remove", "near it: sdk-null-removes"),
    ],
)
def test_a_mistake_is_named_and_the_forms_are_shown(connectable: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        connect_sdk(connectable)
    assert why in str(caught.value)
    assert SDK_FORMS in str(caught.value)


def test_a_class_of_ones_own_is_a_subject() -> None:
    subject = connect_sdk("py:tests.adapters.test_calls:Library")
    assert subject.name == "py:tests.adapters.test_calls:Library"


class Nothing:
    """No SDK."""


def answered(
    name: str, given: JsonValue = None, *, trusted: bool = False, bounds: Bounds | None = None
) -> Response:
    async def ask() -> Response:
        subject = InProcess(Library(), "lab", trusted=trusted)
        try:
            return await subject.exchange(call(name, given or {}), bounds or Bounds())
        finally:
            await subject.close()

    return asyncio.run(ask())
