"""The words of a step about the surfaces of major 1: shown, followed as deltas, accepted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from ..a2ui.catalog import KIND

Doc: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """Hand a version 1 surface to the seam of major 1: admitted, unless ``refused`` says why not.

    With ``trust`` or ``node`` it goes through the acceptor seam, which records it into the run.
    """

    surface: Annotated[Any, Doc("the tree; catalogVersion is put around it")] = None
    payload: Annotated[Any, Doc("a whole payload, sent as it is, instead of a tree")] = None
    run: Annotated[str, Doc("the run to show it in")] = "run"
    trust: Annotated[Literal["trusted", "untrusted"] | None, Doc("meta.contentTrust")] = None
    node: Annotated[str | None, Doc("the node that the surface belongs to")] = None
    missing: Annotated[bool, Doc("show it in a run that does not exist")] = False
    name: Annotated[str | None, Doc("what later steps call this surface")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Follow:
    """Subscribe to a run of major 1, and keep what is sent while the next steps are taken."""

    name: Annotated[str, Doc("what later steps call the subscriber")]
    run: Annotated[str, Doc("which run")] = "run"
    delta: Annotated[bool, Doc("ask for deltas, by ?a2uiDelta=1")] = True
    buffer: Annotated[int | None, Doc("bufferMs: events in batches")] = None
    after: Annotated[
        str | None, Doc("resume after this surface, by Last-Event-ID, as a reconnected client")
    ] = None
    wait: Annotated[bool, Doc("go on only once the host has begun to answer")] = True
    slow: Annotated[bool, Doc("read with pauses")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """End the run, and hold what subscribers were sent to one rule of the delta transport."""

    followers: Annotated[list[str] | str, Doc("the subscribers")]
    is_: Annotated[
        Literal[
            "agreed",
            "applicable",
            "closed",
            "catalog-equal",
            "full",
            "once",
            "fresh",
            "untrusted",
            "secret-free",
            "small",
            "non-empty",
            "untouched",
        ],
        Doc(
            "agreed: rebuilds what was shown; applicable: each patch applies, strictly; closed: "
            "frames are closed and test nothing; catalog-equal; full: no frame at all; once: no "
            "update twice; fresh: begins with a full surface; untrusted: the mark arrives; "
            "secret-free: no canary in a patch; small: frames smaller than the surface; "
            "non-empty: no empty patch; untouched: nothing that was refused is shown"
        ),
        "is",
    ]
    run: Annotated[str, Doc("which run")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The log of a run of major 1 holds each surface that was shown, in full, and no delta."""

    run: Annotated[str, Doc("whose log")] = "run"
    via: Annotated[
        Literal["poll", "json", "stream"],
        Doc("poll, the JSON read, or the stream of the ended run"),
    ] = "poll"
    only: Annotated[
        Literal["refused"] | None, Doc("refused: look for traces of what was refused alone")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """Ask the acceptor seam of major 1: accepted, unless ``refused`` names the outcome's reason."""

    payload: Annotated[Any, Doc("the envelope's payload")]
    kind: Annotated[str, Doc("the envelope's type")] = KIND
    stamp: Annotated[int, Doc("the envelope's schemaVersion")] = 1
    trust: Annotated[Literal["trusted", "untrusted"] | None, Doc("meta.contentTrust")] = None
    correlation: Annotated[str | None, Doc("a correlation's name; a fresh one unless given")] = None
    run: Annotated[str | None, Doc("the run whose recorded correlations count")] = None
    supported: Annotated[list[str] | None, Doc("hostSupportedEnvelopes")] = None
    bound: Annotated[str | None, Doc("boundInterruptKind")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimed:
    """The v1 discovery document's claims about surfaces are closed, typed and agree."""

    major: Annotated[Literal[1], Doc("the major whose document is read")] = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Economy:
    """Deltas cost what changed: by bytes of a frame, or by time of an update."""

    of: Annotated[
        Literal["bytes", "time"],
        Doc("bytes: one leaf changed in n and 4n components; time: 4n updates over n"),
    ]
    size: Annotated[int, Doc("n")] = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Explore:
    """Show generated sequences of surfaces; full and delta subscribers agree on each of them."""

    sequences: Annotated[int, Doc("how many sequences")] = 12
    length: Annotated[int, Doc("the most surfaces in one")] = 8


MajorOneArguments: TypeAlias = (
    Show | Follow | Heard | Recorded | Accept | Claimed | Economy | Explore
)

MAJOR_ONE_VERBS: dict[str, type[MajorOneArguments]] = {
    "show": Show,
    "follow": Follow,
    "heard": Heard,
    "recorded": Recorded,
    "accept": Accept,
    "claimed": Claimed,
    "economy": Economy,
    "explore": Explore,
}
