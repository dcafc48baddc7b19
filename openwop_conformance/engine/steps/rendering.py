"""The verbs for a consumer: what is delivered to it, what it shows, and what a person does."""

from __future__ import annotations

from datetime import datetime
from itertools import pairwise
from typing import Final

from ...a2ui.catalog import BASIC_CATALOG
from ...adapters import calls
from ...errors import ExchangeError
from ...jsonvalue import MISSING, JsonValue, brief
from ...scenario.consumer_verbs import (
    Claims,
    Contained,
    Deliver,
    Enter,
    Frame,
    Press,
    Quiet,
    Rejects,
    Shows,
    Violates,
    Withstand,
)
from ...scenario.verbs import Refused
from ...wire.envelope import renamed, surface_payload
from ..checks.calls import result_of, same
from ..checks.screens import anything, judge, shown_text, words_of
from ..hello import HELLO
from ..verdict import CheckFailed, Exchange
from ..witness import Witness

_CATALOG_V1: Final = "0.9.1"
_GOOD: Final[list[JsonValue]] = [
    {"id": "root", "component": "Column", "children": ["taken"]},
    {"id": "taken", "component": "Text", "text": "Taken"},
]
_GOOD_ALONE: Final[list[JsonValue]] = [{"id": "root", "component": "Text", "text": "Taken"}]
_AT_ONCE: Final = 500
"""Components of one message; the profile takes 512."""


async def deliver(witness: Witness, args: Deliver, refused: Refused | None) -> None:
    """Deliver one envelope."""
    await _deliver(witness, args.client, _envelope(witness, args))


async def frame(witness: Witness, args: Frame, refused: Refused | None) -> None:
    """Deliver a delta frame, with a sequence of its own."""
    reference = witness.id_for("surface", args.surface)
    sequence = _next_sequence(witness, args.client)
    sent = {"surfaceRef": reference, "catalogVersion": _CATALOG_V1, "patch": args.patch}
    await _done(witness, "frame", args.client, frame=sent, sequence=sequence)


async def shows(witness: Witness, args: Shows, refused: Refused | None) -> None:
    """Look at a surface as a person does."""
    exchange, surface = await _rendered(witness, args.client, args.surface)
    judge(witness, args, surface, exchange)


async def enter(witness: Witness, args: Enter, refused: Refused | None) -> None:
    """Set a field; it can be set."""
    exchange, result = await _done(
        witness,
        "set",
        args.client,
        surface=witness.id_for("surface", args.surface),
        role=args.role,
        name=args.label,
        value=args.value,
    )
    witness.check(
        result["done"],
        f"the field {args.label!r} cannot be set",
        expected="a field that a person can set",
        got="none, or one that is disabled",
        exchange=exchange,
    )


async def press(witness: Witness, args: Press, refused: Refused | None) -> None:
    """Press a button and see what is submitted, and that nothing else is."""
    surface = witness.id_for("surface", args.surface)
    before = len(await _submissions(witness, args.client))
    exchange, result = await _done(witness, "fire", args.client, surface=surface, name=args.button)
    made = (await _submissions(witness, args.client))[before:]
    witness.accounted[args.client] = witness.accounted.get(args.client, 0) + len(made)
    if args.to == "nobody":
        same(witness, "what is submitted", [], made, exchange)
        return
    witness.check(
        result["done"],
        f"the button {args.button!r} cannot be pressed",
        expected="a button that a person can press",
        got="none, or one that is disabled",
        exchange=exchange,
    )
    same(witness, "the number of submissions", 1, len(made), exchange)
    (submission,) = made
    wanted = {"to": args.to, "surface": surface}
    if args.event is not None:
        wanted["event"] = args.event
    if args.component is not None:
        wanted["component"] = args.component
        _dated(witness, submission.get("timestamp"), exchange)
    named = {name: submission.get(name) for name in wanted}
    same(witness, "what is submitted, and where it goes", wanted, named, exchange)
    if args.data is not MISSING:
        same(witness, "what is submitted", args.data, submission["data"], exchange)
    if args.confirms is not None:
        seen = submission.get("confirmation", {}).get("digest")
        same(witness, "the digest of what was confirmed", args.confirms, seen, exchange)


