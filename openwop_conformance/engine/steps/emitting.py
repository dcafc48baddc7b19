"""The verbs that send envelopes: emit and race."""

from __future__ import annotations

import asyncio

from ...adapters import operations
from ...adapters.host import Response
from ...jsonvalue import JsonValue, brief, integer
from ...scenario.host_verbs import Emit, Race
from ...scenario.verbs import Refused
from ...wire.envelope import envelope
from ..checks.answers import admitted, refused_as
from ..checks.violations import names_violation
from ..verdict import CheckFailed, Exchange
from ..witness import Emission, RunView, Witness


async def emit(witness: Witness, args: Emit, refused: Refused | None) -> None:
    """Send one envelope; it is admitted with a new sequence, repeated, or refused as said."""
    run = witness.run(args.run)
    payload, has_canary = _payload(witness, args)
    sent = envelope(
        payload,
        sent_at=witness.session.date(),
        envelope_id=witness.fresh("envelope"),
        correlation_id=witness.id_or_fresh("correlation", args.correlation),
        kind=witness.with_canary(args.kind),
        schema_version=await _stamp(witness, args),
        node_id=args.node,
        trust=args.trust,
        source=args.source,
    )
    exchange, response = await witness.ask(operations.emit_surface(run.id, sent))
    if refused is not None:
        body = refused_as(witness, exchange, response, refused)
        if refused.violation is not None:
            surface = witness.id_for("surface", args.surface)
            names_violation(witness, refused.violation, surface, body, exchange)
        run.refused.append(payload)
        return
    sequence = _sequence(witness, exchange, response)
    if args.repeats is not None:
        first = witness.emission(args.repeats).sequence
        witness.check(
            sequence == first,
            "a re-emission does not return the recorded outcome",
            expected=f"sequence {first}",
            got=f"sequence {sequence}",
            exchange=exchange,
        )
        run.refused.append(payload)
        return
    made = Emission(payload, sequence, has_canary)
    _record(witness, run, made, exchange)
    if args.name is not None:
        witness.emissions[args.name] = made


async def race(witness: Witness, args: Race, refused: Refused | None) -> None:
    """Send the same messages at once under different correlations: exactly one may be admitted."""
    assert refused is not None  # no scenario without it gets past the linter
    run = witness.run(args.run)
    payload = witness.payload(args.surface, args.messages, Emit().catalog)
    requests = [
        operations.emit_surface(
            run.id,
            envelope(
                payload,
                sent_at=witness.session.date(),
                envelope_id=witness.fresh("envelope"),
                correlation_id=witness.fresh("correlation"),
            ),
        )
        for _ in range(args.times)
    ]
    asked = (witness.ask(request) for request in requests)
    answers: list[tuple[Exchange, Response]] = []
    for answer in await asyncio.gather(*asked, return_exceptions=True):
        if isinstance(answer, BaseException):
            raise answer
        answers.append(answer)
    won = [(x, r) for x, r in answers if 200 <= r.status < 300]
    witness.check(
        len(won) == 1,
        "of the same creation sent several times at once, not exactly one was admitted",
        expected=f"1 of {args.times} admitted",
        got=f"{len(won)} admitted",
        exchange=won[-1][0] if won else answers[0][0],
    )
    for exchange, response in answers:
        if (exchange, response) in won:
            made = Emission(payload, _sequence(witness, exchange, response), False)
            _record(witness, run, made, exchange)
        else:
            refused_as(witness, exchange, response, refused)


def _payload(witness: Witness, args: Emit) -> tuple[JsonValue, bool]:
    """The payload to send, and whether the operator's canary was put into it."""
    if args.messages is None:
        filled = witness.with_canary(args.payload)
        return filled, filled is not args.payload
    messages = witness.with_canary(args.messages)
    has_canary = messages is not args.messages
    payload = witness.payload(args.surface, messages, args.catalog)
    if args.reasoning is not None:
        reasoning = witness.with_canary(args.reasoning)
        has_canary = has_canary or reasoning is not args.reasoning
        payload = {"reasoning": reasoning, **payload}
    return payload, has_canary


async def _stamp(witness: Witness, args: Emit) -> int | None:
    if args.stamp == "absent":
        return None
    if args.stamp == "floor+1":
        return (await witness.session.claims()).floor + 1
    return args.stamp


def _sequence(witness: Witness, exchange: Exchange, response: Response) -> int:
    body = admitted(witness, exchange, response)
    sequence = integer(body.get("sequence")) if isinstance(body, dict) else None
    if sequence is None or sequence < 0:
        raise CheckFailed(
            "the seam does not say where it recorded the envelope",
            expected='{"sequence": n}, n an integer from 0',
            got=brief(body),
            exchange=exchange,
        )
    return sequence


def _record(witness: Witness, run: RunView, made: Emission, exchange: Exchange) -> None:
    last = max((e.sequence for e in run.emissions), default=-1)
    witness.check(
        made.sequence > last,
        "a later envelope has no later sequence",
        expected=f"more than {last}",
        got=str(made.sequence),
        exchange=exchange,
    )
    run.emissions.append(made)
