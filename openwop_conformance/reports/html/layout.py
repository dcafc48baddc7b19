"""JSON laid out for a person: each line as full as it gets, so that little is scrolled over."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from ...jsonvalue import JsonValue

_WIDTH: Final = 100


def in_lines(value: JsonValue, before: str = "", deep: int = 0) -> Iterator[str]:
    """The lines of a value that stands after some text: one line, if it has room there."""
    margin, text = "  " * deep, json.dumps(value, ensure_ascii=False)
    if not value or not isinstance(value, (dict, list)) or len(margin + before + text) <= _WIDTH:
        yield margin + before + text
        return
    if isinstance(value, dict):
        parts = [(f"{json.dumps(n, ensure_ascii=False)}: ", part) for n, part in value.items()]
    else:
        parts = [("", part) for part in value]
    yield margin + before + text[0]
    if not any(isinstance(part, (dict, list)) for _, part in parts):
        yield from _filled(
            [name + json.dumps(p, ensure_ascii=False) for name, p in parts], deep + 1
        )
    else:
        for index, (name, part) in enumerate(parts, start=1):
            *lines, last = in_lines(part, name, deep + 1)
            yield from lines
            yield last + ("," if index < len(parts) else "")
    yield margin + text[-1]


def _filled(words: list[str], deep: int) -> Iterator[str]:
    """As many words on each line as have room there."""
    line = margin = "  " * deep
    for index, word in enumerate(words, start=1):
        word += "," if index < len(words) else ""
        if line != margin and len(f"{line} {word}") > _WIDTH:
            yield line
            line = margin
        line += word if line == margin else f" {word}"
    yield line
