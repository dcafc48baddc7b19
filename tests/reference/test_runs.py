"""Creating, cancelling and forking runs; idempotency keys; a log that outlives its host."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.errors import UsageError
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.reference.store import Run, Store

from .client import (
    CREATE,
    DATA,
    ROOT,
    V1,
    Caller,
    against_host,
    encoded,
    path_of,
    surfaces_in,
    types_of,
)

KEY = ("idempotency-key", "0123456789abcdef-012345")


def test_the_approval_suspends_at_its_gate_and_says_so() -> None:
    async def scenario(caller: Caller) -> None:
        body = (await caller.post("/runs", {"workflowId": "conformance-approval"})).ok(201)
        assert body["status"] == "waiting-approval"
        assert body["eventsUrl"] == f"{path_of(body['runId'])}/events"
        assert body["statusUrl"] == path_of(body["runId"])
        found = await caller.read(body["runId"])
        assert found["currentNodeId"] == "gate"
        assert found["eventLogSchemaVersion"] == 3
        assert found["owner"]["tenant"] == "acme"
        events = await caller.events(body["runId"])
        assert [event["sequence"] for event in events] == [0, 1, 2, 3, 4]
        assert events[0]["payload"]["owner"] == found["owner"]

    against_host(scenario)


def test_the_noop_completes_at_once_though_a_create_never_says_so() -> None:
    async def scenario(caller: Caller) -> None:
        body = (await caller.post("/runs", {"workflowId": "conformance-noop"})).ok(201)
        assert body["status"] == "running"
        assert (await caller.read(body["runId"]))["status"] == "completed"
        (last,) = [e for e in await caller.events(body["runId"]) if e["type"] == "run.completed"]
        assert last["payload"] == {"outputs": {}}

    against_host(scenario)


def test_the_body_of_a_create_is_closed_and_promises_nothing_it_cannot_keep() -> None:
    async def scenario(caller: Caller) -> None:
        good = {"workflowId": "conformance-noop", "tags": ["a"], "metadata": {"b": [1]}}
        run = (await caller.post("/runs", good)).ok(201)["runId"]
        found = await caller.read(run)
        assert (found["tags"], found["metadata"]) == (["a"], {"b": [1]})
        wrong: Any
        for wrong in ({}, good | {"extra": 1}, {"workflowId": 1}, [], good | {"tags": [1]}):
            (await caller.post("/runs", wrong)).refused(400, "validation_error")
        (await caller.post("/runs", {"workflowId": "unheard-of"})).refused(404, "not_found")
        (await caller.post("/runs", good | {"tenantId": "acme"})).ok(201)
        (await caller.post("/runs", good | {"tenantId": "globex"})).refused(
            403, "id_tenant_mismatch"
        )
        (await caller.post("/runs", good | {"callbackUrl": "http://x"})).refused(
            422, "capability_not_provided"
        )

    against_host(scenario)


def test_a_run_is_found_under_both_forms_of_its_id() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for base in (path_of(run), encoded(run), encoded(run).replace("%2F", "%2f")):
            assert (await caller.get(base)).ok()["runId"] == run
            assert (await caller.get(f"{base}/events/poll?timeout=1")).ok()["runId"] == run
        (await caller.post(f"{encoded(run)}:fork", {"mode": "replay"})).ok(201)
        (await caller.post(f"{encoded(run)}/cancel", {"reason": "done"})).ok()
        (await caller.get(f"/runs/{run}")).refused(404, "not_found")
        (await caller.get("/runs/acme~2")).refused(400, "validation_error")
        (await caller.get("/runs/acme~FF~2Fx")).refused(400, "validation_error")

    against_host(scenario)


def test_a_cancelled_run_stays_so() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/cancel"
        (await caller.post(target, {"reason": 1})).refused(400, "validation_error")
        assert (await caller.post(target)).ok() == {"runId": run, "status": "cancelled"}
        (await caller.post(target)).refused(409, "run_terminal")
        (await caller.surface(run, "s", [CREATE])).refused(409, "run_terminal")
        assert types_of(await caller.events(run))[-1] == "run.cancelled"

    against_host(scenario)


# ----------------------------------------------------------------------------------- forks


def _comparable(event: Any) -> Any:
    return {k: v for k, v in event.items() if k not in ("eventId", "runId", "timestamp")}


@pytest.mark.parametrize("mode", ["replay", "branch"])
def test_a_fork_has_the_events_before_its_point_and_is_re_executed_from_there(mode: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for messages in ([CREATE], [ROOT], [DATA]):
            (await caller.surface(run, "s", messages)).ok(201)
        source = await caller.events(run)
        for point in range(len(source)):
            fork = (await caller.fork(run, mode, fromSeq=point)).ok(201)
            assert (fork["sourceRunId"], fork["fromSeq"], fork["mode"]) == (run, point, mode)
            assert fork["status"] == "waiting-approval"
            assert fork["eventsUrl"] == f"{path_of(fork['runId'])}/events"
            found = await caller.read(fork["runId"])
            assert (found["parentRunId"], found["currentNodeId"]) == (run, "gate")
            events = await caller.events(fork["runId"])
            assert [_comparable(e) for e in events[:point]] == [
                _comparable(e) for e in source[:point]
            ]
            assert {e["runId"] for e in events} == {fork["runId"]}
            assert not {e["eventId"] for e in events} & {e["eventId"] for e in source}
            assert types_of(events) == types_of(source[: max(point, 5)])

    against_host(scenario)


def test_a_fork_folds_only_what_it_inherits() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        created = (await caller.surface(run, "s", [CREATE])).ok(201)["sequence"]
        later = (await caller.surface(run, "s", [DATA])).ok(201)["sequence"]
        before = (await caller.fork(run, fromSeq=created)).ok(201)["runId"]
        after = (await caller.fork(run, fromSeq=later)).ok(201)["runId"]
        (await caller.surface(before, "s", [DATA])).refused(422, "envelope_invalid", "fold")
        (await caller.surface(before, "s", [CREATE])).ok(201)
        (await caller.surface(after, "s", [CREATE])).refused(422, "envelope_invalid", "fold")
        (await caller.surface(after, "s", [DATA])).ok(201)

    against_host(scenario)


def test_a_fork_knows_the_correlation_ids_it_inherits() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE])
        sequence = (await caller.emit(run, sent)).ok(201)
        point = (await caller.surface(run, "s", [DATA])).ok(201)["sequence"]
        fork = (await caller.fork(run, fromSeq=point)).ok(201)["runId"]
        assert (await caller.emit(fork, sent)).ok(201) == sequence
        assert len(surfaces_in(await caller.events(fork))) == 1

    against_host(scenario)


def test_a_fork_inherits_a_decision_and_goes_on_from_it() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.resolve(run)).ok()
        source = await caller.events(run)
        resolved = types_of(source).index("interrupt.resolved")
        for point in range(resolved + 1, len(source)):
            fork = (await caller.fork(run, fromSeq=point)).ok(201)
            assert fork["status"] == "completed"
            events = await caller.events(fork["runId"])
            assert types_of(events) == types_of(source)
            assert events[resolved + 1]["causationId"] == events[resolved]["eventId"]
        assert (await caller.fork(run, fromSeq=resolved)).ok(201)["status"] == "waiting-approval"

    against_host(scenario)


def test_a_fork_is_asked_for_in_one_closed_way() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        assert (await caller.fork(run)).ok(201)["fromSeq"] == 0
        (await caller.fork(run, "branch")).refused(400, "validation_error")
        overlay = {"tags": ["x"]}
        (await caller.fork(run, runOptionsOverlay=overlay)).refused(400, "validation_error")
        (await caller.fork(run, runOptionsOverlay={})).ok(201)
        branch = (await caller.fork(run, "branch", fromSeq=1, runOptionsOverlay=overlay)).ok(201)
        assert (await caller.read(branch["runId"]))["tags"] == ["x"]
        for point in (5, 6, 10**9):
            (await caller.fork(run, fromSeq=point)).refused(422, "fork_point_invalid")
        for wrong in (-1, 1.5, "1", True, None):
            (await caller.fork(run, fromSeq=wrong)).refused(400, "validation_error")
        (await caller.fork(run, "rerun", fromSeq=1)).refused(400, "validation_error")
        (await caller.fork(run, extra=1)).refused(400, "validation_error")
        (await caller.fork("acme/" + "0" * 32)).refused(404, "not_found")

    against_host(scenario)


# ----------------------------------------------------------------------------- idempotency


def test_the_same_key_and_body_give_the_same_run() -> None:
    async def scenario(caller: Caller) -> None:
        body = {"workflowId": "conformance-approval", "tags": ["a"], "metadata": {}}
        first = await caller.post("/runs", body, headers=(KEY,))
        again = await caller.post("/runs", dict(reversed(body.items())), headers=(KEY,))
        assert again.ok(201) == first.ok(201)
        assert "openwop-idempotent-replay" not in first.headers
        assert again.headers["openwop-idempotent-replay"] == "true"
        (await caller.post("/runs", body | {"tags": []}, headers=(KEY,))).refused(
            409, "idempotency_key_mismatch"
        )
        other = await caller.post("/runs", body, headers=(KEY,), tenant="globex")
        assert other.ok(201)["runId"].startswith("globex/")

    against_host(scenario)


@pytest.mark.parametrize("key", ["short", "x" * 129, "0123456789abcdef 012345", "ä" * 22, ""])
def test_a_key_outside_the_grammar_is_invalid(key: str) -> None:
    async def scenario(caller: Caller) -> None:
        body = {"workflowId": "conformance-noop"}
        answer = await caller.post("/runs", body, headers=(("idempotency-key", key),))
        answer.refused(400, "idempotency_key_invalid")
        (await caller.post("/runs", body, headers=(KEY,))).ok(201)

    against_host(scenario)


def test_final_refusals_are_kept_and_mendable_ones_are_not() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"{path_of(run)}/cancel"
        (await caller.post(target, headers=(KEY,))).ok()
        assert (await caller.post(target, headers=(KEY,))).ok()["status"] == "cancelled"
        (await caller.post(target, headers=((KEY[0], "another-key-of-good-length"),))).refused(
            409, "run_terminal"
        )
        seam = "/conformance/seams/sample/a2ui/emit-surface"
        live = await caller.run()
        body: Any = {"runId": live, "envelope": caller.envelope("s", [DATA])}
        first = await caller.post(seam, body, headers=(KEY,))
        first.refused(422, "envelope_invalid", "fold")
        (await caller.surface(live, "s", [CREATE])).ok(201)
        kept = await caller.post(seam, body, headers=(KEY,))
        assert kept.body == first.body
        assert kept.headers["openwop-idempotent-replay"] == "true"
        broken = {"runId": live, "envelope": {}}
        key = (KEY[0], "a-third-key-of-good-length")
        (await caller.post(seam, broken, headers=(key,))).refused(400, "validation_error")
        (await caller.post(seam, body, headers=(key,))).ok(201)

    against_host(scenario)


def test_of_two_requests_at_once_with_one_key_one_is_carried_out() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        seam = "/conformance/seams/sample/a2ui/emit-surface"
        body = {"runId": run, "envelope": caller.envelope("s", [CREATE])}
        answers = await asyncio.gather(*(caller.post(seam, body, headers=(KEY,)) for _ in range(5)))
        assert sorted(answer.status for answer in answers) == [201, 409, 409, 409, 409]
        assert {answer.code for answer in answers} == {None, "idempotency_in_flight"}
        (await caller.post(seam, body, headers=(KEY,))).ok(201)
        assert len(surfaces_in(await caller.events(run))) == 1

    against_host(scenario, policy=replace(Policy(), serialise=False))


# ------------------------------------------------------------------------------ durability


def test_a_restart_reads_everything_and_goes_on(tmp_path: Path) -> None:
    settings = Settings(database=str(tmp_path / "log.db"))
    kept: dict[str, Any] = {}

    async def before(caller: Caller) -> None:
        kept["run"] = run = await caller.run()
        kept["sent"] = caller.envelope("s", [CREATE], node="gate", trust="untrusted")
        (await caller.emit(run, kept["sent"])).ok(201)
        kept["created"] = (
            await caller.post("/runs", {"workflowId": "conformance-noop"}, headers=(KEY,))
        ).ok(201)
        kept["events"] = await caller.events(run)

    async def after(caller: Caller) -> None:
        run = kept["run"]
        assert await caller.events(run) == kept["events"]
        assert (await caller.emit(run, kept["sent"])).ok(201) == {"sequence": 5}
        (await caller.surface(run, "s", [CREATE], correlation="c" * 20)).refused(
            422, "envelope_invalid", "fold"
        )
        (await caller.surface(run, "s", [DATA], correlation="c" * 20)).ok(201)
        (await caller.resolve(run)).refused(403, "forbidden")
        again = await caller.post("/runs", {"workflowId": "conformance-noop"}, headers=(KEY,))
        assert again.ok(201) == kept["created"]

    against_host(before, settings)
    against_host(after, settings)


def test_a_floor_raised_to_two_still_reads_and_forks_what_was_recorded_under_one(
    tmp_path: Path,
) -> None:
    legacy = Settings(floor=1, database=str(tmp_path / "log.db"))
    kept: dict[str, Any] = {}

    async def before(caller: Caller) -> None:
        kept["run"] = await caller.run()
        kept["sent"] = [caller.envelope(payload=V1, version=v) for v in (1, None)]
        for sent in kept["sent"]:
            (await caller.emit(kept["run"], sent)).ok(201)

    async def after(caller: Caller) -> None:
        run = kept["run"]
        assert surfaces_in(await caller.events(run)) == kept["sent"]
        (await caller.emit(run, caller.envelope(payload=V1, version=1, correlation="x"))).refused(
            422, "envelope_invalid", "branch"
        )
        point = (await caller.surface(run, "s", [CREATE], correlation="y")).ok(201)["sequence"]
        fork = (await caller.fork(run, fromSeq=point)).ok(201)["runId"]
        assert surfaces_in(await caller.events(fork)) == kept["sent"]
        async with caller.stream(run, "?streamMode=debug") as reader:
            found = await reader.until("example.a2ui-surface-recorded")
            assert json.loads(found[-1].data)["payload"]["envelope"] == kept["sent"][0]

    against_host(before, legacy)
    against_host(after, replace(legacy, floor=2))


def test_a_failed_append_leaves_neither_log_nor_state_behind(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "log.db"))
    store.add_run(Run("acme/1", "acme", "conformance-noop", None, {}, "now"))
    event = {"runId": "acme/1", "sequence": 0}
    with pytest.raises(sqlite3.IntegrityError):
        store.append([event, event | {"sequence": 1}, event])
    assert store.events("acme/1") == []
    store.append([event])
    with pytest.raises(sqlite3.IntegrityError), store.transaction():  # noqa: PT012
        store.append([event | {"sequence": 1}])
        store.append([event])
    assert store.events("acme/1") == [event]
    store.close()
    store.close()


def test_a_file_of_something_else_is_not_taken_for_a_log(tmp_path: Path) -> None:
    text, foreign = tmp_path / "text.db", tmp_path / "foreign.db"
    text.write_text("not a database, but long enough to be looked at as one" * 20)
    connection = sqlite3.connect(foreign)
    connection.execute("CREATE TABLE other (x)")
    connection.close()
    for path in (text, foreign, tmp_path / "no" / "such.db"):
        with pytest.raises(UsageError, match="database"):
            Store(str(path))
