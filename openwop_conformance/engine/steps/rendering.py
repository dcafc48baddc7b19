"""The verbs for a consumer: what is delivered to it, what it shows, and what a person does."""

from __future__ import annotations

from datetime import datetime
from typing import Final

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
)
from ...scenario.verbs import Refused
from ..checks.calls import result_of, same
from ..checks.screens import anything, judge, shown_text
from ..dialect import CATALOG_VERSION
from ..hello import HELLO
from ..verdict import Exchange
from ..witness import Witness
from .clients import (
    all_rendered,
    deliver_envelope,
    deliver_messages,
    done,
    envelope_of,
    next_sequence,
    rendered,
    submissions,
)

_GOOD: Final[list[JsonValue]] = [
    {"id": "root", "component": "Column", "children": ["taken"]},
    {"id": "taken", "component": "Text", "text": "Taken"},
]
_GOOD_ALONE: Final[list[JsonValue]] = [{"id": "root", "component": "Text", "text": "Taken"}]


async def deliver(witness: Witness, args: Deliver, refused: Refused | None) -> None:
    """Deliver one envelope."""
    await deliver_envelope(witness, args.client, envelope_of(witness, args))


async def frame(witness: Witness, args: Frame, refused: Refused | None) -> None:
    """Deliver a delta frame, with a sequence of its own."""
    reference = witness.id_for("surface", args.surface)
    sequence = next_sequence(witness, args.client)
    sent = {"surfaceRef": reference, "catalogVersion": CATALOG_VERSION, "patch": args.patch}
    await done(witness, "frame", args.client, frame=sent, sequence=sequence)


async def shows(witness: Witness, args: Shows, refused: Refused | None) -> None:
    """Look at a surface as a person does."""
    exchange, surface = await rendered(witness, args.client, args.surface)
    judge(witness, args, surface, exchange)


async def enter(witness: Witness, args: Enter, refused: Refused | None) -> None:
    """Set a field; it can be set."""
    exchange, result = await done(
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
    before = len(await submissions(witness, args.client))
    exchange, result = await done(witness, "fire", args.client, surface=surface, name=args.button)
    made = (await submissions(witness, args.client))[before:]
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
        await deliver_messages(witness, args.client, surface, [*case["messages"], *good])
    exchange, shown = await all_rendered(witness, args.client)
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
        await deliver_messages(witness, args.client, surface, case["twin"])
        if _ends(case["twin"]):
            await deliver_messages(witness, args.client, surface, [{"createSurface": {}}])
        await deliver_messages(witness, args.client, surface, _taken(case))
    exchange, shown = await all_rendered(witness, args.client)
    for surface, case in cases.items():
        nodes = shown.get(witness.id_for("surface", surface), [])
        witness.check(
            "Taken" in shown_text(nodes),
            f"the twin, one edit away, is not rendered: {_told(case)}",
            expected="the surface that it makes",
            got=", ".join(shown_text(nodes)) or "nothing",
            exchange=exchange,
        )
        await deliver_messages(witness, args.client, surface, [{"deleteSurface": {}}])


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
    exchange, result = await done(witness, "violations", args.client)
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
    same(witness, "the capabilities", dict.fromkeys(args.capabilities, True), named, exchange)


async def quiet(witness: Witness, args: Quiet, refused: Refused | None) -> None:
    """Nothing was submitted that no press has accounted for."""
    exchange, result = await done(witness, "submitted", args.client)
    pressed, made = witness.accounted.get(args.client, 0), len(result["submissions"])
    same(witness, "the number of submissions", pressed, made, exchange)


async def contained(witness: Witness, args: Contained, refused: Refused | None) -> None:
    """Nothing was tried."""
    exchange, result = await done(witness, "attempts", args.client)
    tried = [f"{one['kind']} {one['target']}" for one in result["attempts"]]
    witness.check(
        not tried,
        "the client tries to reach or to open something",
        expected="nothing",
        got=", ".join(tried[:8]),
        exchange=exchange,
    )
