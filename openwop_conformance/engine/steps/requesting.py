"""The verbs that speak HTTP plainly: request, and the seam's own contract."""

from __future__ import annotations

from ...adapters.host import Request as HttpRequest
from ...adapters.host import Response
from ...adapters.operations import EMIT_SURFACE, V2
from ...jsontree import with_texts
from ...jsonvalue import JsonValue, brief, compact, equal, integer
from ...scenario.host_verbs import Emit, Request, Seam
from ...scenario.verbs import Refused
from ...wire.envelope import envelope
from ..checks.answers import admitted, described, refused_as
from ..verdict import Exchange
from ..witness import Emission, Witness


async def request(witness: Witness, args: Request, refused: Refused | None) -> None:
    """Send a request as it is written; it succeeds, or is refused as said."""
    body = None
    if args.text is not None:
        body = args.text.encode()
    elif args.body is not None:
        body = compact(with_texts(args.body, lambda text: witness.filled(text, in_path=False)))
    headers = {**dict(witness.api.version), "Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    exchange, response = await witness.ask(
        HttpRequest(
            args.method,
            witness.filled(args.path, in_path=True),
            tuple((headers | args.headers).items()),
            body,
        ),
        args.credential,
    )
    if refused is not None:
        refused_as(witness, exchange, response, refused)
    else:
        witness.check(
            200 <= response.status < 300,
            "refused what has to be answered",
            expected="success",
            got=described(response),
            exchange=exchange,
        )


async def seam(witness: Witness, args: Seam, refused: Refused | None) -> None:
    """The documented answers of the emit-surface seam, each wrong request beside the right one."""
    run = witness.run(args.run)
    good: dict[str, JsonValue] = {"runId": run.id, "envelope": _envelope(witness, "a")}
    exchange, response = await witness.ask(V2.post(EMIT_SURFACE, good))
    witness.check(
        response.status not in (404, 405),
        "the seams profile is declared, but the seam is not served",
        expected="201",
        got=described(response),
        exchange=exchange,
    )
    body = admitted(witness, exchange, response)
    _check_answer(witness, exchange, response, body)
    run.emissions.append(Emission(good["envelope"]["payload"], body["sequence"], False))

    missing: dict[str, JsonValue] = {"runId": witness.filled("{missing}", in_path=False)}
    spare: dict[str, JsonValue] = {"runId": run.id, "envelope": _envelope(witness, "b")}
    wrong: list[tuple[JsonValue, str, Refused]] = [
        ({**spare, **missing}, "owner", Refused(code="not_found")),
        ({**spare, "mode": "test"}, "owner", Refused(code="validation_error")),
        ({"runId": run.id}, "owner", Refused(code="validation_error")),
        (
            {**spare, "envelope": {**spare["envelope"], "onAdmit": "x"}},
            "owner",
            Refused(code="validation_error"),
        ),
        (spare, "none", Refused(code="unauthenticated")),
        (spare, "wrong", Refused(code="unauthenticated")),
    ]
    for bad, whose, why in wrong:
        exchange, response = await witness.ask(V2.post(EMIT_SURFACE, bad), whose)
        refused_as(witness, exchange, response, why)
    exchange, response = await witness.ask(V2.post(EMIT_SURFACE, spare))
    admitted(witness, exchange, response)


def _envelope(witness: Witness, surface: str) -> dict[str, JsonValue]:
    messages = [
        {"createSurface": {}},
        {"updateComponents": {"components": [{"id": "root", "component": "Divider"}]}},
    ]
    return envelope(
        witness.payload(surface, messages, Emit().catalog),
        sent_at=witness.session.date(),
        envelope_id=witness.fresh("envelope"),
        correlation_id=witness.fresh("correlation"),
    )


def _check_answer(
    witness: Witness, exchange: Exchange, response: Response, body: JsonValue
) -> None:
    """201 and a closed ``{"sequence": n}``."""
    sequence = integer(body.get("sequence")) if isinstance(body, dict) else None
    sound = sequence is not None and sequence >= 0
    witness.check(
        response.status == 201 and sound and equal(body, {"sequence": sequence}),
        "the seam's answer is not the documented one",
        expected='201 {"sequence": n}',
        got=f"{response.status} {brief(body)}",
        exchange=exchange,
    )
