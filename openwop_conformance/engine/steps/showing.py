"""The verbs of major 1 that hand surfaces to a host and read them back."""

from __future__ import annotations

from typing import Final

from ...adapters.host import Request
from ...adapters.operations import EMIT_TREE, V1, accept, emit_tree
from ...jsonvalue import JsonValue, brief, equal, first_difference
from ...scenario.major_one_verbs import Accept, Claimed, Follow, Recorded, Show
from ...scenario.verbs import Refused
from ...wire import discovery_v1
from ...wire.envelope import envelope
from ...wire.surfaces_v1 import frames_in, surfaces_in
from ..checks.answers import admitted, body_of, described, refused_as
from ..dialect import CATALOG_VERSION, Dialect
from ..following import Follower
from ..reading import poll
from ..verdict import CheckFailed, Exchange, Inapplicable
from ..witness import RunView, Shown, Witness
from .running import cancel_run

TAKEN: Final = "accepted"
"""What the acceptor seam says of an envelope that it takes."""


async def show(witness: Witness, args: Show, refused: Refused | None) -> None:
    """Show a surface: it is recorded under a reference, or refused as said."""
    view = None if args.missing else witness.run(args.run)
    sent = args.payload
    if sent is None:
        sent = {"catalogVersion": CATALOG_VERSION, "surface": args.surface}
    payload = witness.with_canary(sent)
    if args.trust is not None or args.node is not None:
        assert view is not None
        await _project(witness, args, view, payload)
        return
    dialect = await witness.session.dialect()
    if dialect.fault:
        raise CheckFailed("the host fits no dialect of major 1", got=dialect.fault)
    payload = dialect.carried(payload)
    exchange, response = await witness.ask(_request(witness, dialect, view, payload))
    if refused is not None:
        refused_as(witness, exchange, response, refused)
        if view is not None:
            view.refused.append(payload)
        return
    body = admitted(witness, exchange, response)
    ref = body.get("surfaceRef") if isinstance(body, dict) else None
    witness.check(
        isinstance(ref, str) and bool(ref),
        "the seam does not say under which reference it recorded the surface",
        expected='{"surfaceRef": …}',
        got=brief(body),
        exchange=exchange,
    )
    if view is not None:
        _keep(witness, view, args, Shown(payload, str(ref), has_canary=payload is not sent))


def _request(
    witness: Witness, dialect: Dialect, view: RunView | None, payload: JsonValue
) -> Request:
    """The seam's request, in the form in which this host takes a surface."""
    run_id = witness.filled("{missing}", in_path=False) if view is None else view.id
    if dialect.seam != "tree":
        return emit_tree(run_id, payload)
    body: dict[str, JsonValue] = {"runId": run_id}
    if isinstance(payload, dict):
        body |= payload
    else:
        body["surface"] = payload
    if body.get("catalogVersion") == CATALOG_VERSION:
        del body["catalogVersion"]
    return V1.post(EMIT_TREE, body)


async def _project(witness: Witness, args: Show, view: RunView, payload: JsonValue) -> None:
    """Record a surface by the acceptor seam, which knows of trust and nodes."""
    sent = envelope(
        payload,
        sent_at=witness.session.date(),
        envelope_id=witness.fresh("envelope"),
        correlation_id=witness.fresh("correlation"),
        schema_version=1,
        trust=args.trust,
        node_id=args.node,
    )
    where: dict[str, JsonValue] = {"runId": view.id, "nodeId": args.node or "gate"}
    exchange, response = await witness.ask(accept({"envelope": sent, "projectTo": where}))
    body = body_of(exchange, response)
    status = body.get("status") if isinstance(body, dict) else None
    witness.check(
        status == TAKEN,
        "the acceptor seam does not take a sound surface",
        expected=TAKEN,
        got=described(response) if status is None else brief(body),
        exchange=exchange,
    )
    recorded = body.get("recordedEventIds")
    if not isinstance(recorded, list) or not recorded:
        raise Inapplicable("the acceptor seam records into no run (projectTo)")
    _keep(witness, view, args, Shown(payload, str(recorded[-1]), args.trust))


def _keep(witness: Witness, view: RunView, args: Show, shown: Shown) -> None:
    view.shown.append(shown)
    if args.name is not None:
        witness.shown[args.name] = shown


async def recorded(witness: Witness, args: Recorded, refused: Refused | None) -> None:
    """The log holds what was shown, in full and in order, nothing refused, and no delta."""
    view = witness.run(args.run)
    exchange, events = await _log(witness, view, args.via)
    if args.only is None:
        _check_whole(witness, view, events, exchange)
    for payload in view.refused:
        witness.check(
            not any(equal(payload, one) for one in surfaces_in(events)),
            "the log holds a surface that was refused",
            expected="no trace of it",
            got=brief(payload, 300),
            exchange=exchange,
        )


