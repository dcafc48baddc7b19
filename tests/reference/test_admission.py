"""Each rule of admission with its twin: the same envelope one edit away, admitted."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest

from openwop_conformance.errors import Violation
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.rules import RULES, replacing
from openwop_conformance.reference.settings import Settings
from openwop_conformance.wire.envelope import surface_payload

from .client import (
    CREATE,
    DATA,
    DELETE,
    ROOT,
    V1,
    Caller,
    against_host,
    path_of,
    surfaces_in,
)


def test_an_admitted_envelope_is_recorded_verbatim_with_its_branch_node_and_trust() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE, ROOT, DATA], node="gate")
        sequence = (await caller.emit(run, sent)).ok(201)["sequence"]
        (event,) = await caller.events(run, sequence - 1)
        assert event["payload"] == {"envelope": sent, "version": 2, "trust": "trusted"}
        assert event["type"] == "example.a2ui-surface-recorded"
        assert (event["sequence"], event["nodeId"]) == (sequence, "gate")
        assert event["causationId"] == sent["correlationId"]

    against_host(scenario)


def test_a_correlation_id_outside_the_grammar_of_event_ids_is_no_causation_id() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        await caller.surface(run, "s", [CREATE], correlation="short", node="no node id")
        (event,) = [e for e in await caller.events(run) if e["type"].startswith("example.")]
        assert "causationId" not in event
        assert "nodeId" not in event

    against_host(scenario)


def test_a_run_that_has_ended_refuses_even_what_is_no_envelope() -> None:
    async def scenario(caller: Caller) -> None:
        ended, live = await caller.run("conformance-noop"), await caller.run()
        sent = caller.envelope("s", [CREATE])
        (await caller.emit(ended, sent)).refused(409, "run_terminal", "run")
        (await caller.emit(ended, 7)).refused(409, "run_terminal", "run")
        (await caller.emit(live, sent)).ok(201)

    against_host(scenario)


@pytest.mark.parametrize(
    "edit",
    [
        {"extra": 1},
        {"meta": {"ts": "2026-01-01T00:00:00Z"}},
        {"meta": {"source": "robot", "ts": "2026-01-01T00:00:00Z"}},
        {"meta": {"source": "user", "ts": "yesterday"}},
        {"correlationId": ""},
        {"schemaVersion": -1},
        {"schemaVersion": "2"},
        {"partial": True},
    ],
)
def test_an_envelope_of_another_shape_is_a_validation_error(edit: dict[str, Any]) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE])
        (await caller.emit(run, sent | edit)).refused(400, "validation_error", "envelope")
        (await caller.emit(run, sent)).ok(201)

    against_host(scenario)


@pytest.mark.parametrize("missing", ["type", "envelopeId", "correlationId", "payload", "meta"])
def test_nothing_that_an_envelope_needs_is_made_up(missing: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE])
        del sent[missing]
        (await caller.emit(run, sent)).refused(400, "validation_error", "envelope")
        assert surfaces_in(await caller.events(run)) == []

    against_host(scenario)


@pytest.mark.parametrize(
    "kind",
    [
        "media.image",
        "ui.other",
        "example.kind",
        "core.thing",
        "clarification.request",
        "schema.request",
        "schema.response",
        "error",
    ],
)
def test_a_kind_other_than_surfaces_is_unknown_here(kind: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE])
        (await caller.emit(run, sent | {"type": kind})).refused(
            422, "unknown_envelope_kind", "kind"
        )
        (await caller.emit(run, sent)).ok(201)

    against_host(scenario)


def test_a_re_emission_gets_the_first_outcome_whatever_it_carries() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        first = caller.envelope("s", [CREATE], correlation="the-same-correlation")
        sequence = (await caller.emit(run, first)).ok(201)
        before = await caller.events(run)
        (await caller.emit(run, first)).ok(201)
        other = first | {"envelopeId": "another", "payload": {"no": "surface"}, "schemaVersion": 9}
        assert (await caller.emit(run, other)).ok(201) == sequence
        assert await caller.events(run) == before

    against_host(scenario)


def test_a_recorded_correlation_id_with_another_type_conflicts() -> None:
    async def scenario(caller: Caller) -> None:
        run, second = await caller.run(), await caller.run()
        sent = caller.envelope("s", [CREATE], correlation="the-same-correlation")
        (await caller.emit(run, sent)).ok(201)
        other = sent | {"type": "clarification.request"}
        (await caller.emit(run, other)).refused(409, "envelope_correlation_conflict", "correlation")
        unknown = sent | {"type": "media.image"}
        (await caller.emit(run, unknown)).refused(422, "unknown_envelope_kind", "kind")
        (await caller.emit(second, sent)).ok(201)

    against_host(scenario)


def test_a_refused_correlation_id_is_free() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [DATA], correlation="the-same-correlation")
        (await caller.emit(run, sent)).refused(422, "envelope_invalid", "fold")
        sent["payload"] = surface_payload("s", [CREATE, DATA])
        (await caller.emit(run, sent)).ok(201)

    against_host(scenario)


@pytest.mark.parametrize("strictness", ["warn", "strict"])
def test_above_the_floor_is_refused_whatever_the_strictness(strictness: Any) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE], version=3)
        body = (await caller.emit(run, sent)).refused(422, "unknown_schema_version", "version")
        assert body["details"]["schemaVersion"] == 3
        unreadable = caller.envelope(payload={"x": 1}, version=3)
        (await caller.emit(run, unreadable)).refused(422, "unknown_schema_version", "version")
        (await caller.emit(run, sent | {"schemaVersion": 2})).ok(201)

    against_host(scenario, Settings(strictness=strictness))


@pytest.mark.parametrize("version", [None, 0, 1])
def test_below_the_floor_strict_refuses_and_warn_validates_as_advertised(
    version: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    async def strict(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE], version=version)
        (await caller.emit(run, sent)).refused(422, "unknown_schema_version", "version")

    async def warn(caller: Caller) -> None:
        run = await caller.run()
        legacy = caller.envelope(payload=V1, version=version)
        (await caller.emit(run, legacy)).refused(422, "envelope_invalid", "branch")
        with caplog.at_level(logging.WARNING, "openwop_conformance.reference"):
            sent = caller.envelope("s", [CREATE], version=version)
            (await caller.emit(run, sent)).ok(201)
        assert "envelope_schema_version_drift" in caplog.text
        # it is in the fold by its branch, whatever version is stamped on it
        (await caller.surface(run, "s", [CREATE])).refused(422, "envelope_invalid", "fold")
        (await caller.surface(run, "s", [DATA], version=version)).ok(201)

    against_host(strict, Settings(strictness="strict"))
    against_host(warn)


def test_a_version_is_judged_by_its_own_branch_and_never_by_the_union() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.emit(run, caller.envelope(payload=V1))).refused(
            422, "envelope_invalid", "branch"
        )
        (await caller.surface(run, "s", [CREATE])).ok(201)

    against_host(scenario)


def test_a_floor_of_one_takes_the_first_version_and_refuses_the_second() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for version in (1, 0, None):
            (await caller.emit(run, caller.envelope(payload=V1, version=version))).ok(201)
        (await caller.surface(run, "s", [CREATE], version=2)).refused(
            422, "unknown_schema_version", "version"
        )
        (await caller.surface(run, "s", [CREATE], version=1)).refused(
            422, "envelope_invalid", "branch"
        )
        events = await caller.events(run)
        assert [e["payload"] for e in surfaces_in(events)] == [V1, V1, V1]

    against_host(scenario, Settings(floor=1))


def test_every_message_names_the_surface_of_the_payload() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        stray = {"updateDataModel": {"surfaceId": "other", "value": 1}}
        body = (await caller.surface(run, "s", [CREATE, stray])).refused(
            422, "envelope_invalid", "surface-id-equality"
        )
        assert (body["details"]["index"], body["details"]["surfaceId"]) == (1, "s")
        (await caller.surface(run, "s", [CREATE, DATA])).ok(201)

    against_host(scenario)


def test_create_surface_names_the_catalog_of_the_payload() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        foreign = {"createSurface": {"catalogId": "https://example.org/catalog.json"}}
        (await caller.surface(run, "s", [foreign])).refused(
            422, "envelope_invalid", "catalog-equality"
        )
        (await caller.surface(run, "s", [CREATE])).ok(201)

    against_host(scenario)


def test_a_payload_of_a_foreign_catalog_is_refused_by_the_branch() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        foreign = surface_payload("s", [CREATE], catalog_id="https://example.org/catalog.json")
        (await caller.emit(run, caller.envelope(payload=foreign))).refused(
            422, "envelope_invalid", "branch"
        )

    against_host(scenario)


@pytest.mark.parametrize(
    ("before", "sent"),
    [
        ([], [DATA]),
        ([], [ROOT]),
        ([], [DELETE]),
        ([], [DATA, CREATE]),
        ([], [CREATE, CREATE]),
        ([], [CREATE, DELETE, DATA]),
        ([CREATE], [CREATE]),
        ([CREATE], [DATA, CREATE]),
        ([CREATE, DELETE], [DATA]),
        ([CREATE, DELETE], [DELETE]),
    ],
)
def test_an_envelope_that_would_break_the_fold_leaves_nothing_behind(
    before: list[Any], sent: list[Any]
) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        if before:
            (await caller.surface(run, "s", before)).ok(201)
        log = await caller.events(run)
        (await caller.surface(run, "s", sent)).refused(422, "envelope_invalid", "fold")
        assert await caller.events(run) == log
        (await caller.surface(run, "fresh", [CREATE, DATA])).ok(201)

    against_host(scenario)


def test_a_surface_may_be_made_again_after_its_end_also_within_one_envelope() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for messages in ([CREATE], [DELETE], [CREATE, ROOT], [DELETE, CREATE, DATA], [DATA]):
            (await caller.surface(run, "s", messages)).ok(201)

    against_host(scenario)


def test_surfaces_are_apart_from_each_other_and_from_those_of_other_runs() -> None:
    async def scenario(caller: Caller) -> None:
        run, other = await caller.run(), await caller.run()
        for run_id, surface in ((run, "a"), (run, "b"), (other, "a")):
            (await caller.surface(run_id, surface, [CREATE])).ok(201)
        (await caller.surface(run, "a", [DELETE])).ok(201)
        (await caller.surface(run, "b", [DATA])).ok(201)
        (await caller.surface(other, "a", [DATA])).ok(201)
        (await caller.surface(run, "a", [DATA])).refused(422, "envelope_invalid", "fold")

    against_host(scenario)


def _race(policy: Policy) -> int:
    admitted = 0

    async def scenario(caller: Caller) -> None:
        nonlocal admitted
        run = await caller.run()
        answers = await asyncio.gather(*(caller.surface(run, "s", [CREATE]) for _ in range(20)))
        admitted = sum(answer.status == 201 for answer in answers)
        assert len(surfaces_in(await caller.events(run))) == admitted
        sequences = [event["sequence"] for event in await caller.events(run)]
        assert sequences == list(range(len(sequences)))

    against_host(scenario, policy=policy)
    return admitted


def test_of_twenty_creations_at_once_exactly_one_is_admitted() -> None:
    assert _race(Policy()) == 1


def test_without_serialisation_the_race_shows() -> None:
    assert _race(replace(Policy(), serialise=False)) == 20


def test_the_body_of_the_seam_is_closed() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        body = {"runId": run, "envelope": caller.envelope("s", [CREATE])}
        seam = "/conformance/seams/sample/a2ui/emit-surface"
        wrong: Any
        for wrong in (body | {"extra": 1}, {"runId": run}, {"envelope": {}}, [], 1, None, "x"):
            (await caller.post(seam, wrong)).refused(400, "validation_error")
        for missing in ("acme/" + "0" * 32, "no-such-run"):
            (await caller.post(seam, body | {"runId": missing})).refused(404, "not_found")
        (await caller.post(seam, body)).ok(201)
        assert (await caller.read(run))["status"] == "waiting-approval"
        assert path_of(run).startswith("/runs/acme~2F")

    against_host(scenario)


def test_a_rule_is_replaced_by_its_name() -> None:
    names = [rule.name for rule in RULES]
    assert [rule.name for rule in replacing(RULES, "fold", lambda _: None)] == names
    with pytest.raises(ValueError, match="nothing"):
        replacing(RULES, "nothing", lambda _: None)


def test_the_first_rule_that_objects_names_the_refusal() -> None:
    def objects(_: object) -> None:
        raise Violation("version", "no", code="unknown_schema_version")

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.emit(run, caller.envelope(payload={}))).refused(
            422, "unknown_schema_version", "version"
        )

    against_host(scenario, policy=replace(Policy(), rules=replacing(RULES, "version", objects)))
