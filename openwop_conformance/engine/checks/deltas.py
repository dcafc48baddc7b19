"""The rules of the delta transport (RFC 0114), each held to what one subscriber was sent."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from ...a2ui.delta import check_frame
from ...errors import Violation
from ...jsontree import strings_in
from ...jsonvalue import JsonValue, brief, compact, equal, first_difference
from ..following import Follower, Update
from ..verdict import Blocked, CheckFailed
from ..witness import Shown, Witness

Rule = Callable[[Witness, Follower, list[Shown]], None]


def agreed(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """What is rebuilt is what was shown: everything without deltas; with them at least the last.

    An update that changes nothing may be left out, and a delta subscriber may be spared what was
    replaced before it was sent; what it does show was shown, in that order.
    """
    wanted = _collapsed([item.payload for item in shown])
    found = _collapsed([update.payload for update in follower.updates])
    if follower.args.delta and follower.args.buffer is None and len(wanted) > 1:
        _require_frames(follower)
    position = 0
    for number, payload in enumerate(found):
        place = next((i for i in range(position, len(wanted)) if equal(payload, wanted[i])), None)
        nearest = wanted[min(position, len(wanted) - 1)] if wanted else None
        witness.check(
            place is not None,
            f"update {number + 1} of {follower.args.name!r} shows what nobody was shown",
            expected=brief(nearest, 300),
            got=str(first_difference(nearest, payload)),
            exchange=follower.exchange,
        )
        assert place is not None
        if not follower.args.delta and place != position:
            raise CheckFailed(
                f"{follower.args.name!r} was not sent every surface",
                expected=f"surface {position + 1} of {len(wanted)}",
                got=f"surface {place + 1}",
                exchange=follower.exchange,
            )
        position = place + 1
    witness.check(
        position == len(wanted),
        f"{follower.args.name!r} does not show the last surface in the end",
        expected=f"surface {len(wanted)} of {len(wanted)}",
        got=f"surface {position}" if found else "no surface at all",
        exchange=follower.exchange,
    )


def applicable(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """Each patch is for a surface that this subscriber was given, and applies to it strictly."""
    for update in _require_frames(follower):
        frame = update.frame
        witness.check(
            update.before is not None,
            "a frame refers to a surface that this subscriber was not given",
            expected="the id of a full surface's event",
            got=brief(frame.get("surfaceRef")),
            exchange=follower.exchange,
        )
        witness.check(
            update.payload is not None,
            "a patch does not apply to the surface last delivered under its reference",
            expected="a patch that RFC 6902 can apply, with indexes as RFC 6901 has them",
            got=brief(frame.get("patch"), 300),
            exchange=follower.exchange,
        )


def closed(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """Every frame is closed, its patch is not empty, and no operation is a test."""
    for update in _require_frames(follower):
        problem = _violation(lambda u=update: check_frame(u.frame))  # type: ignore[misc]
        witness.check(
            problem is None,
            "a frame is not of the closed form",
            expected="surfaceRef, catalogVersion and a patch of add, remove, replace, move, copy",
            got=problem or "",
            exchange=follower.exchange,
        )


def catalog_equal(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """A frame's catalogVersion is that of the surface that it patches."""
    for update in _require_frames(follower):
        before = update.before if update.before is not None else shown[0].payload
        witness.check(
            update.frame.get("catalogVersion") == before["catalogVersion"],
            "a frame names another catalog version than the surface that it patches",
            expected=brief(before["catalogVersion"]),
            got=brief(update.frame.get("catalogVersion")),
            exchange=follower.exchange,
        )


