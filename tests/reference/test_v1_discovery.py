"""Two majors on one port: which document, which version, and which path is whose."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from openwop_conformance.adapters.host import Request
from openwop_conformance.errors import UsageError
from openwop_conformance.reference.connect import reference_host, settings_of
from openwop_conformance.reference.settings import Settings
from openwop_conformance.wire.discovery import incoherences

from .client import BOUNDS
from .client_v1 import A, Caller, against_host, path_of

DISCOVERY = "/.well-known/openwop"
UNIVERSAL = ["clarification.request", "schema.request", "schema.response", "error"]


def _asking(version: str) -> tuple[tuple[str, str], ...]:
    return (("openwop-version", version),)


@pytest.mark.parametrize("version", [None, "1", "1.1"])
def test_without_a_version_and_with_a_first_one_the_document_is_that_of_major_1(
    version: str | None,
) -> None:
    async def scenario(caller: Caller) -> None:
        headers = () if version is None else _asking(version)
        found = (await caller.get(DISCOVERY, tenant=None, headers=headers)).ok()
        assert found["protocolVersion"] == found["preferredVersion"] == "1.1"
        assert found["protocolVersions"] == ["1.1", "2.0"]
        assert found["supportedEnvelopes"] == [*UNIVERSAL, "ui.a2ui-surface"]
        assert found["schemaVersions"]["ui.a2ui-surface"] == 1
        assert found["envelopeStrictness"] == "warn"
        assert {"clarificationRounds", "schemaRounds", "envelopesPerTurn", "maxNodeExecutions"} <= (
            found["limits"].keys()
        )
        assert found["a2uiSurface"] == {"deltaTransport": True}
        assert found["fixtures"] == ["conformance-approval", "conformance-noop"]
        assert "capabilities" not in found

    against_host(scenario)


def test_the_wrapper_holds_the_families_and_the_root_does_not() -> None:
    async def scenario(caller: Caller) -> None:
        found = (await caller.get(DISCOVERY)).ok()
        assert found["capabilities"]["a2uiSurface"] == {"deltaTransport": True}
        assert "a2uiSurface" not in found
        assert found["protocolVersion"] == "1.1"
        assert "ui.a2ui-surface" in found["supportedEnvelopes"]

    against_host(scenario, settings_of({"wrapper": "1"}))


def test_each_representation_has_a_tag_of_its_own() -> None:
    async def scenario(caller: Caller) -> None:
        first = await caller.get(DISCOVERY)
        second = await caller.get(DISCOVERY, headers=_asking("2"), version="2.0")
        assert incoherences(second.body) == []
        assert second.body["preferredVersion"] == "1.1"
        assert first.headers["etag"] != second.headers["etag"]
        for answer in (first, second):
            assert answer.headers["vary"] == "OpenWOP-Version"
        known: Any = (("if-none-match", first.headers["etag"]),)
        assert (await caller.get(DISCOVERY, headers=known)).status == 304
        known = (*known, *_asking("2.0"))
        assert (await caller.get(DISCOVERY, headers=known, version="2.0")).status == 200

    against_host(scenario)


def test_the_path_says_which_major_is_spoken_and_another_version_is_a_mismatch() -> None:
    async def scenario(caller: Caller) -> None:
        run = await caller.run()
        for version in ("1", "1.1"):
            (await caller.get(path_of(run), headers=_asking(version))).ok()
        for version in ("2", "2.0", "99.0", "1.2", "x"):
            answer = await caller.get(path_of(run), headers=_asking(version))
            answer.refused(400, "protocol_version_mismatch")
        answer = await caller.get("/runs/acme~2Fx", headers=_asking("1.1"), version="2.0")
        answer.refused(400, "protocol_version_mismatch")
        answer = await caller.get(DISCOVERY, headers=_asking("1.2"), version="2.0")
        answer.refused(406, "protocol_version_unsupported")

    against_host(scenario)


def test_a_run_is_known_only_to_the_major_that_created_it() -> None:
    async def scenario(caller: Caller) -> None:
        first = await caller.run()
        assert "/" not in first
        assert "acme" not in first
        created = await caller.post("/runs", {"workflowId": "conformance-approval"}, version="2.0")
        second = created.ok(201)["runId"]
        (await caller.get(f"/runs/{first}", version="2.0")).refused(404, "not_found")
        (await caller.get(path_of(second))).refused(404, "run_not_found")
        (await caller.emit(second, A)).refused(404, "run_not_found")

    against_host(scenario)


@pytest.mark.parametrize(
    ("method", "target"),
    [
        ("GET", "/v1/"),
        ("GET", "/v1"),
        ("GET", "/v1/runs"),
        ("GET", "/v1/nowhere"),
        ("DELETE", "/v1/runs/x"),
        ("GET", "/v1/host/sample/a2ui/emit-surface"),
        ("POST", "/v1/runs/x:pause"),
    ],
)
def test_an_operation_that_major_1_does_not_have_is_not_found(method: str, target: str) -> None:
    async def scenario(caller: Caller) -> None:
        (await caller.send(method, target)).refused(404, "not_found")
        (await caller.send(method, target, tenant=None)).refused(401, "unauthenticated")

    against_host(scenario)


@pytest.mark.parametrize(
    "arguments",
    [{"dialect": "other"}, {"wrapper": "yes"}, {"catalogs": ""}, {"catalogs": "0.9.2"}],
)
def test_an_argument_about_major_1_that_makes_no_sense_is_refused(
    arguments: dict[str, str],
) -> None:
    with pytest.raises(UsageError):
        settings_of(arguments)


def test_the_arguments_about_major_1_are_settings() -> None:
    found = settings_of({"dialect": "openwop-app", "wrapper": "1", "catalogs": "0.9.1,0.9.2"})
    assert (found.dialect, found.v1_wrapper) == ("openwop-app", True)
    assert found.catalog_versions == ("0.9.1", "0.9.2")
    plain = Settings()
    assert (plain.dialect, plain.v1_wrapper, plain.catalog_versions) == (
        "reference",
        False,
        ("0.9.1",),
    )


def test_the_connectable_speaks_both_majors() -> None:
    async def main() -> None:
        host = reference_host(dialect="openwop-app", wrapper="1")
        for version, marker in ((None, b'"protocolVersion"'), ("2.0", b'"seamsProfile"')):
            headers: Any = () if version is None else _asking(version)
            response = await host.exchange(Request("GET", DISCOVERY, headers), BOUNDS)
            assert marker in response.body
        await host.close()

    asyncio.run(main())
