"""The verb that explores: generated sequences of surfaces, and the smallest that shows a fault."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from ...a2ui.catalog import KIND
from ...jsonvalue import JsonValue
from ...scenario.host_verbs import Run
from ...scenario.major_one_verbs import Explore, Follow, Show
from ...scenario.verbs import Refused
from ...schemas import schema
from ...schemas.generate import Generator, near_miss
from ...schemas.shape import Shape
from ..checks.deltas import agreed
from ..following import Follower
from ..verdict import Blocked, CheckFailed
from .running import cancel_run, run
from .showing import show

if TYPE_CHECKING:
    from ..witness import Witness

TRIALS: Final = 80
"""So many parts of a sequence are tried, at most, to find a smaller one."""
_OPTIONAL: Final = ("reasoning", "title", "level", "placeholder", "required", "default")


async def explore(witness: Witness, args: Explore, refused: Refused | None) -> None:
    """Show sequences; where a subscriber disagrees, find the smallest that it disagrees on."""
    draw = random.Random(witness.session.nonce(witness.scenario.id, "explore"))  # noqa: S311
    shape, asserted = Shape(schema(KIND), "/$defs/payloadV1"), witness.assertions
    sequences = [_sequence(shape, draw, args.length) for _ in range(args.sequences)]
    outcomes = await asyncio.gather(
        *(_try(witness, f"sequence-{n}", sequence) for n, sequence in enumerate(sequences)),
        return_exceptions=True,
    )
    for sequence, outcome in zip(sequences, outcomes, strict=True):
        if isinstance(outcome, CheckFailed):
            smallest, failed = await _smaller(witness, sequence, outcome, draw)
            raise CheckFailed(
                f"{failed}, after {len(smallest)} generated surfaces",
                expected=failed.expected,
                got=failed.got,
                exchange=failed.exchange,
                scenario=scenario_of(smallest),
            )
        if isinstance(outcome, BaseException):
            raise outcome
    if not any(outcomes):
        raise Blocked("the host claims deltas, and sent none for any generated surface")
    witness.assertions = asserted + len(sequences)  # one for each, however long it was drawn


def _sequence(shape: Shape, draw: random.Random, length: int) -> list[JsonValue]:
    """Surfaces that grow out of each other: edits of the one before, and now and then a new one."""
    found = [Generator(shape, draw).instance()]
    while len(found) < draw.randint(2, length):
        edited = near_miss(found[-1], draw) if draw.random() < 0.8 else None
        sound = edited is not None and shape.check.is_valid(edited)
        found.append(edited if sound else Generator(shape, draw).instance())
    return found


async def _try(witness: Witness, name: str, sequence: list[JsonValue]) -> int:
    """Show a sequence in a run of its own; how many frames the delta subscriber was sent."""
    await run(witness, Run(workflow="conformance-approval", name=name), None)
    view = witness.run(name)
    followers = [
        Follower(witness, view, Follow(name=f"{kind} of {name}", delta=kind == "deltas"), None, 0)
        for kind in ("deltas", "surfaces")
    ]
    await asyncio.gather(*(follower.settled() for follower in followers))
    for payload in sequence:
        await show(witness, Show(payload=payload, run=name), None)
    await cancel_run(witness, view)
    for follower in followers:
        await follower.ended()
        try:
            agreed(witness, follower, view.shown)
        except Blocked:
            continue  # it was sent no frame for this sequence
    return len(followers[0].frames)


async def _smaller(
    witness: Witness, sequence: list[JsonValue], failed: CheckFailed, draw: random.Random
) -> tuple[list[JsonValue], CheckFailed]:
    """The smallest part of a sequence that hypothesis finds to fail, and how it fails."""
    from hypothesis import HealthCheck, find, settings
    from hypothesis import strategies as st
    from hypothesis.errors import HypothesisException

    loop, smallest = asyncio.get_running_loop(), (sequence, failed)
    turns = iter(range(TRIALS))

    async def fails(tried: list[JsonValue]) -> bool:
        nonlocal smallest
        number = next(turns, None)
        if number is None or not tried:
            return False
        try:
            await _try(witness, f"trial-{number}", tried)
        except CheckFailed as again:
            if _weight(tried) < _weight(smallest[0]):
                smallest = (tried, again)
            return True
        return False

    def in_thread(tried: list[JsonValue]) -> bool:
        return asyncio.run_coroutine_threadsafe(fails(tried), loop).result()

    @st.composite
    def parts(choose: st.DrawFn) -> list[JsonValue]:
        def keep() -> bool:
            return choose(st.booleans())

        return [_thinned(payload, keep) for payload in sequence if keep()]

    bounds = settings(
        max_examples=TRIALS, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    with suppress(HypothesisException):  # no part of it fails, or none was found in time
        await asyncio.to_thread(find, parts(), in_thread, settings=bounds, random=draw)
    return smallest


def _thinned(payload: JsonValue, keep: Callable[[], bool]) -> JsonValue:
    """A payload with some of its components, and of what is optional in it."""
    surface = payload["surface"]
    components = [_lighter(component, keep) for component in surface["components"] if keep()]
    return _lighter(
        {**payload, "surface": _lighter({**surface, "components": components}, keep)}, keep
    )


def _lighter(value: JsonValue, keep: Callable[[], bool]) -> JsonValue:
    return {name: held for name, held in value.items() if name not in _OPTIONAL or keep()}


def _weight(sequence: list[JsonValue]) -> tuple[int, int]:
    return len(sequence), len(json.dumps(sequence))


def scenario_of(sequence: list[JsonValue]) -> str:
    """A scenario file that shows a sequence and asks for agreement."""
    head = [
        "scenario: host.v1.found",
        "title: A sequence that was found, and on which subscribers disagree",
        "source: RFC 0114 §Conformance",
        "subject: host",
        "major: 1",
        "needs: [kind, delta, seam.show, fixture.conformance-approval]",
        "requirement: openwop-conformance.host.v1.delta-explored",
        "sabotage: [delta-wrong-base]",
        "steps:",
        "- run: conformance-approval",
        "- follow: {name: deltas}",
        "- follow: {name: surfaces, delta: false}",
    ]
    shows = [f"- show: {json.dumps({'payload': payload})}" for payload in sequence]
    tail = ["- heard: {followers: [deltas, surfaces], is: agreed}"]
    return "\n".join([*head, *shows, *tail]) + "\n"