def full(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """Who did not ask for deltas is sent none."""
    witness.check(
        not follower.frames,
        "a subscriber that did not ask for deltas was sent one",
        expected="full surfaces",
        got=brief(follower.frames[0].frame) if follower.frames else "",
        exchange=follower.exchange,
    )
    witness.check(
        len(follower.updates) >= len(_collapsed([item.payload for item in shown])),
        "a subscriber that did not ask for deltas was not sent every surface",
        expected=f"{len(shown)} surfaces",
        got=f"{len(follower.updates)}",
        exchange=follower.exchange,
    )


def once(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """No update comes twice: the sequences rise."""
    numbered = [update.sequence for update in follower.updates if update.sequence is not None]
    witness.check(
        len(follower.updates) <= len(shown) and bool(follower.updates),
        "there are more updates than surfaces were shown",
        expected=f"1 to {len(shown)} updates",
        got=f"{len(follower.updates)}",
        exchange=follower.exchange,
    )
    for one, other in pairwise(numbered):
        witness.check(
            one < other,
            "an update came twice, or after a later one",
            expected=f"a sequence over {one}",
            got=str(other),
            exchange=follower.exchange,
        )


def fresh(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """A subscriber, late or reconnected, begins with a full surface."""
    first = follower.updates[0] if follower.updates else None
    witness.check(
        first is not None and first.frame is None,
        f"{follower.args.name!r} was sent no full surface to begin with",
        expected="a full surface first",
        got="no surface" if first is None else brief(first.frame),
        exchange=follower.exchange,
    )


def untrusted(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """Untrusted content arrives with its mark, or as a change of what arrived with it.

    A closed frame has no room for a mark of its own.
    """
    stained = [item for item in shown if item.trust == "untrusted"]
    found = [u for u in follower.updates for item in stained if equal(u.payload, item.payload)]
    if not found:
        raise Blocked("no untrusted surface reached the subscriber")
    for update in found:
        witness.check(
            update.marked,
            "an untrusted surface reached a subscriber without its mark",
            expected="a full surface with contentTrust untrusted, or a delta of one",
            got=brief(update.frame or update.event, 300),
            exchange=follower.exchange,
        )


def secret_free(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """No patch holds the operator's canary."""
    canary = witness.session.credentials.canary
    for update in _require_frames(follower):
        leak = canary is not None and any(canary in text for _, text in strings_in(update.frame))
        witness.check(
            not leak,
            "a secret that is configured in the host came back in a patch",
            expected="the canary in no patch",
            got="the canary in a patch",
            exchange=follower.exchange,
        )


def small(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """A frame for one changed leaf is smaller than the surface."""
    for update in _require_frames(follower):
        whole = len(compact(update.payload))
        witness.check(
            update.size < whole,
            "a frame is no smaller than the surface that it stands for",
            expected=f"less than {whole} bytes",
            got=f"{update.size} bytes",
            exchange=follower.exchange,
        )


def non_empty(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """No patch is empty, also where an update changes nothing."""
    for update in _require_frames(follower):
        witness.check(
            bool(update.frame.get("patch")),
            "a frame's patch is empty",
            expected="at least one operation",
            got=brief(update.frame, 300),
            exchange=follower.exchange,
        )


def untouched(witness: Witness, follower: Follower, shown: list[Shown]) -> None:
    """Nothing that the host refused is shown to a subscriber."""
    refused = follower.run.refused
    if not follower.updates:
        raise Blocked("no surface reached the subscriber")
    for update in follower.updates:
        witness.check(
            not any(equal(update.payload, payload) for payload in refused),
            "a surface that was refused reached a subscriber",
            expected="what was shown, and nothing else",
            got=brief(update.payload, 300),
            exchange=follower.exchange,
        )


RULES: Final[dict[str, Rule]] = {
    "agreed": agreed,
    "applicable": applicable,
    "closed": closed,
    "catalog-equal": catalog_equal,
    "full": full,
    "once": once,
    "fresh": fresh,
    "untrusted": untrusted,
    "secret-free": secret_free,
    "small": small,
    "non-empty": non_empty,
    "untouched": untouched,
}
"""By the word of ``heard: {is: …}``."""


def _require_frames(follower: Follower) -> list[Update]:
    """The frames of a subscriber. Sending them is optional, so without any there is no verdict."""
    if not follower.frames:
        raise Blocked("the host claims deltas, and sent this subscriber none")
    return follower.frames


def _collapsed(payloads: list[JsonValue]) -> list[JsonValue]:
    """The payloads without those that equal the one before."""
    found: list[JsonValue] = []
    for payload in payloads:
        if not found or not equal(found[-1], payload):
            found.append(payload)
    return found


def _violation(judge: Callable[[], object]) -> str | None:
    try:
        judge()
    except Violation as violation:
        return str(violation)
    return None
