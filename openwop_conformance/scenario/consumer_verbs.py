"""The words of a step that shows something to a consumer and asks what a person has before them.

Clients, surfaces and runs are names, each behind an id of this run; a client is opened where it is
first used. Messages may be written in short: version and ids are filled in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from ..a2ui.catalog import KIND
from ..jsonvalue import MISSING

Doc: TypeAlias = str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliver:
    """Deliver one envelope to a client, as it would read it from a run's log."""

    messages: Annotated[list[Any] | None, Doc("A2UI messages of a version 2 payload")] = None
    tree: Annotated[
        Any, Doc("the surface of a version 1 payload, instead; its event goes by its name")
    ] = None
    payload: Annotated[Any, Doc("a whole payload, delivered as it is")] = None
    surface: Annotated[str, Doc("the surface's name")] = "a"
    client: Annotated[str, Doc("the client")] = "c"
    run: Annotated[str, Doc("the run that the envelope is of")] = "run"
    stamp: Annotated[int | None, Doc("schemaVersion; 2, or 1 for a tree, unless given")] = None
    sequence: Annotated[int | None, Doc("of its event; the next one unless given")] = None
    trust: Annotated[Literal["trusted", "untrusted"] | None, Doc("contentTrust")] = None
    source: Annotated[
        Literal["ai-generation", "user", "system"] | None, Doc("meta.source: who made the envelope")
    ] = None
    partial: Annotated[bool, Doc("the envelope is not final")] = False
    kind: Annotated[str, Doc("the envelope's type")] = KIND


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Deliver a delta frame of major 1."""

    patch: Annotated[list[Any], Doc("the RFC 6902 operations")]
    surface: Annotated[str, Doc("the name of the surface that it patches")] = "a"
    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shows:
    """A person has this before them, when all that was delivered has settled."""

    surface: Annotated[str, Doc("the surface's name")] = "a"
    client: Annotated[str, Doc("the client")] = "c"
    nothing: Annotated[bool, Doc("nothing of the surface is shown")] = False
    texts: Annotated[list[str] | None, Doc("these texts, in this order, others aside")] = None
    lacks: Annotated[list[str] | None, Doc("none of these words anywhere")] = None
    bare: Annotated[list[str] | None, Doc("none of these as a text of its own")] = None
    buttons: Annotated[
        dict[str, bool] | None, Doc("buttons by name, and whether they can be pressed")
    ] = None
    fields: Annotated[
        dict[str, Any] | None,
        Doc("the values of fields, by name, or by the text before one that has no name"),
    ] = None
    names: Annotated[
        list[str] | None,
        Doc("fields have these as their accessible names, not as texts before them"),
    ] = None
    describes: Annotated[
        dict[str, str] | None, Doc("words in the accessible description of a field, by label")
    ] = None
    roles: Annotated[dict[str, int] | None, Doc("how many there are of a role")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Enter:
    """A person sets a field."""

    label: Annotated[str, Doc("its label")]
    value: Annotated[Any, Doc("text, true or false, or the list of chosen values")]
    role: Annotated[
        Literal["textbox", "checkbox", "combobox", "listbox", "date"], Doc("what kind of field")
    ] = "textbox"
    surface: Annotated[str, Doc("the surface's name")] = "a"
    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Press:
    """A person presses a button: this, and no more, is submitted."""

    button: Annotated[str, Doc("its name")]
    surface: Annotated[str, Doc("the surface's name")] = "a"
    client: Annotated[str, Doc("the client")] = "c"
    to: Annotated[
        Literal["interrupt", "turn", "nobody"], Doc("where it goes; nobody: nothing is submitted")
    ] = "interrupt"
    data: Annotated[Any, Doc("what is submitted, exactly")] = MISSING
    component: Annotated[
        str | None, Doc("the button's id, which the submission names, with a time")
    ] = None
    event: Annotated[str | None, Doc("the event's name, which the submission names")] = None
    confirms: Annotated[
        str | None, Doc("the digest of a locked surface's frozen content, which it names")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejects:
    """Of payloads outside the profile nothing is rendered; of their twins, one edit away, it is.

    The cases are fixtures with ``messages``, their ``twin`` and why. All of a kind are delivered
    before a person looks.
    """

    cases: Annotated[Any, Doc("fixture files, as profile/egress/*.json")]
    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Violates:
    """Since it was asked last, the client has reported these violations of a surface's lock."""

    violations: Annotated[list[Any], Doc("in order: messageType, and path where there is one")]
    surface: Annotated[str, Doc("the surface's name")] = "a"
    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The consumer says of itself that it has these capabilities, with true and nothing else."""

    capabilities: Annotated[list[str], Doc("their names")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quiet:
    """The client has submitted nothing but what was pressed."""

    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contained:
    """The client has tried to reach and to open nothing. It needs ``feature.network``."""

    client: Annotated[str, Doc("the client")] = "c"


@dataclass(frozen=True, slots=True, kw_only=True)
class Withstand:
    """A surface of a hostile size or shape ends, shown or refused, and the next one is shown."""

    what: Annotated[
        Literal["many", "deep", "long", "cycle", "wide"],
        Doc(
            "many: components; deep: one in the other; long: text; cycle: a component below "
            "itself; wide: children of one"
        ),
    ]
    size: Annotated[int, Doc("how many, or how long")] = 10_000
    client: Annotated[str, Doc("the client")] = "c"


ConsumerArguments: TypeAlias = (
    Deliver
    | Frame
    | Shows
    | Enter
    | Press
    | Rejects
    | Violates
    | Claims
    | Quiet
    | Contained
    | Withstand
)

CONSUMER_VERBS: dict[str, type[ConsumerArguments]] = {
    "deliver": Deliver,
    "frame": Frame,
    "shows": Shows,
    "enter": Enter,
    "press": Press,
    "rejects": Rejects,
    "violates": Violates,
    "claims": Claims,
    "quiet": Quiet,
    "contained": Contained,
    "withstand": Withstand,
}

CONSUMER_NEEDS: dict[str, str] = {
    "feature.major-1": "the consumer renders surfaces of version 1 too",
    "feature.deltas": "the consumer applies delta frames",
    "feature.network": "all that the consumer tries to reach is seen",
    "feature.accessibility": "names and descriptions are those of assistive technology",
    "feature.dates": "a date field can be set",
}

NEEDED_BY: dict[str, str] = {"contained": "feature.network"}
"""What a scenario with such a step has to need, as the step witnesses nothing without it."""
