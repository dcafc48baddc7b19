"""Major 1 over HTTP: the operations under ``/v1``, each a thin layer over ``host``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ...jsonvalue import JsonValue
from ...schemas import compiled
from .. import bodies
from ..edge import TENANT, json_response
from ..events import TERMINAL
from ..host import Host
from ..mutation import Act, Answer, Check, Operation, mutation
from ..refusal import Refusal
from ..store import Run
from . import accept, reading
from .admission import path_of
from .host import MajorOne

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

EMIT: Final = "/v1/host/sample/a2ui/emit-surface"
ACCEPT: Final = "/v1/host/sample/envelope/accept"

_SHAPES: Final[dict[str, tuple[tuple[str, ...], dict[str, JsonValue]]]] = {
    "createRun": (
        ("workflowId",),
        {
            "workflowId": {"type": "string", "minLength": 1},
            "inputs": True,
            "tenantId": {"type": "string"},
            **bodies.OPTIONS,
        },
    ),
    "cancelRun": ((), {"reason": {"type": "string"}}),
    "forkRun": (
        ("mode",),
        {
            "mode": {"enum": ["replay", "branch"]},
            "fromSeq": {"type": "integer", "minimum": 0},
            "runOptionsOverlay": {"type": "object", "properties": bodies.OPTIONS},
        },
    ),
    "resolveInterruptByRun": (("resumeValue",), {"resumeValue": {"type": "object"}}),
}
"""What each body must have; it may hold more, except where something is decided with it."""
_CLOSED: Final = frozenset({"resolveInterruptByRun"})
_KEPT: Final = ("inputs", "configurable", "tags", "metadata")
"""The members of a create that the run keeps."""


@cache
def _shape(operation: str) -> Draft202012Validator:
    required, members = _SHAPES[operation]
    shape = bodies.closed(required, **members)
    return compiled({**shape, "additionalProperties": operation not in _CLOSED})


def _major_one(request: Request) -> MajorOne:
    return MajorOne(request.app.state.host)


def _run(request: Request) -> Run:
    run_id = unquote(request.path_params["run_id"])
    return _major_one(request).run(run_id, request.scope[TENANT])


# --------------------------------------------------------------------------------- reading


async def _read(request: Request) -> Response:
    return json_response(200, _major_one(request).snapshot(_run(request)))


async def _events(request: Request) -> Response:
    run, major_one = _run(request), _major_one(request)
    asked = reading.reading_of(
        request.query_params.multi_items(),
        request.headers.get("last-event-id"),
        major_one.policy.asks_for_deltas,
    )
    if _wants_json(request.headers.get("accept", "")):
        return json_response(200, reading.log(major_one.host, run, asked))
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    if request.method == "HEAD":
        return Response(headers=headers)
    frames = await reading.frames(major_one.host, run, asked, lambda: major_one.snapshot(run))
    return StreamingResponse(frames, headers=headers)


def _wants_json(accept_header: str) -> bool:
    types = {part.partition(";")[0].strip().lower() for part in accept_header.split(",")}
    return "application/json" in types and "text/event-stream" not in types


async def _poll(request: Request) -> Response:
    run, host = _run(request), _major_one(request).host
    parameters = request.query_params.multi_items()
    return json_response(200, await reading.poll(host, run, parameters, request.receive))


# -------------------------------------------------------------------------------- changing


async def _create(host: Host, request: Request, body: JsonValue) -> Act:
    tenant: str = request.scope[TENANT]
    if "callbackUrl" in body:
        raise Refusal(
            "capability_not_provided", "callbackUrl: not provided", details={"field": "callbackUrl"}
        )
    if body.get("tenantId", tenant) != tenant:
        raise Refusal("forbidden", "tenantId is another tenant's")
    options = {name: body[name] for name in _KEPT if name in body}

    def act() -> Answer:
        run = MajorOne(host).create(tenant, body["workflowId"], options)
        path = path_of(run.id)
        answer: JsonValue = {"runId": run.id, "status": _status(host, run)}
        return 201, answer | {"eventsUrl": f"{path}/events", "statusUrl": path}

    return act


async def _cancel(host: Host, request: Request, body: JsonValue) -> Act:
    run = _run(request)

    def act() -> Answer:
        MajorOne(host).cancel(run, body.get("reason"))
        return 200, {"runId": run.id, "status": host.state(run).status}

    return act


async def _fork(host: Host, request: Request, body: JsonValue) -> Act:
    source = _run(request)
    from_seq = body.get("fromSeq")

    def act() -> Answer:
        run, point = MajorOne(host).fork(
            source,
            body["mode"],
            None if from_seq is None else int(from_seq),
            body.get("runOptionsOverlay", {}),
        )
        answer: JsonValue = {"runId": run.id, "sourceRunId": source.id, "fromSeq": point}
        answer |= {"mode": body["mode"], "status": _status(host, run)}
        return 201, answer | {"eventsUrl": f"{path_of(run.id)}/events"}

    return act


async def _resolve(host: Host, request: Request, body: JsonValue) -> Act:
    run, node_id = _run(request), unquote(request.path_params["node_id"])

    def act() -> Answer:
        MajorOne(host).resolve(run, node_id, body["resumeValue"])
        return 200, {"runId": run.id, "nodeId": node_id, "status": host.state(run).status}

    return act


async def _emit(host: Host, request: Request, body: JsonValue) -> Act:
    tenant: str = request.scope[TENANT]
    return lambda: host.policy.v1.emit_answer(MajorOne(host).emit(tenant, body))


async def _accept(host: Host, request: Request, body: JsonValue) -> Act:
    tenant: str = request.scope[TENANT]
    return lambda: (200, accept.accept(MajorOne(host), tenant, body))


def _status(host: Host, run: Run) -> str:
    """How a run begins: never with its end, which the caller reads from the run."""
    status = host.state(run).status
    return "running" if status in TERMINAL.values() else status


def _route(path: str, operation: str, look: Operation, check: Check | None = None) -> Route:
    shape: Check = check or (lambda body: bodies.hold(_shape(operation), body))
    return Route(path, mutation(f"v1.{operation}", look, shape), methods=["POST"])


ROUTES: Final = (
    _route(EMIT, "emitSurface", _emit, lambda body: None),
    _route(ACCEPT, "acceptEnvelope", _accept, accept.check_body),
    _route("/v1/runs", "createRun", _create),
    Route("/v1/runs/{run_id}", _read),
    Route("/v1/runs/{run_id}/events", _events),
    Route("/v1/runs/{run_id}/events/poll", _poll),
    _route("/v1/runs/{run_id}/cancel", "cancelRun", _cancel),
    _route("/v1/runs/{run_id}:fork", "forkRun", _fork),
    _route("/v1/runs/{run_id}/interrupts/{node_id}", "resolveInterruptByRun", _resolve),
)
