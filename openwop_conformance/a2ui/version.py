"""Which branch of the schema an envelope's version selects (RFC 0209 §A.1, §A.3)."""

from __future__ import annotations

from typing import Literal

from ..errors import Violation
from .catalog import Branch

Strictness = Literal["warn", "strict"]


def select_branch(emitted: int | None, floor: int, strictness: Strictness) -> Branch:
    """The one branch to validate against, for a host that advertises ``floor``.

    ``emitted`` is the envelope's ``schemaVersion``; absent counts as 0. Above the floor is refused
    whatever the strictness; below it, ``strict`` refuses and ``warn`` validates against what is
    advertised. Raises ``Violation`` with rule ``version`` and code ``unknown_schema_version``.
    """
    version = emitted or 0
    if version > floor:
        raise Violation(
            "version",
            f"schemaVersion {version} is above the advertised {floor}",
            path="/schemaVersion",
            code="unknown_schema_version",
        )
    if version < floor and strictness == "strict":
        raise Violation(
            "version",
            f"schemaVersion {version} is below the advertised {floor}, and strictness is strict",
            path="/schemaVersion",
            code="unknown_schema_version",
        )
    return 2 if floor >= 2 else 1
