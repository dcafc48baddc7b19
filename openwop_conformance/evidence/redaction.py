"""What no recording may hold: the operator's keys and secret, however JSON or a URL spells them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Final

from ..engine.credentials import API_KEY, CANARY, MIN_CANARY, OTHER_KEY, Credentials
from ..engine.verdict import Event, Exchange, Listener, ScenarioFinished
from ..errors import JsonError
from ..jsontree import with_texts
from ..jsonvalue import compact, parse

_SHORT: Final = dict(zip('"\\/\b\f\n\r\t', '"\\/bfnrt', strict=True))
_ESCAPING: Final = b'%\\u"/bnrt0123456789abcdefABCDEF'
"""Every byte, beside a value's own, that a spelling of it may hold."""
_NESTED: Final = 200
"""So many letters of a value one pattern can look for at the end of a chunk."""


class Redaction:
    """Puts ``$NAME`` in place of each value; that is the value which a rederivation goes on with.

    A value shorter than ``MIN_CANARY`` would be found by accident, and is hidden in the header
    that carries it alone.
    """

    def __init__(self, credentials: Credentials) -> None:
        keys = ((API_KEY, credentials.owner), (OTHER_KEY, credentials.other))
        self._bearers = {f"Bearer {value}": f"Bearer ${name}" for name, value in keys if value}
        named = [(n, v) for n, v in (*keys, (CANARY, credentials.canary)) if v]
        secrets = [(n, v) for n, v in named if len(v) >= MIN_CANARY]
        secrets.sort(key=lambda pair: -len(pair[1]))
        self._values = [value for _, value in secrets]
        self._plain = [(value.encode(), f"${name}".encode()) for name, value in secrets]
        short = {letter for value in self._values for letter in value if letter in _SHORT}
        self._escapes = [b"%", b"\\u", *(f"\\{_SHORT[letter]}".encode() for letter in short)]
        self._inner = frozenset(b"".join(plain for plain, _ in self._plain) + _ESCAPING)
        self._longest = max((6 * len(plain) for plain, _ in self._plain), default=0)
        self.header = lru_cache(self._header)

    def __bool__(self) -> bool:
        """Whether there is anything to hide."""
        return bool(self._values or self._bearers)

    def hidden(self, data: bytes) -> bytes:
        """The bytes without any value."""
        if any(escape in data for escape in self._escapes):
            for pattern, (_, name) in zip(self._patterns, self._plain, strict=True):
                data = pattern.sub(name, data)
            return data
        for plain, name in self._plain:
            data = data.replace(plain, name)
        return data

    def text(self, text: str) -> str:
        """Text without any value."""
        return self.hidden(text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")

    def _header(self, value: str) -> str:
        """A header's value without any secret, whether it holds characters or octets as Latin-1."""
        if value in self._bearers:
            return self._bearers[value]
        text = self.text(value)
        octets = text.encode("latin-1", "ignore")
        same = octets.decode("latin-1") == text
        return self.hidden(octets).decode("latin-1") if same else text

    def held_back(self, data: bytes) -> int:
        """How many bytes at the end may begin a value that the next bytes end.

        A value that is whole already is held back as a whole, or not at all.
        """
        if not self._values or not data or data[-1] not in self._inner:
            return 0
        tail = data[-self._longest :]
        found = (start.search(tail) for start in self._starts)
        held = max((len(tail) - match.start() for match in found if match), default=0)
        if not held:
            return 0
        begins, moved = len(data) - held, True
        whole = [m.span() for pattern in self._patterns for m in pattern.finditer(data)]
        while moved:
            first = min((start for start, end in whole if start < begins < end), default=begins)
            begins, moved = first, first < begins
        return len(data) - begins

    @cached_property
    def _patterns(self) -> list[re.Pattern[bytes]]:
        """Compiled when first looked for, as the next are: in many runs nothing is escaped."""
        return list(map(_spelled, self._values))

    @cached_property
    def _starts(self) -> list[re.Pattern[bytes]]:
        """What a chunk ends in that may be within a value, which few do."""
        return [start for value in self._values for start in _started(value)]


def without_secrets(tell: Listener, redaction: Redaction) -> Listener:
    """A listener that passes each event on; no exchange in it holds a value of the operator's.

    A host may repeat a key or the canary in any answer, and reports show answers.
    """
    if not redaction:
        return tell

    def hidden(exchange: Exchange) -> Exchange:
        request, response = exchange.request, exchange.response
        asked = replace(
            request,
            target=redaction.text(request.target),
            headers=tuple((name, redaction.header(value)) for name, value in request.headers),
            body=None if request.body is None else _hidden(redaction, request.body),
        )
        if response is not None:
            headers = tuple((name, redaction.header(value)) for name, value in response.headers)
            response = replace(response, headers=headers, body=_hidden(redaction, response.body))
        return replace(exchange, request=asked, response=response)

    def told(event: Event) -> None:
        if isinstance(event, ScenarioFinished):
            failures = tuple(
                replace(failure, exchange=failure.exchange and hidden(failure.exchange))
                for failure in event.failures
            )
            exchanges = tuple(map(hidden, event.exchanges))
            event = replace(event, failures=failures, exchanges=exchanges)
        tell(event)

    return told


def _hidden(redaction: Redaction, body: bytes) -> bytes:
    """A body without any value, in JSON that is text in its JSON neither."""
    data = redaction.hidden(body)
    if b"\\\\" not in data:
        return data
    try:
        value = parse(data)
    except JsonError:
        return data
    clean = with_texts(value, redaction.text)
    return data if clean == value else compact(clean)


def _forms(letter: str) -> Iterator[list[bytes]]:
    """The ways in which a body, JSON text or a URL may spell a letter, byte by byte."""
    units = letter.encode("utf-16-be").hex()
    yield [re.escape(bytes([byte])) for byte in letter.encode()]
    yield _bytes("".join(rf"\u{units[i : i + 4]}" for i in range(0, len(units), 4)))
    yield _bytes("".join(f"%{byte:02x}" for byte in letter.encode()))
    if letter in _SHORT:
        yield [rb"\\", re.escape(_SHORT[letter].encode())]


def _bytes(spelling: str) -> list[bytes]:
    """A pattern for each byte; a hexadecimal digit in either case."""
    return [
        f"[{byte}{byte.upper()}]".encode() if byte in "abcdef" else re.escape(byte.encode())
        for byte in spelling
    ]


@lru_cache(maxsize=256)
def _letter(letter: str) -> bytes:
    return b"(?:" + b"|".join(b"".join(form) for form in _forms(letter)) + b")"


@lru_cache(maxsize=256)
def _cut(letter: str) -> bytes:
    """The end of bytes, with or without the beginning of a letter."""
    begun = []
    for form in _forms(letter):
        pattern = b""
        for byte in reversed(form[:-1]):
            pattern = b"(?:" + byte + pattern + b")?"
        begun.append(pattern)
    return b"(?:" + b"|".join(begun) + rb")\Z"


def _spelled(value: str) -> re.Pattern[bytes]:
    return re.compile(b"".join(map(_letter, value)))


def _started(value: str) -> Iterator[re.Pattern[bytes]]:
    """What stands at the end of bytes that a value begins in, but does not end in."""
    for at in range(0, len(value), _NESTED):
        *inner, last = list(value[at : at + _NESTED])
        pattern = _cut(last)
        for letter in reversed(inner):
            pattern = b"(?:" + _letter(letter) + pattern + b"|" + _cut(letter) + b")"
        yield re.compile(b"".join(map(_letter, value[:at])) + pattern)
