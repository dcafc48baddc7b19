"""The verbs that call an SDK and look at its state: state, call, apply, reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from ...a2ui.catalog import MESSAGE_KINDS
from ...a2ui.lock import LOCK
from ...adapters import calls
from ...adapters.host import Response
from ...jsonvalue import MISSING, JsonValue, first_difference
from ...scenario.sdk_verbs import Apply, Call, Reads, State
from ...scenario.verbs import Refused
from ...wire.envelope import completed
from ..checks.calls import alike, error_of, result_of, same
from ..checks.violations import names_violation
from ..verdict import Exchange
from ..witness import Witness

VERSION: Final = "v0.9"
_MESSAGES: Final = (*MESSAGE_KINDS, LOCK)


async def state(witness: Witness, args: State, refused: Refused | None) -> None:
    """Make a state of a name."""
    await made_state(witness, args.name, args.catalogs, args.version)


async def call(witness: Witness, args: Call, refused: Refused | None) -> None:
    """Make one call, and hold its result or its refusal to what is said."""
    given = args.with_ if args.raw else filled(args.with_)
    exchange, result = await done(witness, args.operation, given, refused)
    if refused is not None:
        return
    if args.gives is not MISSING:
        wanted = args.gives if args.raw else filled(args.gives)
        same(witness, f"the result of {args.operation}", wanted, result, exchange)
    if args.like is not MISSING:
        alike(witness, f"the result of {args.operation}", args.like, result, exchange)


async def apply(witness: Witness, args: Apply, refused: Refused | None) -> None:
    """Apply messages to a state."""
    source = {} if args.source is None else {"source": args.source}
    if args.given is not None and await made_state(witness, args.state):
        first = _named(filled(args.given), args.surface)
        await done(witness, "apply", {"state": args.state, "messages": first, **source})
    messages = args.messages if args.raw else _named(filled(args.messages), args.surface)
    then = None
    if args.ends is not None and "check_topology" in (await witness.session.offer()).operations:
        then = "check_topology", {"state": args.state, "surfaces": args.ends}
    given = {"state": args.state, "messages": messages, **source}
    exchange, result = await done(witness, "apply", given, refused, then)
    if refused is not None and refused.violation is not None:
        surface = args.surface or "a"
        names_violation(witness, refused.violation, surface, result, exchange)
    for surface, left in ((args.leaves or {}) if refused is None else {}).items():
        words = {"absent": True} if left is None else left
        await reads(witness, Reads(surface=surface, state=args.state, **words), None)


async def reads(witness: Witness, args: Reads, refused: Refused | None) -> None:
    """Hold what a renderer would have to what is said."""
    exchange, result = await done(witness, "read", {"state": args.state})
    surfaces = result["surfaces"]
    witness.check(
        (args.surface in surfaces) is not args.absent,
        f"there is {'a' if args.absent else 'no'} surface {args.surface!r}",
        expected="none" if args.absent else "one",
        got=", ".join(surfaces) or "no surface at all",
        exchange=exchange,
    )
    if args.absent:
        return
    surface, where = surfaces[args.surface], f"surface {args.surface!r}"
    if args.components is not MISSING:
        wanted = {component["id"]: component for component in args.components}
        same(witness, f"the components of {where}", wanted, surface["components"], exchange)
    if args.has is not None:
        ids = sorted(surface["components"])
        same(witness, f"the ids of {where}", sorted(args.has), ids, exchange)
    if args.data is not MISSING:
        same(witness, f"the data of {where}", args.data, surface["data"], exchange)


async def done(
    witness: Witness,
    name: str,
    given: Mapping[str, JsonValue],
    refused: Refused | None = None,
    then: tuple[str, Mapping[str, JsonValue]] | None = None,
) -> tuple[Exchange, JsonValue]:
    """Make a call with handles in place of names; its result, or its error where it is refused.

    What is refused has to leave the state that it is about as it was. A call that goes well is
    followed by ``then``, which may be refused in its place.
    """
    if "state" in given:
        await made_state(witness, given["state"])
    before = await _snapshot(witness, given) if refused is not None else None
    exchange, response = await asked(witness, name, given)
    if then is not None and response.status == 200:
        result_of(witness, name, exchange, response)
        return await done(witness, *then, refused)
    if refused is None:
        return exchange, result_of(witness, name, exchange, response)
    error = error_of(witness, name, exchange, response, refused)
    if before is not None:
        after = await _snapshot(witness, given)
        found = first_difference(before, after)
        witness.check(
            found is None,
            f"{name} is refused, and the state is no more as it was",
            expected="no change",
            got=str(found),
            exchange=exchange,
        )
    return exchange, error


async def asked(
    witness: Witness, name: str, given: Mapping[str, JsonValue]
) -> tuple[Exchange, Response]:
    """One call, with the handles of this run in place of the names of states and streams."""
    handles = {
        kind: witness.id_for(kind, given[kind]) for kind in ("state", "stream") if kind in given
    }
    return await witness.ask(calls.call(name, {**given, **handles}), "none")


async def made_state(
    witness: Witness,
    name: str,
    catalogs: list[JsonValue] | None = None,
    version: str = VERSION,
) -> bool:
    """Make the state of a name, unless there is one; whether it was made."""
    handle = witness.id_for("state", name)
    if handle in witness.states:
        return False
    witness.states.add(handle)
    given = {"state": name, "catalogs": catalogs or ["basic"], "version": version}
    exchange, response = await asked(witness, "new_state", given)
    result_of(witness, "new_state", exchange, response)
    return True


async def _snapshot(witness: Witness, given: Mapping[str, JsonValue]) -> JsonValue:
    """What a renderer would have now, where the call is about a state that can be read."""
    offer = await witness.session.offer()
    if "state" not in given or "read" not in offer.operations:
        return None
    exchange, response = await asked(witness, "read", {"state": given["state"]})
    return result_of(witness, "read", exchange, response)


def _named(messages: JsonValue, surface: str | None) -> JsonValue:
    """Messages of which those that name no surface are of this one."""
    return messages if surface is None else [completed(m, surface) for m in messages]


def filled(value: JsonValue) -> JsonValue:
    """A value in which each message that has no version has the first one there is."""
    if isinstance(value, list):
        return [filled(item) for item in value]
    if not isinstance(value, dict):
        return value
    whole = {key: filled(item) for key, item in value.items()}
    if "version" not in value and any(isinstance(value.get(kind), dict) for kind in _MESSAGES):
        return {"version": VERSION, **whole}
    return whole
