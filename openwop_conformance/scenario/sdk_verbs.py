"""The words of a step that asks an SDK; see ``scenario.verbs`` for how words are read.

A message may be written in short: its version is filled in where it is left out, unless ``raw``.
States and streams are names, each behind a handle of this run; a state is made where it is first
used, with the basic catalog. ``$text`` stands for any text in what is expected.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeAlias

from ..jsonvalue import MISSING

Doc: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Make a state with catalogs, or for a version, of its own."""

    name: Annotated[str, Doc("the state's name")]
    catalogs: Annotated[list[Any], Doc("basic, or catalog documents; the first one first")] = field(
        default_factory=lambda: ["basic"]
    )
    version: Annotated[str, Doc("the protocol version")] = "v0.9"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """Make one call of the SDK: answered as said, or refused; a refusal changes no state."""

    operation: Annotated[str, Doc("the call's name, as schema sdk-line has it")]
    with_: Annotated[dict[str, Any], Doc("its arguments"), "with"] = field(default_factory=dict)
    gives: Annotated[Any, Doc("the result, exactly")] = MISSING
    like: Annotated[Any, Doc("the result, whose objects may have more members")] = MISSING
    raw: Annotated[bool, Doc("send messages as they stand, without filling in a version")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """Apply messages to a state: taken, or refused and nothing of them applied."""

    messages: Annotated[list[Any], Doc("A2UI messages")]
    given: Annotated[list[Any] | None, Doc("what a state that is new holds already")] = None
    leaves: Annotated[
        dict[str, Any] | None,
        Doc("for surfaces: what reads would say then (components, has, data), or null for none"),
    ] = None
    ends: Annotated[
        list[str] | None,
        Doc("then check the trees of these surfaces, if that is offered; it may refuse as well"),
    ] = None
    state: Annotated[str, Doc("the state")] = "s"
    surface: Annotated[
        str | None, Doc("the surface of messages that name none, also of those given")
    ] = None
    source: Annotated[
        Literal["system", "ai-generation"] | None, Doc("who made the messages, also those given")
    ] = None
    raw: Annotated[bool, Doc("send messages as they stand, without filling in a version")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Reads:
    """A renderer would hold this now."""

    surface: Annotated[str, Doc("the surface")] = "a"
    state: Annotated[str, Doc("the state")] = "s"
    components: Annotated[Any, Doc("all its components, as a list in any order")] = MISSING
    has: Annotated[list[str] | None, Doc("the ids of all its components, in any order")] = None
    data: Annotated[Any, Doc("its whole data model")] = MISSING
    absent: Annotated[bool, Doc("there is no such surface")] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Parse:
    """Read a whole response: its text and messages, in order; or refused."""

    content: Annotated[str, Doc("the response")]
    state: Annotated[str | None, Doc("the state that it is read into")] = None
    wrapped: Annotated[bool, Doc("blocks stand between tags")] = True
    gives: Annotated[list[Any] | None, Doc("the messages read, also before a refusal")] = None
    says: Annotated[str | None, Doc("all the text, spaces aside")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeds:
    """Stream a response into a state, chunk by chunk.

    A feed is ``{chunk, emits, says, fails, reason}``: ``emits`` is true or false, or the kinds of
    the messages in order; ``says`` is its text; ``fails`` is the kind of error, or several; without
    it the chunk is taken. ``{close: true}`` in place of a chunk ends the response.
    """

    feeds: Annotated[list[Any], Doc("the feeds, in order")]
    state: Annotated[str, Doc("the state")] = "s"
    wrapped: Annotated[bool, Doc("blocks stand between tags")] = True
    progressive: Annotated[list[str] | None, Doc("members shown while they grow")] = None
    shows: Annotated[
        dict[str, Any] | None,
        Doc("for surfaces: what all that was emitted, applied in order, gives: components, data"),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """Stream a response cut at every place, and into single characters: always the same comes out.

    The text, and what the emitted messages, applied in order, give.
    """

    content: Annotated[str, Doc("the response")]
    messages: Annotated[list[Any], Doc("the messages that it holds")]
    says: Annotated[str, Doc("its text, spaces aside")] = ""
    wrapped: Annotated[bool, Doc("blocks stand between tags")] = True
    bytes: Annotated[bool, Doc("cut at every byte, also within a character")] = False
    places: Annotated[int | None, Doc("cut at so many places only, spread evenly")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scales:
    """The cost of a work grows with its size, and no faster: 4n over n is at most 8."""

    work: Annotated[
        Literal["updates", "chunks", "messages", "payload", "data", "rollback"],
        Doc(
            "updates: n messages of one component; chunks: one growing message of n components; "
            "messages: n messages in a stream; payload: validate_payload of n components; data: n "
            "updates of a model with n bindings; rollback: n updates, each undone once before"
        ),
    ]
    chunk: Annotated[int, Doc("characters of a chunk, where there are chunks")] = 16


SdkArguments: TypeAlias = State | Call | Apply | Reads | Parse | Feeds | Splits | Scales

SDK_VERBS: dict[str, type[SdkArguments]] = {
    "state": State,
    "call": Call,
    "apply": Apply,
    "reads": Reads,
    "parse": Parse,
    "feeds": Feeds,
    "splits": Splits,
    "scales": Scales,
}

SDK_NEEDS: dict[str, str] = {
    "version.v0.8": "the SDK names v0.8 among its versions",
    "version.v0.9": "the SDK names v0.9 among its versions",
    "version.v0.9.1": "the SDK names v0.9.1 among its versions",
    "version.v1.0": "the SDK names v1.0 among its versions",
    "feature.bytes": "the SDK takes chunks that are cut within a character",
    "feature.custom-catalogs": "the SDK takes a catalog as a document",
    "feature.progressive-keys": "the SDK shows text while it grows",
    "call.transaction": "the SDK offers transactions: it keeps a renderer state",
}
