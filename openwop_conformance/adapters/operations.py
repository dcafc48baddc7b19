"""The requests of major 2, as values; who sends them and with whose key is decided above."""

from __future__ import annotations

from typing import Final
from urllib.parse import quote

from ..jsonvalue import JsonValue, compact
from ..wire.discovery import PATH
from ..wire.ids import project
from .host import Request

VERSION: Final = ("OpenWOP-Version", "2.0")
EMIT_SURFACE: Final = "/conformance/seams/sample/a2ui/emit-surface"

_JSON: Final = (VERSION, ("Accept", "application/json"))


def get(target: str, *headers: tuple[str, str]) -> Request:
    """A GET that asks for JSON."""
    return Request("GET", target, (*_JSON, *headers))


def post(target: str, body: JsonValue, *headers: tuple[str, str]) -> Request:
    """A POST of a JSON body."""
    return Request(
        "POST", target, (*_JSON, ("Content-Type", "application/json"), *headers), compact(body)
    )


def discovery() -> Request:
    """The discovery document of major 2."""
    return get(PATH)


def run_path(run_id: str, rest: str = "") -> str:
    """A run's path: its id is one projected segment."""
    return f"/runs/{project(run_id)}{rest}"


def create_run(workflow: str) -> Request:
    """Start a run."""
    return post("/runs", {"workflowId": workflow})


def read_run(run_id: str) -> Request:
    """A run's snapshot."""
    return get(run_path(run_id))


def poll(run_id: str, after: int | None = None) -> Request:
    """The log after a sequence (from its beginning without one), waiting one second at most."""
    cursor = "" if after is None else f"afterSequence={after}&"
    return get(run_path(run_id, f"/events/poll?{cursor}timeout=1"))


def events(run_id: str, mode: str, after: int | None = None) -> Request:
    """The log as server-sent events, after a sequence if one is given."""
    headers = [VERSION, ("Accept", "text/event-stream")]
    if after is not None:
        headers.append(("Last-Event-ID", str(after)))
    return Request("GET", run_path(run_id, f"/events?streamMode={quote(mode)}"), tuple(headers))


def cancel(run_id: str) -> Request:
    """Cancel a run."""
    return post(run_path(run_id, "/cancel"), {"reason": "conformance run ended"})


def fork(run_id: str, mode: str, from_sequence: int) -> Request:
    """Fork a run: events before ``from_sequence`` are history, the rest runs again."""
    return post(run_path(run_id, ":fork"), {"mode": mode, "fromSeq": from_sequence})


def resolve(run_id: str, node_id: str, action: str) -> Request:
    """Resolve an approval."""
    return post(
        run_path(run_id, f"/interrupts/{quote(node_id, safe='')}"),
        {"resumeValue": {"action": action}},
    )


def emit_surface(run_id: str, envelope: JsonValue) -> Request:
    """Hand an envelope to the host's production admission path, by the seam."""
    return post(EMIT_SURFACE, {"runId": run_id, "envelope": envelope})
