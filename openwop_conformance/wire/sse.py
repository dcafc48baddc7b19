"""Server-sent events, parsed from bytes as they arrive; what an event means is left to others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from ..errors import ExchangeError

MAX_BYTES: Final = 8 * 1024 * 1024
_BOM: Final = b"\xef\xbb\xbf"
_RETRY_DIGITS: Final = 15


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One dispatched event.

    ``event`` is ``message`` where the stream names none. ``id`` is the last event id at dispatch,
    which may be an earlier event's, or ``None`` when the stream has given none. ``at`` is the
    arrival of the byte that completed the event.
    """

    event: str
    data: str
    id: str | None
    at: float


@dataclass(frozen=True, slots=True)
class SseComment:
    """One comment line, as hosts send to keep a connection alive, without its colon and space."""

    text: str
    at: float


class SseParser:
    """An incremental parser of ``text/event-stream`` (WHATWG HTML §9.2.6).

    Any split of the bytes gives the same events, and the cost is linear in the bytes. A line ends
    at its CR, so an event is never held back for the LF that may follow. Beside the events stand
    ``comments``, ``retry`` (the last valid one, in milliseconds) and ``last_event_id`` (what a
    reconnecting client would send).

    Stricter than a browser in two ways: bytes that are not UTF-8 raise
    ``ExchangeError("transport")`` instead of being replaced, and a line or an event beyond
    ``limit`` bytes raises ``ExchangeError("too-large")``.
    """

    def __init__(self, limit: int = MAX_BYTES) -> None:
        self.comments: list[SseComment] = []
        self.retry: int | None = None
        self.last_event_id: str | None = None
        self._limit = limit
        self._line = bytearray()
        self._first = True
        self._after_cr = False
        self._id: str | None = None
        self._event = ""
        self._data: list[str] = []
        self._size = 0
        self._error: ExchangeError | None = None

    def feed(self, data: bytes, at: float) -> list[SseEvent]:
        """The events that ``data``, arrived at ``at``, completes.

        Raises ``ExchangeError``, now and on every later call. Where events were completed before
        the fault in the same ``data``, they are returned, and the next call raises.
        """
        if self._error is not None:
            raise self._error
        events: list[SseEvent] = []
        try:
            for line in self._lines(data):
                event = self._take(line, at)
                if event is not None:
                    events.append(event)
            self._check(len(self._line))
        except ExchangeError as error:
            self._error = error
            if not events:
                raise
        return events

    def close(self) -> None:
        """Say that the stream has ended: a partial event is dropped.

        Raises the ``ExchangeError`` that ``feed`` met, if any.
        """
        self._line.clear()
        self._reset()
        if self._error is not None:
            raise self._error

    def _lines(self, data: bytes) -> list[bytes]:
        """The whole lines up to the last line end; the rest is kept."""
        if not data:
            return []
        after_cr, self._after_cr = self._after_cr, data.endswith(b"\r")
        if after_cr and data.startswith(b"\n"):
            data = data[1:]
        lines = data.splitlines()  # of bytes: at CR, LF and CRLF, and at nothing else
        rest = b"" if data.endswith((b"\r", b"\n")) or not lines else lines.pop()
        if lines:
            lines[0] = bytes(self._line) + lines[0]
            self._line.clear()
            if self._first:
                self._first = False
                lines[0] = lines[0].removeprefix(_BOM)
        self._line += rest
        return lines

    def _take(self, line: bytes, at: float) -> SseEvent | None:
        if not line:
            return self._dispatch(at)
        self._check(len(line))
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError as error:
            message = f"the event stream is not UTF-8, at byte {error.start} of a line"
            raise ExchangeError("transport", message) from None
        name, _, value = text.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._size += len(line)
            self._check(self._size)
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        elif name == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) if len(value) <= _RETRY_DIGITS else self.retry
        elif name == "":
            self.comments.append(SseComment(value, at))
        return None

    def _dispatch(self, at: float) -> SseEvent | None:
        self.last_event_id = self._id
        event = None
        if self._data:
            event = SseEvent(self._event or "message", "\n".join(self._data), self._id, at)
        self._reset()
        return event

    def _reset(self) -> None:
        self._event, self._size = "", 0
        self._data = []

    def _check(self, size: int) -> None:
        if size > self._limit:
            message = f"one line or event of the stream exceeds {self._limit} bytes"
            raise ExchangeError("too-large", message)
