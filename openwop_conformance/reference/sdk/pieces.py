"""What a block tells: whole messages, and the pieces of the one that grows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import CallError
from ...jsonvalue import JsonValue, pointer_of


@dataclass(frozen=True, slots=True)
class MessageClosed:
    """A whole message, as it stands in the block."""

    message: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Component:
    """A component of an ``updateComponents`` that is still open; its head is known already."""

    version: str
    surface: str
    index: int
    component: dict[str, JsonValue]

    def message(self) -> dict[str, JsonValue]:
        """A message with nothing but this component."""
        return update(self.version, self.surface, [self.component])


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the value of an ``updateDataModel`` that is still open, with its known head.

    Without a name it is the value itself, a text.
    """

    version: str
    surface: str
    path: str
    name: str | None
    value: JsonValue

    def message(self) -> dict[str, JsonValue]:
        """A message that sets this member and leaves those beside it.

        Raises ``CallError`` when no path names it: one without characters.
        """
        if self.name is None:
            return self._written(self.path, self.value)
        if not self.name:
            raise CallError("data", "no path names a member without a name")
        return self._written(self.path.rstrip("/") + pointer_of((self.name,)), self.value)

    def first_message(self, more: Sequence[Member] = ()) -> dict[str, JsonValue]:
        """A message that puts this member, and more of them, in place of what was there before."""
        if self.name is None:
            return self.message()
        return self._written(self.path, {each.name: each.value for each in (self, *more)})

    def _written(self, path: str, value: JsonValue) -> dict[str, JsonValue]:
        body = {"surfaceId": self.surface, "path": path, "value": value}
        return {"version": self.version, "updateDataModel": body}


def update(version: str, surface: str, components: list[JsonValue]) -> dict[str, JsonValue]:
    """An ``updateComponents`` message."""
    return {
        "version": version,
        "updateComponents": {"surfaceId": surface, "components": components},
    }
