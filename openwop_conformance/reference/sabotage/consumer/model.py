"""What a sabotage of the consumer is: the reference with some methods of its parts put in place."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...consumer.client import Client
from ...consumer.operations import ReferenceConsumer
from ..broken import Methods, broken, none


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

    def made(self) -> ReferenceConsumer:
        """The broken consumer, of which nothing is shared with another."""
        client = broken(
            Client,
            self.client,
            make_surface=self.surface,
            make_legacy=self.legacy,
            make_rendering=self.rendering,
            make_acting=self.acting,
        )
        return broken(ReferenceConsumer, {**self.consumer, "make_client": client})()
