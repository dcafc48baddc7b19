"""Responses for the tests of what reads them, right ones and wrong ones, and ways to cut them."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from openwop_conformance.jsonvalue import JsonValue

CATALOG = "https://a2ui.org/specification/v0_9/catalogs/basic/catalog.json"
CREATE: JsonValue = {
    "version": "v0.9",
    "createSurface": {"surfaceId": "s", "catalogId": CATALOG},
}


def text_component(name: str, text: str) -> JsonValue:
    return {"id": name, "component": "Text", "text": text}


def components(*given: JsonValue, surface: str = "s") -> JsonValue:
    return {
        "version": "v0.9",
        "updateComponents": {"surfaceId": surface, "components": list(given)},
    }


def data(path: str, value: JsonValue) -> JsonValue:
    return {
        "version": "v0.9",
        "updateDataModel": {"surfaceId": "s", "path": path, "value": value},
    }


def block(*messages: JsonValue) -> str:
    return f"<a2ui-json>{json.dumps(list(messages))}</a2ui-json>"


def cut(text: str, size: int) -> list[str]:
    """A text in chunks of a size."""
    return [text[at : at + size] for at in range(0, len(text), size)]


def pieces(text: str) -> st.SearchStrategy[list[str]]:
    """A text in chunks, cut anywhere; some may be empty."""

    def parted(places: list[int]) -> list[str]:
        ends = sorted(places)
        return [text[a:b] for a, b in zip([0, *ends], [*ends, len(text)], strict=True)]

    return st.lists(st.integers(0, len(text)), max_size=12).map(parted)


WORDS = st.sampled_from(["", "a", "é😀", "<", "</a2ui-json>", '"', "\\", "\n", "{[", "<a2ui-json>"])
STRINGS = st.lists(WORDS, max_size=3).map("".join)
PROSE = st.lists(
    st.sampled_from(["a", "é😀", "<", "<a2ui", "</a2ui-json>", '"', " ", "\n", "<<"]), max_size=5
).map("".join)
_NAMES = st.sampled_from(["a", "b", "c"])
_COMPONENTS = st.lists(
    st.builds(text_component, _NAMES, STRINGS), min_size=1, max_size=4, unique_by=lambda c: c["id"]
)
_ROOT: JsonValue = {"id": "root", "component": "Column", "children": ["a", "b", "c"]}
_WHOLE = components(_ROOT, *(text_component(name, "") for name in "abc"))
_UPDATES = st.one_of(
    _COMPONENTS.map(lambda some: components(*some)),
    st.builds(data, st.sampled_from(["/x", "/l"]), STRINGS | st.lists(STRINGS, max_size=2)),
    st.builds(
        data, st.sampled_from(["/x", "/", ""]), st.dictionaries(STRINGS, STRINGS, max_size=3)
    ),
)


@st.composite
def _contents(draw: st.DrawFn, messages: list[JsonValue]) -> str:
    plain = draw(st.booleans())
    texts = [json.dumps(message, ensure_ascii=plain) for message in messages]
    form = draw(st.sampled_from(["array", "lines", "wrapper", "fenced"]))
    if form == "lines" and texts:
        return draw(st.sampled_from(["", "\n"])) + "\n".join(texts)
    listed = f"[{' , '.join(texts)}]"
    if form == "wrapper":
        return f'{{"messages": {listed}}}'
    return f"```json\n{listed}\n```" if form == "fenced" else listed


@st.composite
def _wrapped(draw: st.DrawFn) -> str:
    """Text and blocks; the first block makes a whole surface, the others update it."""
    response = draw(PROSE)
    for number in range(draw(st.integers(0, 3))):
        updates = draw(st.lists(_UPDATES, max_size=3))
        content = draw(_contents(([] if number else [CREATE, _WHOLE]) + updates))
        response += f"<a2ui-json>{content}</a2ui-json>{draw(PROSE)}"
    return response


WRAPPED = _wrapped()
