"""The acceptor of major 1: each step's outcome with its twin, one edit away and accepted."""

from __future__ import annotations

from typing import Any

import pytest

from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.v1.app import ACCEPT

from .client_v1 import FRAME, SURFACE, A, B, Caller, against_host, next_surface, tree

UNIVERSAL = ["clarification.request", "schema.request", "schema.response", "error"]


def test_an_accepted_envelope_says_what_became_of_it() -> None:
    async def scenario(caller: Caller) -> None:
        sent = caller.envelope()
        assert await caller.accept(sent) == {
            "status": "accepted",
            "envelopeId": sent["envelopeId"],
            "recordedEventIds": [],
            "normalizedMeta": {"contentTrust": "trusted"},
        }
        for trust in ("trusted", "untrusted"):
            sent = caller.envelope(trust=trust)
            found = await caller.accept(sent)
            assert found["normalizedMeta"] == {"contentTrust": trust}
        found = await caller.accept(caller.envelope(), runTrustBoundary="untrusted")
        assert found["normalizedMeta"] == {"contentTrust": "untrusted"}

    against_host(scenario)


@pytest.mark.parametrize(
    "edit", [{"extra": 1}, {"correlationId": ""}, {"meta": {}}, {"partial": 1}]
)
def test_what_is_no_envelope_is_invalid_before_anything_else(edit: dict[str, Any]) -> None:
    async def scenario(caller: Caller) -> None:
        sent = caller.envelope(kind="media.image")
        found = await caller.accept(sent | edit)
        assert (found["status"], found["reason"]) == ("invalid", "invalid_envelope_shape")
        assert found["details"]["message"]
        (await caller.post(ACCEPT, {"envelope": 7})).ok(200)

    against_host(scenario)


def test_a_kind_that_is_not_supported_is_gated_whatever_it_carries() -> None:
    async def scenario(caller: Caller) -> None:
        for payload in (A, {"no": "surface"}):
            found = await caller.accept(
                caller.envelope(payload), hostSupportedEnvelopes=["clarification.request"]
            )
            assert (found["status"], found["reason"]) == ("gated", "unknown_envelope_kind")
            assert found["details"]["allowedKinds"] == UNIVERSAL
        gated = await caller.accept(caller.envelope(kind="media.image"))
        assert gated["status"] == "gated"
        for kind in UNIVERSAL:
            found = await caller.accept(
                caller.envelope({"any": 1}, kind=kind), hostSupportedEnvelopes=[]
            )
            assert found["status"] == "accepted"
        found = await caller.accept(caller.envelope(), hostSupportedEnvelopes=[SURFACE])
        assert found["status"] == "accepted"

    against_host(scenario)


def test_a_node_s_contract_gates_after_the_payload() -> None:
    async def scenario(caller: Caller) -> None:
        found = await caller.accept(caller.envelope(), nodeAllowedKinds=["media.image"])
        assert (found["status"], found["reason"]) == ("gated", "envelope_kind_not_allowed")
        assert found["details"]["allowedKinds"] == [*UNIVERSAL, "media.image"]
        found = await caller.accept(caller.envelope({}), nodeAllowedKinds=["media.image"])
        assert (found["status"], found["reason"]) == ("invalid", "envelope_invalid")
        found = await caller.accept(caller.envelope(), nodeAllowedKinds=[SURFACE])
        assert found["status"] == "accepted"

    against_host(scenario)


@pytest.mark.parametrize(
    ("payload", "reason", "path"),
    [
        ({**A, "catalogVersion": "9.9.9"}, "unknown_schema_version", "/payload/catalogVersion"),
        ({"surface": A["surface"]}, "envelope_invalid", "/payload"),
        (
            {**A, "surface": {"components": [{"component": "iframe"}]}},
            "envelope_invalid",
            "/payload/surface/components/0/component",
        ),
    ],
)
def test_a_payload_outside_the_closed_catalog_is_invalid(
    payload: Any, reason: str, path: str
) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        log = await caller.log(run)
        found = await caller.accept(caller.envelope(payload), projectTo={"runId": run})
        assert (found["status"], found["reason"]) == ("invalid", reason)
        assert found["details"]["path"] == path
        assert await caller.log(run) == log

    against_host(scenario)


