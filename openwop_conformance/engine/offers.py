"""Whether a scenario binds this SDK or consumer at all: what its steps call has to be offered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from ..a2ui.lock import FLAGS, PROFILE
from ..scenario.consumer_verbs import (
    Claims,
    Contained,
    Deliver,
    Enter,
    Frame,
    Press,
    Quiet,
    Rejects,
    Shows,
    Violates,
    Withstand,
)
from ..scenario.model import Scenario
from ..scenario.sdk_verbs import Apply, Call, Feeds, Parse, Reads, Scales, Splits, State
from ..scenario.verbs import Arguments
from .hello import Offer

LOCKED: Final = f"profile.{PROFILE}"
NO_LOCKS: Final = f"{' and '.join(FLAGS)} are not advertised: locked surfaces are experimental"
_OF_WORK: Final = {
    "updates": ("new_state", "apply", "apply_each"),
    "chunks": ("new_state", "stream"),
    "messages": ("new_state", "stream"),
    "payload": ("new_state", "validate_payload"),
    "data": ("new_state", "apply", "apply_each"),
    "rollback": ("new_state", "apply", "transaction"),
}


def missing(scenario: Scenario, offer: Offer) -> str | None:
    """The fact about a subject by which a scenario does not bind it, or ``None``."""
    for need in scenario.needs:
        kind, _, name = need.partition(".")
        if need == LOCKED and not offer.locks:
            return NO_LOCKS
        if kind == "version" and name not in offer.versions:
            return f"it does not speak {name}"
        if kind == "feature" and name not in offer.features:
            return f"it does not claim {name}"
        if kind == "call" and name not in offer.operations:
            return f"it does not offer {name}"
    for name in calls_of(scenario):
        if name not in offer.operations:
            return f"it does not offer {name}"
    return None


def calls_of(scenario: Scenario) -> list[str]:
    """The calls that a scenario makes, each once, in the order of its steps."""
    steps = (args for step in scenario.steps for args in (step.arguments, step.twin))
    return list(dict.fromkeys(name for args in steps if args is not None for name in _calls(args)))


def _calls(args: Arguments) -> Iterator[str]:
    match args:
        case State():
            yield "new_state"
        case Call():
            yield from _with_state(args.with_)
            yield args.operation
        case Apply():
            yield from ("new_state", "apply")
            if args.leaves is not None:
                yield "read"
        case Reads():
            yield from ("new_state", "read")
        case Parse():
            yield from _with_state(() if args.state is None else ("state",))
            yield "parse_response"
        case Feeds():
            yield from ("new_state", "open_stream", "feed")
            if any("close" in feed for feed in args.feeds):
                yield "close_stream"
        case Splits():
            yield "new_state"
            yield from ("open_stream", "feed", "close_stream") if args.bytes else ("stream",)
        case Scales():
            yield from _OF_WORK[args.work]
        case Deliver():
            yield from ("open", "deliver")
        case Frame():
            yield from ("open", "frame")
        case Shows():
            yield from ("open", "rendered")
        case Enter():
            yield from ("open", "set")
        case Press():
            yield from ("open", "submitted", "fire")
        case Rejects() | Withstand():
            yield from ("open", "deliver", "rendered")
        case Violates():
            yield from ("open", "violations")
        case Claims():
            yield "hello"
        case Quiet():
            yield from ("open", "submitted")
        case Contained():
            yield from ("open", "attempts")


def _with_state(given: Iterable[str]) -> tuple[str, ...]:
    return ("new_state",) if "state" in given else ()
