"""What a surface must be to be recorded in major 1, and how the seam that emits one is asked."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from ...a2ui.catalog import check_payload
from ...errors import Violation
from ...jsonvalue import JsonValue, brief
from ...schemas import compiled
from .. import bodies
from ..events import Event
from ..settings import CATALOG_VERSION

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_EMIT: Final = bodies.closed(("runId", "surface"), runId={"type": "string"}, surface=True)


def check_tree(payload: JsonValue, versions: tuple[str, ...]) -> None:
    """Refuse a payload outside the closed catalog of one of the pinned versions (RFC 0102).

    Raises ``Violation`` with rule ``catalog-version`` or ``branch``.
    """
    version = payload.get("catalogVersion") if isinstance(payload, dict) else None
    if isinstance(version, str):
        if version not in versions:
            raise Violation(
                "catalog-version",
                f"{brief(version)} is no catalog version of this host",
                path="/catalogVersion",
                code="unknown_schema_version",
            )
        payload = {**payload, "catalogVersion": CATALOG_VERSION}
    check_payload(payload, 1)


def read_emit(body: JsonValue) -> tuple[str, JsonValue]:
    """The run and the whole payload of a request to emit. Refused: ``validation_error``."""
    bodies.hold(_emit_shape(), body)
    return body["runId"], body["surface"]


def emit_answer(event: Event) -> tuple[int, JsonValue]:
    """What the seam answers for an event that records a surface."""
    return 200, {"surfaceRef": event["eventId"]}


def path_of(run_id: str) -> str:
    """A run's path."""
    return f"/v1/runs/{quote(run_id, safe='')}"


@cache
def _emit_shape() -> Draft202012Validator:
    return compiled(_EMIT)
