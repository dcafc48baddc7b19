"""The parser: translating a block, and reading a whole response into a state or not at all."""

from __future__ import annotations

import json

import pytest

from openwop_conformance.a2ui.open_catalog import basic
from openwop_conformance.errors import CallError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.sdk.parser import Parser
from openwop_conformance.reference.sdk.state import RendererState

from .responses import CREATE, block, components, data, text_component

CATALOGS = [basic()]
PARSER = Parser(CATALOGS, "v0.9")
ROOT = text_component("root", "Hello")
WHOLE = [CREATE, components(ROOT)]


def refused(content: str, state: RendererState | None = None) -> CallError:
    with pytest.raises(CallError) as caught:
        PARSER.parse_response(content, state=state)
    return caught.value


def test_a_parser_tells_its_catalogs() -> None:
    assert [catalog.catalog_id for catalog in PARSER.catalogs] == [basic().catalog_id]


@pytest.mark.parametrize("is_final", [True, False])
def test_compiling_only_translates(is_final: bool) -> None:
    wrong: list[JsonValue] = [{"unknown": 1}, components(ROOT, surface="never made")]
    assert PARSER.compile(json.dumps(wrong), is_final=is_final) == wrong
    assert PARSER.compile("[]") == []
    with pytest.raises(CallError) as caught:
        PARSER.compile(json.dumps(wrong)[:-1], is_final=is_final)
    assert caught.value.kind == "parse"


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(WHOLE),
        "\n".join(map(json.dumps, WHOLE)),
        json.dumps({"messages": WHOLE}),
        f"```json\n{json.dumps(WHOLE)}\n```",
    ],
)
def test_all_forms_of_a_block_are_the_same_messages(content: str) -> None:
    expected = [{"messages": WHOLE}]
    assert PARSER.compile(content) == WHOLE
    assert PARSER.parse_response(content, wrapped=False) == expected
    assert PARSER.parse_response(f"<a2ui-json>{content}</a2ui-json>") == expected


def test_a_response_is_its_texts_and_blocks_in_order() -> None:
    state = RendererState(CATALOGS, "v0.9")
    response = f"a {block(*WHOLE)} b{block(data('/x', 1))}{block()} <c"
    assert PARSER.parse_response(response, state=state) == [
        {"text": "a "},
        {"messages": WHOLE},
        {"text": " b"},
        {"messages": [data("/x", 1)]},
        {"messages": []},
        {"text": " <c"},
    ]
    assert state.snapshot()["surfaces"]["s"]["data"] == {"x": 1}


def test_a_parser_holds_nothing_between_responses() -> None:
    assert PARSER.parse_response(block(*WHOLE)) == PARSER.parse_response(block(*WHOLE))


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        ("<a2ui-json>[{]</a2ui-json>", "parse"),
        ("<a2ui-json>[", "parse"),
        (block(CREATE), "integrity"),
        (block(components({"id": "x", "component": "Nope"})), "validation"),
    ],
)
def test_a_failure_undoes_the_response_and_tells_what_was_read_before(
    second: str, kind: str
) -> None:
    state = RendererState(CATALOGS, "v0.9")
    error = refused(f"a{block(*WHOLE)}b{second}c", state)
    assert error.kind == kind
    assert error.partial_results == [{"text": "a"}, {"messages": WHOLE}, {"text": "b"}]
    assert state.snapshot() == {"surfaces": {}}


def test_trees_are_checked_when_the_response_has_ended() -> None:
    parts = PARSER.parse_response(block(CREATE) + " and " + block(components(ROOT)))
    assert len(parts) == 3
    made = [CREATE, components(text_component("a", ""))]
    error = refused(block(*made) + " and no more")
    assert error.kind == "integrity"
    assert error.partial_results == [{"messages": made}, {"text": " and no more"}]
    for empty in (block(CREATE), block(CREATE, data("/x", 1)) + " and no more"):
        PARSER.parse_response(empty)


def test_any_other_error_becomes_one_of_the_layer() -> None:
    class Broken(RendererState):
        def apply_one(self, message: JsonValue) -> None:
            raise TypeError("oops")

    error = refused("a" + block(CREATE), Broken(CATALOGS, "v0.9"))
    assert (error.kind, error.partial_results) == ("parse", [{"text": "a"}])
    assert isinstance(error.__cause__, TypeError)


def test_a_stream_of_the_parser_reads_into_a_state_of_its_own() -> None:
    one, other = PARSER.open_stream(), PARSER.open_stream(wrapped=False)
    assert one.feed(block(*WHOLE)) == other.feed(json.dumps(WHOLE)) == [{"messages": WHOLE}]
    assert (one.close(), other.close()) == ([], [])
