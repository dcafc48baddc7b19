"""The words a step may use: a closed set, each with typed arguments and a sentence of what it does.

Those that ask an SDK or a consumer stand in ``sdk_verbs`` and ``consumer_verbs``. The engine has
one function for each (``engine/steps``); the schema that editors use, the linter and the reference
page are made from what stands here. A verb may be given its first argument alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from ..a2ui.catalog import BASIC_CATALOG, KIND
from .consumer_verbs import CONSUMER_NEEDS, CONSUMER_VERBS, ConsumerArguments
from .sdk_verbs import SDK_NEEDS, SDK_VERBS, SdkArguments

Doc: TypeAlias = str
Names = list[str] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """Why a request has to be refused. A refusal for another reason is a failure."""

    code: Annotated[Names | None, Doc("the error code, or the codes that mean it")] = None
    rule: Annotated[Names | None, Doc("the rule, compared where the host names one it knows")] = (
        None
    )
    violation: Annotated[
        dict[str, Any] | None,
        Doc("the structured violation of a lock, somewhere in the error; other members aside"),
    ] = None
    reason: Annotated[str | None, Doc("a word that the error body has to hold somewhere")] = None
    registered: Annotated[
        bool, Doc("also hold the body to the closed envelope and its status to the registry")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Start a run of a fixture workflow and wait until it is suspended or has ended."""

    workflow: Annotated[str, Doc("the fixture's name, as discovery lists it")]
    name: Annotated[str, Doc("what later steps call this run")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Emit:
    """Send one surface envelope to the seam: admitted, unless ``refused`` says why not.

    Ids in a scenario are names: the engine gives each surface, correlation and run a fresh one.
    """

    messages: Annotated[list[Any] | None, Doc("A2UI messages; version and ids are filled in")] = (
        None
    )
    payload: Annotated[Any, Doc("a whole payload, sent as it is, instead of messages")] = None
    surface: Annotated[str, Doc("the surface's name")] = "a"
    run: Annotated[str, Doc("the run to emit into")] = "run"
    stamp: Annotated[
        int | Literal["absent", "floor+1"], Doc("the envelope's schemaVersion; 2 unless given")
    ] = 2
    trust: Annotated[Literal["trusted", "untrusted"] | None, Doc("meta.contentTrust")] = None
    source: Annotated[
        Literal["ai-generation", "user", "system"], Doc("meta.source: who made the envelope")
    ] = "ai-generation"
    node: Annotated[str | None, Doc("the envelope's nodeId, which binds the surface")] = None
    kind: Annotated[str, Doc("the envelope's type")] = KIND
    catalog: Annotated[str, Doc("the payload's catalogId")] = BASIC_CATALOG
    reasoning: Annotated[str | None, Doc("the payload's reasoning")] = None
    correlation: Annotated[str | None, Doc("a correlation's name; a fresh one unless given")] = None
    name: Annotated[str | None, Doc("what later steps call this emission")] = None
    repeats: Annotated[
        str | None, Doc("an emission whose recorded outcome has to come back, nothing recorded")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """Send the same messages several times at once: exactly one is admitted, the others refused."""

    messages: Annotated[list[Any], Doc("as for emit")]
    times: Annotated[int, Doc("how many at once")] = 8
    surface: Annotated[str, Doc("the surface's name")] = "a"
    run: Annotated[str, Doc("the run to emit into")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """Read a run's log: what was admitted is carried as it was sent, what was refused is not.

    By stream or subscription, the run has to have ended, so that its stream closes.
    """

    run: Annotated[str, Doc("whose log")] = "run"
    via: Annotated[
        Literal["poll", "stream", "subscription"],
        Doc("poll, the debug stream read now, or what a subscriber was sent all along"),
    ] = "poll"
    after: Annotated[
        str | None, Doc("with stream: resume after this emission, by Last-Event-ID")
    ] = None
    carries: Annotated[int | None, Doc("how many events carry an emitted payload")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """Fork a run at an event and wait until the fork is suspended or has ended."""

    name: Annotated[str, Doc("what later steps call the fork")]
    at: Annotated[str | int, Doc("an emission's name, or a sequence: the first event re-executed")]
    run: Annotated[str, Doc("the run to fork")] = "run"
    mode: Annotated[Literal["replay", "branch"], Doc("replay or branch")] = "replay"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolve:
    """Resolve the approval that a run waits for: taken, unless ``refused`` says why not."""

    run: Annotated[str, Doc("whose approval")] = "run"
    node: Annotated[str, Doc("the node that waits")] = "gate"
    action: Annotated[str, Doc("the approval's action")] = "accept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A run has this status."""

    is_: Annotated[str, Doc("the status"), "is"]
    run: Annotated[str, Doc("which run")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subscribe:
    """Connect to a run's debug stream, and keep what it sends while the next steps are taken."""

    run: Annotated[str, Doc("which run")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancel:
    """Cancel a run and wait until it has ended."""

    run: Annotated[str, Doc("which run")] = "run"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Send one plain request: answered with success, unless ``refused`` says why not."""

    path: Annotated[
        str, Doc("{run:NAME} is a run's id, {id:NAME} a fresh id, {missing} that of no run")
    ]
    method: Annotated[Literal["GET", "POST"], Doc("the method")] = "GET"
    credential: Annotated[
        Literal["owner", "other", "none", "wrong"], Doc("whose key; other is a second tenant's")
    ] = "owner"
    headers: Annotated[dict[str, str], Doc("further headers")] = field(default_factory=dict)
    body: Annotated[Any, Doc("a JSON body; the same placeholders work in its strings")] = None
    text: Annotated[str | None, Doc("a body that is sent as it is")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Discovery:
    """Read the discovery document and hold it to one set of rules."""

    is_: Annotated[
        Literal["coherent", "negotiated"],
        Doc("coherent: closed, typed, its claims agree; negotiated: versions, ETag, headers"),
        "is",
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """The operator's canary stands in nothing that the host has answered, logged or streamed."""

    runs: Annotated[list[str], Doc("the runs whose logs and streams are read")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Seam:
    """The emit-surface seam, where it is declared, is served as it is documented."""

    run: Annotated[str, Doc("a run to emit into")] = "run"


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

    followers: Annotated[Names, Doc("the subscribers")]
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


HostArguments: TypeAlias = (
    Run
    | Emit
    | Race
    | Log
    | Fork
    | Resolve
    | Status
    | Subscribe
    | Cancel
    | Request
    | Discovery
    | Unseen
    | Seam
    | Show
    | Follow
    | Heard
    | Recorded
    | Accept
    | Claimed
    | Economy
    | Explore
)
Arguments: TypeAlias = HostArguments | SdkArguments | ConsumerArguments

HOST_VERBS: dict[str, type[HostArguments]] = {
    "run": Run,
    "emit": Emit,
    "race": Race,
    "log": Log,
    "fork": Fork,
    "resolve": Resolve,
    "status": Status,
    "subscribe": Subscribe,
    "cancel": Cancel,
    "request": Request,
    "discovery": Discovery,
    "unseen": Unseen,
    "seam": Seam,
    "show": Show,
    "follow": Follow,
    "heard": Heard,
    "recorded": Recorded,
    "accept": Accept,
    "claimed": Claimed,
    "economy": Economy,
    "explore": Explore,
}

VERBS: dict[str, type[Arguments]] = {**HOST_VERBS, **SDK_VERBS, **CONSUMER_VERBS}
VERBS_OF: dict[str, Mapping[str, type[Arguments]]] = {
    "host": HOST_VERBS,
    "sdk": SDK_VERBS,
    "consumer": CONSUMER_VERBS,
}
"""The words for each kind of subject."""

MAY_BE_REFUSED = frozenset(
    {"emit", "race", "fork", "resolve", "request", "show", "accept", "call", "apply", "parse"}
)
"""The verbs that take ``refused``; all of these but ``race`` then need a ``twin``."""

REPEATED = MAY_BE_REFUSED - {"race"} | {"deliver", "shows", "press"}
"""The verbs that take ``each``."""

NEEDS: dict[str, str] = {
    "seams": "discovery declares the seams profile",
    "seam.emit-surface": "the kind is listed with a floor, the seams profile declared and served",
    "floor.1": "schemaVersions advertises exactly 1 for the kind",
    "floor.2": "schemaVersions advertises exactly 2 for the kind",
    "strictness.warn": "envelopeStrictness is warn, or absent",
    "strictness.strict": "envelopeStrictness is strict",
    "replay": "replay.modes has replay",
    "branch": "replay.modes has branch",
    "fixture.conformance-approval": "fixtures lists conformance-approval",
    "fixture.conformance-noop": "fixtures lists conformance-noop",
    "kind": "major 1: supportedEnvelopes lists the kind, schemaVersions at least 1",
    "delta": "major 1: a2uiSurface.deltaTransport is true",
    "seam.show": "major 1: the emit-surface seam is served",
    "seam.accept": "major 1: the acceptor seam is served",
    "fork.point": "major 1: a run can be forked at a recorded event",
    "second-tenant": "the operator gave a second tenant's key",
    "profile.locked-surfaces": "surfacePolicies and lockedSurfacePolicy are advertised",
    "canary": "the operator gave the value of a secret that is configured in the host",
    **SDK_NEEDS,
    **CONSUMER_NEEDS,
}
"""What a scenario may need, and what that means."""

OPERATOR_NEEDS = ("second-tenant", "canary")
"""The needs that are the operator's to give, and so to opt out of; the others are the host's."""
