"""The words a step may use: a closed set, each with typed arguments and a sentence of what it does.

They stand in ``host_verbs``, ``sdk_verbs`` and ``consumer_verbs``; here they are one set. The
engine has one function for each (``engine/steps``); the schema that editors use, the linter and the
reference page are made from it. A verb may be given its first argument alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

from .consumer_verbs import CONSUMER_NEEDS, CONSUMER_VERBS, ConsumerArguments
from .host_verbs import HOST_NEEDS, HOST_VERBS, HostArguments
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


Arguments: TypeAlias = HostArguments | SdkArguments | ConsumerArguments

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
    **HOST_NEEDS,
    **SDK_NEEDS,
    **CONSUMER_NEEDS,
}
"""What a scenario may need, and what that means."""

OPERATOR_NEEDS = ("second-tenant", "canary")
"""The needs that are the operator's to give, and so to opt out of; the others are the host's."""
