"""How a host of major 1 speaks where the text leaves room: found out once, by good and bad twins.

Nothing here is a verdict. A host that fits no dialect says so in ``fault``, and the rows that need
one fail for it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from ..a2ui.delta import Base
from ..adapters.host import Request, Response
from ..adapters.operations import ACCEPT, V1, emit_tree
from ..errors import ExchangeError, JsonError
from ..jsonvalue import JsonValue, brief, equal, integer, parse
from ..wire.sse import SseParser
from ..wire.surfaces_v1 import base_of, frames_in, surfaces_in
from .verdict import Blocked

if TYPE_CHECKING:
    from .session import Session

CATALOG_VERSION: Final = "0.9.1"
WORKFLOW: Final = "conformance-approval"
_WITHIN: Final = 10.0


@dataclass(frozen=True, slots=True)
class Dialect:
    """What was found out about a host."""

    seam: Literal["payload", "tree", "unserved", "neither"] = "unserved"
    """What the emit-surface seam takes as ``surface``."""
    seam_status: int = 0
    """Its status for what it admits."""
    accepts: bool = False
    """Whether the acceptor seam is served."""
    base: Base | None = None
    """What patches are based on; ``None`` where no frame was seen."""
    names: tuple[str, ...] = ()
    """The event names of delta frames."""
    json_deltas: bool = False
    """Whether the JSON read holds frames when it is asked for deltas."""
    fork: Literal["point", "start", "none"] = "none"
    """Whether a run can be forked at a recorded event, or from its start alone."""
    fault: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        """For the ledger's header."""
        return {
            "seam": self.seam,
            "seamStatus": self.seam_status,
            "acceptor": self.accepts,
            "base": self.base,
            "frames": list(self.names),
            "jsonDeltas": self.json_deltas,
            "fork": self.fork,
        }

    def carried(self, payload: JsonValue) -> JsonValue:
        """What of a payload the seam takes: a host that takes the tree takes no reasoning."""
        if self.seam == "tree" and isinstance(payload, dict):
            return {name: value for name, value in payload.items() if name != "reasoning"}
        return payload

    def surface(self, payload: JsonValue) -> JsonValue:
        """What to send as ``surface`` for a payload."""
        if self.seam == "tree" and isinstance(payload, dict):
            return payload.get("surface")
        return payload


def _payload(*texts: str) -> JsonValue:
    components = [{"component": "text", "text": text} for text in texts]
    surface = {"title": "Which dialect", "components": components}
    return {"catalogVersion": CATALOG_VERSION, "surface": surface}


async def probe(session: Session) -> Dialect:
    """Find out a host's dialect, in a run of its own that is cancelled at the end.

    Raises ``Blocked`` when no run can be made.
    """
    run_id = await _run(session)
    try:
        found = await _seam(session, run_id)
        found = replace(found, accepts=await _accepts(session))
        if found.seam not in ("payload", "tree"):
            return found
        for payload in (_payload("First", "Third"), _payload("First", "Second", "Third")):
            await _send(session, emit_tree(run_id, found.surface(payload)))
        path = V1.run_path(run_id, "/events")
        asked = _body(await _send(session, V1.get(f"{path}?a2uiDelta=1")))
        read = _body(await _send(session, V1.get(path)))
        found = replace(found, json_deltas=any(frames_in(asked)) and not any(frames_in(read)))
        found = replace(found, fork=await _fork(session, run_id))
    finally:
        await _send(session, V1.cancel(run_id))
    return await _frames(session, run_id, found)


async def _run(session: Session) -> str:
    response = await _send(session, V1.create_run(WORKFLOW))
    body = _body(response)
    run_id = body.get("runId") if isinstance(body, dict) else None
    if response.status not in (200, 201, 202) or not isinstance(run_id, str):
        raise Blocked(f"{WORKFLOW} cannot be started in major 1: {response.status} {brief(body)}")
    deadline = session.clock() + session.options.seconds(_WITHIN)
    while session.clock() < deadline:
        status = _body(await _send(session, V1.read_run(run_id)))
        if isinstance(status, dict) and status.get("status") == "waiting-approval":
            return run_id
        await asyncio.sleep(0.02)
    raise Blocked(f"{WORKFLOW} does not wait for its approval in major 1")


async def _seam(session: Session, run_id: str) -> Dialect:
    """The form in which a known-good surface is recorded as it was sent."""
    good, said = _payload("First"), []
    forms: tuple[Literal["payload", "tree"], ...] = ("payload", "tree")
    for form in forms:
        dialect = Dialect(seam=form)
        response = await _send(session, emit_tree(run_id, dialect.surface(good)))
        if response.status in (404, 405):
            return Dialect()
        if not 200 <= response.status < 300:
            said.append(f"{form}: {response.status}")
            continue
        log = _body(await _send(session, V1.poll(run_id)))
        if any(equal(good, found) for found in surfaces_in(log)):
            return replace(dialect, seam_status=response.status)
        said.append(f"{form}: {response.status}, and it is not in the log as it was sent")
    fault = f"the seam takes a known-good surface in no form ({'; '.join(said)})"
    return Dialect(seam="neither", fault=fault)


async def _accepts(session: Session) -> bool:
    """Whether the acceptor seam is there; the probe is a body that every host has to refuse."""
    response = await _send(session, V1.post(ACCEPT, {}))
    return response.status not in (404, 405)


async def _fork(session: Session, run_id: str) -> Literal["point", "start", "none"]:
    log = _body(await _send(session, V1.poll(run_id)))
    events = log.get("events") if isinstance(log, dict) else None
    carrying = [e for e in events or () if isinstance(e, dict) and any(surfaces_in(e))]
    point = integer(carrying[-1].get("sequence")) if carrying else None
    if point is None:
        return "none"
    for answer, at in (("point", point), ("start", 0)):
        response = await _send(session, V1.fork(run_id, "replay", at))
        body = _body(response)
        made = body.get("runId") if isinstance(body, dict) else None
        if 200 <= response.status < 300 and isinstance(made, str):
            await _send(session, V1.cancel(made))
            return "point" if answer == "point" else "start"
    return "none"


async def _frames(session: Session, run_id: str, found: Dialect) -> Dialect:
    """What a delta subscriber of the ended run is sent, read for a while at most."""
    parser, names, base = SseParser(), [], None
    request = V1.events(run_id, "a2uiDelta=1")
    try:
        async with session.within(_WITHIN), session.stream(request, "owner") as stream:
            async for chunk in stream.chunks():
                for item in parser.feed(chunk.data, chunk.at):
                    for frame in frames_in(_parsed(item.data)):
                        names.append(item.event)
                        base = base or base_of(frame)
    except (ExchangeError, TimeoutError, Blocked):
        pass  # what was seen until then is what there is
    return replace(found, base=base, names=tuple(dict.fromkeys(names)))


async def _send(session: Session, request: Request) -> Response:
    try:
        return await session.send(request, "owner")
    except ExchangeError as error:
        raise Blocked(f"major 1 could not be asked for its dialect: {error}") from None


def _body(response: Response) -> JsonValue:
    return _parsed(response.body)


def _parsed(text: str | bytes) -> JsonValue:
    try:
        return parse(text)
    except JsonError:
        return None
