"""What a sabotage of the SDK is: the reference SDK with some methods of its parts put in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...sdk.operations import ReferenceSdk
from ..broken import Methods, broken, none


@dataclass(frozen=True, slots=True)
class SdkSabotage:
    """One broken rule: in words, and the methods that break it, by the part they belong to."""

    name: str
    breaks: str
    sdk: Methods = field(default_factory=none)
    """Methods of ``ReferenceSdk``: a call answered otherwise."""
    state: Methods = field(default_factory=none)
    """Methods of ``RendererState``."""
    stream: Methods = field(default_factory=none)
    """Methods of ``ResponseStream``."""
    parser: Methods = field(default_factory=none)
    """Methods of ``Parser``."""

    def made(self, *, counts: bool = False) -> ReferenceSdk:
        """The broken SDK, of which nothing is shared with another."""
        made = broken(
            ReferenceSdk,
            self.sdk,
            make_state=self.state,
            make_stream=self.stream,
            make_parser=self.parser,
        )
        return made(counts=counts)
