"""Every restriction has a case that would miss it; every permission is made use of."""

from __future__ import annotations

import pytest

from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.rulebook.gates import Check
from openwop_conformance.rulebook.lifting import Grain, Lift
from openwop_conformance.schemas.shape import Visits

GUARDED = "openwop-conformance.corpus.restrictions-guarded"
COMPLETE = "openwop-conformance.corpus.positives-complete"


@pytest.fixture(scope="module")
def visits() -> dict[str, Visits]:
    """What the positives of each shape make use of, once it was looked into."""
    return {}


def visits_of(visits: dict[str, Visits], book: Rulebook, shape: str) -> Visits:
    """What the positives of a shape make use of."""
    if shape not in visits:
        instances = [case.instance for case in book.admitted(shape)]
        visits[shape] = Visits(book.shapes[shape], instances)
    return visits[shape]


@pytest.mark.row(COMPLETE)
@pytest.mark.parametrize("shape", ENTRIES)
def test_the_positives_use_all_that_is_allowed(
    check: Check, book: Rulebook, visits: dict[str, Visits], shape: str
) -> None:
    found = visits_of(visits, book, shape)
    for place in found.shape.nodes:
        unused = found.unused(places=[place])
        check(not unused, "no positive of {} uses {}", shape, ", ".join(unused))


@pytest.mark.row(GUARDED)
@pytest.mark.parametrize("shape", ENTRIES)
def test_no_restriction_can_be_lifted_unseen(
    check: Check, book: Rulebook, visits: dict[str, Visits], shape: str
) -> None:
    """Lift one at a time: a refused case is admitted, or something is allowed that nobody uses."""
    base = book.shapes[shape].check
    cases = [case for case in book.cases if case.refused and case.shape == shape]
    negatives = [case.instance for case in cases if not base.is_valid(case.instance)]
    survivors = 0
    for lift in book.lifts[shape]:
        lifted = book.without(shape, lift)
        seen = any(lifted.is_valid(negative) for negative in negatives)
        if not seen and lift.grain is Grain.WIDER:
            seen = _allows_more(book, visits_of(visits, book, shape), shape, lift)
        survivors += not seen
        check(seen, "{}: {} can be lifted, and nothing notices", shape, lift.name)
    check.note(f"{shape}: {len(book.lifts[shape])} restrictions lifted, {survivors} unseen")


def _allows_more(book: Rulebook, visits: Visits, shape: str, lift: Lift) -> bool:
    """Whether the lift allows something that no positive makes use of."""
    before = set(visits.unused(places=[lift.node]))
    after = set(visits.unused(lift.of(book.shapes[shape]), [lift.node]))
    return bool(after - before)
