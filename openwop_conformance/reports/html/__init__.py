"""The run as one page for a browser: the verdict, what broke and how, what was not established.

The file is whole in itself: it asks for nothing, and its policy lets nothing else in. What a
subject said is text in it: the template escapes all it prints, and ``legible`` shows what cannot be
seen. The modules beside this one turn events into values; ``page.html`` sets them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from ...engine.verdict import Event, RunStarted, ScenarioFinished
from ...evidence.ledger import Header
from ...evidence.requirements import Requirement
from ..output import put
from .content import page_of
from .page import page_text
from .story import Story

MOST_BYTES = 4_000_000
"""The page is smaller than this, whatever a subject says: what has no room is left out, and said
to be."""


class HtmlReport:
    """Listens to a run and writes the page when it is over.

    ``now`` is asked for the date and time at which the run began, in UTC. Raises ``UsageError``
    where the file cannot be written; ``None`` is standard output.
    """

    def __init__(
        self,
        path: Path | None,
        requirements: Mapping[str, Requirement],
        header: Header,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._path, self._now = path, now
        self._story = Story(requirements, header)

    def __call__(self, event: Event) -> None:
        """Take note of one event."""
        if isinstance(event, RunStarted):
            self._story.begins(event, self._now())
        elif isinstance(event, ScenarioFinished):
            self._story.goes_on(event)
        else:
            put(self._path, page_text(page_of(self._story, event)))
