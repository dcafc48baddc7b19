"""What a sabotage of the SDK is: the reference SDK with some methods of its parts put in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from ...consulting import Note, noting_class
from ...sdk.operations import ReferenceSdk

Methods = Mapping[str, Any]

_PARTS: Final = ("state", "stream", "parser")
"""What the SDK makes, each by its ``make_…``."""


@dataclass(frozen=True, slots=True)
class SdkSabotage:
    """One broken rule: in words, and the methods that break it, by the part they belong to."""

    name: str
    breaks: str
    sdk: Methods = field(default_factory=lambda: MappingProxyType({}))
    """Methods of ``ReferenceSdk``: a call answered otherwise."""
    state: Methods = field(default_factory=lambda: MappingProxyType({}))
    """Methods of ``RendererState``."""
    stream: Methods = field(default_factory=lambda: MappingProxyType({}))
    """Methods of ``ResponseStream``."""
    parser: Methods = field(default_factory=lambda: MappingProxyType({}))
    """Methods of ``Parser``."""

    @property
    def replaced(self) -> frozenset[str]:
        """The methods by their names, as ``state.write``."""
        return frozenset(f"{part}.{m}" for part in ("sdk", *_PARTS) for m in getattr(self, part))

    def made(self, *, counts: bool = False) -> ReferenceSdk:
        """The broken SDK, of which nothing is shared with another."""
        parts: dict[str, Any] = dict(self.sdk)
        for part in _PARTS:
            if methods := getattr(self, part):
                whole: Any = getattr(ReferenceSdk, f"make_{part}")
                parts[f"make_{part}"] = type(f"Broken{whole.__name__}", (whole,), dict(methods))
        broken: type[ReferenceSdk] = type("BrokenSdk", (ReferenceSdk,), parts)
        return broken(counts=counts)


def noting_sdk(note: Note, *, counts: bool = False) -> ReferenceSdk:
    """The whole SDK, which notes what of it is consulted."""
    makers = {f"make_{part}": getattr(ReferenceSdk, f"make_{part}") for part in _PARTS}
    parts = {maker: noting_class(whole, maker[5:], note) for maker, whole in makers.items()}
    noting: type[ReferenceSdk] = noting_class(type("Noting", (ReferenceSdk,), parts), "sdk", note)
    return noting(counts=counts)
