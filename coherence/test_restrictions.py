"""Every restriction has a case that would miss it; every permission is made use of."""

from __future__ import annotations

import pytest

from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.rulebook.gates import Check

GUARDED = "openwop-conformance.corpus.restrictions-guarded"
COMPLETE = "openwop-conformance.corpus.positives-complete"


@pytest.mark.row(COMPLETE)
@pytest.mark.parametrize("shape", ENTRIES)
def test_the_positives_use_all_that_is_allowed(check: Check, book: Rulebook, shape: str) -> None:
    for unused in book.unused(shape).values():
        check(not unused, "no positive of {} uses {}", shape, ", ".join(unused))


@pytest.mark.row(GUARDED)
@pytest.mark.parametrize("shape", ENTRIES)
def test_no_restriction_can_be_lifted_unseen(check: Check, book: Rulebook, shape: str) -> None:
    """Lift one at a time: a refused case is admitted, or something is allowed that nobody uses."""
    unseen = book.unseen(shape)
    for lift in book.lifts[shape]:
        seen = lift.name not in unseen
        check(seen, "{}: {} can be lifted, and nothing notices", shape, lift.name)
    check.note(f"{shape}: {len(book.lifts[shape])} restrictions lifted, {len(unseen)} unseen")
