"""The requests of both majors, as values; who sends them and with whose key is decided above."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from ..jsonvalue import JsonValue, compact
from ..wire.discovery import PATH
from ..wire.ids import project
from .host import Request

EMIT_SURFACE: Final = "/conformance/seams/sample/a2ui/emit-surface"
EMIT_TREE: Final = "/v1/host/sample/a2ui/emit-surface"
ACCEPT: Final = "/v1/host/sample/envelope/accept"


def _encoded(run_id: str) -> str:
    return quote(run_id, safe="")


@dataclass(frozen=True, slots=True)
class Api:
    """One major's way of asking."""

    prefix: str
    version: tuple[tuple[str, str], ...]
    """The header that names the major, where there is one."""
    segment: Callable[[str], str]
    """A run's id as one segment of a path."""
    cursor: str
    """The parameter by which a poll names the last sequence that it has."""

    def get(self, target: str, *headers: tuple[str, str]) -> Request:
        """A GET that asks for JSON."""
        return Request("GET", target, (*self._json(), *headers))

    def post(self, target: str, body: JsonValue, *headers: tuple[str, str]) -> Request:
        """A POST of a JSON body."""
        typed = ("Content-Type", "application/json")
        return Request("POST", target, (*self._json(), typed, *headers), compact(body))

    def _json(self) -> tuple[tuple[str, str], ...]:
        return (*self.version, ("Accept", "application/json"))

    def discovery(self) -> Request:
        """The discovery document of this major."""
        return self.get(PATH)

    def run_path(self, run_id: str, rest: str = "") -> str:
        """A run's path: its id is one segment."""
        return f"{self.prefix}/runs/{self.segment(run_id)}{rest}"

    def create_run(self, workflow: str) -> Request:
        """Start a run."""
        return self.post(f"{self.prefix}/runs", {"workflowId": workflow})

    def read_run(self, run_id: str) -> Request:
        """A run's snapshot."""
        return self.get(self.run_path(run_id))

    def poll(self, run_id: str, after: int | None = None) -> Request:
        """The log after a sequence (from its beginning without one), waiting a second at most."""
        cursor = "" if after is None else f"{self.cursor}={after}&"
        return self.get(self.run_path(run_id, f"/events/poll?{cursor}timeout=1"))

    def events(self, run_id: str, query: str, after: int | None = None) -> Request:
        """The log as server-sent events, after a sequence if one is given."""
        headers = [*self.version, ("Accept", "text/event-stream")]
        if after is not None:
            headers.append(("Last-Event-ID", str(after)))
        target = self.run_path(run_id, f"/events{'?' + query if query else ''}")
        return Request("GET", target, tuple(headers))

    def cancel(self, run_id: str) -> Request:
        """Cancel a run."""
        return self.post(self.run_path(run_id, "/cancel"), {"reason": "conformance run ended"})

    def fork(self, run_id: str, mode: str, from_sequence: int) -> Request:
        """Fork a run: events before ``from_sequence`` are history, the rest runs again."""
        return self.post(self.run_path(run_id, ":fork"), {"mode": mode, "fromSeq": from_sequence})

    def resolve(self, run_id: str, node_id: str, action: str) -> Request:
        """Resolve an approval."""
        path = self.run_path(run_id, f"/interrupts/{quote(node_id, safe='')}")
        return self.post(path, {"resumeValue": {"action": action}})


V1: Final = Api("/v1", (), _encoded, "lastSequence")
V2: Final = Api("", (("OpenWOP-Version", "2.0"),), project, "afterSequence")
API: Final = {1: V1, 2: V2}
"""By major."""


def emit_surface(run_id: str, envelope: JsonValue) -> Request:
    """Hand an envelope to a host's production admission path, by the seam of major 2."""
    return V2.post(EMIT_SURFACE, {"runId": run_id, "envelope": envelope})


def emit_tree(run_id: str, surface: JsonValue) -> Request:
    """Hand a surface to a host's production path, by the seam of major 1."""
    return V1.post(EMIT_TREE, {"runId": run_id, "surface": surface})


def accept(body: JsonValue) -> Request:
    """Ask a host what it makes of an envelope, by the acceptor seam of major 1."""
    return V1.post(ACCEPT, body)
