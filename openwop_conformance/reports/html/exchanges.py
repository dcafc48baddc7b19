"""The exchanges around a failure, as a timeline: what was sent, what came, how large it was.

No key is in an exchange: ``whose`` names it. A header that could carry one is not shown all the
same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from ...adapters.calls import METHOD
from ...adapters.host import Request
from ...engine.verdict import Exchange
from ...errors import JsonError
from ...jsonvalue import parse
from .layout import in_lines
from .legible import Room, Shown, in_words

_BEFORE: Final = 6
_AFTER: Final = 2
"""How many exchanges are shown before a failing one and after it."""
_MOST: Final = 24
_MARKUP: Final = 1600
"""Bytes of the page that an exchange takes beside what was said in it, as the tests hold it to."""
_MOST_BODY: Final = 4000
_MOST_LINE: Final = 400
_PARSED: Final = 64 * 1024
"""A longer body is not laid out."""
_MOST_HEADER: Final = 200
_HEADERS: Final = 16
_HEADER: Final = 20
"""Bytes of the page that a header takes beside its text."""
_PRIVATE: Final = ("authorization", "proxy-authorization", "cookie", "set-cookie")
_KEYS: Final = {
    "owner": "with the owner's key",
    "other": "with the second tenant's key",
    "wrong": "with a key that is none",
    "none": "without a key",
}


@dataclass(frozen=True, slots=True)
class Asked:
    """One exchange, ready to be shown. ``skipped`` are those just before it that are not."""

    number: int
    skipped: int
    failing: bool
    line: Shown
    came: Shown
    answered: bool
    key: str
    sent: str
    received: str
    took: str
    request_headers: tuple[tuple[Shown, Shown], ...]
    request_body: Shown | None
    response_headers: tuple[tuple[Shown, Shown], ...]
    response_body: Shown | None


def timeline(
    exchanges: Sequence[Exchange], failing: Sequence[Exchange], room: Room
) -> tuple[tuple[Asked, ...], int]:
    """The exchanges that led to some failing ones and those themselves; how many came after them.

    The failing ones get their room first.
    """
    by_number = {exchange.number: exchange for exchange in exchanges}
    ends = [exchange.number for exchange in failing]
    for exchange in failing:
        by_number.setdefault(exchange.number, exchange)
    wanted = list(dict.fromkeys(ends))
    wanted += [n - back for back in range(1, _BEFORE + 1) for n in wanted]
    wanted += [n + on for on in range(1, _AFTER + 1) for n in ends]
    shown: dict[int, Asked] = {}
    for number in dict.fromkeys(wanted):
        if number in by_number and len(shown) < _MOST and room.take(_MARKUP):
            shown[number] = _asked(by_number[number], number in ends, room)
    places = {number: place for place, number in enumerate(sorted(by_number))}
    placed, before = [], -1
    for number in sorted(shown):
        placed.append(replace(shown[number], skipped=places[number] - before - 1))
        before = places[number]
    return tuple(placed), len(places) - 1 - before


def _asked(exchange: Exchange, failing: bool, room: Room) -> Asked:
    request, response = exchange.request, exchange.response
    is_call = request.method == METHOD
    if response is None:
        came, received, took = exchange.fault or "no answer", "", ""
    else:
        came, received = str(response.status), in_words(len(response.body))
        took = f"{response.seconds * 1000:.0f} ms" if response.seconds >= 0.001 else ""
    return Asked(
        number=exchange.number,
        skipped=0,
        failing=failing,
        line=room.text(_line(request), _MOST_LINE, least=60),
        came=room.text(came, _MOST_LINE, least=20),
        answered=response is not None,
        key="" if is_call else _KEYS.get(exchange.whose, ""),
        sent="" if request.body is None else in_words(len(request.body)),
        received=received,
        took=took,
        request_headers=_headers(request.headers, room),
        request_body=_body(request.body, room),
        response_headers=() if response is None else _headers(response.headers, room),
        response_body=None if response is None else _body(response.body, room),
    )


def _line(request: Request) -> str:
    return request.target if request.method == METHOD else f"{request.method} {request.target}"


def _headers(headers: Sequence[tuple[str, str]], room: Room) -> tuple[tuple[Shown, Shown], ...]:
    return tuple(
        (
            room.text(name, _MOST_HEADER),
            room.text("not shown" if name.lower() in _PRIVATE else value, _MOST_HEADER),
        )
        for name, value in headers[:_HEADERS]
        if room.take(_HEADER)
    )


def _body(body: bytes | None, room: Room) -> Shown | None:
    """A body, laid out where it is JSON; ``None`` where there is none."""
    if not body:
        return None
    return room.text(laid_out(body), _MOST_BODY)


def laid_out(body: bytes) -> str:
    """JSON in lines, each as full as it gets; any other body as it is."""
    try:
        if len(body) <= _PARSED:
            return "\n".join(in_lines(parse(body)))
    except JsonError:
        pass
    return body[:_PARSED].decode("utf-8", "backslashreplace")
