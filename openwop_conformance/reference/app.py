"""The reference host over HTTP: one function an operation, each a thin layer over ``host``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final, NoReturn

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from ..jsonvalue import JsonValue
from ..wire import discovery
from ..wire.ids import project, unproject
from . import bodies, streaming
from .edge import MAJOR, TENANT, Edge, json_response
from .events import TERMINAL
from .host import Host
from .mutation import Act, Answer, Operation, mutation
from .policy import Policy
from .refusal import Refusal
from .settings import Settings
from .store import Run
from .v1.app import ROUTES as MAJOR_ONE

SEAM: Final = "/conformance/seams/sample/a2ui/emit-surface"

_RACE_SECONDS: Final = 0.02
"""How long an admission that is not serialised leaves its judgement lying."""
_STRAY_ESCAPE: Final = re.compile("~(?![0-9A-Fa-f]{2})")


def application(settings: Settings, policy: Policy) -> Starlette:
    """The ASGI application; its ``state.host`` is the ``Host`` behind it."""
    host = Host(settings, policy)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        host.store.close()

    app = Starlette(
        routes=[
            Route(SEAM, _mutation("emitA2uiSurface", _emit), methods=["POST"]),
            Route(discovery.PATH, _discovery),
            Route("/runs", _mutation("createRun", _create), methods=["POST"]),
            Route("/runs/{run_id}", _read),
            Route("/runs/{run_id}/events", _stream),
            Route("/runs/{run_id}/events/poll", _poll),
            Route("/runs/{run_id}/effects", _effects),
            Route("/runs/{run_id}/cancel", _mutation("cancelRun", _cancel), methods=["POST"]),
            Route("/runs/{run_id}:fork", _mutation("forkRun", _fork), methods=["POST"]),
            Route(
                "/runs/{run_id}/interrupts/{node_id}",
                _mutation("resolveInterruptByRun", _resolve),
                methods=["POST"],
            ),
            Route("/interrupts/{token}", _no_token, methods=["GET", "POST"]),
            Route("/host/effect-seams", _effect_seams),
            *MAJOR_ONE,
        ],
        middleware=[Middleware(Edge, settings=settings, policy=policy)],
        exception_handlers={HTTPException: _no_such_operation},
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.host = host
    return app


def _mutation(operation: str, look: Operation) -> Callable[[Request], Awaitable[Response]]:
    return mutation(operation, look, partial(bodies.check, operation))


# --------------------------------------------------------------------------------- reading


async def _discovery(request: Request) -> Response:
    host = _host(request)
    policy, settings = host.policy, host.settings
    major_one = request.scope[MAJOR] == 1
    document = policy.v1.discovery(settings) if major_one else policy.discovery(settings)
    tag = policy.etag(document)
    headers = ({} if tag is None else {"ETag": tag}) | {"Vary": "OpenWOP-Version"}
    offered = request.headers.get("if-none-match", "")
    known = {candidate.strip().removeprefix("W/") for candidate in offered.split(",")}
    if tag in known or offered.strip() == "*":
        return Response(status_code=304, headers=headers)
    return json_response(200, document, headers)


async def _read(request: Request) -> Response:
    host = _host(request)
    return json_response(200, host.snapshot(_run(request)))


async def _poll(request: Request) -> Response:
    run = _run(request)
    after, seconds = streaming.poll_of(request.query_params.multi_items())
    return json_response(
        200, await streaming.poll(_host(request), run, after, seconds, request.receive)
    )


async def _stream(request: Request) -> Response:
    run = _run(request)
    view = streaming.view_of(
        request.query_params.multi_items(), request.headers.get("last-event-id")
    )
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-store"}
    if request.method == "HEAD":
        return Response(headers=headers)
    return StreamingResponse(streaming.frames(_host(request), run, view), headers=headers)


async def _effects(request: Request) -> Response:
    """The fixtures have no effects outside the log."""
    return json_response(200, {"runId": _run(request).id, "effects": []})


async def _effect_seams(request: Request) -> Response:
    """No node of this host can reach anything outside it."""
    name = _host(request).policy.discovery(_host(request).settings)["implementation"]
    host = {"name": name["name"], "build": name["version"]}
    return json_response(200, {"manifestVersion": "1", "host": host, "seams": []})


async def _no_token(request: Request) -> Response:
    raise Refusal("interrupt_token_invalid", "this host has issued no such token")


async def _no_such_operation(request: Request, error: Exception) -> NoReturn:
    raise Refusal("not_found", "there is no such operation")


# -------------------------------------------------------------------------------- changing


async def _create(host: Host, request: Request, body: JsonValue) -> Act:
    tenant: str = request.scope[TENANT]
    for name in bodies.UNPROVIDED:
        if name in body:
            raise Refusal(
                "capability_not_provided", f"{name}: not provided", details={"field": name}
            )
    if body.get("tenantId", tenant) != tenant:
        raise Refusal("id_tenant_mismatch", "tenantId is another tenant's")
    options = {k: v for k, v in body.items() if k not in ("workflowId", "tenantId")}

    def act() -> Answer:
        run = host.create(tenant, body["workflowId"], options)
        status = host.state(run).status
        # a create never answers with a terminal status: the caller reads that from the run
        answer = _links(run) | {"status": "running" if status in TERMINAL.values() else status}
        return 201, answer

    return act


async def _cancel(host: Host, request: Request, body: JsonValue) -> Act:
    run = _run(request)

    def act() -> Answer:
        host.cancel(run, body.get("reason"))
        return 200, {"runId": run.id, "status": host.state(run).status}

    return act


async def _fork(host: Host, request: Request, body: JsonValue) -> Act:
    source = _run(request)
    from_seq = body.get("fromSeq")

    def act() -> Answer:
        run, point = host.fork(
            source,
            body["mode"],
            None if from_seq is None else int(from_seq),
            body.get("runOptionsOverlay", {}),
        )
        answer = {"runId": run.id, "sourceRunId": source.id, "fromSeq": point}
        answer |= {"mode": body["mode"], "status": host.state(run).status}
        return 201, answer | {"eventsUrl": _links(run)["eventsUrl"]}

    return act


async def _resolve(host: Host, request: Request, body: JsonValue) -> Act:
    run, node_id = _run(request), _unprojected(request.path_params["node_id"])

    def act() -> Answer:
        host.resolve(run, node_id, body["resumeValue"])
        return 200, {"runId": run.id, "status": host.state(run).status}

    return act


async def _emit(host: Host, request: Request, body: JsonValue) -> Act:
    run = host.run(body["runId"], request.scope[TENANT])
    judged = host.judge(run, body["envelope"])
    if not host.policy.serialise:
        await asyncio.sleep(_RACE_SECONDS)

    def act() -> Answer:
        sequence = judged if isinstance(judged, int) else host.record(run, judged)
        return host.policy.seam_answer(sequence)

    return act


# ---------------------------------------------------------------------------------- pieces


def _host(request: Request) -> Host:
    host: Host = request.app.state.host
    return host


def _run(request: Request) -> Run:
    run_id = _unprojected(request.path_params["run_id"])
    return _host(request).run(run_id, request.scope[TENANT])


def _unprojected(segment: str) -> str:
    """The id in a path segment. Refused: ``validation_error`` for a broken escape."""
    try:
        if not _STRAY_ESCAPE.search(segment):
            return unproject(segment)
    except UnicodeDecodeError:
        pass
    raise Refusal("validation_error", "an id in the path has a broken escape")


def _links(run: Run) -> dict[str, JsonValue]:
    url = f"/runs/{project(run.id)}"
    return {"runId": run.id, "eventsUrl": f"{url}/events", "statusUrl": url}