@pytest.mark.parametrize(
    ("version", "members", "status"),
    [
        (1, {}, "accepted"),
        (0, {}, "accepted"),
        (None, {}, "accepted"),
        (2, {}, "invalid"),
        (2, {"schemaVersionFloor": {SURFACE: 2}}, "accepted"),
        (2, {"schemaVersionFloor": 2}, "accepted"),
        (1, {"schemaVersionFloor": {SURFACE: 2}}, "accepted"),
        (1, {"schemaVersionFloor": {"other": 0}}, "accepted"),
        (1, {"schemaVersionFloor": {SURFACE: 2}, "envelopeStrictness": "strict"}, "invalid"),
        (None, {"envelopeStrictness": "strict"}, "invalid"),
    ],
)
def test_the_version_is_held_to_the_floor(version: Any, members: Any, status: str) -> None:
    async def scenario(caller: Caller) -> None:
        found = await caller.accept(caller.envelope(version=version), **members)
        assert found["status"] == status
        assert found.get("reason") == (None if status == "accepted" else "unknown_schema_version")

    against_host(scenario)


def test_a_cap_that_is_reached_is_breached() -> None:
    async def scenario(caller: Caller) -> None:
        for kind, name in (
            (SURFACE, "envelopesPerTurn"),
            ("schema.request", "schemaRounds"),
            ("clarification.request", "clarificationRounds"),
        ):
            for current, status in ((2, "accepted"), (3, "breached")):
                counters = {name: {"current": current, "cap": 3}}
                found = await caller.accept(caller.envelope(kind=kind), counters=counters)
                assert found["status"] == status

    against_host(scenario)


@pytest.mark.parametrize(
    "gate", [{"boundInterruptKind": "approval"}, {"approvalGateContext": True}]
)
def test_untrusted_content_is_blocked_at_an_approval_alone(gate: dict[str, Any]) -> None:
    async def scenario(caller: Caller) -> None:
        found = await caller.accept(caller.envelope(trust="untrusted"), **gate)
        assert found["status"] == "blocked"
        assert found["reason"] == "untrusted_content_blocks_approval"
        found = await caller.accept(caller.envelope(), runTrustBoundary="untrusted", **gate)
        assert found["status"] == "blocked"
        for sent, members in (
            (caller.envelope(trust="trusted"), gate),
            (caller.envelope(), gate),
            (caller.envelope(trust="untrusted"), {"boundInterruptKind": "clarification"}),
            (caller.envelope(trust="untrusted"), {}),
        ):
            assert (await caller.accept(sent, **members))["status"] == "accepted"

    against_host(scenario)


def test_a_projected_surface_is_recorded_with_its_node_its_trust_and_its_cause() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope(trust="untrusted")
        found = await caller.accept(sent, projectTo={"runId": run, "nodeId": "gate"})
        (event,) = [e for e in await caller.log(run) if e["type"] == SURFACE]
        assert found["recordedEventIds"] == [event["eventId"]]
        assert (event["payload"], event["nodeId"]) == (A, "gate")
        assert (event["causationId"], event["contentTrust"]) == (sent["correlationId"], "untrusted")
        named = caller.envelope(B, node="other")
        await caller.accept(named, projectTo={"runId": run})
        event = (await caller.log(run))[-1]
        assert event["nodeId"] == "other"
        assert "contentTrust" not in event
        log = await caller.log(run)
        question = caller.envelope({"questions": []}, kind="clarification.request")
        assert (await caller.accept(question, projectTo={"runId": run}))["status"] == "accepted"
        assert await caller.log(run) == log

    against_host(scenario)


def test_a_projected_update_reaches_subscribers_like_any_other() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        async with caller.stream(run) as reader:
            await reader.until("node.suspended")
            await caller.put(run, A)
            await caller.put(run, B)
            assert [(await next_surface(reader)).event for _ in range(2)] == [SURFACE, FRAME]

    against_host(scenario)


# ----------------------------------------------------------------------------- correlation


def test_a_prior_correlation_answers_with_its_outcome_or_conflicts() -> None:
    async def scenario(caller: Caller) -> None:
        cached = {"status": "gated", "reason": "for a test"}
        sent = caller.envelope()
        prior = {"correlationId": sent["correlationId"], "envelopeType": SURFACE, "outcome": cached}
        assert await caller.accept(sent, priorCorrelations=[prior]) == cached
        other = prior | {"envelopeType": "clarification.request"}
        found = await caller.accept(sent, priorCorrelations=[other])
        assert (found["status"], found["reason"]) == ("invalid", "envelope_correlation_conflict")
        unrelated = prior | {"correlationId": "another"}
        assert (await caller.accept(sent, priorCorrelations=[unrelated]))["status"] == "accepted"

    against_host(scenario)


