"""The tokens of strict JSON as their text arrives, cut anywhere; what they build is for others."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final, TypeAlias

from ...errors import JsonError
from ...jsonvalue import JsonValue

Token: TypeAlias = tuple[str, str]
"""One of ``[ ] { } , :`` twice, or ``STRING`` and the decoded text, or ``WORD`` and its text."""

STRING: Final = '"'
WORD: Final = "w"
"""What is neither: a number, ``true``, or what is no JSON at all; ``word_value`` tells."""

_START: Final = re.compile(
    r'[ \t\n\r]*(?:([\[\]{},:])|"([^"\\\x00-\x1f]*)"|(")|([^ \t\n\r\[\]{},:"<]+))?'
)
_WITHIN_STRING: Final = re.compile(r'[^"\\\x00-\x1f]*(?:\\[^\x00-\x1f][^"\\\x00-\x1f]*)*')
_WITHIN_WORD: Final = re.compile(r'[^ \t\n\r\[\]{},:"<]*')
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_CUT_ESCAPE: Final = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z|\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_NAMED: Final[dict[str, JsonValue]] = {"true": True, "false": False, "null": None}


class Lexer:
    """What is open between two chunks: a string or a word in pieces, and a begun escape."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._open: str | None = None
        self._escaping = False
        self.stopped = 0

    def tokens(self, text: str, at: int) -> Iterator[Token]:
        """The tokens that end in ``text`` from ``at`` on; ``stopped`` is how far it was read.

        Stops at a ``<`` outside strings. Raises ``JsonError`` for a string that is none.
        """
        self.stopped = at
        while self.stopped < len(text):
            token = self._go_on(text) if self._open else self._begin(text)
            if token is not None:
                yield token
            elif not self._open and text.startswith("<", self.stopped):
                return

    def finish(self) -> Token | None:
        """The word that the end of the text ends. Raises ``JsonError`` within a string."""
        if self._open == STRING:
            raise JsonError("the text ends within a string")
        return self._closed_word() if self._open else None

    def open_string(self) -> str | None:
        """The string that is open, as far as it can be read; ``None`` when none is."""
        if self._open != STRING:
            return None
        raw = "".join(self._pieces)
        while (cut := _CUT_ESCAPE.search(raw)) and _unescaped(raw, cut.start()):
            raw = raw[: cut.start()]
        try:
            return string_value(raw)
        except JsonError:
            return None

    def _begin(self, text: str) -> Token | None:
        match = _START.match(text, self.stopped)
        assert match is not None
        self.stopped = match.end()
        sign, simple, quote, word = match.groups()
        if sign:
            return sign, sign
        if simple is not None:
            return STRING, string_value(simple)
        if quote:
            self._open = STRING
        elif word and self.stopped < len(text):
            return WORD, word
        elif word:
            self._open, self._pieces = WORD, [word]
        return None

    def _go_on(self, text: str) -> Token | None:
        return self._within_string(text) if self._open == STRING else self._within_word(text)

    def _within_word(self, text: str) -> Token | None:
        match = _WITHIN_WORD.match(text, self.stopped)
        assert match is not None
        self.stopped = match.end()
        self._pieces.append(match[0])
        return self._closed_word() if self.stopped < len(text) else None

    def _within_string(self, text: str) -> Token | None:
        start = self.stopped
        after = start + 1 if self._escaping else start
        if self._escaping and text[start] < " ":
            raise JsonError("a control character in a string")
        match = _WITHIN_STRING.match(text, after)
        assert match is not None
        end = match.end()
        self._escaping = text.startswith("\\", end) and end + 1 == len(text)
        self.stopped = end + 1 if self._escaping else end
        self._pieces.append(text[start : self.stopped])
        if self.stopped == len(text):
            return None
        if text[end] != '"':
            raise JsonError("a control character in a string")
        self.stopped += 1
        return STRING, string_value(self._taken())

    def _closed_word(self) -> Token:
        return WORD, self._taken()

    def _taken(self) -> str:
        raw = "".join(self._pieces)
        self._pieces, self._open = [], None
        return raw


def string_value(raw: str) -> str:
    """What stands between the quotes, decoded. Raises ``JsonError``, also for lone surrogates."""
    value = raw
    if "\\" in raw:
        try:
            value = json.loads(f'"{raw}"')
        except ValueError as error:
            raise JsonError(str(error)) from None
    if not value.isascii() and _SURROGATE.search(value):
        raise JsonError("a string holds a lone surrogate")
    return value


def word_value(word: str) -> JsonValue:
    """The number, truth or null that a word is. Raises ``JsonError`` for any other."""
    if word in _NAMED:
        return _NAMED[word]
    match = _NUMBER.fullmatch(word)
    if match is None:
        raise JsonError(f"{word[:40]!r} is not JSON")
    try:
        number = float(word) if match[1] or match[2] else int(word)
    except ValueError as error:  # integers beyond 4,300 digits
        raise JsonError(str(error)) from None
    if number in (float("inf"), float("-inf")):
        raise JsonError(f"{word[:40]} is not a finite number")
    return number


def _unescaped(raw: str, at: int) -> bool:
    """Whether the backslash at a position begins an escape: an even number stands before it."""
    before = len(raw[:at]) - len(raw[:at].rstrip("\\"))
    return before % 2 == 0
