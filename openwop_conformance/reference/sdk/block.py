"""The content of a block as it arrives: the messages that close, and the one that grows."""

from __future__ import annotations

from typing import Final, Literal

from ...errors import CallError, JsonError
from ...jsonvalue import MAX_DEPTH, JsonValue
from .lexing import STRING, WORD, Lexer, Token, word_value
from .pieces import Component, Member, MessageClosed

__all__ = ["Block", "Component", "Member", "MessageClosed"]


Role = Literal[
    "list", "wrapper", "message", "body", "components", "component", "data", "members", "value"
]
"""What an array or object is: a list of messages, a part of a message that may grow, or neither."""

_VALUE: Final = frozenset((STRING, WORD, "{", "["))
_TOP: Final = frozenset(_VALUE)
_FIRST_ITEM: Final = _VALUE | {"]"}
_AFTER_ITEM: Final = frozenset((",", "]"))
_FIRST_KEY: Final = frozenset((STRING, "}"))
_KEY: Final = frozenset((STRING,))
_COLON: Final = frozenset((":",))
_AFTER_MEMBER: Final = frozenset((",", "}"))
_FENCE: Final = "```"
_BODIES: Final[dict[str, Role]] = {"updateComponents": "body", "updateDataModel": "data"}


class _Frame:
    """An array or object that is open, and the member that it waits for."""

    __slots__ = ("key", "role", "value")

    def __init__(self, role: Role, value: JsonValue) -> None:
        self.role: Role = role
        self.value = value
        self.key = ""


