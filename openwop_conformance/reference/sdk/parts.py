"""The parts of a response, as a call answers them: text, and the messages of a block."""

from __future__ import annotations

from ...jsonvalue import JsonValue


class Parts:
    """Parts in the making: neighbours of a kind become one, never across the end of a block."""

    def __init__(self) -> None:
        self._made: list[JsonValue] = []
        self._text: list[str] = []
        self._messages: list[JsonValue] | None = None

    def text(self, text: str) -> None:
        """Text for people comes next."""
        self.end_block()
        self._text.append(text)

    def message(self, message: JsonValue) -> None:
        """A message comes next, of the block that is open."""
        if self._messages is None:
            self._end_text()
            self._messages = []
            self._made.append({"messages": self._messages})
        self._messages.append(message)

    def messages(self, messages: list[JsonValue]) -> None:
        """The messages of a whole block come next; there may be none."""
        self.end_block()
        self._end_text()
        self._made.append({"messages": messages})

    def end_block(self) -> None:
        """What follows is of no block, or of another."""
        self._messages = None

    def made(self) -> list[JsonValue]:
        """The parts so far: ``{"text": …}`` and ``{"messages": […]}``."""
        self._end_text()
        return self._made

    def _end_text(self) -> None:
        if self._text:
            self._made.append({"text": "".join(self._text)})
            self._text = []
