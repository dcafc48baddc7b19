"""The other closed forms: the frame of a payload, the version 1 tree, delta frames, envelopes."""

from __future__ import annotations

import random
from hashlib import sha256

import pytest

from openwop_conformance.a2ui.catalog import KIND
from openwop_conformance.a2ui.message import check_catalog_ids, check_surface_ids
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import brief, canonical
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check, GateRun
from openwop_conformance.rulebook.reasons import (
    hold_to_their_reasons,
    hold_to_upstream,
    is_admitted_by_rule,
)
from openwop_conformance.rulebook.upstream import Upstream
from openwop_conformance.schemas.generate import Generator
from openwop_conformance.wire.kinds import CONTENT_FAMILIES, UNIVERSAL_KINDS, check_kind

FRAME_OF_PAYLOAD = "openwop-conformance.corpus.payload-frame"
VERSION_1 = "openwop.it.a2ui-v09-profile.v1-branch-unchanged"
DELTA = "openwop-conformance.corpus.delta-frame-closed"
ENVELOPE = "openwop-conformance.corpus.envelope-closed"
CARVE_OUT = "openwop.requirement.0209.kind-carve-out"
OPERATIONS = ["add", "remove", "replace", "move", "copy"]


@pytest.mark.parametrize(
    "family",
    [
        pytest.param("limits", marks=pytest.mark.row(FRAME_OF_PAYLOAD)),
        pytest.param("payload/refused", marks=pytest.mark.row(FRAME_OF_PAYLOAD)),
        pytest.param("v1/refused", marks=pytest.mark.row(VERSION_1)),
        pytest.param("delta/refused", marks=pytest.mark.row(DELTA)),
        pytest.param("envelope/refused", marks=pytest.mark.row(ENVELOPE)),
    ],
)
def test_each_case_is_refused_for_its_own_reason(check: Check, book: Rulebook, family: str) -> None:
    cases = [case for case in book.refused(family) if case.restriction]
    check(cases, "there is no case in fixtures/{}", family)
    hold_to_their_reasons(check, book, cases)


@pytest.mark.row(FRAME_OF_PAYLOAD)
@pytest.mark.parametrize("family", ["limits", "payload/refused"])
def test_each_payload_gets_upstream_s_verdict_as_stated(
    check: Check, book: Rulebook, upstream: Upstream, family: str
) -> None:
    stated = [case for case in book.refused(family) if case.upstream]
    hold_to_upstream(check, upstream, stated)


@pytest.mark.row(FRAME_OF_PAYLOAD)
@pytest.mark.parametrize("rule", ["surface-id-equality", "catalog-equality"])
def test_a_rule_across_members_is_why_a_payload_is_refused(
    check: Check, book: Rulebook, rule: str
) -> None:
    """What the schema cannot say: it admits these, and so does the other of the two rules."""
    shape = book.shapes["payloadV2"]
    cases = [case for case in book.refused("payload/refused") if case.rule == rule]
    check(len(cases) > 4, "there are {} cases of {}", len(cases), rule)
    for case in cases:
        book.judged.add(case.name)
        check(shape.check.is_valid(case.instance), "{}: the schema refuses it too", case.name)
        for name, judge in (
            ("surface-id-equality", check_surface_ids),
            ("catalog-equality", check_catalog_ids),
        ):
            admitted = is_admitted_by_rule(judge, case.instance)
            check(admitted is (name != rule), "{}: {} says otherwise", case.name, name)
            check(is_admitted_by_rule(judge, case.twin), "{}: its twin breaks {}", case.name, name)


@pytest.mark.row(FRAME_OF_PAYLOAD)
def test_every_positive_keeps_the_rules_across_members(check: Check, book: Rulebook) -> None:
    for case in book.admitted("payloadV2"):
        book.judged.add(case.name)
        valid = book.shapes["payloadV2"].check.is_valid(case.instance)
        check(valid, "{}: has to be admitted, and is not valid", case.name)
        for judge in (check_surface_ids, check_catalog_ids):
            if valid:
                check(is_admitted_by_rule(judge, case.instance), "{}: breaks a rule", case.name)


