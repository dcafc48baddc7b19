"""What a sabotage of the SDK is: the reference SDK with some methods of its parts put in place."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from ...consulting import Note, noting_class
from ...sdk.operations import ReferenceSdk
from ..broken import Methods, broken, none

_PARTS: Final = ("state", "stream", "parser")
"""What the SDK makes, each by its ``make_…``."""


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

    @property
    def replaced(self) -> frozenset[str]:
        """The methods by their names, as ``state.write``."""
        return frozenset(f"{part}.{m}" for part in ("sdk", *_PARTS) for m in getattr(self, part))

    def made(self, *, counts: bool = False) -> ReferenceSdk:
        """The broken SDK, of which nothing is shared with another."""
        parts = {f"make_{part}": getattr(self, part) for part in _PARTS}
        return broken(ReferenceSdk, self.sdk, **parts)(counts=counts)


def noting_sdk(note: Note, *, counts: bool = False) -> ReferenceSdk:
    """The whole SDK, which notes what of it is consulted."""
    makers = {f"make_{part}": getattr(ReferenceSdk, f"make_{part}") for part in _PARTS}
    parts = {maker: noting_class(whole, maker[5:], note) for maker, whole in makers.items()}
    noting: type[ReferenceSdk] = noting_class(type("Noting", (ReferenceSdk,), parts), "sdk", note)
    return noting(counts=counts)
