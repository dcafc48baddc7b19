"""What a sabotage of the consumer is: the reference with some methods of its parts put in place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, TypeAlias

from ...consulting import Note, noting_class
from ...consumer.acting import Acting
from ...consumer.client import Client
from ...consumer.operations import ReferenceConsumer
from ..broken import Methods, broken, none

Now: TypeAlias = Callable[[], datetime]
_PARTS: Final = ("surface", "legacy", "rendering", "acting")
"""What a client makes, each by its ``make_…``."""


@dataclass(frozen=True, slots=True)
class ConsumerSabotage:
    """One broken rule: in words, and the methods that break it, by the part they belong to."""

    name: str
    breaks: str
    consumer: Methods = field(default_factory=none)
    """Methods of ``ReferenceConsumer``: a call answered otherwise."""
    client: Methods = field(default_factory=none)
    """Methods of ``Client``."""
    surface: Methods = field(default_factory=none)
    """Methods of ``FoldedSurface``."""
    legacy: Methods = field(default_factory=none)
    """Methods of ``LegacyRun``."""
    rendering: Methods = field(default_factory=none)
    """Methods of ``Rendering``."""
    acting: Methods = field(default_factory=none)
    """Methods of ``Acting``."""

    @property
    def replaced(self) -> frozenset[str]:
        """The methods by their names, as ``rendering.draw``."""
        parts = ("consumer", "client", *_PARTS)
        return frozenset(f"{part}.{method}" for part in parts for method in getattr(self, part))

    def made(self, now: Now = Acting.now) -> ReferenceConsumer:
        """The broken consumer, of which nothing is shared with another."""
        parts = {f"make_{part}": getattr(self, part) for part in _PARTS}
        parts["make_acting"] = {"now": staticmethod(now), **self.acting}
        client = broken(Client, self.client, **parts)
        return broken(ReferenceConsumer, {**self.consumer, "make_client": client})()


def noting_consumer(note: Note, now: Now = Acting.now) -> ReferenceConsumer:
    """The whole consumer, which notes what of it is consulted."""
    makers = {f"make_{part}": getattr(Client, f"make_{part}") for part in _PARTS}
    makers["make_acting"] = type("Acting", (Acting,), {"now": staticmethod(now)})
    parts = {maker: noting_class(whole, maker[5:], note) for maker, whole in makers.items()}
    client: type[Client] = noting_class(type("Noting", (Client,), parts), "client", note)
    whole = type("Noting", (ReferenceConsumer,), {"make_client": client})
    noting: type[ReferenceConsumer] = noting_class(whole, "consumer", note)
    return noting()
