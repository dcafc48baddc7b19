"""The words of a step that asks a host: runs, envelopes, logs, streams, seams."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from ..a2ui.catalog import BASIC_CATALOG, KIND
from .major_one_verbs import MAJOR_ONE_VERBS, MajorOneArguments

Doc: TypeAlias = str


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
    | MajorOneArguments
)

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
    **MAJOR_ONE_VERBS,
}

HOST_NEEDS: dict[str, str] = {
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
}
