"""Dynamic values of the profile, literal or bound, and what becomes of a value in a place.

The coercions are A2UI v0.9's: nothing is an empty text, what is no text is its JSON.
"""

from __future__ import annotations

import json

from ...a2ui.data_model import DataModel
from ...errors import Violation
from ...jsonvalue import MISSING, JsonValue


def path_of(dynamic: JsonValue) -> str | None:
    """The absolute path that a binding names, or ``None`` for a literal.

    The profile has no templates, so the scope of a relative path is the whole model.
    """
    if not isinstance(dynamic, dict):
        return None
    path: str = dynamic["path"]
    return path if path.startswith("/") else f"/{path}"


def value_of(dynamic: JsonValue, data: DataModel) -> JsonValue:
    """What a dynamic value is now; ``MISSING`` where its path leads nowhere, or is no path."""
    path = path_of(dynamic)
    if path is None:
        return dynamic
    try:
        return data.get(path)
    except Violation:
        return MISSING


def as_text(value: JsonValue) -> str:
    """A value where a text is wanted."""
    if value is MISSING or value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def as_flag(value: JsonValue) -> bool:
    """A value where a boolean is wanted."""
    return value is True or (isinstance(value, str) and value.lower() == "true")


def as_choices(value: JsonValue) -> list[str]:
    """A value where a list of texts is wanted; a single text is a list of one."""
    if isinstance(value, list):
        return [item for item in value if isinstance(item, str)]
    return [value] if isinstance(value, str) and value else []


def is_given(value: JsonValue) -> bool:
    """The function ``required``: the value is there, and neither null nor empty."""
    return value is not MISSING and value is not None and value not in ("", [])
