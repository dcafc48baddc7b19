"""What a sabotage of the consumer is: the reference with some methods of its parts put in place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from ...consumer.client import Client
from ...consumer.operations import ReferenceConsumer

Methods = Mapping[str, Any]


def _none() -> Methods:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ConsumerSabotage:
    """One broken rule: in words, and the methods that break it, by the part they belong to."""

    name: str
    breaks: str
    consumer: Methods = field(default_factory=_none)
    """Methods of ``ReferenceConsumer``: a call answered otherwise."""
    client: Methods = field(default_factory=_none)
    """Methods of ``Client``."""
    surface: Methods = field(default_factory=_none)
    """Methods of ``FoldedSurface``."""
    legacy: Methods = field(default_factory=_none)
    """Methods of ``LegacyRun``."""
    rendering: Methods = field(default_factory=_none)
    """Methods of ``Rendering``."""
    acting: Methods = field(default_factory=_none)
    """Methods of ``Acting``."""

    def made(self) -> ReferenceConsumer:
        """The broken consumer, of which nothing is shared with another."""
        parts: dict[str, Any] = dict(self.client)
        for maker, methods in (
            ("make_surface", self.surface),
            ("make_legacy", self.legacy),
            ("make_rendering", self.rendering),
            ("make_acting", self.acting),
        ):
            if methods:
                whole: Any = getattr(Client, maker)
                parts[maker] = type(f"Broken{whole.__name__}", (whole,), dict(methods))
        client = type("BrokenClient", (Client,), parts)
        calls = {**self.consumer, "make_client": client}
        broken: type[ReferenceConsumer] = type("BrokenConsumer", (ReferenceConsumer,), calls)
        return broken()
