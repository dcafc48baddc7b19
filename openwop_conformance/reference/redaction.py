"""SR-1: no configured secret leaves the host, in a record or in an error.

Every string is looked at, member names too, at any depth and also inside longer text. When it is
done (after validation, before dedup and recording) is for ``host`` and ``app``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from ..jsonvalue import JsonValue

Secrets = Mapping[str, str]

_text: Final = json.JSONEncoder(ensure_ascii=False).encode


def redact(value: JsonValue, secrets: Secrets) -> JsonValue:
    """The value with each secret replaced by ``[REDACTED:<secretId>]``; a copy where it changes.

    Of two secrets that overlap, the longer one is replaced. Members whose names become equal are
    all kept, later ones under a numbered name.
    """
    if not holds_secret(value, secrets):
        return value
    return _redacted(value, *_compiled(tuple(secrets.items())))


def holds_secret(value: JsonValue, secrets: Secrets) -> bool:
    """Whether any string of a value, member names too, holds a secret.

    JSON escapes character by character, so a secret in a string stands, escaped, in its text.
    """
    text = _text(value)
    return any(_text(secret)[1:-1] in text for secret in secrets.values())


def redact_error(body: JsonValue, heard: JsonValue, secrets: Secrets) -> JsonValue:
    """An error body, safe to send to whoever sent ``heard``.

    A message may quote a part of the request, escaped or cut short, where no search would find
    the secret. So when the request held one, the message and the place are withheld, not searched.
    """
    if holds_secret(heard, secrets):
        kept = body.get("details")
        details = {k: v for k, v in kept.items() if k != "path"} if isinstance(kept, dict) else {}
        body = {**body, "message": "refused; the request holds a secret, so it is not quoted"}
        if details:
            body["details"] = details
        else:
            body.pop("details", None)
    return redact(body, secrets)


@lru_cache(maxsize=8)
def _compiled(items: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    marks = {value: f"[REDACTED:{name}]" for name, value in items}
    longest_first = sorted(marks, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first))), marks


def _redacted(value: JsonValue, pattern: re.Pattern[str], marks: dict[str, str]) -> JsonValue:
    if isinstance(value, str):
        return pattern.sub(lambda found: marks[found[0]], value)
    if isinstance(value, list):
        return [_redacted(item, pattern, marks) for item in value]
    if isinstance(value, dict):
        members: dict[str, JsonValue] = {}
        for key, item in value.items():
            name = kept = _redacted(key, pattern, marks)
            count = 1
            while kept in members or (kept != key and kept in value):
                count += 1
                kept = f"{name}#{count}"
            members[kept] = _redacted(item, pattern, marks)
        return members
    return value