def _dated(witness: Witness, timestamp: JsonValue, exchange: Exchange) -> None:
    """A submission tells the moment of the press, as RFC 3339 has it."""
    witness.check(
        isinstance(timestamp, str) and _is_moment(timestamp),
        "the submission has no date-time",
        expected="a timestamp of RFC 3339",
        got=brief(timestamp),
        exchange=exchange,
    )


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False


async def rejects(witness: Witness, args: Rejects, refused: Refused | None) -> None:
    """Payloads outside the profile show nothing; their twins make the surfaces, which then show.

    Each payload ends with a good part, as the whole has to be refused.
    """
    cases = {case["name"].removesuffix(".json").replace("/", "."): case for case in args.cases}
    for surface, case in cases.items():
        good = [] if _ends(case["messages"]) else _taken(case)
        await _messages(witness, args.client, surface, [*case["messages"], *good])
    exchange, shown = await _all_rendered(witness, args.client)
    for surface, case in cases.items():
        name = witness.id_for("surface", surface)
        found = anything(shown.get(name, []), witness.words[name])
        witness.check(
            found is None,
            f"a part of what is outside the profile is rendered: {_told(case)}",
            expected="nothing",
            got=found,
            exchange=exchange,
        )
    for surface, case in cases.items():
        await _messages(witness, args.client, surface, case["twin"])
        if _ends(case["twin"]):
            await _messages(witness, args.client, surface, [{"createSurface": {}}])
        await _messages(witness, args.client, surface, _taken(case))
    exchange, shown = await _all_rendered(witness, args.client)
    for surface, case in cases.items():
        nodes = shown.get(witness.id_for("surface", surface), [])
        witness.check(
            "Taken" in shown_text(nodes),
            f"the twin, one edit away, is not rendered: {_told(case)}",
            expected="the surface that it makes",
            got=", ".join(shown_text(nodes)) or "nothing",
            exchange=exchange,
        )
        await _messages(witness, args.client, surface, [{"deleteSurface": {}}])


def _taken(case: JsonValue) -> list[JsonValue]:
    """An update that shows; the root keeps its type, as that it may change is another rule."""
    made = (m.get("updateComponents", {}).get("components", ()) for m in case["twin"])
    roots = [c["component"] for components in made for c in components if c["id"] == "root"]
    good = _GOOD_ALONE if roots[-1:] == ["Text"] else _GOOD
    return [{"updateComponents": {"components": good}}]


def _ends(messages: list[JsonValue]) -> bool:
    return any("deleteSurface" in message for message in messages[-1:])


def _told(case: JsonValue) -> str:
    return f"fixture {case['name']}; the rule: {case['why']}"


async def violates(witness: Witness, args: Violates, refused: Refused | None) -> None:
    """Hold the violations that were reported since the last time to those that there had to be."""
    surface = witness.id_for("surface", args.surface)
    exchange, result = await _done(witness, "violations", args.client)
    reported = [one for one in result["violations"] if one["surfaceId"] == surface]
    new = reported[witness.reported.get(surface, 0) :]
    witness.reported[surface] = len(reported)
    named = [{k: v for k, v in one.items() if k in ("messageType", "path")} for one in new]
    same(witness, "the violations reported", args.violations, named, exchange)


async def claims(witness: Witness, args: Claims, refused: Refused | None) -> None:
    """Hold what the consumer says of itself to what it has to say."""
    exchange, response = await witness.ask(HELLO, "none")
    result = result_of(witness, "hello", exchange, response)
    said = result.get("capabilities", {})
    named = {name: said.get(name) for name in args.capabilities}
    same(witness, "the capabilities", args.capabilities, named, exchange)


async def quiet(witness: Witness, args: Quiet, refused: Refused | None) -> None:
    """Nothing was submitted that no press has accounted for."""
    exchange, result = await _done(witness, "submitted", args.client)
    pressed, made = witness.accounted.get(args.client, 0), len(result["submissions"])
    same(witness, "the number of submissions", pressed, made, exchange)