class Block:
    """One block: JSON texts one after another, each a message, a list of them or ``{"messages"}``.

    A fence of backquotes may stand around them. Only the message that is open is kept.
    """

    def __init__(self) -> None:
        self.events: list[Component | Member | MessageClosed] = []
        self.problem: CallError | None = None
        self._lexer = Lexer()
        self._frames: list[_Frame] = []
        self._expected: frozenset[str] = _TOP
        self._empty = True
        self._fence: Literal["none", "open", "closed"] = "none"

    def read(self, text: str, at: int) -> int:
        """Read on, to the end or to a ``<`` outside strings: where. A fault becomes ``problem``."""
        try:
            for token in self._lexer.tokens(text, at):
                self._take(token)
        except JsonError as error:
            self.problem = CallError("parse", str(error))
        except CallError as error:
            self.problem = error
        return self._lexer.stopped

    def finish(self) -> None:
        """The block ends here: what is open or missing becomes ``problem``."""
        if self.problem is not None:
            return
        try:
            if (token := self._lexer.finish()) is not None:
                self._take(token)
            if self._frames:
                raise JsonError("the block ends within a message or a list")
            if self._empty:
                raise JsonError("the block is empty")
        except JsonError as error:
            self.problem = CallError("parse", str(error))

    def open_component(self, cuttable: frozenset[str]) -> Component | None:
        """The component that is open, its members whole or, under a cuttable key, as far as known.

        ``None`` unless a cuttable text has begun, and while any other member is still arriving.
        """
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.role != "component":
            return None
        component = dict(frame.value)
        if self._expected is _VALUE or self._expected is _COLON:
            cut = self._cut(cuttable)
            if cut is None:
                return None
            component[frame.key] = cut
        elif self._lexer.open_string() is not None:  # a key
            return None
        if cuttable.isdisjoint(component):
            return None
        return self._grown(len(self._frames) - 1, component)

    def open_member(self, cuttable: frozenset[str]) -> Member | None:
        """The text under a cuttable key that is open in an ``updateDataModel``, as far as known."""
        cut = self._cut(cuttable)
        if cut is None:
            return None
        at, frame = len(self._frames) - 1, self._frames[-1]
        if frame.role == "members":
            return self._member(at, cut)
        return self._member(at + 1, cut) if frame.role == "data" and _has_path(frame) else None

    def _cut(self, cuttable: frozenset[str]) -> str | None:
        """The text that is open as the value of a cuttable key."""
        if self._expected is _VALUE and self._frames and self._frames[-1].key in cuttable:
            return self._lexer.open_string()
        return None

    # --------------------------------------------------------------------------- grammar

    def _take(self, token: Token) -> None:
        kind, text = token
        if kind not in self._expected or self._fence == "closed":
            raise JsonError(f"{text[:40]!r} is not expected here")
        if kind == STRING and self._expected in (_KEY, _FIRST_KEY):
            self._key(text)
        elif kind == STRING:
            self._put(text)
        elif kind == WORD:
            self._word(text)
        elif kind in "[{":
            self._open(kind)
        elif kind in "]}":
            self._close()
        elif kind == ":":
            self._expected = _VALUE
        else:
            self._expected = _KEY if isinstance(self._frames[-1].value, dict) else _VALUE

    def _word(self, word: str) -> None:
        if not self._frames and self._empty and self._fence == "none" and word.startswith(_FENCE):
            self._fence = "open"
        elif not self._frames and not self._empty and self._fence == "open" and word == _FENCE:
            self._fence = "closed"
        else:
            self._put(word_value(word))

    def _key(self, key: str) -> None:
        frame = self._frames[-1]
        if frame.role == "wrapper":
            raise JsonError(f"{key[:40]!r} beside messages")
        if key in frame.value:
            raise JsonError(f"duplicate key {key[:40]!r}")
        if key == "messages" and len(self._frames) == 1 and not frame.value:
            frame.role = "wrapper"
        frame.key = key
        self._expected = _COLON

    def _open(self, kind: str) -> None:
        role = self._role(kind)
        self._put([] if kind == "[" else {}, opens=role)
        self._empty = False
        self._expected = _FIRST_ITEM if kind == "[" else _FIRST_KEY

    def _close(self) -> None:
        frame = self._frames.pop()
        self._await_next()
        if frame.role == "message":
            self.events.append(MessageClosed(frame.value))
        elif frame.role == "component":
            self._component_closed(frame)
        elif self._frames and self._frames[-1].role == "members":
            self._member_closed(frame.value)

    def _put(self, value: JsonValue, *, opens: Role | None = None) -> None:
        """Put a value where it belongs. Messages belong nowhere: they are told when they close."""
        frame = self._frames[-1] if self._frames else None
        if frame is None or frame.role in ("list", "wrapper"):
            if opens not in ("message", "list"):
                raise _no_message()
        elif isinstance(frame.value, dict):
            frame.value[frame.key] = value
        else:
            frame.value.append(value)
            if frame.role == "components" and opens != "component":
                frame.role = "value"
        if opens is None:
            self._await_next()
            if frame is not None and frame.role == "members":
                self._member_closed(value)
            return
        if len(self._frames) >= MAX_DEPTH:
            raise JsonError(f"nested deeper than {MAX_DEPTH}")
        self._frames.append(_Frame(opens, value))

    def _await_next(self) -> None:
        if not self._frames:
            self._expected = _TOP
        elif isinstance(self._frames[-1].value, dict):
            self._expected = _AFTER_MEMBER
        else:
            self._expected = _AFTER_ITEM

    # ----------------------------------------------------------------------------- shape

    def _role(self, kind: str) -> Role:
        """What the array or object is that opens here."""
        if not self._frames:
            return "list" if kind == "[" else "message"
        frame = self._frames[-1]
        if frame.role == "list":
            return "message" if kind == "{" else "value"
        if frame.role == "wrapper":
            return "list" if kind == "[" else "value"
        if frame.role == "message" and kind == "{" and frame.value.keys() == {"version"}:
            return _BODIES.get(frame.key, "value")
        if frame.role == "body" and kind == "[" and frame.key == "components":
            return "components" if frame.value.keys() == {"surfaceId"} else "value"
        if frame.role == "data" and kind == "{" and _has_path(frame):
            return "members"
        return "component" if frame.role == "components" and kind == "{" else "value"

    def _component_closed(self, frame: _Frame) -> None:
        event = self._grown(len(self._frames), frame.value)
        if event is not None:
            self.events.append(event)

    def _grown(self, at: int, component: dict[str, JsonValue]) -> Component | None:
        """A component below the frames before ``at``; ``None`` when its head is not fit to tell."""
        message, body, components = (frame.value for frame in self._frames[at - 3 : at])
        version, surface = message["version"], body["surfaceId"]
        if not isinstance(version, str) or not isinstance(surface, str):
            return None
        return Component(version, surface, len(components) - 1, component)

    def _member_closed(self, value: JsonValue) -> None:
        event = self._member(len(self._frames) - 1, value)
        if event is not None:
            self.events.append(event)

    def _member(self, at: int, value: JsonValue) -> Member | None:
        """What is open below the frames before ``at``; ``None`` as for ``_grown``."""
        message, body = (frame.value for frame in self._frames[at - 2 : at])
        version, surface, path = message["version"], body["surfaceId"], body["path"]
        if not all(isinstance(said, str) for said in (version, surface, path)):
            return None
        name = self._frames[at].key if at < len(self._frames) else None
        return Member(version, surface, path, name, value)


def _has_path(data: _Frame) -> bool:
    """Whether a value comes now, and all that says where it belongs came before it."""
    return data.key == "value" and data.value.keys() == {"surfaceId", "path"}


def _no_message() -> CallError:
    return CallError("validation", "a message is not a JSON object")
