"""The reference SDK as a subject: a method for each call of ``schemas/sdk-line``.

Methods return the call's result and raise ``CallError``. What they do is in the modules beside this
one; here handles become states and streams, and documents become catalogs.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from typing import Final

from ...a2ui import bindings
from ...a2ui.catalog import BASIC_CATALOG
from ...a2ui.graph import Work
from ...a2ui.lock import FLAGS
from ...a2ui.open_catalog import basic, read_catalog
from ...errors import CallError, JsonError
from ...jsonvalue import JsonValue
from . import early
from .parser import Parser
from .payload import judge, messages_of
from .state import RendererState
from .stream import ResponseStream
from .surface import Catalog as AnyCatalog

VERSIONS: Final = ("v0.9", "v0.9.1", "v0.8")
_NOT_CALLS: Final = frozenset({"work"})
Documents = Sequence[JsonValue]


class ReferenceSdk:
    """The embedded SDK. With ``counts`` its answers say how much was looked at since it began."""

    make_state: Callable[..., RendererState] = RendererState
    make_stream: Callable[..., ResponseStream] = ResponseStream
    make_parser: Callable[..., Parser] = Parser

    def __init__(self, *, counts: bool = False) -> None:
        self._counts, self._counter, self._worked = counts, Work(), 0
        self._states: dict[str, RendererState] = {}
        self._streams: dict[str, ResponseStream] = {}

    @property
    def work(self) -> int | None:
        """How many components, references and characters were looked at; ``None`` if not asked."""
        if not self._counts:
            return None
        streams = sum(stream.work for stream in self._streams.values())
        return self._worked + self._counter.count + streams

    def hello(self, protocol: int) -> JsonValue:
        """What this is."""
        calls = [name for name in dir(type(self)) if not name.startswith(("_", "make_"))]
        features = ["bytes", "custom-catalogs", "progressive-keys"]
        return {
            "name": "openwop-conformance reference SDK",
            "version": "1",
            "versions": list(VERSIONS),
            "operations": [name for name in calls if name not in _NOT_CALLS],
            "features": [*features, "work"] if self._counts else features,
            "capabilities": dict.fromkeys(FLAGS, True),
        }

    # ------------------------------------------------------------------------- states

    def new_state(
        self, state: str, catalogs: Documents = ("basic",), version: str = "v0.9"
    ) -> JsonValue:
        """Make an empty state."""
        self._states[state] = self._new_state(self._read(catalogs, version), version)
        return {}

    def apply(
        self, state: str, messages: Sequence[JsonValue], source: str | None = None
    ) -> JsonValue:
        """All messages, or none; with who made them, where that matters."""
        held = self._state(state)
        if source is None:
            held.apply(messages)
        else:
            held.apply_from(source, messages)
        return {}

    def apply_each(self, state: str, messages: Sequence[JsonValue]) -> JsonValue:
        """Each message alone."""
        held = self._state(state)
        for number, message in enumerate(messages):
            try:
                held.apply_one(message)
            except CallError:
                return {"applied": number}
        return {"applied": len(messages)}

    def transaction(
        self, state: str, steps: Sequence[JsonValue], returns: JsonValue = None
    ) -> JsonValue:
        """Steps in one transaction, with transactions inside."""
        return _transaction(self._state(state), steps, returns)

    def read(self, state: str) -> JsonValue:
        """What a renderer would hold."""
        return self._state(state).snapshot()

    def check_topology(self, state: str, surfaces: Sequence[str]) -> JsonValue:
        """Check trees."""
        self._state(state).check_topology(surfaces)
        return {}

    def mark_checked(self, state: str, surfaces: Sequence[str]) -> JsonValue:
        """Let components count as checked."""
        self._state(state).mark_checked(surfaces)
        return {}

    def accepts_state(self, state: str, catalogs: Documents, version: str = "v0.9") -> JsonValue:
        """Whether a state fits."""
        return {"accepts": self._state(state).accepts(self._read(catalogs, version), version)}

    def bind_state(self, state: str, catalogs: Documents, version: str = "v0.9") -> JsonValue:
        """A processor takes a state only if it fits."""
        if not self._state(state).accepts(self._read(catalogs, version), version):
            raise CallError("catalog", "the state is of other catalogs, or of another version")
        return {}

    def client_data(self, state: str) -> JsonValue:
        """The data that a client attaches."""
        return {"data": self._state(state).client_data()}

    # ---------------------------------------------------------------------- responses

    def parser(self, catalogs: Documents = ("basic",), version: str = "v0.9") -> JsonValue:
        """What a parser is."""
        made = self.make_parser(self._read(catalogs, version), version)
        named = ("compile", "parse_response", "open_stream", "parse_chunk")
        methods = [name for name in named if hasattr(made, name)]
        return {"catalogs": [c.catalog_id for c in made.catalogs], "methods": methods}

    def compile(
        self,
        content: str,
        is_final: bool = False,
        catalogs: Documents = ("basic",),
        version: str = "v0.9",
    ) -> JsonValue:
        """The messages of a block."""
        made = self.make_parser(self._read(catalogs, version), version)
        return {"messages": made.compile(content, is_final=is_final)}

    def parse_response(
        self,
        content: str,
        state: str | None = None,
        wrapped: bool = True,
        catalogs: Documents = ("basic",),
        version: str = "v0.9",
    ) -> JsonValue:
        """A whole response."""
        made = self.make_parser(self._read(catalogs, version), version)
        held = self._state(state) if state is not None else self._new_state(made.catalogs, version)
        return {"parts": made.parse_response(content, wrapped=wrapped, state=held)}

    def open_stream(
        self, stream: str, state: str, wrapped: bool = True, progressive_keys: Sequence[str] = ()
    ) -> JsonValue:
        """Begin to read a response."""
        self._streams[stream] = self.make_stream(
            self._state(state), wrapped=wrapped, progressive_keys=progressive_keys
        )
        return {}

    def feed(self, stream: str, text: str | None = None, base64: str | None = None) -> JsonValue:
        """The next chunk."""
        chunk: str | bytes = _decoded(base64) if base64 is not None else text or ""
        return {"parts": self._stream(stream).feed(chunk)}

    def close_stream(self, stream: str) -> JsonValue:
        """The end of a response."""
        return {"parts": self._stream(stream).close()}

    def stream(
        self, state: str, chunks: Sequence[str], wrapped: bool = True, quiet: bool = False
    ) -> JsonValue:
        """A whole response in chunks."""
        reading = self.make_stream(self._state(state), wrapped=wrapped)
        parts: list[JsonValue] = []
        try:
            for chunk in chunks:
                parts += reading.feed(chunk)
            parts += reading.close()
        finally:
            self._worked += reading.work
        if quiet:
            return {"emitted": sum(len(part.get("messages", ())) for part in parts)}
        return {"parts": parts}

    def validate_payload(
        self,
        payload: JsonValue,
        catalogs: Documents = ("basic",),
        version: str = "v0.9",
        surface_catalogs: dict[str, str] | None = None,
    ) -> JsonValue:
        """A payload on its own."""
        state = self._new_state(self._read(catalogs, version), version)
        judge(state, messages_of(payload), surface_catalogs or {})
        return {}

    def validation_errors(
        self,
        messages: Sequence[JsonValue],
        catalogs: Documents = ("basic",),
        version: str = "v0.9",
    ) -> JsonValue:
        """The client's errors for messages that are applied one after the other."""
        state = self._new_state(self._read(catalogs, version), version)
        found = []
        for message in messages:
            try:
                state.apply_one(message)
            except CallError as error:
                surface = state.surface_of(message) or ""
                found += [_complaint(version, surface, fault) for fault in _faults(error)]
        return {"errors": found}

    # ----------------------------------------------------------------------- bindings

    def encode_lines(self, messages: Sequence[JsonValue]) -> JsonValue:
        """JSON Lines."""
        return {"text": bindings.to_lines(messages)}

    def decode_lines(self, chunks: Sequence[JsonValue]) -> JsonValue:
        """The messages of JSON Lines."""
        raw = [c if isinstance(c, str) else _decoded(c["base64"]) for c in chunks]
        try:
            return {"messages": list(bindings.from_lines(raw))}
        except JsonError as error:
            raise CallError("parse", str(error)) from None

    def to_a2a(self, messages: Sequence[JsonValue], version: str = "v0.9") -> JsonValue:
        """A2A parts."""
        return {"parts": [bindings.to_part(message, version) for message in messages]}

    def from_a2a(self, parts: Sequence[JsonValue]) -> JsonValue:
        """The messages of A2A parts."""
        return {"messages": list(bindings.from_parts(parts))}

    def to_agui(self, messages: Sequence[JsonValue]) -> JsonValue:
        """AG-UI events."""
        return {"events": [bindings.to_event(message) for message in messages]}

    def from_agui(self, events: Sequence[JsonValue]) -> JsonValue:
        """The messages of AG-UI events."""
        return {"messages": list(bindings.from_events(events))}

    def build(self, surface: JsonValue, version: str = "v0.9") -> JsonValue:
        """A surface's messages, judged before they are given out."""
        created = {name: surface[name] for name in _OF_CREATION if name in surface}
        name = {"surfaceId": surface["surfaceId"]}
        bodies: list[tuple[str, JsonValue]] = [
            ("createSurface", {**name, "catalogId": BASIC_CATALOG, **created}),
            ("updateComponents", {**name, "components": surface["components"]}),
        ]
        data = surface.get("data", [])
        bodies += [("updateDataModel", {**name, **written}) for written in data]
        messages = [{"version": version, kind: body} for kind, body in bodies]
        judge(self._new_state((basic(),), version), messages, {})
        return {"messages": messages}

    def read_capabilities(self, capabilities: JsonValue, version: str = "v0.9") -> JsonValue:
        """The catalogs that a client names; v0.8 names them without a version key."""
        named = capabilities.get(version) if isinstance(capabilities, dict) else None
        if version == "v0.8" and named is None:
            named = capabilities
        ids = named.get("supportedCatalogIds") if isinstance(named, dict) else None
        if not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
            raise CallError("validation", f"the capabilities name no catalogs for {version}")
        return {"catalogIds": ids}

    # ------------------------------------------------------------------------ handles

    def _new_state(self, catalogs: Sequence[AnyCatalog], version: str) -> RendererState:
        """A state whose work counts with that of the others."""
        made = self.make_state(catalogs, version)
        made.counter = self._counter
        return made

    def _state(self, name: str) -> RendererState:
        if name not in self._states:
            raise CallError("state", f"there is no state {name!r}")
        return self._states[name]

    def _stream(self, name: str) -> ResponseStream:
        if name not in self._streams:
            raise CallError("state", f"there is no stream {name!r}")
        return self._streams[name]

    def _read(self, documents: Documents, version: str) -> tuple[AnyCatalog, ...]:
        if version == early.VERSION:
            return tuple(
                early.standard() if d == "basic" else early.read_catalog(d) for d in documents
            )
        return tuple(basic() if d == "basic" else read_catalog(d) for d in documents)


