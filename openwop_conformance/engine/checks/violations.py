"""Does an error, or a report, say in a structured way what a lock has refused?"""

from __future__ import annotations

from collections.abc import Iterator

from ...jsonvalue import JsonValue, brief
from ...schemas import validator
from ..verdict import Exchange
from ..witness import Witness


def structured(value: JsonValue) -> Iterator[JsonValue]:
    """Every well-formed violation that stands anywhere in a value."""
    if isinstance(value, dict):
        if validator("locked-surfaces", "violation").is_valid(value):
            yield value
        value = list(value.values())
    for item in value if isinstance(value, list) else ():
        yield from structured(item)


def names_violation(
    witness: Witness,
    wanted: dict[str, JsonValue],
    surface_id: str,
    body: JsonValue,
    exchange: Exchange,
) -> None:
    """An error holds one violation, of this surface, with the members that are wanted."""
    found = list(structured(body))
    full = {"surfaceId": surface_id, **wanted}
    witness.check(
        len(found) == 1 and {name: found[0].get(name) for name in full} == full,
        "the refusal has no structured violation that says what was refused",
        expected=brief({"type": "A2UI_POLICY_VIOLATION", **full, "reason": "…"}),
        got=brief(found[0]) if found else brief(body),
        exchange=exchange,
    )
