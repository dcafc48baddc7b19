"""The verbs about runs: run, fork, cancel, resolve, status, and the reading of their logs."""

from __future__ import annotations

from ...adapters.host import Response
from ...errors import JsonError
from ...jsonvalue import equal, parse
from ...scenario.host_verbs import Cancel, Fork, Log, Resolve, Run, Status, Subscribe, Unseen
from ...scenario.verbs import Refused
from ...wire.surfaces_v1 import members, surfaces_in
from ..checks.answers import admitted, described, refused_as
from ..checks.carried import check_carried
from ..credentials import API_KEY
from ..listening import Subscription, check_heard
from ..reading import TERMINAL, poll, settled, status_of
from ..verdict import Blocked
from ..witness import RunView, Witness

WAITING = "waiting-approval"
_SHOWN = 160


async def run(witness: Witness, args: Run, refused: Refused | None) -> None:
    """Start a fixture's run and wait for it to settle; what fails here blocks the row."""
    _, response = await witness.ask(witness.api.create_run(args.workflow))
    run_id = _run_id(response)
    if run_id is None:
        hint = ""
        if response.status in (401, 403):
            given = witness.session.credentials.owner is not None
            hint = "; is the key right?" if given else f"; no key was given ({API_KEY})"
        raise Blocked(f"{args.workflow} cannot be started: {_kind(response)}{hint}")
    witness.know_run(args.name, run_id)
    status = await settled(witness, witness.run(args.name))
    expected = WAITING if args.workflow == "conformance-approval" else "completed"
    if status != expected:
        raise Blocked(f"{args.workflow} settled as {status}, not {expected}")


async def fork(witness: Witness, args: Fork, refused: Refused | None) -> None:
    """Fork a run at an emission or a sequence, and wait for the fork to settle."""
    source = witness.run(args.run)
    at = args.at if isinstance(args.at, int) else await point_of(witness, source, args.at)
    exchange, response = await witness.ask(witness.api.fork(source.id, args.mode, at))
    if refused is not None:
        refused_as(witness, exchange, response, refused)
        return
    run_id = _run_id(response)
    if run_id is None:
        raise Blocked(f"a {args.mode} fork is offered and cannot be made: {_kind(response)}")
    witness.know_run(args.name, run_id, parent=source, at=at)
    if isinstance(args.at, str) and args.at in witness.shown:
        before = source.shown.index(witness.shown[args.at])
        witness.run(args.name).shown = source.shown[:before]
    await settled(witness, witness.run(args.name))


async def point_of(witness: Witness, source: RunView, name: str) -> int:
    """The sequence of the event that recorded what a scenario calls ``name``."""
    if name not in witness.shown:
        return witness.emission(name).sequence
    _, events = await poll(witness, source)
    shown = witness.shown[name]
    for sequence, event in events.items():
        same = any(equal(shown.payload, found) for found in surfaces_in(event))
        if same or shown.ref in members(event, "eventId"):
            return sequence
    raise Blocked(f"the surface {name!r} that was shown is not in the log")


async def cancel(witness: Witness, args: Cancel, refused: Refused | None) -> None:
    """Cancel a run and wait until it has ended."""
    await cancel_run(witness, witness.run(args.run))


async def cancel_run(witness: Witness, view: RunView) -> None:
    """Cancel a run, unless this scenario has ended it, and wait until it has ended."""
    if view.over:
        return
    _, response = await witness.ask(witness.api.cancel(view.id))
    if response.status not in (200, 202):
        raise Blocked(f"run {view.name!r} cannot be cancelled: {_kind(response)}")
    status = await settled(witness, view, leaving=WAITING)
    if status not in TERMINAL:
        raise Blocked(f"run {view.name!r} is {status} after it was cancelled")
    view.over = True


async def status(witness: Witness, args: Status, refused: Refused | None) -> None:
    """Hold a run to a status."""
    got = await status_of(witness, witness.run(args.run))
    witness.check(
        got == args.is_,
        f"run {args.run!r} has another status",
        expected=args.is_,
        got=got,
        exchange=witness.exchanges[-1],
    )


async def resolve(witness: Witness, args: Resolve, refused: Refused | None) -> None:
    """Resolve an approval: it advances the run, or is refused as said and the run stays."""
    view = witness.run(args.run)
    if await status_of(witness, view) != WAITING:
        raise Blocked(f"run {args.run!r} does not wait for an approval")
    exchange, response = await witness.ask(witness.api.resolve(view.id, args.node, args.action))
    if refused is not None:
        refused_as(witness, exchange, response, refused)
        got = await status_of(witness, view)
        witness.check(
            got == WAITING,
            "the approval was refused, and the run went on all the same",
            expected=WAITING,
            got=got,
            exchange=witness.exchanges[-1],
        )
        return
    admitted(witness, exchange, response)
    got = await settled(witness, view, leaving=WAITING)
    witness.check(got in TERMINAL, "the approval was taken, and the run did not go on", got=got)


async def log(witness: Witness, args: Log, refused: Refused | None) -> None:
    """Hold a run's log, polled or streamed, to what this scenario sent into the run."""
    view = witness.run(args.run)
    exchange, polled = await poll(witness, view)
    carrying = check_carried(witness, view, polled, exchange, args.carries)
    if args.via == "poll":
        return
    after = witness.emission(args.after).sequence if args.after else None
    if args.via == "stream":
        subscription = Subscription(witness, view, after)
    else:
        if args.run not in witness.subscriptions:
            raise witness.scenario.place.error(f"no step has subscribed to run {args.run!r}")
        subscription = witness.subscriptions[args.run]
    await subscription.ended()
    check_heard(witness, subscription, polled, {s for s in carrying if after is None or s > after})


async def subscribe(witness: Witness, args: Subscribe, refused: Refused | None) -> None:
    """Connect to a run's debug stream; what it is sent from now on is kept."""
    subscription = Subscription(witness, witness.run(args.run), None)
    await subscription.connected()
    witness.subscriptions[args.run] = subscription


async def unseen(witness: Witness, args: Unseen, refused: Refused | None) -> None:
    """Read all that runs have recorded; the canary stands in nothing that was answered so far."""
    for name in args.runs:
        view = witness.run(name)
        exchange, polled = await poll(witness, view)
        check_carried(witness, view, polled, exchange)
        await cancel(witness, Cancel(run=name), None)
        await Subscription(witness, view, None).ended()
        await poll(witness, view)
    witness.check(
        not witness.leaks,
        "a secret that is configured in the host came back out of it",
        expected="the canary in no answer, no event, no stream",
        got=f"the canary in {len(witness.leaks)} answers",
        exchange=witness.leaks[0] if witness.leaks else None,
    )


def _run_id(response: Response) -> str | None:
    """The id of a run that was made, or ``None`` where none was."""
    try:
        body = parse(response.body)
    except JsonError:
        return None
    run_id = body.get("runId") if isinstance(body, dict) else None
    made = response.status in (200, 201, 202) and isinstance(run_id, str) and run_id
    return run_id if made else None


def _kind(response: Response) -> str:
    said = described(response)
    return said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…"
