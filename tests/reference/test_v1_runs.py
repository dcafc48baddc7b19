"""Runs of major 1: created, read, cancelled, forked, resolved, and kept from other tenants."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.v1.app import ACCEPT, EMIT

from .client import types_of
from .client_v1 import SURFACE, A, B, C, Caller, against_host, path_of, tree

KEY = ("idempotency-key", "0123456789abcdef-012345")


def test_a_run_is_created_with_an_opaque_id_and_says_where_it_is() -> None:
    async def scenario(caller: Caller) -> None:
        body = {"workflowId": "conformance-approval", "inputs": {"text": "hi"}, "unknown": 1}
        found = (await caller.post("/v1/runs", body)).ok(201)
        run = found["runId"]
        assert found == {
            "runId": run,
            "status": "waiting-approval",
            "eventsUrl": f"/v1/runs/{run}/events",
            "statusUrl": f"/v1/runs/{run}",
        }
        read = (await caller.get(found["statusUrl"])).ok()
        assert (read["workflowId"], read["inputs"]) == ("conformance-approval", {"text": "hi"})
        assert (read["status"], read["currentNodeId"]) == ("waiting-approval", "gate")
        assert read["interrupt"]["nodeId"] == "gate"
        assert "completedAt" not in read

    against_host(scenario)


def test_the_events_are_open_documents_that_count_from_0() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run("conformance-noop")
        log = await caller.log(run)
        assert [event["sequence"] for event in log] == [0, 1, 2, 3]
        assert types_of(log)[-1] == "run.completed"
        for event in log:
            assert event.keys() <= {
                "eventId", "runId", "sequence", "type", "payload", "timestamp", "nodeId",
                "causationId", "contentTrust",
            }  # fmt: skip
        read = await caller.read(run)
        assert (read["status"], read["completedAt"]) == ("completed", log[-1]["timestamp"])

    against_host(scenario)


def test_a_create_is_refused_for_what_it_lacks_or_asks_too_much() -> None:
    async def scenario(caller: Caller) -> None:
        wrong: Any
        for wrong in ({}, {"workflowId": 1}, [], 1, {"workflowId": "x", "tags": [1]}):
            (await caller.post("/v1/runs", wrong)).refused(400, "validation_error")
        good = {"workflowId": "conformance-noop"}
        (await caller.post("/v1/runs", {"workflowId": "x"})).refused(404, "workflow_not_found")
        (await caller.post("/v1/runs", good | {"tenantId": "globex"})).refused(403, "forbidden")
        (await caller.post("/v1/runs", good | {"callbackUrl": "http://x"})).refused(
            422, "capability_not_provided"
        )
        (await caller.post("/v1/runs", raw=b'{"workflowId":')).refused(400, "validation_error")
        (await caller.post("/v1/runs", good | {"tenantId": "acme"})).ok(201)

    against_host(scenario)


def test_a_run_of_another_tenant_is_one_that_there_is_not() -> None:
    async def scenario(caller: Caller) -> None:
        theirs = await caller.run(tenant="globex")
        answers: list[Any] = []
        for run in (theirs, "0" * 32):
            base = path_of(run)
            there = [
                await caller.get(base),
                await caller.get(f"{base}/events"),
                await caller.get(f"{base}/events/poll"),
                await caller.post(f"{base}/cancel"),
                await caller.fork(run),
                await caller.resolve(run),
                await caller.emit(run, A),
                await caller.post(
                    ACCEPT, {"envelope": caller.envelope(), "projectTo": {"runId": run}}
                ),
                await caller.post(
                    ACCEPT, {"envelope": caller.envelope(), "persistedDedup": {"runId": run}}
                ),
            ]
            answers.append([answer.refused(404, "run_not_found") for answer in there])
        assert answers[0] == answers[1]

    against_host(scenario)


def test_a_stranger_learns_nothing() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for method, target in (
            ("GET", path_of(run)),
            ("GET", path_of("0" * 32)),
            ("GET", f"{path_of(run)}/events"),
            ("POST", EMIT),
            ("POST", ACCEPT),
            ("POST", "/v1/runs"),
        ):
            answer = await caller.send(method, target, tenant=None)
            answer.refused(401, "unauthenticated")
            assert answer.headers["www-authenticate"] == "Bearer"

    against_host(scenario)


def test_a_cancelled_run_stays_so_and_records_no_more() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for _ in range(2):
            answer = await caller.post(f"{path_of(run)}/cancel", {"reason": "done"})
            assert answer.ok() == {"runId": run, "status": "cancelled"}
        log = await caller.log(run)
        assert types_of(log).count("run.cancelled") == 1
        (await caller.emit(run, A)).refused(409, "run_terminal")
        found = await caller.accept(caller.envelope(), projectTo={"runId": run})
        assert (found["status"], found["reason"]) == ("refused", "run_terminal")
        assert await caller.log(run) == log

    against_host(scenario)


def test_the_same_key_and_body_give_the_same_run_in_each_major() -> None:
    async def scenario(caller: Caller) -> None:
        body = {"workflowId": "conformance-approval"}
        first = await caller.post("/v1/runs", body, headers=(KEY,))
        again = await caller.post("/v1/runs", body, headers=(KEY,))
        assert again.ok(201) == first.ok(201)
        assert again.headers["openwop-idempotent-replay"] == "true"
        other = await caller.post("/runs", body, headers=(KEY,), version="2.0")
        assert other.ok(201)["runId"].startswith("acme/")

    against_host(scenario)


# ----------------------------------------------------------------------------------- forks


def _comparable(event: Any) -> Any:
    return {k: v for k, v in event.items() if k not in ("eventId", "runId", "timestamp")}


@pytest.mark.parametrize("mode", ["replay", "branch"])
def test_a_fork_inherits_full_surfaces_up_to_the_end_of_the_log(mode: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.emit(run, A)).ok()
        await caller.put(run, B, "untrusted")
        source = await caller.log(run)
        for point in range(len(source) + 1):
            fork = (await caller.fork(run, mode, fromSeq=point)).ok(201)
            assert fork.keys() == {
                "runId", "sourceRunId", "fromSeq", "mode", "status", "eventsUrl",
            }  # fmt: skip
            assert (fork["sourceRunId"], fork["fromSeq"]) == (run, point)
            events = await caller.log(fork["runId"])
            assert [_comparable(e) for e in events[:point]] == [
                _comparable(e) for e in source[:point]
            ]
            assert (await caller.read(fork["runId"]))["parentRunId"] == run
        (await caller.resolve(fork["runId"])).refused(403, "untrusted_content_blocks_approval")
        body = (await caller.fork(run, mode, fromSeq=len(source) + 1)).refused(
            422, "invalid_from_seq"
        )
        assert body["details"] == {"fromSeq": len(source) + 1, "maxSeq": len(source) - 1}

    against_host(scenario)


def test_a_fork_is_asked_for_by_the_rules() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        assert (await caller.fork(run)).ok(201)["fromSeq"] == 0
        (await caller.fork(run, "branch")).refused(400, "validation_error")
        (await caller.fork(run, "rerun")).refused(400, "validation_error")
        overlay = {"tags": ["x"]}
        (await caller.fork(run, runOptionsOverlay=overlay)).refused(400, "validation_error")
        branch = (await caller.fork(run, "branch", fromSeq=1, runOptionsOverlay=overlay)).ok(201)
        assert (await caller.read(branch["runId"]))["tags"] == ["x"]
        for wrong in (-1, 1.5, "1", None):
            (await caller.fork(run, fromSeq=wrong)).refused(400, "validation_error")

    against_host(scenario)


# ------------------------------------------------------------------------------- approvals


def test_an_approval_completes_the_run_and_is_answered_once() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.resolve(run, node="elsewhere")).refused(404, "interrupt_not_found")
        (await caller.resolve(run, "refine")).refused(400, "validation_error")
        target = f"{path_of(run)}/interrupts/gate"
        for wrong in ({}, {"resumeValue": "accept"}, {"resumeValue": {}, "x": 1}):
            (await caller.post(target, wrong)).refused(400, "validation_error")
        found = (await caller.resolve(run)).ok()
        assert found == {"runId": run, "nodeId": "gate", "status": "completed"}
        (await caller.resolve(run)).refused(409, "run_no_longer_resumable")
        cancelled = await caller.run()
        (await caller.post(f"{path_of(cancelled)}/cancel")).ok()
        (await caller.resolve(cancelled)).refused(409, "run_no_longer_resumable")

    against_host(scenario)


@pytest.mark.parametrize("then", [None, "trusted"])
def test_an_untrusted_surface_blocks_the_approval_of_its_node_and_of_no_other(
    then: Any,
) -> None:
    async def scenario(caller: Caller) -> None:
        blocked, free, control = await caller.run(), await caller.run(), await caller.run()
        await caller.put(blocked, A, "untrusted")
        await caller.put(blocked, B, then)
        await caller.put(free, A, "untrusted", node="elsewhere")
        await caller.put(control, A, "trusted")
        log = await caller.log(blocked)
        body = (await caller.resolve(blocked)).refused(403, "untrusted_content_blocks_approval")
        assert body["details"] == {"nodeId": "gate"}
        assert await caller.log(blocked) == log
        assert (await caller.read(blocked))["status"] == "waiting-approval"
        for run in (free, control):
            assert (await caller.resolve(run)).ok()["status"] == "completed"

    against_host(scenario)


# ------------------------------------------------------------------------------- surfaces


def test_an_emitted_surface_is_recorded_whole_under_its_reference() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = tree("a", "b", reasoning="because")
        found = (await caller.emit(run, sent)).ok(200)
        (event,) = [e for e in await caller.log(run) if e["type"] == SURFACE]
        assert found == {"surfaceRef": event["eventId"]}
        assert (event["payload"], event["sequence"]) == (sent, 5)
        assert "contentTrust" not in event
        assert "nodeId" not in event

    against_host(scenario)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        (tree()["surface"], ""),
        ({"catalogVersion": "0.9.1"}, ""),
        ({"surface": {"components": []}}, ""),
        ({**A, "catalogVersion": "9.9.9"}, "/catalogVersion"),
        ({**A, "catalogVersion": "0.9.2"}, "/catalogVersion"),
        ({**A, "extra": 1}, ""),
        ({**A, "reasoning": 1}, "/reasoning"),
        (
            {**A, "surface": {"components": [{"component": "iframe", "src": "x"}]}},
            "/surface/components/0/component",
        ),
        (
            {**A, "surface": {"components": [{"component": "text", "text": "x", "onClick": "y"}]}},
            "/surface/components/0",
        ),
        (7, ""),
        (None, ""),
        ([], ""),
    ],
)
def test_a_surface_outside_the_closed_catalog_is_refused_with_its_place(
    wrong: Any, place: str
) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        log = await caller.log(run)
        body = (await caller.emit(run, wrong)).refused(422, "a2ui_surface_invalid")
        assert body["details"].get("path", "") == place
        assert await caller.log(run) == log
        (await caller.emit(run, A)).ok()

    against_host(scenario)


def test_the_body_of_the_seam_is_closed() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        good = {"runId": run, "surface": A}
        wrong: Any
        for wrong in ({"runId": run}, {"surface": A}, good | {"x": 1}, good | {"runId": 1}, [], 1):
            (await caller.post(EMIT, wrong)).refused(400, "validation_error")
        (await caller.post(EMIT, good)).ok(200)

    against_host(scenario)


def test_a_second_catalog_that_is_pinned_holds_the_same_components() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        newer = {**A, "catalogVersion": "0.9.2"}
        (await caller.emit(run, newer)).ok()
        (await caller.emit(run, {**newer, "surface": {}})).refused(422, "a2ui_surface_invalid")
        (await caller.emit(run, {**A, "catalogVersion": "0.9.3"})).refused(
            422, "a2ui_surface_invalid"
        )
        assert (await caller.log(run))[-1]["payload"] == newer

    against_host(scenario, Settings(catalog_versions=("0.9.1", "0.9.2")))


def test_no_secret_is_recorded_or_told_in_an_error() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (secret,) = caller.settings.secrets.values()
        (await caller.emit(run, tree(f"key {secret} key", title=secret))).ok()
        (await caller.emit(run, {**tree(), secret: 1})).refused(422, "a2ui_surface_invalid")
        answer = await caller.emit(run, {**tree(), "catalogVersion": secret})
        assert secret not in str(answer.body)
        for events in (await caller.log(run), await caller.log_as_json(run)):
            assert secret not in str(events)
            assert "[REDACTED:conformance-secret]" in str(events)

    against_host(scenario)


def test_a_restart_reads_everything_and_goes_on(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "log.db"))
    kept: dict[str, Any] = {}

    async def before(caller: Caller) -> None:
        kept["run"] = run = await caller.run()
        await caller.put(run, A, "untrusted")
        kept["sent"] = caller.envelope(B, correlation="c")
        kept["outcome"] = await caller.accept(kept["sent"], projectTo={"runId": run})
        kept["log"] = await caller.log(run)

    async def after(caller: Caller) -> None:
        run = kept["run"]
        assert await caller.log(run) == kept["log"]
        again = await caller.accept(kept["sent"], projectTo={"runId": run})
        assert again == kept["outcome"]
        (await caller.emit(run, C)).ok()
        assert [e["sequence"] for e in await caller.log(run)] == list(range(8))
        (await caller.resolve(run)).refused(403, "untrusted_content_blocks_approval")

    against_host(before, settings)
    against_host(after, settings)
