"""PyPI a2ui-agent-sdk as an SDK subject: its Direct JSON parser and its check of a payload.

Named as ``py:openwop_conformance.sdks.a2ui_agent:Agent``. Needs the extra ``sdks``. The library has
no renderer state: a parser emits messages and holds none, so a state here is only the catalogs
that responses are read with, and what a response did to it is for the caller to fold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from importlib.metadata import version as installed
from typing import Final

from a2ui.core import CatalogApi
from a2ui.core.schema import ProtocolVersion
from a2ui.inference_formats.direct_json import DirectJsonParser
from a2ui.parser import ResponsePart, TextPart, to_message_dicts
from a2ui.utils import validate_payload

from ..errors import CallError
from ..jsonvalue import JsonValue
from .a2ui_core import VERSIONS, catalogs_of, refusals

METHODS: Final = ("compile", "parse_response", "open_stream", "parse_chunk")
V0_9: Final = ProtocolVersion.V0_9.value


class Agent:
    """The library's ``DirectJsonParser``, and ``validate_payload``.

    It has no ``open_stream``: a stream is a parser that is given chunks with ``parse_chunk``, as
    upstream's suites take the one for the other. Nothing tells a parser that a response has ended.
    """

    OPERATIONS: Final = (
        "hello",
        "new_state",
        "parser",
        "compile",
        "parse_response",
        "open_stream",
        "feed",
        "close_stream",
        "stream",
        "validate_payload",
    )

    def __init__(self) -> None:
        self._states: dict[str, list[CatalogApi]] = {}
        self._streams: dict[str, tuple[DirectJsonParser, bool]] = {}

    def hello(self, protocol: int) -> JsonValue:
        return {
            "name": "a2ui-agent-sdk",
            "version": installed("a2ui-agent-sdk"),
            "versions": list(VERSIONS),
            "operations": list(self.OPERATIONS),
            "features": ["custom-catalogs", "progressive-keys"],
        }

    def new_state(
        self, state: str, catalogs: Sequence[JsonValue] | None = None, version: str = V0_9
    ) -> JsonValue:
        with refusals():
            self._states[state] = catalogs_of(catalogs, version)
        return {}

    def parser(self, catalogs: Sequence[JsonValue] | None = None, version: str = V0_9) -> JsonValue:
        with refusals():
            parser = DirectJsonParser(catalogs_of(catalogs, version))
        return {
            "catalogs": [catalog.catalog_id for catalog in parser.catalogs],
            "methods": [name for name in METHODS if hasattr(parser, name)],
        }

    def compile(
        self,
        content: str,
        is_final: bool = True,
        catalogs: Sequence[JsonValue] | None = None,
        version: str = V0_9,
    ) -> JsonValue:
        """The library's takes the content alone: it is not told whether a block was cut off."""
        with refusals():
            messages = DirectJsonParser(catalogs_of(catalogs, version)).compile(content)
        return {"messages": to_message_dicts(messages)}

    def parse_response(
        self,
        content: str,
        state: str | None = None,
        wrapped: bool = True,
        catalogs: Sequence[JsonValue] | None = None,
        version: str = V0_9,
    ) -> JsonValue:
        with refusals():
            held = catalogs_of(catalogs, version) if state is None else self._states[state]
            parser = DirectJsonParser(held)
        try:
            with refusals():
                return {"parts": _parts(parser.parse_response(content, wrapped=wrapped))}
        except CallError as refusal:
            read = getattr(refusal.__cause__, "partial_results", None)
            refusal.partial_results = None if read is None else _parts(read)
            raise

    def open_stream(
        self, stream: str, state: str, wrapped: bool = True, progressive_keys: Collection[str] = ()
    ) -> JsonValue:
        with refusals():
            parser = DirectJsonParser(self._states[state], progressive_keys)
        self._streams[stream] = (parser, wrapped)
        return {}

    def feed(self, stream: str, text: str) -> JsonValue:
        parser, wrapped = self._streams[stream]
        with refusals():
            return {"parts": _parts(parser.parse_chunk(text, wrapped=wrapped))}

    def close_stream(self, stream: str) -> JsonValue:
        """Nothing: the library has no counterpart, and what it holds back stays with it."""
        return {"parts": []}

    def stream(
        self, state: str, chunks: Sequence[str], wrapped: bool = True, quiet: bool = False
    ) -> JsonValue:
        parts: list[ResponsePart] = []
        with refusals():
            parser = DirectJsonParser(self._states[state])
            for chunk in chunks:
                parts += parser.parse_chunk(chunk, wrapped=wrapped)
        if quiet:
            return {"emitted": sum(len(p.a2ui) for p in parts if not isinstance(p, TextPart))}
        return {"parts": _parts(parts)}

    def validate_payload(
        self,
        payload: JsonValue,
        catalogs: Sequence[JsonValue] | None = None,
        version: str = V0_9,
        surface_catalogs: Mapping[str, str] | None = None,
    ) -> JsonValue:
        with refusals():
            held = catalogs_of(catalogs, version)
            validate_payload(held, payload, surface_catalog_ids=surface_catalogs)
        return {}


def _parts(parts: Sequence[ResponsePart]) -> list[JsonValue]:
    return [
        {"text": part.text}
        if isinstance(part, TextPart)
        else {"messages": to_message_dicts(part.a2ui)}
        for part in parts
    ]