@pytest.mark.parametrize(
    "shape",
    [
        pytest.param("payloadV1", marks=pytest.mark.row(VERSION_1)),
        pytest.param("frame", marks=pytest.mark.row(DELTA)),
        pytest.param("envelope", marks=pytest.mark.row(ENVELOPE)),
    ],
)
def test_each_positive_is_valid(check: Check, book: Rulebook, shape: str) -> None:
    for case in book.admitted(shape):
        book.judged.add(case.name)
        valid = book.shapes[shape].check.is_valid(case.instance)
        check(valid, "{}: has to be admitted, and is not valid", case.name)


@pytest.mark.row(VERSION_1)
def test_the_version_1_branch_is_what_it_was(check: Check, book: Rulebook) -> None:
    """Every node that version 1 reaches, to the letter: its digest was taken once."""
    found = sha256(canonical(dict(book.shapes["payloadV1"].nodes))).hexdigest()
    pinned = book.fixture("upstream.json").get("unchanged", {}).get("payloadV1", {}).get("sha256")
    check(found == pinned, "payloadV1 has another digest than the one pinned: {}", found)


@pytest.mark.row(VERSION_1)
@pytest.mark.parametrize(("one", "other"), [("payloadV1", "payloadV2"), ("payloadV2", "payloadV1")])
def test_no_payload_is_of_both_branches(check: Check, run: GateRun, one: str, other: str) -> None:
    shape, stranger = run.book.shapes[one], run.book.shapes[other]
    mine, theirs = shape.at(shape.entry), stranger.at(stranger.entry)
    only = set(mine["required"]) - theirs["properties"].keys()
    apart = only and theirs.get("additionalProperties") is False
    check(apart, "{} requires nothing that {} forbids", one, other)
    generator = Generator(shape, random.Random(run.seed))
    for _ in range(run.generated // 20):
        instance = generator.instance()
        both = stranger.check.is_valid(instance)
        check(not both, "is of both branches: {}", brief(instance) if both else "")


@pytest.mark.row(VERSION_1)
def test_the_union_is_of_these_two_branches(check: Check, book: Rulebook) -> None:
    branches = book.schema(KIND).get("anyOf")
    wanted = [{"$ref": "#/$defs/payloadV1"}, {"$ref": "#/$defs/payloadV2"}]
    check(branches == wanted, "the branches are {}", branches)


@pytest.mark.row(DELTA)
def test_a_delta_frame_is_closed_and_tests_nothing(check: Check, book: Rulebook) -> None:
    shape = book.shapes["frame"]
    operation = shape.at("/$defs/operation")
    operations = operation["properties"]["op"].get("enum")
    check(operations == OPERATIONS, "the operations are {}", operations)
    for place, node in shape.nodes.items():
        if node.get("type") == "object":
            closed = node.get("additionalProperties") is False
            check(closed, "{}: an object that takes any member", place or "/")


@pytest.mark.row(CARVE_OUT)
def test_each_kind_is_where_it_belongs(check: Check, book: Rulebook) -> None:
    registered = ("example",)
    for case in book.family("kinds/admitted"):
        admitted = is_admitted_by_rule(check_kind, case.instance, registered)
        check(admitted, "{}: {!r} has to be a kind", case.name, case.instance)
    for case in book.family("kinds/refused"):
        admitted = is_admitted_by_rule(check_kind, case.instance, registered)
        check(not admitted, "{}: {!r} is no kind", case.name, case.instance)
        twin = is_admitted_by_rule(check_kind, case.twin, registered)
        check(twin, "{}: its twin {!r} has to be a kind", case.name, case.twin)


@pytest.mark.row(CARVE_OUT)
def test_the_exception_is_what_admits_the_surface_s_own_kind(check: Check) -> None:
    check(CONTENT_FAMILIES == ("ui", "media"), "the families are {}", CONTENT_FAMILIES)
    check(len(UNIVERSAL_KINDS) == 4, "the universal kinds are {}", UNIVERSAL_KINDS)
    check(KIND.partition(".")[0] in CONTENT_FAMILIES, "{} is of no such family", KIND)
    check(is_admitted_by_rule(check_kind, KIND), "no host could advertise {}", KIND)
    try:
        check_kind("acme" + KIND.removeprefix("ui"))
    except Violation as violation:
        check("organization" in str(violation), "refused for another reason: {}", violation)
    else:
        check(False, "a kind of no registered organization is admitted")
