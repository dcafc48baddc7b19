"""An ``updateDataModel`` shown before it closes: its value, member by member, each of them once.

The first piece takes the place of what stands at the path, and each later one adds a member below
it; together they do what the whole message does. Only a value whose path came before it grows: one
that comes without may still be given any.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import CallError
from ...jsonvalue import JsonValue
from .pieces import Member

Take = Callable[[JsonValue], object]
"""Takes a message, or raises ``CallError``."""


class GrowingData:
    """The message that is open. ``emit`` applies a message and emits it, ``apply`` only does."""

    def __init__(self, emit: Take, apply: Take) -> None:
        self.begun = False
        self._emit, self._apply = emit, apply
        self._closed: list[Member] = []
        self._text: Member | None = None
        self._stuck = False

    def gain(self, member: Member) -> None:
        """A member has closed."""
        self._closed.append(member)

    def show(self) -> None:
        """Emit what is new. What is refused now may be right in the whole, so it is only held."""
        gained, self._closed = self._closed, []
        if not self._stuck:
            try:
                self._show(gained)
            except CallError:
                self._stuck = True

    def show_text(self, text: Member | None) -> None:
        """Emit a text that is open as far as it goes, when it is news and is accepted."""
        if text is None or text == self._text or self._stuck:
            return
        try:
            self._emit(text.message() if self.begun else text.first_message())
        except CallError:
            return
        self.begun, self._text = True, text

    def close(self, message: JsonValue) -> None:
        """A message of which something was shown has closed: apply it, and emit what is new of it.

        Raises ``CallError`` when the whole is refused.
        """
        text = self._text
        if self._stuck or (text is not None and text.name is None and text.message() != message):
            self._emit(message)
            return
        self._apply(message)
        try:
            self._show(self._closed)
        except CallError:
            self._emit(message)

    def _show(self, gained: Sequence[Member]) -> None:
        new = [member for member in gained if member != self._text]
        if new and not self.begun:
            self._emit(new[0].first_message(new[1:]))
            self.begun = True
            return
        for member in new:
            self._emit(member.message())