@pytest.mark.parametrize("where", ["persistedDedup", "projectTo"])
def test_a_run_knows_its_correlations_and_records_each_once(where: str) -> None:
    async def scenario(caller: Caller) -> None:
        run, other = await caller.run(), await caller.run()
        members = {where: {"runId": run}}
        sent = caller.envelope(trust="untrusted")
        first = await caller.accept(sent, **members)
        log = await caller.log(run)
        again = caller.envelope(B, correlation=sent["correlationId"])
        assert await caller.accept(again, **members) == first
        assert await caller.accept(again, persistedDedup={"runId": run}) == first
        conflict = caller.envelope({}, kind="error", correlation=sent["correlationId"])
        found = await caller.accept(conflict, **members)
        assert (found["status"], found["reason"]) == ("invalid", "envelope_correlation_conflict")
        assert await caller.log(run) == log
        for elsewhere in ({}, {where: {"runId": other}}):
            assert (await caller.accept(conflict, **elsewhere))["status"] == "accepted"

    against_host(scenario)


def test_a_fork_knows_the_correlations_it_inherits() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope(trust="untrusted")
        await caller.accept(sent, projectTo={"runId": run, "nodeId": "gate"})
        fork = (await caller.fork(run, fromSeq=6)).ok(201)["runId"]
        log = await caller.log(fork)
        found = await caller.accept(sent, projectTo={"runId": fork})
        assert found["status"] == "accepted"
        assert found["recordedEventIds"] == [log[5]["eventId"]]
        assert found["normalizedMeta"] == {"contentTrust": "untrusted"}
        assert "envelopeId" not in found
        conflict = caller.envelope({}, kind="error", correlation=sent["correlationId"])
        found = await caller.accept(conflict, persistedDedup={"runId": fork})
        assert found["reason"] == "envelope_correlation_conflict"
        assert await caller.log(fork) == log

    against_host(scenario)


# ------------------------------------------------------------------------------- the seam


def test_secrets_of_the_host_and_of_the_request_are_gone_before_recording() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (secret,) = caller.settings.secrets.values()
        canaries = [
            {"value": "first canary", "secretId": "one"},
            {"value": "second canary", "secretId": "one"},
        ]
        payload = tree(f"{secret}, first canary", title="a second canary")
        found = await caller.accept(
            caller.envelope(payload, correlation=f"c {secret}"),
            byokCanaries=canaries,
            projectTo={"runId": run, "nodeId": "gate"},
        )
        assert found["status"] == "accepted"
        recorded = str(await caller.log(run))
        assert "canary" not in recorded.replace("canaries", "")
        assert secret not in recorded
        assert "[REDACTED:one]" in recorded
        assert "[REDACTED:conformance-secret]" in recorded

    against_host(scenario)


def test_the_body_of_the_acceptor_is_closed() -> None:
    async def scenario(caller: Caller) -> None:
        good = {"envelope": caller.envelope()}
        wrong: Any
        for wrong in (
            {},
            [],
            good | {"extra": 1},
            good | {"projectTo": {}},
            good | {"projectTo": {"runId": "x", "extra": 1}},
            good | {"persistedDedup": "x"},
            good | {"priorCorrelations": [{"correlationId": "x"}]},
            good | {"byokCanaries": ["x"]},
            good | {"byokCanaries": [{"value": "", "secretId": "x"}]},
            good | {"hostSupportedEnvelopes": "all"},
            good | {"envelopeStrictness": "lax"},
            good | {"schemaVersionFloor": -1},
        ):
            (await caller.post(ACCEPT, wrong)).refused(400, "validation_error")
        (await caller.post(ACCEPT, good)).ok(200)
        for members in ({"projectTo": {"runId": "x"}}, {"persistedDedup": {"runId": "x"}}):
            (await caller.post(ACCEPT, good | members)).refused(404, "run_not_found")

    against_host(scenario)


def test_a_host_that_is_strict_is_so_in_the_acceptor_too() -> None:
    async def scenario(caller: Caller) -> None:
        assert (await caller.accept(caller.envelope(version=0)))["status"] == "invalid"
        assert (await caller.accept(caller.envelope(version=1)))["status"] == "accepted"

    against_host(scenario, Settings(strictness="strict"))