_OF_CREATION: Final = ("catalogId", "theme", "sendDataModel")


class _Failed(Exception):
    """The caller's own error, that undoes a transaction."""


def _transaction(
    state: RendererState, steps: Sequence[JsonValue], returns: JsonValue
) -> dict[str, JsonValue]:
    inner: list[JsonValue] = []
    outcome: dict[str, JsonValue] = {"kept": False}

    def callback() -> object:
        for step in steps:
            if "apply" in step:
                state.apply(step["apply"])
            elif "transaction" in step:
                inner.append(_transaction(state, step["transaction"], None))
            elif "check_topology" in step:
                state.check_topology(step["check_topology"])
            elif "mark_checked" in step:
                state.mark_checked(step["mark_checked"])
            elif "asynchronous" in step:
                return _later()
            else:
                raise _Failed
        return returns

    try:
        returned = state.run(callback)
        outcome = {"kept": True} if returned is None else {"kept": True, "returned": returned}
    except CallError as error:
        outcome["error"] = error.as_json()
    except _Failed:
        pass
    return {**outcome, "inner": inner} if inner else outcome


async def _later() -> None:
    """What an asynchronous callback would do."""


def _decoded(text: str) -> bytes:
    return base64.b64decode(text, validate=True)


def _faults(error: CallError) -> list[JsonValue]:
    return list(error.details) or [{"path": "", "message": str(error)}]


def _complaint(version: str, surface_id: str, fault: JsonValue) -> JsonValue:
    """A client's error message (A2UI v0.9): four members, and none besides."""
    return {
        "version": version,
        "error": {
            "code": "VALIDATION_FAILED",
            "surfaceId": surface_id,
            "path": fault["path"],
            "message": fault["message"],
        },
    }
