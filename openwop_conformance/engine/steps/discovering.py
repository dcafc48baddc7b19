"""The verb that reads what a host claims: discovery."""

from __future__ import annotations

from ...adapters.host import Request, Response
from ...adapters.operations import V2
from ...scenario.host_verbs import Discovery
from ...scenario.verbs import Refused
from ...wire.discovery import PATH, incoherences
from ..checks.answers import admitted, described, refused_as
from ..verdict import Exchange
from ..witness import Witness

_VERSION = "openwop-version"


async def discovery(witness: Witness, args: Discovery, refused: Refused | None) -> None:
    """Hold the document to its schema and to itself, or its service to the negotiation rules."""
    if args.is_ == "negotiated":
        await _negotiated(witness)
        return
    exchange, response = await witness.ask(V2.discovery(), "none")
    document = admitted(witness, exchange, response)
    found = incoherences(document)
    witness.check(
        not found,
        "the discovery document contradicts the protocol or itself",
        expected="the closed root of major 2, its claims in agreement",
        got="; ".join(found[:5]),
        exchange=exchange,
    )


async def _negotiated(witness: Witness) -> None:
    """The version header on every answer, the ETag and 304, the refusal of an unlisted major."""
    exchange, response = await witness.ask(V2.discovery(), "none")
    admitted(witness, exchange, response)
    _check_version(witness, exchange, response)
    etag = response.header("etag")
    witness.check(
        bool(etag), "discovery has no ETag", expected="an ETag", got="none", exchange=exchange
    )
    again = V2.get(PATH, ("If-None-Match", etag or ""))
    exchange, response = await witness.ask(again, "none")
    witness.check(
        response.status == 304 and not response.body,
        "If-None-Match with the document's own ETag is not honoured",
        expected="304 without a body",
        got=described(response) if response.body else str(response.status),
        exchange=exchange,
    )
    other = V2.get(PATH, ("If-None-Match", '"another"'))
    exchange, response = await witness.ask(other, "none")
    admitted(witness, exchange, response)
    unlisted = Request("GET", PATH, ((V2.version[0][0], "99.0"),))
    exchange, response = await witness.ask(unlisted, "none")
    refused_as(witness, exchange, response, Refused(code="protocol_version_unsupported"))
    exchange, response = await witness.ask(V2.create_run("conformance-noop"), "none")
    _check_version(witness, exchange, response)


def _check_version(witness: Witness, exchange: Exchange, response: Response) -> None:
    version = response.header(_VERSION) or ""
    witness.check(
        version.startswith("2."),
        "an answer does not say which version of the protocol it is",
        expected="OpenWOP-Version: 2.<minor>",
        got=version or "no such header",
        exchange=exchange,
    )
