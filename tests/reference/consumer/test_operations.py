"""The calls: each answer is as the line's schema has it, in this process and over a pipe."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from openwop_conformance.errors import CallError, UsageError
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.reference.consumer.connect import reference_consumer
from openwop_conformance.reference.consumer.operations import OPERATIONS, ReferenceConsumer
from openwop_conformance.schemas import schema, validator

from .envelopes import button, column, create, delta, payload, textbox, tree, update

LINE = "consumer-line"
ENVELOPE = {
    "payload": payload(create(), update(column("t", "b"), textbox("t", "/x"), *button("b"))),
    "schemaVersion": 2,
    "sequence": 1,
}
LEGACY = {
    "payload": tree({"component": "text", "text": "x"}),
    "schemaVersion": 1,
    "sequence": 2,
}
PATCH = {"op": "replace", "path": "/components/0/text", "value": "y"}
C = {"consumer": "c"}
CALLS: list[tuple[str, JsonValue]] = [
    ("hello", {"protocol": 1}),
    ("open", C),
    ("deliver", {**C, "envelope": ENVELOPE}),
    ("deliver", {**C, "envelope": LEGACY}),
    ("frame", {**C, "frame": delta("2", PATCH), "sequence": 3}),
    ("set", {**C, "surface": "s", "role": "textbox", "name": "t", "value": "é"}),
    ("rendered", C),
    ("fire", {**C, "surface": "s", "name": "b"}),
    ("submitted", C),
    ("close", C),
]


def lines() -> list[JsonValue]:
    made = [{"id": n, "call": call, "with": given} for n, (call, given) in enumerate(CALLS, 1)]
    assert all(validator(LINE).is_valid(line) for line in made)
    return made


def answered(line: JsonValue, subject: ReferenceConsumer) -> JsonValue:
    return {"id": line["id"], "result": getattr(subject, line["call"])(**line["with"])}


def test_every_call_but_attempts_is_offered_and_answered_as_its_schema_has_it() -> None:
    subject = ReferenceConsumer()
    known = schema(LINE)["$defs"]["call"]["properties"]["call"]["enum"]
    assert list(OPERATIONS) == [call for call in known if call != "attempts"]

    answers = [answered(line, subject) for line in lines()]

    for (call, _), answer in zip(CALLS, answers, strict=True):
        assert validator(LINE).is_valid(answer)
        assert validator(LINE, f"result_{call}").is_valid(answer["result"]), call
    assert answers[6]["result"]["surfaces"].keys() == {"s", "2"}
    assert answers[8]["result"]["submissions"][0]["data"] == {"x": "é"}


def test_it_does_not_say_that_it_sees_the_network_as_it_has_none() -> None:
    assert "network" not in ReferenceConsumer().hello(1)["features"]


def test_a_consumer_that_was_not_opened_or_was_closed_is_an_error_of_the_call() -> None:
    subject = ReferenceConsumer()
    subject.open("c")
    subject.close("c")

    with pytest.raises(CallError, match="no consumer 'c'") as caught:
        subject.rendered("c")
    assert caught.value.kind == "state"


def test_a_consumer_that_is_opened_again_has_received_nothing() -> None:
    subject = ReferenceConsumer()
    for _ in range(2):
        subject.open("c")
        assert subject.rendered("c") == {"surfaces": {}}
        subject.deliver("c", ENVELOPE)


def test_arguments_are_refused() -> None:
    with pytest.raises(UsageError, match="takes no colour"):
        reference_consumer(colour="red")


def test_the_program_answers_lines_as_the_object_answers_calls() -> None:
    asked = [*lines(), {"id": 99, "call": "rendered", "with": C}]
    program = subprocess.run(
        [sys.executable, "-m", "openwop_conformance.reference.consumer.connect"],
        input="".join(json.dumps(line) + "\n" for line in asked).encode(),
        capture_output=True,
        check=True,
        timeout=60,
    )

    *told, last = (parse(line) for line in program.stdout.splitlines())

    subject = ReferenceConsumer()
    here = [answered(line, subject) for line in lines()]
    for answers in (told, here):
        assert answers[8]["result"]["submissions"][0].pop("timestamp")
    assert told == here
    assert last == {"id": 99, "error": {"kind": "state", "message": "there is no consumer 'c'"}}