def _check_whole(
    witness: Witness, view: RunView, events: list[JsonValue], exchange: Exchange | None
) -> None:
    """Every surface that was shown is in the log as it was, in order, and no delta."""
    frames = list(frames_in(events))
    witness.check(
        not frames,
        "the log holds a delta",
        expected="full surfaces alone",
        got=brief(frames[0], 300) if frames else "",
        exchange=exchange,
    )
    found = list(surfaces_in(events))
    wanted = [item.payload for item in view.shown]
    witness.check(
        len(found) == len(wanted),
        "the log holds another number of surfaces than were shown",
        expected=str(len(wanted)),
        got=str(len(found)),
        exchange=exchange,
    )
    for item, payload in zip(view.shown, found, strict=False):
        if item.has_canary:
            continue
        difference = first_difference(item.payload, payload)
        witness.check(
            difference is None,
            "a recorded surface is not what was shown",
            expected="the payload, as a JSON value",
            got=str(difference),
            exchange=exchange,
        )


async def _log(
    witness: Witness, view: RunView, via: str
) -> tuple[Exchange | None, list[JsonValue]]:
    exchange, polled = await poll(witness, view)
    if via == "poll":
        return exchange, list(polled.values())
    if via == "json":
        request = witness.api.get(witness.api.run_path(view.id, "/events"))
        exchange, response = await witness.ask(request)
        kind = response.header("content-type") or ""
        if response.status in (406, 415) or "json" not in kind:
            raise Inapplicable("the log is served as server-sent events alone")
        body = body_of(exchange, response)
        events = body.get("events") if isinstance(body, dict) else None
        if response.status != 200 or not isinstance(events, list):
            raise CheckFailed(
                "the JSON read of the log is not one",
                expected="200 and a list of events",
                got=described(response),
                exchange=exchange,
            )
        return exchange, events
    await cancel_run(witness, view)
    follower = Follower(witness, view, Follow(name="log", delta=False), None, 0)
    await follower.ended()
    sent = [u.event if u.frame is None else u.frame for u in follower.updates]
    return follower.exchange, sent


async def accept_(witness: Witness, args: Accept, refused: Refused | None) -> None:
    """The acceptor seam takes an envelope, or says for which reason it does not."""
    sent = envelope(
        args.payload,
        sent_at=witness.session.date(),
        envelope_id=witness.fresh("envelope"),
        correlation_id=witness.id_or_fresh("correlation", args.correlation),
        kind=args.kind,
        schema_version=args.stamp,
        trust=args.trust,
    )
    body: dict[str, JsonValue] = {"envelope": sent}
    if args.supported is not None:
        body["hostSupportedEnvelopes"] = args.supported
    if args.bound is not None:
        body["boundInterruptKind"] = args.bound
    if args.run is not None:
        body["persistedDedup"] = {"runId": witness.run(args.run).id}
    exchange, response = await witness.ask(accept(body))
    answer = body_of(exchange, response)
    status = answer.get("status") if isinstance(answer, dict) else None
    if response.status != 200 or not isinstance(status, str):
        raise CheckFailed(
            "the acceptor seam gives no outcome",
            expected='200 {"status": …}',
            got=described(response),
            exchange=exchange,
        )
    if refused is None:
        witness.check(
            status == TAKEN,
            "refused what has to be taken",
            expected=TAKEN,
            got=brief(answer, 300),
            exchange=exchange,
        )
        return
    witness.check(
        status in _names(refused.code),
        "taken, or refused for another reason",
        expected=" or ".join(_names(refused.code)),
        got=brief(answer, 300),
        exchange=exchange,
    )
    if refused.reason is not None:
        witness.check(
            refused.reason in brief(answer, 4000),
            "refused for another reason",
            expected=refused.reason,
            got=brief(answer, 300),
            exchange=exchange,
        )


def _names(names: list[str] | str | None) -> list[str]:
    return [names] if isinstance(names, str) else list(names or ())


async def claimed(witness: Witness, args: Claimed, refused: Refused | None) -> None:
    """The claims about surfaces are closed, typed and agree."""
    exchange, response = await witness.ask(V1.discovery(), "none")
    document = admitted(witness, exchange, response)
    found = discovery_v1.incoherences(document)
    witness.check(
        not found,
        "the discovery document contradicts RFC 0114 or itself",
        expected='a2uiSurface {"deltaTransport": true or false}, and the kind where it is claimed',
        got="; ".join(found[:5]),
        exchange=exchange,
    )
