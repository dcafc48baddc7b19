"""Which branch a version selects, for every floor and strictness (RFC 0209 §A.1, §A.3)."""

from __future__ import annotations

import pytest

from openwop_conformance.a2ui.version import Strictness, select_branch
from openwop_conformance.errors import Violation

ABOVE, BELOW = "above the advertised", "below the advertised"


@pytest.mark.parametrize(
    ("emitted", "floor", "warn", "strict"),
    [
        (None, 0, 1, 1),
        (0, 0, 1, 1),
        (1, 0, ABOVE, ABOVE),
        (2, 0, ABOVE, ABOVE),
        (None, 1, 1, BELOW),
        (0, 1, 1, BELOW),
        (1, 1, 1, 1),
        (2, 1, ABOVE, ABOVE),
        (None, 2, 2, BELOW),
        (0, 2, 2, BELOW),
        (1, 2, 2, BELOW),
        (2, 2, 2, 2),
        (3, 2, ABOVE, ABOVE),
    ],
)
@pytest.mark.parametrize("strictness", ["warn", "strict"])
def test_a_version_selects_one_branch_or_is_refused(
    emitted: int | None, floor: int, warn: int | str, strict: int | str, strictness: Strictness
) -> None:
    expected = warn if strictness == "warn" else strict
    if isinstance(expected, int):
        assert select_branch(emitted, floor, strictness) == expected
        return
    with pytest.raises(Violation, match=expected) as refusal:
        select_branch(emitted, floor, strictness)
    assert refusal.value.rule == "version"
    assert refusal.value.code == "unknown_schema_version"
    assert refusal.value.path == "/schemaVersion"
