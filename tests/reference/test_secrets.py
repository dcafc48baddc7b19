"""SR-1: no configured secret in a record, in an error, or in anything else that is answered."""

from __future__ import annotations

import json
from typing import Any

import pytest

from openwop_conformance.jsontree import strings_in
from openwop_conformance.reference.app import SEAM
from openwop_conformance.reference.redaction import redact
from openwop_conformance.reference.settings import Settings

from .client import CREATE, Caller, against_host, path_of

AWKWARD = 'sk-"quote"\\back/slash~tilde é'


async def _everything(caller: Caller, run: str) -> str:
    async with caller.stream(run, "?streamMode=debug") as reader:
        await reader.until("node.suspended")
        (await caller.post(f"{path_of(run)}/cancel", {"reason": "done"})).ok()
        await reader.rest()
        streamed = reader.text.decode()
    polled = json.dumps(await caller.events(run), ensure_ascii=False)
    return streamed + polled + json.dumps(await caller.read(run), ensure_ascii=False)


@pytest.mark.parametrize("value", ["CANARY-plain-secret-value", AWKWARD])
def test_a_secret_is_recorded_nowhere_and_its_place_is_marked(value: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        components = [
            {"id": "root", "component": "Text", "text": f"before {value} after {value}"},
            {
                "id": "button",
                "component": "Button",
                "child": "root",
                "action": {"event": {"name": "resume", "context": {value: ["x", [value]]}}},
            },
        ]
        data = {"updateDataModel": {"value": {value: {"deep": [{"er": value}]}, "n": 1}}}
        sent = caller.envelope("s", [CREATE, {"updateComponents": {"components": components}}])
        sent["meta"]["label"] = value
        (await caller.emit(run, sent)).ok(201)
        (await caller.surface(run, "s", [data])).ok(201)
        text = await _everything(caller, run)
        assert value not in text
        assert json.dumps(value)[1:-1] not in text
        recorded = [e for e in await caller.events(run) if e["type"].startswith("example.")]
        leaves = [s for _, s in strings_in(recorded)]
        assert "before [REDACTED:key] after [REDACTED:key]" in leaves
        assert leaves.count("[REDACTED:key]") == 5

    against_host(scenario, Settings(secrets={"key": value}))


def test_a_secret_in_an_id_is_one_id_still() -> None:
    value = "CANARY-secret-value"

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        sent = caller.envelope(f"s-{value}", [CREATE], correlation=f"c-{value}", node=value)
        sequence = (await caller.emit(run, sent)).ok(201)
        assert (await caller.emit(run, sent)).ok(201) == sequence
        (await caller.surface(run, f"s-{value}", [CREATE])).refused(422, "envelope_invalid", "fold")
        (await caller.surface(run, f"s-{value}", [{"deleteSurface": {}}])).ok(201)
        assert value not in await _everything(caller, run)

    against_host(scenario, Settings(secrets={"key": value}))


@pytest.mark.parametrize("value", ["CANARY-secret-value", AWKWARD])
def test_no_error_repeats_a_secret(value: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        base = path_of(run)
        theme = {"createSurface": {"theme": {"primaryColor": value}}}
        bodies: list[tuple[str, Any]] = [
            (SEAM, {"runId": run, "envelope": caller.envelope("s", [{value: 1}])}),
            (SEAM, {"runId": run, "envelope": caller.envelope("s", [theme])}),
            (SEAM, {"runId": run, "envelope": caller.envelope("s" + value, [CREATE, CREATE])}),
            (SEAM, {"runId": run, "envelope": {value: value}}),
            (SEAM, {"runId": run, "envelope": caller.envelope("s", [CREATE], kind=value)}),
            (SEAM, {"runId": value, "envelope": {}}),
            (SEAM, {value: value}),
            ("/runs", {"workflowId": value}),
            ("/runs", {"workflowId": "conformance-noop", value: 1}),
            ("/runs", {"workflowId": [value * 9]}),
            (f"{base}:fork", {"mode": value}),
            (f"{base}/interrupts/gate", {"resumeValue": {"action": value}}),
            (f"{base}/cancel", {"reason": [value]}),
        ]
        for target, body in bodies:
            answer = await caller.post(target, body)
            assert answer.status >= 400
            text = json.dumps(answer.body, ensure_ascii=False)
            assert value[:12] not in text
            assert json.dumps(value)[1:13] not in text
        duplicate = b'{"%s": 1, "%s": 2}' % ((json.dumps(value)[1:-1].encode(),) * 2)
        answer = await caller.post("/runs", raw=duplicate)
        assert value[:12] not in json.dumps(answer.body, ensure_ascii=False)

    against_host(scenario, Settings(secrets={"key": value}))


def test_an_error_without_a_secret_quotes_what_is_wrong() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        answer = await caller.surface(run, "s", [{"createSurface": {"theme": {"iconUrl": "x"}}}])
        body = answer.refused(422, "envelope_invalid", "branch")
        assert "iconUrl" in body["message"]
        assert body["details"]["path"].startswith("/payload/messages/0")

    against_host(scenario)


def test_a_decision_and_the_options_of_a_run_are_redacted_too() -> None:
    value = "CANARY-secret-value"

    async def scenario(caller: Caller) -> None:
        body = {"workflowId": "conformance-approval", "tags": [value], "metadata": {value: value}}
        run = (await caller.post("/runs", body)).ok(201)["runId"]
        target = f"{path_of(run)}/interrupts/gate"
        (await caller.post(target, {"resumeValue": {"action": "accept", "pin": value}})).ok()
        found = json.dumps([await caller.read(run), await caller.events(run)])
        assert value not in found
        assert found.count("[REDACTED:key]") == 5

    against_host(scenario, Settings(secrets={"key": value}))


def test_redaction_is_total_and_loses_no_member() -> None:
    secrets = {"short": "abcdefgh", "long": "abcdefghijkl"}
    assert redact("xabcdefghijklx abcdefgh", secrets) == "x[REDACTED:long]x [REDACTED:short]"
    clashing = {"abcdefgh": 1, "[REDACTED:short]": 2, "[REDACTED:short]#2": 3}
    assert redact(clashing, secrets) == {
        "[REDACTED:short]#3": 1,
        "[REDACTED:short]": 2,
        "[REDACTED:short]#2": 3,
    }
    plain = {"a": [1, None, True, 1.5, "abcdefg"]}
    assert redact(plain, secrets) == plain
    assert redact(plain, {}) is plain
