"""The verb that weighs deltas: by the bytes of a frame, or by the time of an update."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ...jsonvalue import JsonValue
from ...scenario.host_verbs import Run
from ...scenario.major_one_verbs import Economy, Follow, Show
from ...scenario.verbs import Refused
from ..following import Follower
from ..verdict import Blocked
from ..witness import Witness
from .running import cancel_run, run
from .showing import show

GROWTH: Final = 8.0
"""The most that 4n updates may cost over n: linear is 4, quadratic 16."""
NOISE: Final = 1.5
"""The two quickest of like measurements differ by less, or nothing can be measured here."""
ATTEMPTS: Final = 4
"""Growth is a failure only where it is seen each time; noise comes and goes."""
_DIGITS: Final = 64
"""Bytes by which a frame may grow with the surface: longer indexes."""


async def economy(witness: Witness, args: Economy, refused: Refused | None) -> None:
    """Weigh a small surface against one four times as large, or few updates against four times
    as many."""
    if args.of == "bytes":
        await _bytes(witness, args.size)
    else:
        await _time(witness, args.size)


def _tree(size: int, last: str) -> JsonValue:
    texts = [f"Line {number} of the list" for number in range(size - 1)]
    return {"components": [{"component": "text", "text": text} for text in (*texts, last)]}


async def _bytes(witness: Witness, size: int) -> None:
    sizes: list[int] = []
    for name, count in (("small", size), ("large", 4 * size)):
        await run(witness, Run(workflow="conformance-approval", name=name), None)
        view = witness.run(name)
        follower = Follower(witness, view, Follow(name=name, run=name), None, 0)
        await follower.settled()
        for text in ("before", "after"):
            await show(witness, Show(surface=_tree(count, text), run=name), None)
        await cancel_run(witness, view)
        await follower.ended()
        if not follower.frames:
            raise Blocked("the host claims deltas, and sent this subscriber none")
        sizes.append(max(update.size for update in follower.frames))
    witness.check(
        sizes[1] <= sizes[0] + _DIGITS,
        "a frame for one changed leaf grows with the surface around it",
        expected=f"about {sizes[0]} bytes, as with a quarter of the components",
        got=f"{sizes[1]} bytes",
        exchange=witness.exchanges[-1],
    )


async def _time(witness: Witness, size: int) -> None:
    """Time of 4n updates over n, each in a run of its own with one delta subscriber.

    Few and many take turns, so that what else the machine does begins or ends for both; and many
    are timed by stretches as long as the few, so that it hits neither more often.
    """
    asserted = witness.assertions
    await _updates(witness, "warm", size)
    ratios: list[float] = []
    for attempt in range(ATTEMPTS):
        few: list[float] = []
        many: list[float] = []
        for turn in range(2):
            for i in range(2):
                few += await _updates(witness, f"few-{attempt}-{turn}-{i}", size)
            if not many or sum(many) > GROWTH * min(few):  # noise takes longer, never less long
                taken = await _updates(witness, f"many-{attempt}-{turn}", size, stretches=4)
                many = list(map(min, many or taken, taken))
        quickest, second, *_ = sorted(few)
        if second <= NOISE * quickest:
            ratios.append(sum(many) / quickest)
            if ratios[-1] <= GROWTH:
                break
    if not ratios:
        raise Blocked(f"the time of {size} updates varies too much here")
    witness.assertions = asserted  # how often it was measured makes no other row
    witness.check(
        min(ratios) <= GROWTH,
        "the time of an update grows with the updates before it",
        expected=f"4 × {size} updates take at most {GROWTH:.0f} times as long as {size}",
        got=f"{min(ratios):.1f} times",
        exchange=witness.exchanges[-1],
    )


async def _updates(witness: Witness, name: str, size: int, stretches: int = 1) -> list[float]:
    """The time of each stretch of so many updates, one after the other in one run."""
    await run(witness, Run(workflow="conformance-approval", name=name), None)
    view = witness.run(name)
    follower = Follower(witness, view, Follow(name=name, run=name), None, 0)
    await follower.settled()
    ends = [witness.session.clock()]
    for stretch in range(stretches):
        for number in range(stretch * size, (stretch + 1) * size):
            await show(witness, Show(surface=_tree(4, f"update {number}"), run=name), None)
        ends.append(witness.session.clock())
    await cancel_run(witness, view)
    await follower.ended()
    return [end - began for began, end in pairwise(ends)]
