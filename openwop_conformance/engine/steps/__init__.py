"""One function for each verb of ``scenario.verbs``, and the taking of one step with its twin."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from ...scenario.model import Step
from ...scenario.verbs import Refused
from ..verdict import CheckFailed
from ..witness import Witness
from .calling import apply, call, reads, state
from .costing import economy
from .discovering import discovery
from .emitting import emit, race
from .exploring import explore
from .following import follow, heard
from .rendering import (
    claims,
    contained,
    deliver,
    enter,
    frame,
    press,
    quiet,
    rejects,
    shows,
    violates,
)
from .requesting import request, seam
from .responding import feeds, parse, splits
from .running import cancel, fork, log, resolve, run, status, subscribe, unseen
from .scaling import scales
from .showing import accept_, claimed, recorded, show
from .withstanding import withstand

Perform = Callable[[Witness, Any, Refused | None], Awaitable[None]]

STEPS: Final[dict[str, Perform]] = {
    "run": run,
    "emit": emit,
    "race": race,
    "log": log,
    "fork": fork,
    "resolve": resolve,
    "status": status,
    "subscribe": subscribe,
    "cancel": cancel,
    "request": request,
    "discovery": discovery,
    "unseen": unseen,
    "seam": seam,
    "show": show,
    "follow": follow,
    "heard": heard,
    "recorded": recorded,
    "accept": accept_,
    "claimed": claimed,
    "economy": economy,
    "explore": explore,
    "state": state,
    "call": call,
    "apply": apply,
    "reads": reads,
    "parse": parse,
    "feeds": feeds,
    "splits": splits,
    "scales": scales,
    "deliver": deliver,
    "frame": frame,
    "shows": shows,
    "enter": enter,
    "press": press,
    "rejects": rejects,
    "violates": violates,
    "claims": claims,
    "quiet": quiet,
    "contained": contained,
    "withstand": withstand,
}


async def take(witness: Witness, step: Step) -> None:
    """Take a step; after a refusal, its twin has to be admitted. Raises ``CheckFailed``."""
    perform = STEPS[step.verb]
    witness.case = step.case or ""
    await perform(witness, step.arguments, step.refused)
    if step.twin is not None:
        try:
            await perform(witness, step.twin, None)
        except CheckFailed as failed:
            raise CheckFailed(
                f"the twin, one edit away from what is refused: {failed}",
                expected=failed.expected,
                got=failed.got,
                exchange=failed.exchange,
            ) from None
