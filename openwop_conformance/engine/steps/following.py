"""The verbs of major 1 about subscribers: follow and heard."""

from __future__ import annotations

import asyncio

from ...scenario.major_one_verbs import Follow, Heard
from ...scenario.verbs import Refused
from ..checks.deltas import RULES
from ..following import Follower
from ..witness import Witness
from .running import cancel_run, point_of


async def follow(witness: Witness, args: Follow, refused: Refused | None) -> None:
    """Subscribe to a run; what is sent from now on is kept."""
    view = witness.run(args.run)
    after, skip = None, 0
    if args.after is not None:
        after = await point_of(witness, view, args.after)
        skip = view.shown.index(witness.shown[args.after]) + 1
    follower = Follower(witness, view, args, after, skip)
    witness.followers[args.name] = follower
    if args.wait:
        await follower.settled()
    else:
        await asyncio.sleep(0)  # let it begin


async def heard(witness: Witness, args: Heard, refused: Refused | None) -> None:
    """End the run, so that nothing more can come, and judge what its subscribers were sent."""
    view = witness.run(args.run)
    names = [args.followers] if isinstance(args.followers, str) else args.followers
    for name in names:
        if name not in witness.followers:
            raise witness.scenario.place.error(f"no step has subscribed as {name!r}")
    await cancel_run(witness, view)
    for name in names:
        follower = witness.followers[name]
        await follower.ended()
        RULES[args.is_](witness, follower, view.shown[follower.skip :])
