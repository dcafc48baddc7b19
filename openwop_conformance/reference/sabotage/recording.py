"""Breaks of the record: what is stored, served, streamed and forked is not what was sent."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...jsonvalue import JsonValue, parse
from ..events import SURFACE_RECORDED, Event, now
from ..policy import Policy
from ..settings import Settings
from ..streaming import shown
from .model import Sabotage, mapped, set_to, v1_set_to


def _sorted_numbers(value: JsonValue) -> JsonValue:
    numbers = isinstance(value, list) and all(type(item) is int for item in value)
    return sorted(value) if numbers else value


def _without_nulls(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item is not None}
    return value


def _rounded(value: JsonValue) -> JsonValue:
    return round(value, 2) if isinstance(value, float) else value


def _shouting(value: JsonValue) -> JsonValue:
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return {**value, "text": value["text"] + "!"}
    return value


def _regenerated(event: Event) -> Event:
    if event["type"] != SURFACE_RECORDED:
        return event
    return {**event, "payload": mapped(event["payload"], _shouting)}


def _without_fold(event: Event) -> Event:
    if event["type"] != SURFACE_RECORDED:
        return event
    return {**event, "payload": {**event["payload"], "version": 1}}


def _without_version_one(event: Event) -> Event:
    if event["type"] != SURFACE_RECORDED or event["payload"]["version"] != 1:
        return event
    return {**event, "payload": {"unreadable": True}}


def one_back(cursor: int) -> int:
    """Reads a cursor as the first event to send, not as the last one received."""
    return max(-1, cursor - 1)


def _resuming_early(policy: Policy) -> Policy:
    return v1_set_to(resumes_after=one_back)(replace(policy, resumes_after=one_back))


def _not_live(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Sends a subscriber only the surfaces that were there when it came."""

    async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
        since = now()

        async def older(message: Message) -> None:
            body = message.get("body", b"")
            if SURFACE_RECORDED.encode() in body:
                frames = [f for f in body.split(b"\n\n") if f and not _is_surface_after(f, since)]
                message = {**message, "body": b"".join(frame + b"\n\n" for frame in frames)}
            await send(message)

        streams = scope["type"] == "http" and scope["path"].endswith("/events")
        await app(scope, receive, older if streams else send)

    return wrapped


def _is_surface_after(frame: bytes, since: str) -> bool:
    data = next((line[6:] for line in frame.split(b"\n") if line.startswith(b"data: ")), b"{}")
    event = parse(data)
    return bool(event.get("type") == SURFACE_RECORDED and event["timestamp"] >= since)


SABOTAGES: Final = (
    Sabotage(
        "array-reordered",
        "lists of integers are recorded sorted",
        set_to(recorded=lambda envelope: mapped(envelope, _sorted_numbers)),
    ),
    Sabotage(
        "member-dropped",
        "members that are null are not recorded",
        set_to(recorded=lambda envelope: mapped(envelope, _without_nulls)),
    ),
    Sabotage(
        "number-rounded",
        "fractions are recorded with two digits",
        set_to(recorded=lambda envelope: mapped(envelope, _rounded)),
    ),
    Sabotage(
        "fork-regenerates",
        "a fork writes the surfaces of its prefix anew",
        set_to(fork_event=_regenerated),
    ),
    Sabotage(
        "fork-forgets-fold",
        "a fork copies the events of its prefix and not the surfaces' state",
        set_to(fork_event=_without_fold),
    ),
    Sabotage(
        "fork-anywhere",
        "any fork point is taken",
        set_to(fork_point_valid=lambda point, last: True),
    ),
    Sabotage(
        "stream-regenerates",
        "the stream has its own words for a surface",
        set_to(served_sse=_regenerated),
    ),
    Sabotage(
        "stream-skips-surfaces",
        "recorded surfaces are not streamed",
        set_to(shown=lambda kind, modes: kind != SURFACE_RECORDED and shown(kind, modes)),
    ),
    Sabotage(
        "stream-not-live",
        "a subscriber is sent no surface that is recorded after it came",
        wrap=_not_live,
    ),
    Sabotage("resume-inclusive", "Last-Event-ID is sent again, in either major", _resuming_early),
    Sabotage(
        "legacy-unreadable",
        "version 1 envelopes cannot be read",
        set_to(served_poll=_without_version_one),
        settings={"floor": "1"},
    ),
)
