"""The verbs that have an SDK read a response: whole, in given chunks, and cut at every place."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence

from ...a2ui.fold import Fold
from ...a2ui.message import kind_of
from ...errors import Violation
from ...jsonvalue import MISSING, JsonValue
from ...scenario.sdk_verbs import Feeds, Parse, Splits
from ...scenario.verbs import Refused
from ..checks.calls import error_of, result_of, same
from ..verdict import CheckFailed, Exchange
from ..witness import Witness
from .calling import asked, done, filled, made_state


async def parse(witness: Witness, args: Parse, refused: Refused | None) -> None:
    """Read a whole response at once."""
    given: dict[str, JsonValue] = {"content": args.content, "wrapped": args.wrapped}
    if args.state is not None:
        given["state"] = args.state
    exchange, said = await done(witness, "parse_response", given, refused)
    parts = said.get("partial_results") if refused is not None else said["parts"]
    if args.gives is not None:
        witness.check(
            parts is not None,
            "the error carries no partial results",
            expected="partial_results",
            got="none",
            exchange=exchange,
        )
        same(witness, "what was read", filled(args.gives), _messages(parts), exchange)
    if args.says is not None:
        same(witness, "the text", _spaced(args.says), _text(parts or []), exchange)


async def feeds(witness: Witness, args: Feeds, refused: Refused | None) -> None:
    """Stream a response chunk by chunk."""
    await made_state(witness, args.state)
    name = witness.fresh("stream")
    opened: dict[str, JsonValue] = {"stream": name, "state": args.state, "wrapped": args.wrapped}
    if args.progressive is not None:
        opened["progressive_keys"] = args.progressive
    exchange, _ = await done(witness, "open_stream", opened)
    emitted: list[JsonValue] = []
    for feed in args.feeds:
        exchange, messages = await _feed(witness, name, feed)
        emitted += messages
    if args.shows is not None:
        _shown(witness, args.shows, emitted, exchange)


async def splits(witness: Witness, args: Splits, refused: Refused | None) -> None:
    """Stream a response again and again, cut elsewhere each time."""
    messages = filled(args.messages)
    wanted = _surfaces(_folded(messages))
    content = args.content.encode() if args.bytes else args.content
    for chunks in _cut(content, args.places or len(content)):
        exchange, parts, emitted = await _streamed(witness, chunks, wrapped=args.wrapped)
        where = f"cut into {len(chunks)}" if len(chunks) > 2 else f"cut after {chunks[0]!r}"
        same(witness, f"the text, {where}", _spaced(args.says), _text(parts), exchange)
        got = _surfaces(_folded_or_fails(witness, emitted, exchange))
        same(witness, f"what was emitted, {where}", wanted, got, exchange)


async def _feed(witness: Witness, stream: str, feed: JsonValue) -> tuple[Exchange, list[JsonValue]]:
    """One chunk, or the end; the messages that it emitted."""
    call, given = "feed", {"stream": stream, "text": feed.get("chunk")}
    if feed.get("close"):
        call, given = "close_stream", {"stream": stream}
    exchange, response = await asked(witness, call, given)
    if "fails" in feed:
        kinds = feed["fails"]
        error_of(witness, call, exchange, response, Refused(code=kinds, reason=feed.get("reason")))
        return exchange, []
    parts = result_of(witness, call, exchange, response)["parts"]
    messages = _messages(parts)
    if "emits" in feed:
        _emits(witness, feed["emits"], messages, exchange)
    if "says" in feed:
        same(witness, "the text of the chunk", _spaced(feed["says"]), _text(parts), exchange)
    return exchange, messages


def _emits(
    witness: Witness, wanted: JsonValue, messages: list[JsonValue], exchange: Exchange
) -> None:
    if isinstance(wanted, bool):
        witness.check(
            bool(messages) is wanted,
            "the chunk emits nothing" if wanted else "the chunk emits something",
            expected="a message" if wanted else "none",
            got=f"{len(messages)} messages",
            exchange=exchange,
        )
    else:
        same(witness, "what the chunk emits", wanted, list(map(_kind, messages)), exchange)


def _kind(message: JsonValue) -> str:
    try:
        return kind_of(message)
    except Violation:
        return "no message"


async def _streamed(
    witness: Witness, chunks: Sequence[str | bytes], *, wrapped: bool
) -> tuple[Exchange, list[JsonValue], list[JsonValue]]:
    """A response streamed into a state of its own: its parts and messages.

    Text goes by one call; bytes by as many as there are chunks.
    """
    state = witness.fresh("state")
    await made_state(witness, state)
    if all(isinstance(chunk, str) for chunk in chunks):
        given: dict[str, JsonValue] = {"state": state, "chunks": list(chunks), "wrapped": wrapped}
        exchange, result = await done(witness, "stream", given)
        parts = result.get("parts", [])
        return exchange, parts, _messages(parts)
    name, parts = witness.fresh("stream"), []
    await done(witness, "open_stream", {"stream": name, "state": state, "wrapped": wrapped})
    for chunk in chunks:
        assert isinstance(chunk, bytes)
        encoded = base64.b64encode(chunk).decode()
        _, result = await done(witness, "feed", {"stream": name, "base64": encoded})
        parts += result["parts"]
    exchange, result = await done(witness, "close_stream", {"stream": name})
    parts += result["parts"]
    return exchange, parts, _messages(parts)


def _cut(content: str | bytes, places: int) -> Iterator[Sequence[str | bytes]]:
    """The content cut in two at so many places, and into single characters or bytes."""
    for place in range(1, len(content), max(1, len(content) // places)):
        yield content[:place], content[place:]
    yield [content[place : place + 1] for place in range(len(content))]


def _messages(parts: JsonValue) -> list[JsonValue]:
    return [message for part in parts or [] for message in part.get("messages", [])]


def _text(parts: JsonValue) -> str:
    return _spaced("".join(part.get("text", "") for part in parts))


def _spaced(text: str) -> str:
    """Text in which how much space there is, and where it ends, makes no difference."""
    return " ".join(text.split())


def _folded(messages: Sequence[JsonValue]) -> Fold:
    fold = Fold()
    fold.apply_all(messages)
    return fold


def _folded_or_fails(witness: Witness, messages: Sequence[JsonValue], exchange: Exchange) -> Fold:
    try:
        return _folded(messages)
    except Violation as violation:
        raise CheckFailed(
            f"what was emitted cannot be applied in order: {violation}",
            expected="each message to apply after those before it",
            got=", ".join(map(_kind, messages)) or "no message",
            exchange=exchange,
        ) from None


def _surfaces(fold: Fold) -> JsonValue:
    return {
        name: {"components": dict(surface.components), "data": surface.data.root}
        for name, surface in fold.surfaces.items()
    }


def _shown(
    witness: Witness, wanted: JsonValue, emitted: list[JsonValue], exchange: Exchange
) -> None:
    got = _surfaces(_folded_or_fails(witness, emitted, exchange))
    for name, left in wanted.items():
        surface = got.get(name)
        if left is None or surface is None:
            same(witness, f"what was emitted of surface {name!r}", left, surface, exchange)
            continue
        components = left.get("components", MISSING)
        if components is not MISSING:
            by_id = {component["id"]: component for component in components}
            what = f"the components of surface {name!r}, as emitted"
            same(witness, what, by_id, surface["components"], exchange)
        if "has" in left:
            what = f"the ids of surface {name!r}, as emitted"
            same(witness, what, sorted(left["has"]), sorted(surface["components"]), exchange)
        if "data" in left:
            what = f"the data of surface {name!r}, as emitted"
            same(witness, what, left["data"], surface["data"], exchange)
