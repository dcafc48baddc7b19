"""The durability rung that a bundle's rows support (RFC 0158 §E): arithmetic over signed rows."""

from __future__ import annotations

from typing import Any, Final

DERIVABLE: Final = "durable-single-instance"
"""The one rung that rows can support in this revision."""
_PREFIX: Final = "openwop.requirement.0158."
_KILLS: Final = ("kill-after-accept", "kill-during-execution")
_ROWS: Final = (*_KILLS, "duplicate-delivery", "poison-exhaustion", "bound-is-derived")


def rung_fault(rung: str, rows: list[dict[str, Any]]) -> str | None:
    """Why the rows do not support a rung, or ``None`` when they do."""
    if rung != DERIVABLE:
        return f"only {DERIVABLE} can be derived"
    found = {row["id"]: row for row in rows}
    for name in _ROWS:
        row = found.get(_PREFIX + name)
        if row is None or row["result"] != "executed-pass":
            return f"{name} does not pass"
    listed = found[_PREFIX + "bound-is-derived"].get("evidence", {}).get("recoveryBounds", [])
    bounds = {entry["class"]: entry["bound"] for entry in listed}
    if len(bounds) != len(listed):
        return "a recovery class is bounded twice"
    for entry in listed:
        if entry["bound"] != sum(term["ms"] for term in entry["terms"]):
            return f"the bound of {entry['class']} is not the sum of its terms"
    for name in _KILLS:
        recovery = found[_PREFIX + name].get("evidence", {}).get("recovery")
        if recovery is None:
            return f"{name} has no recovery evidence"
        if bounds.get(recovery["class"]) != recovery["boundMs"]:
            return f"{name} was held to a bound that its class does not declare"
        if recovery["observedMs"] > recovery["boundMs"]:
            return f"{name} recovered outside its bound"
    return None
