"""Untrusted content blocks approvals, and nothing launders it."""

from __future__ import annotations

from typing import Any

import pytest

from openwop_conformance.reference.settings import Settings

from .client import CREATE, DATA, DELETE, ROOT, V1, Caller, against_host, types_of


async def _blocked(caller: Caller, run: str, action: str = "accept") -> None:
    log = await caller.events(run)
    body = (await caller.resolve(run, action)).refused(403, "forbidden")
    assert body["details"]["reason"] == "untrusted_content_blocks_approval"
    assert (await caller.read(run))["status"] == "waiting-approval"
    assert await caller.events(run) == log


async def _free(caller: Caller, run: str) -> None:
    assert (await caller.resolve(run)).ok()["status"] == "completed"


@pytest.mark.parametrize(
    "emissions",
    [
        [([CREATE], "untrusted", "gate")],
        [([CREATE], None, "gate"), ([DATA], "untrusted", "gate"), ([ROOT], "trusted", "gate")],
        [([CREATE], "untrusted", None), ([DATA], "trusted", "gate")],
        [([CREATE], "trusted", "gate"), ([DATA], "untrusted", None)],
        [([CREATE], "trusted", "gate"), ([DATA], "untrusted", "elsewhere")],
        [([CREATE], "untrusted", "gate"), ([DELETE], "trusted", "gate"), ([CREATE], None, "gate")],
    ],
)
def test_one_untrusted_envelope_taints_the_surface_for_ever(emissions: list[Any]) -> None:
    async def scenario(caller: Caller) -> None:
        tainted, control = await caller.run(), await caller.run()
        for messages, trust, node in emissions:
            (await caller.surface(tainted, "s", messages, trust=trust, node=node)).ok(201)
            (await caller.surface(control, "s", messages, trust="trusted", node=node)).ok(201)
        await _blocked(caller, tainted)
        await _blocked(caller, tainted, "reject")
        await _free(caller, control)

    against_host(scenario)


def test_a_tainted_surface_blocks_only_the_nodes_it_is_bound_to() -> None:
    async def scenario(caller: Caller) -> None:
        run, other = await caller.run(), await caller.run()
        (await caller.surface(run, "s", [CREATE], trust="untrusted", node="elsewhere")).ok(201)
        (await caller.surface(run, "unbound", [CREATE], trust="untrusted")).ok(201)
        (await caller.surface(run, "clean", [CREATE], node="gate")).ok(201)
        (await caller.surface(other, "s", [CREATE], trust="untrusted", node="gate")).ok(201)
        await _free(caller, run)
        await _blocked(caller, other)

    against_host(scenario)


def test_an_untrusted_envelope_that_warn_lets_in_taints_as_well() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope("s", [CREATE], version=1, trust="untrusted", node="gate")
        (await caller.emit(run, sent)).ok(201)
        await _blocked(caller, run)

    against_host(scenario)


def test_an_untrusted_envelope_of_the_first_version_blocks_its_node() -> None:
    async def scenario(caller: Caller) -> None:
        for trust in ("untrusted", "trusted"):
            run = await caller.run()
            sent = caller.envelope(payload=V1, version=1, node="gate")
            sent["meta"]["contentTrust"] = trust
            (await caller.emit(run, sent)).ok(201)
            await (_blocked if trust == "untrusted" else _free)(caller, run)

    against_host(scenario, Settings(floor=1))


def test_a_fork_inherits_taint_with_the_envelope_and_only_with_it() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.surface(run, "s", [CREATE], node="gate")).ok(201)
        tainting = (await caller.surface(run, "s", [DATA], trust="untrusted")).ok(201)["sequence"]
        after = (await caller.surface(run, "s", [ROOT])).ok(201)["sequence"]
        for mode in ("replay", "branch"):
            tainted = (await caller.fork(run, mode, fromSeq=after)).ok(201)["runId"]
            clean = (await caller.fork(run, mode, fromSeq=tainting)).ok(201)["runId"]
            await _blocked(caller, tainted)
            await _free(caller, clean)

    against_host(scenario)


def test_an_approval_that_is_accepted_or_rejected_completes_the_run() -> None:
    async def scenario(caller: Caller) -> None:
        for action, verdict in (("accept", "approval.granted"), ("reject", "approval.rejected")):
            run = await caller.run()
            before = await caller.events(run)
            (await caller.resolve(run, action)).ok()
            added = await caller.events(run, before[-1]["sequence"])
            assert types_of(added) == [
                "interrupt.resolved",
                verdict,
                "node.resumed",
                "node.completed",
                "run.completed",
            ]
            assert added[1]["causationId"] == added[0]["eventId"]
            assert added[-1]["payload"] == {"outputs": {"approved": action == "accept"}}
            found = await caller.read(run)
            assert found["status"] == "completed"
            assert "currentNodeId" not in found

    against_host(scenario)


def test_an_interrupt_is_resolved_once_and_by_what_it_offers() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        (await caller.resolve(run, node="elsewhere")).refused(404, "interrupt_not_found")
        for action in ("ask", "refine", "edit-accept", "approve", ""):
            (await caller.resolve(run, action)).refused(400, "validation_error")
        (await caller.resolve(run)).ok()
        (await caller.resolve(run)).refused(409, "interrupt_already_resolved")
        (await caller.resolve(run, "nonsense")).refused(409, "interrupt_already_resolved")
        cancelled = await caller.run()
        (await caller.post(f"/runs/{cancelled.replace('/', '~2F')}/cancel")).ok()
        (await caller.resolve(cancelled)).refused(409, "interrupt_already_resolved")
        (await caller.resolve("acme/" + "0" * 32)).refused(404, "not_found")

    against_host(scenario)


def test_the_body_of_a_resolution_is_closed() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        target = f"/runs/{run.replace('/', '~2F')}/interrupts/gate"
        good = {"resumeValue": {"action": "accept", "name": "Ada"}}
        wrong: Any
        for wrong in ({}, good | {"x": 1}, {"resumeValue": "accept"}, {"resumeValue": {}}, []):
            (await caller.post(target, wrong)).refused(400, "validation_error")
        (await caller.post(target, good)).ok()
        (resolved,) = [e for e in await caller.events(run) if e["type"] == "interrupt.resolved"]
        assert resolved["payload"]["resumeValue"] == good["resumeValue"]

    against_host(scenario)
