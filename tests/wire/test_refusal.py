"""The closed error envelope, and what is wrong with an answer that is not one."""

from __future__ import annotations

import json

import pytest

from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.wire.refusal import STATUS_OF, code_of, problem_of, rule_of

from ..shared_data import shared


def body(code: JsonValue = "not_found", **more: JsonValue) -> dict[str, JsonValue]:
    return {"error": code, "message": "No.", **more}


@pytest.mark.parametrize(("code", "status"), STATUS_OF.items())
def test_a_registered_code_has_its_one_status(code: str, status: int) -> None:
    assert 400 <= status < 600
    assert problem_of(status, body(code)) is None
    assert problem_of(status, body(code, details={"rule": "fold"})) is None
    wrong = problem_of(418, body(code))
    assert wrong == f"{code} is registered with status {status}, not 418"


def test_the_codes_that_a_surface_is_refused_with() -> None:
    assert STATUS_OF["validation_error"] == 400
    assert STATUS_OF["forbidden"] == 403
    assert STATUS_OF["envelope_correlation_conflict"] == 409
    assert {
        STATUS_OF[code]
        for code in ("envelope_invalid", "unknown_envelope_kind", "unknown_schema_version")
    } == {422}


@pytest.mark.parametrize("code", ["acme.too_big", "acme-corp.no", "a1-b2.c_d3"])
def test_a_vendor_s_code_may_have_any_status(code: str) -> None:
    assert problem_of(400, body(code)) is None
    assert problem_of(503, body(code)) is None


@pytest.mark.parametrize(
    "code",
    [
        "envelope_rejected",
        "ENVELOPE_INVALID",
        "openwop.envelope_invalid",
        "Acme.x",
        "acme.X",
        "acme.",
        ".x",
        "acme.x.y",
        "acme_corp.x",
        "acme-.x",
        "acme.x\n",
        "1acme.x",
        "acme.x-y",
        "ácme.x",
    ],
)
def test_any_other_code_is_a_problem(code: str) -> None:
    found = problem_of(422, body(code))
    assert found is not None
    assert "neither a registered code nor a vendor's" in found


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": "not_found", "message": "No."}},
        {"error": {"code": "not_found"}, "message": "No."},
        {"error": "not_found"},
        {"message": "No."},
        body(""),
        {"error": "not_found", "message": ""},
        body(status=404),
        body(retryAfter=1),
        body(details="fold"),
        body(details=None),
        body(None),
        [],
        None,
        "not_found",
    ],
)
def test_what_is_not_the_closed_envelope_is_a_problem(answer: JsonValue) -> None:
    found = problem_of(404, answer)
    assert found is not None
    assert found.startswith("the error body is not the closed envelope: ")


@pytest.mark.parametrize(
    ("answer", "code", "rule"),
    [
        (body("envelope_invalid", details={"rule": "fold"}), "envelope_invalid", "fold"),
        (body("envelope_invalid"), "envelope_invalid", None),
        (body("envelope_invalid", details={"rule": 7}), "envelope_invalid", None),
        (body("envelope_invalid", details=["rule"]), "envelope_invalid", None),
        ({"error": {"code": "x"}, "details": None}, None, None),
        ({"details": {"rule": "fold"}}, None, "fold"),
        ([], None, None),
        (None, None, None),
        ("text", None, None),
    ],
)
def test_code_and_rule_are_read_from_whatever_was_answered(
    answer: JsonValue, code: str | None, rule: str | None
) -> None:
    assert code_of(answer) == code
    assert rule_of(answer) == rule


def test_the_recorded_errors_of_a_version_1_host_have_codes() -> None:
    """A real host's answers; v1 has statuses of its own, the shape is the same."""
    exchanges = map(json.loads, shared("wire/real-host-v1.jsonl").read_text().splitlines())
    answers = [e["response"] for e in exchanges if e["response"].get("status", 0) >= 400]
    assert len(answers) > 5
    for answer in answers:
        assert code_of(json.loads(answer["body"])) is not None
