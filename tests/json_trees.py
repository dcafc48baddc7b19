"""Every JSON value there can be, small, and the places in one."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from openwop_conformance.jsonvalue import MISSING, JsonValue, pointer_of, tokens_of

LARGEST = 2**53 - 1
numbers = st.integers(-LARGEST, LARGEST) | st.floats(allow_nan=False, allow_infinity=False)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=16,
)
"""Every I-JSON value, small."""


def at(pointer: str, value: JsonValue) -> Any:
    """What is at a pointer, or ``MISSING``, by the plainest reading of RFC 6901."""
    for token in tokens_of(pointer):
        try:
            value = value[int(token)] if isinstance(value, list) else value[token]
        except (IndexError, KeyError, TypeError):
            return MISSING
    return value


def places(value: JsonValue, here: str = "") -> list[str]:
    below = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    return [here, *(p for key, v in below for p in places(v, here + pointer_of((key,))))]
