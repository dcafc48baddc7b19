"""What a page showed: each look that was taken at it, as a PNG file of its own."""

from __future__ import annotations

import base64
from pathlib import Path

from ..engine.verdict import Event, ScenarioFinished
from ..errors import UsageError
from ..jsonvalue import parse


class PictureReport:
    """Listens to a run and writes ``SCENARIO-1.png``, ``SCENARIO-2.png``… into a folder.

    A consumer gives the pictures with its answers to ``rendered``.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.written = 0

    def __call__(self, event: Event) -> None:
        """Write the pictures of a scenario. Raises ``UsageError`` where that cannot be done."""
        if not isinstance(event, ScenarioFinished):
            return
        for number, picture in enumerate(pictures_of(event), 1):
            try:
                self._folder.mkdir(parents=True, exist_ok=True)
                (self._folder / f"{event.scenario.id}-{number}.png").write_bytes(picture)
            except OSError as error:
                raise UsageError(f"the pictures cannot be written: {error}") from None
            self.written += 1


def pictures_of(finished: ScenarioFinished) -> list[bytes]:
    """The pictures that came with a scenario's answers, in order."""
    answers = [
        parse(exchange.response.body)
        for exchange in finished.exchanges
        if exchange.request.target == "rendered" and exchange.response is not None
    ]
    results = [answer.get("result") or {} for answer in answers]
    return [base64.b64decode(result["picture"]) for result in results if "picture" in result]
