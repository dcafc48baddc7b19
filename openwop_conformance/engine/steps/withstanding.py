"""The verb that delivers a surface of a hostile size or shape, and looks whether all goes on."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from ...errors import ExchangeError
from ...jsonvalue import JsonValue
from ...scenario.consumer_verbs import Deliver, Shows, Withstand
from ...scenario.verbs import Refused
from ..checks.screens import judge
from ..verdict import CheckFailed
from ..witness import Witness
from .clients import deliver_envelope, deliver_messages, envelope_of, rendered

_AT_ONCE: Final = 500
"""Components of one message; the profile takes 512."""


async def withstand(witness: Witness, args: Withstand, refused: Refused | None) -> None:
    """Deliver something hostile; whatever becomes of it, the next surface is shown.

    Slowness is no verdict, but three components in a circle that take all the time there is, where
    another client is served at once, do not end.
    """
    hostile = _surfaces_of(args.what, args.size)
    delivery = Deliver(messages=hostile, client=args.client, surface=args.what)
    try:
        await deliver_envelope(witness, args.client, envelope_of(witness, delivery))
        await rendered(witness, args.client, args.what)
    except ExchangeError as fault:
        if fault.kind != "timeout" or args.what != "cycle":
            raise
        lost = witness.exchanges[-1]
        await _goes_on(witness, f"{args.client} beside", args.what)
        raise CheckFailed(
            "the client never comes to an end with it",
            expected="an end, shown or refused, in bounded time",
            got=str(fault),
            exchange=lost,
        ) from None
    await _goes_on(witness, args.client, args.what)


async def _goes_on(witness: Witness, client: str, what: str) -> None:
    """A client shows a small surface."""
    surface = f"after-{what}"
    after = _surface({"id": "root", "component": "Text", "text": "After"})
    await deliver_messages(witness, client, surface, after)
    exchange, shown = await rendered(witness, client, surface)
    judge(witness, Shows(texts=["After"]), shown, exchange)


def _surfaces_of(what: str, size: int) -> list[JsonValue]:
    """A hostile surface, in messages as small as the profile asks for."""
    names = [f"c{number}" for number in range(size)]
    if what == "long":
        return _surface({"id": "root", "component": "Text", "text": "x" * size})
    if what == "cycle":
        return _surface(_column("root", "c0"), _column("c0", "c1"), _column("c1", "c0"))
    if what == "wide":
        return _surface(_column("root", *names), _text("c0"))
    if what == "deep":
        chain = [_column(one, other) for one, other in pairwise(["root", *names])]
        return _surface(*chain, _text(names[-1]))
    return _surface(_column("root", *names), *map(_text, names))


def _column(name: str, *children: str) -> JsonValue:
    return {"id": name, "component": "Column", "children": list(children)}


def _text(name: str) -> JsonValue:
    return {"id": name, "component": "Text", "text": f"Line {name}"}


def _surface(*components: JsonValue) -> list[JsonValue]:
    updates = [
        {"updateComponents": {"components": list(components[i : i + _AT_ONCE])}}
        for i in range(0, len(components), _AT_ONCE)
    ]
    return [{"createSurface": {}}, *updates]
