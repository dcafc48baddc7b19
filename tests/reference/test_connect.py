"""The reference host by its connectable string, in the shape of its settings, and what it costs."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import pytest
import uvicorn

from openwop_conformance.adapters.host import Host, Request
from openwop_conformance.adapters.http import HttpHost
from openwop_conformance.errors import UsageError
from openwop_conformance.reference.connect import (
    build_app,
    reference_host,
    reference_subject,
    settings_of,
)
from openwop_conformance.reference.rules import Admission
from openwop_conformance.reference.settings import Settings

from .client import BOUNDS, CREATE, DATA, Caller, against_host, encoded


def test_the_connectable_is_a_host_that_answers() -> None:
    async def main() -> None:
        host = reference_host(strictness="strict", floor="1")
        assert isinstance(host, Host)
        response = await host.exchange(Request("GET", "/.well-known/openwop"), BOUNDS)
        assert response.status == 200
        assert b'"strict"' in response.body
        await host.close()

    asyncio.run(main())


@pytest.mark.parametrize(
    "args", [{"floor": "3"}, {"floor": ""}, {"strictness": "lax"}, {"colour": "red"}]
)
def test_an_argument_that_makes_no_sense_is_refused(args: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        settings_of(args)


@pytest.mark.parametrize(
    "wrong",
    [
        {"keys": {}},
        {"keys": {"acme": ""}},
        {"keys": {"acme": "a key"}},
        {"keys": {"a/b": "key"}},
        {"keys": {"a": "key", "b": "key"}},
        {"secrets": {"key": "short"}},
        {"secrets": {"a]": "long enough"}},
        {"secrets": {"a": "long enough", "b": "long enough"}},
        {"max_body_bytes": 0},
        {"keep_alive_seconds": 31},
    ],
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Settings(**wrong)


def test_two_hosts_share_neither_keys_nor_secrets() -> None:
    first, second = Settings(), Settings()
    assert first.keys.keys() == second.keys.keys() == {"acme", "globex"}
    assert not set(first.keys.values()) & set(second.keys.values())
    assert first.secrets != second.secrets
    assert build_app().state.host.settings != build_app().state.host.settings


def test_the_host_behaves_the_same_behind_a_real_server() -> None:
    async def main() -> None:
        app, settings = reference_subject(Settings(max_body_bytes=100_000))
        config = uvicorn.Config(app, port=0, ws="none", log_level="critical")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        host = HttpHost(f"http://127.0.0.1:{port}")
        caller = Caller(host, app.state.host, settings)
        try:
            run = await caller.run()
            assert (await caller.get(encoded(run))).ok()["runId"] == run
            async with caller.stream(run, "?streamMode=debug") as reader:
                await reader.until("node.suspended")
                sent = caller.envelope("s", [CREATE])
                (await caller.emit(run, sent)).ok(201)
                seen = (await reader.until("example.a2ui-surface-recorded"))[-1]
                assert json.loads(seen.data)["payload"]["envelope"] == sent
            (await caller.post("/runs", raw=b" " * 200_000)).refused(400, "validation_error")
            async with asyncio.timeout(4):
                while caller.inside.bells._listeners:
                    await asyncio.sleep(0.02)
        finally:
            await host.close()
            server.should_exit = True
            await serving

    asyncio.run(main())


def test_the_cost_of_an_emission_does_not_grow_with_the_log() -> None:
    """The last 500 of 2,000 over the first 500: 1 when linear, 7 when each one reads the log.

    The quickest slice of 50 stands for its 500, since a busy machine only ever adds time.
    """

    async def scenario(caller: Caller) -> None:
        host = caller.inside
        run = host.run(await caller.run(), "acme")
        host.record(run, _admitted(host.judge(run, caller.envelope("s", [CREATE]))))
        slices: list[float] = []
        for _ in range(40):
            envelopes = [caller.envelope("s", [DATA]) for _ in range(50)]
            began = time.perf_counter()
            for sent in envelopes:
                host.record(run, _admitted(host.judge(run, sent)))
            slices.append(time.perf_counter() - began)
        assert host.state(run).last_sequence == 5 + 2000
        assert min(slices[-10:]) / min(slices[:10]) < 3

    against_host(scenario)


def _admitted(judged: int | Admission) -> Admission:
    assert isinstance(judged, Admission)
    return judged
