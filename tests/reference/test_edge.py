"""What every request meets: credentials, versions, tenants, and errors that are closed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Any

import pytest

from openwop_conformance.reference.app import SEAM
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.settings import Settings
from openwop_conformance.wire.discovery import claims_of, incoherences

from .client import CREATE, DISCOVERY, Caller, against_host, path_of

# ------------------------------------------------------------------------------- discovery


@pytest.mark.parametrize("floor", [1, 2])
@pytest.mark.parametrize("strictness", ["warn", "strict"])
@pytest.mark.parametrize("version", ["2", "2.0"])
def test_the_discovery_document_is_coherent_and_needs_no_key(
    floor: Any, strictness: Any, version: str
) -> None:
    async def scenario(caller: Caller) -> None:
        headers = (("openwop-version", version),)
        document = (await caller.get(DISCOVERY, tenant=None, headers=headers)).ok()
        assert incoherences(document) == []
        claims = claims_of(document)
        assert (claims.floor, claims.strictness, claims.seams) == (floor, strictness, True)
        assert claims.kinds == {"ui.a2ui-surface"}
        assert claims.fixtures == {"conformance-approval", "conformance-noop"}
        assert claims.fork_modes == {"replay", "branch"}
        assert document["protocolVersions"] == ["1.1", "2.0"]
        assert document["preferredVersion"] == "1.1"

    against_host(scenario, Settings(floor=floor, strictness=strictness))


def test_the_document_has_a_strong_tag_that_is_honoured() -> None:
    async def scenario(caller: Caller) -> None:
        first = await caller.get(DISCOVERY, tenant=None)
        tag = first.headers["etag"]
        assert tag.startswith('"')
        for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
            answer = await caller.get(DISCOVERY, headers=(("if-none-match", known),))
            assert (answer.status, answer.body) == (304, None)
            assert answer.headers["etag"] == tag
        (await caller.get(DISCOVERY, headers=(("if-none-match", '"other"'),))).ok()

    against_host(scenario)


@pytest.mark.parametrize("version", ["1.11", "3", "2.1", "two", ""])
def test_a_version_that_is_not_listed_is_not_served(version: str) -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for target in (DISCOVERY, path_of(run)):
            answer = await caller.get(target, headers=(("openwop-version", version),))
            body = answer.refused(406, "protocol_version_unsupported")
            assert body["details"] == {"protocolVersions": ["1.1", "2.0"]}

    against_host(scenario)


def test_what_discovery_promises_is_there() -> None:
    async def scenario(caller: Caller) -> None:
        document = (await caller.get(DISCOVERY)).ok()
        assert (await caller.get(document["replay"]["effectSeamsManifest"])).ok()["seams"] == []
        run = await caller.run()
        assert (await caller.get(f"{path_of(run)}/effects")).ok() == {"runId": run, "effects": []}
        (await caller.get("/interrupts/ow2.hs256.k.p.m")).refused(401, "interrupt_token_invalid")

    against_host(scenario)


# ----------------------------------------------------------------------------- credentials


def _requests(run: str, envelope: Any) -> list[tuple[str, str, Any]]:
    base = path_of(run)
    return [
        ("GET", base, None),
        ("GET", f"{base}/events", None),
        ("GET", f"{base}/events/poll?timeout=1", None),
        ("GET", f"{base}/effects", None),
        ("POST", f"{base}/cancel", {}),
        ("POST", f"{base}:fork", {"mode": "replay"}),
        ("POST", f"{base}/interrupts/gate", {"resumeValue": {"action": "accept"}}),
        ("POST", SEAM, {"runId": run, "envelope": envelope}),
    ]


def test_a_stranger_learns_nothing_not_even_what_exists() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        envelope = caller.envelope("s", [CREATE])
        known = _requests(run, envelope)
        unknown = _requests("acme/" + "0" * 32, envelope)
        others = [
            ("GET", "/nowhere", None),
            ("POST", "/runs", {"workflowId": "unheard-of"}),
            ("DELETE", "/runs", None),
        ]
        for method, target, body in (*known, *unknown, *others):
            (await caller.send(method, target, body, tenant=None)).refused(401, "unauthenticated")
        (await caller.post("/runs", raw=b"{not json", tenant=None)).refused(401, "unauthenticated")
        (await caller.post("/runs", raw=b"x" * 5_000_000, tenant=None)).refused(
            401, "unauthenticated"
        )

    against_host(scenario)


def test_only_a_bearer_key_is_a_credential() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        key = caller.settings.keys["acme"]
        for wrong in ("Bearer", "Bearer ", key, f"Basic {key}", f"Bearer {key}x", "Bearer ä", ""):
            answer = await caller.get(
                path_of(run), tenant=None, headers=(("authorization", wrong),)
            )
            answer.refused(401, "unauthenticated")
        lower = (("authorization", f"bearer {key}"),)
        (await caller.get(path_of(run), tenant=None, headers=lower)).ok()

    against_host(scenario)


def test_a_run_of_another_tenant_is_a_mismatch_whether_it_exists_or_not() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run(tenant="globex")
        before = await caller.read(run, tenant="globex")
        for run_id in (run, "globex/" + "0" * 32, "initech/" + "0" * 32):
            for method, target, body in _requests(run_id, caller.envelope("s", [CREATE])):
                (await caller.send(method, target, body)).refused(403, "id_tenant_mismatch")
        assert await caller.read(run, tenant="globex") == before
        for method, target, body in _requests("acme/" + "0" * 32, {}):
            (await caller.send(method, target, body)).refused(404, "not_found")

    against_host(scenario)


def test_neither_keys_nor_secrets_are_in_a_repr() -> None:
    settings = Settings()
    for hidden in (*settings.keys.values(), *settings.secrets.values()):
        assert hidden not in repr(settings)


# ---------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/"),
        ("GET", "/nowhere"),
        ("GET", "/runs"),
        ("GET", "/runs/"),
        ("POST", "/runs/"),
        ("PUT", "/runs"),
        ("DELETE", DISCOVERY),
        ("POST", DISCOVERY),
        ("GET", SEAM),
        ("PATCH", "/runs/acme~2Fx/cancel"),
        ("GET", "/runs/acme~2Fx:fork"),
        ("POST", "/runs/acme~2Fx:pause"),
        ("OPTIONS", "/runs"),
    ],
)
def test_an_operation_that_is_not_there_is_not_found(method: str, target: str) -> None:
    async def scenario(caller: Caller) -> None:
        (await caller.send(method, target)).refused(404, "not_found")

    against_host(scenario)


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"\xff",
        b"\xef\xbb\xbf{}",
        b'{"workflowId": "a", "workflowId": "b"}',
        b'{"workflowId": NaN}',
        b'{"workflowId": 1e999}',
        b'{"workflowId": "\\ud800"}',
        b"[" * 200 + b"]" * 200,
        b"[" * 100_000,
        b"9" * 5_000,
        b"null",
        b"{} {}",
    ],
)
def test_a_body_that_is_not_strict_json_is_a_validation_error(raw: bytes) -> None:
    async def scenario(caller: Caller) -> None:
        (await caller.post("/runs", raw=raw)).refused(400, "validation_error")

    against_host(scenario)


def test_a_body_over_the_limit_is_a_validation_error() -> None:
    async def scenario(caller: Caller) -> None:
        good = json.dumps({"workflowId": "conformance-noop"}).encode()
        (await caller.post("/runs", raw=good.ljust(1000))).ok(201)
        (await caller.post("/runs", raw=good.ljust(1001))).refused(400, "validation_error")

    against_host(scenario, Settings(max_body_bytes=1000))


def test_an_unexpected_error_says_nothing_of_its_cause(caplog: pytest.LogCaptureFixture) -> None:
    def broken(_: str) -> bool:
        raise RuntimeError("the cause".upper())

    async def scenario(caller: Caller) -> None:
        headers = (("idempotency-key", "0123456789abcdef-012345"),)
        body = {"workflowId": "conformance-noop"}
        answer = await caller.post("/runs", body, headers=headers)
        answer.refused(500, "internal_error")
        assert "THE CAUSE" not in json.dumps(answer.body) + caplog.text
        assert "RuntimeError" in caplog.text
        (await caller.post("/runs", body)).ok(201)

    against_host(scenario, policy=replace(Policy(), idempotency_key_valid=broken))


def test_no_malformed_request_gets_past_the_closed_error_envelope() -> None:
    """``Caller`` checks each answer; a few hundred requests out of a fixed seed make them."""
    chance = random.Random(20260101)
    pieces: list[Any] = [
        None, True, 0, -1, 2**64, 10**400, 1.5, "", "x", "\x00", "é\u2028", [], {}, [[]],
        {"action": "accept"}, "replay", "conformance-noop", {"type": "ui.a2ui-surface"}, "v0.9",
    ]  # fmt: skip
    names = [
        "workflowId", "runId", "envelope", "mode", "fromSeq", "resumeValue", "reason", "tags",
        "metadata", "tenantId", "inputs", "runOptionsOverlay", "extra", "\x00",
    ]  # fmt: skip

    def anything(depth: int = 0) -> Any:
        if depth < 3 and chance.random() < 0.3:
            count = chance.randrange(4)
            return {chance.choice(names): anything(depth + 1) for _ in range(count)}
        return chance.choice(pieces)

    def mutated(value: Any) -> Any:
        """A copy with one place changed."""
        if isinstance(value, dict) and value and chance.random() < 0.85:
            key = chance.choice(sorted(value))
            if chance.random() < 0.1:
                return {k: v for k, v in value.items() if k != key}
            return value | {key: mutated(value[key])}
        if isinstance(value, list) and value and chance.random() < 0.85:
            index = chance.randrange(len(value))
            return [*value[:index], mutated(value[index]), *value[index + 1 :]]
        return anything()

    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        base = path_of(run)
        targets = ["/runs", f"{base}:fork", f"{base}/interrupts/gate", f"{base}/interrupts/~", SEAM]
        targets += ["/runs/%", "/runs/%00:fork", "/runs/~2F/cancel", "/runs/%C3%28/cancel"]
        seen: set[int] = set()
        for _ in range(300):
            answer = await caller.post(chance.choice(targets), anything())
            seen.add(answer.status)
        for _ in range(200):
            sent = caller.envelope("s", [CREATE, {"updateDataModel": {"value": 1}}], node="gate")
            answer = await caller.post(SEAM, mutated({"runId": run, "envelope": sent}))
            seen.add(answer.status)
        assert 500 not in seen
        assert {201, 400, 404, 422} <= seen
        await caller.events(run)

    against_host(scenario)