async def contained(witness: Witness, args: Contained, refused: Refused | None) -> None:
    """Nothing was tried."""
    exchange, result = await _done(witness, "attempts", args.client)
    tried = [f"{one['kind']} {one['target']}" for one in result["attempts"]]
    witness.check(
        not tried,
        "the client tries to reach or to open something",
        expected="nothing",
        got=", ".join(tried[:8]),
        exchange=exchange,
    )


async def withstand(witness: Witness, args: Withstand, refused: Refused | None) -> None:
    """Deliver something hostile; whatever becomes of it, the next surface is shown.

    Slowness is no verdict, but three components in a circle that take all the time there is, where
    another client is served at once, do not end.
    """
    hostile = _surfaces_of(args.what, args.size)
    delivery = Deliver(messages=hostile, client=args.client, surface=args.what)
    try:
        await _deliver(witness, args.client, _envelope(witness, delivery))
        await _rendered(witness, args.client, args.what)
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
    await _messages(witness, client, surface, after)
    exchange, shown = await _rendered(witness, client, surface)
    judge(witness, Shows(texts=["After"]), shown, exchange)


# ------------------------------------------------------------------------------ the calls


async def _done(
    witness: Witness, call: str, client: str, /, **given: JsonValue
) -> tuple[Exchange, JsonValue]:
    """Make a call to a client, which is opened where it is first used."""
    handle = witness.id_for("consumer", client)
    if handle not in witness.clients:
        witness.clients.add(handle)
        exchange, response = await witness.ask(calls.call("open", {"consumer": handle}), "none")
        result_of(witness, "open", exchange, response)
    exchange, response = await witness.ask(calls.call(call, {"consumer": handle, **given}), "none")
    return exchange, result_of(witness, call, exchange, response)


async def _deliver(witness: Witness, client: str, envelope: JsonValue) -> None:
    await _done(witness, "deliver", client, envelope=envelope)


async def _messages(witness: Witness, client: str, surface: str, messages: list[JsonValue]) -> None:
    """Deliver an envelope of messages that is final and of the next sequence."""
    delivery = Deliver(messages=messages, client=client, surface=surface)
    await _deliver(witness, client, _envelope(witness, delivery))


async def _all_rendered(witness: Witness, client: str) -> tuple[Exchange, dict[str, JsonValue]]:
    exchange, result = await _done(witness, "rendered", client)
    surfaces: dict[str, JsonValue] = result["surfaces"]
    return exchange, surfaces


async def _rendered(
    witness: Witness, client: str, surface: str
) -> tuple[Exchange, list[JsonValue]]:
    exchange, surfaces = await _all_rendered(witness, client)
    return exchange, surfaces.get(witness.id_for("surface", surface), [])


async def _submissions(witness: Witness, client: str) -> list[JsonValue]:
    _, result = await _done(witness, "submitted", client)
    made: list[JsonValue] = result["submissions"]
    return made


# --------------------------------------------------------------------------- the payloads


def _envelope(witness: Witness, args: Deliver) -> JsonValue:
    payload, stamp, event = args.payload, args.stamp, None
    if args.tree is not None:
        event = witness.id_for("surface", args.surface)
        payload = {"catalogVersion": _CATALOG_V1, "surface": args.tree}
        stamp = 1 if stamp is None else stamp
    elif args.messages is not None:
        surface_id = witness.id_for("surface", args.surface)
        messages = [renamed(message, lambda _: surface_id) for message in args.messages]
        payload = surface_payload(surface_id, messages, catalog_id=BASIC_CATALOG)
    words = witness.words.setdefault(witness.id_for("surface", args.surface), set())
    words |= words_of(payload)
    sequence = args.sequence
    if sequence is None:
        sequence = _next_sequence(witness, args.client)
    optional = {
        "trust": args.trust,
        "source": args.source,
        "partial": args.partial or None,
        "event": event,
    }
    return {
        "payload": payload,
        "schemaVersion": 2 if stamp is None else stamp,
        "sequence": sequence,
        "type": args.kind,
        "run": witness.id_for("run", args.run),
        **{name: value for name, value in optional.items() if value is not None},
    }


def _next_sequence(witness: Witness, client: str) -> int:
    """One more than the client's last."""
    last = witness.sequences.get(client, -1)
    witness.sequences[client] = last + 1
    return last + 1


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
