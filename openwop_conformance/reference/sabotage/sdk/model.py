"""What a sabotage of the SDK is: the reference SDK with some methods of its parts put in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ...sdk.operations import ReferenceSdk

Methods = Mapping[str, Any]


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

    def made(self, *, counts: bool = False) -> ReferenceSdk:
        """The broken SDK, of which nothing is shared with another."""
        parts: dict[str, Any] = dict(self.sdk)
        for maker, methods in (
            ("make_state", self.state),
            ("make_stream", self.stream),
            ("make_parser", self.parser),
        ):
            if methods:
                whole: Any = getattr(ReferenceSdk, maker)
                parts[maker] = type(f"Broken{whole.__name__}", (whole,), dict(methods))
        broken: type[ReferenceSdk] = type("BrokenSdk", (ReferenceSdk,), parts)
        return broken(counts=counts)
