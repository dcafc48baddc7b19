"""The calls to the clients of a consumer, and the envelopes that are delivered to them."""

from __future__ import annotations

from ...a2ui.catalog import BASIC_CATALOG
from ...adapters import calls
from ...jsonvalue import JsonValue
from ...scenario.consumer_verbs import Deliver
from ...wire.envelope import renamed, surface_payload
from ..checks.calls import result_of
from ..checks.screens import words_of
from ..dialect import CATALOG_VERSION
from ..verdict import Exchange
from ..witness import Witness


async def done(
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


async def deliver_envelope(witness: Witness, client: str, envelope: JsonValue) -> None:
    """Deliver an envelope, whatever it holds."""
    await done(witness, "deliver", client, envelope=envelope)


async def deliver_messages(
    witness: Witness, client: str, surface: str, messages: list[JsonValue]
) -> None:
    """Deliver an envelope of messages that is final and of the next sequence."""
    delivery = Deliver(messages=messages, client=client, surface=surface)
    await deliver_envelope(witness, client, envelope_of(witness, delivery))


async def all_rendered(witness: Witness, client: str) -> tuple[Exchange, dict[str, JsonValue]]:
    """What a person has before them, by the ids of surfaces."""
    exchange, result = await done(witness, "rendered", client)
    surfaces: dict[str, JsonValue] = result["surfaces"]
    return exchange, surfaces


async def rendered(witness: Witness, client: str, surface: str) -> tuple[Exchange, list[JsonValue]]:
    """What a person has before them of one surface, by its name."""
    exchange, surfaces = await all_rendered(witness, client)
    return exchange, surfaces.get(witness.id_for("surface", surface), [])


async def submissions(witness: Witness, client: str) -> list[JsonValue]:
    """What has left the client, in order."""
    _, result = await done(witness, "submitted", client)
    made: list[JsonValue] = result["submissions"]
    return made


def envelope_of(witness: Witness, args: Deliver) -> JsonValue:
    """The envelope of a delivery; the words of its surface are remembered."""
    payload, stamp, event = args.payload, args.stamp, None
    if args.tree is not None:
        event = witness.id_for("surface", args.surface)
        payload = {"catalogVersion": CATALOG_VERSION, "surface": args.tree}
        stamp = 1 if stamp is None else stamp
    elif args.messages is not None:
        surface_id = witness.id_for("surface", args.surface)
        messages = [renamed(message, lambda _: surface_id) for message in args.messages]
        payload = surface_payload(surface_id, messages, catalog_id=BASIC_CATALOG)
    words = witness.words.setdefault(witness.id_for("surface", args.surface), set())
    words |= words_of(payload)
    sequence = args.sequence
    if sequence is None:
        sequence = next_sequence(witness, args.client)
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


def next_sequence(witness: Witness, client: str) -> int:
    """The sequence of the client's next envelope or frame."""
    last = witness.sequences.get(client, -1)
    witness.sequences[client] = last + 1
    return last + 1
