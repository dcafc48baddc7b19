"""The gates tested: each way to break the corpus is seen by the declared rows, and no other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.requirements import read_requirements
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.breaking import CORPUS_SABOTAGES, Copy, CorpusSabotage
from openwop_conformance.rulebook.sabotage import broken, copied, outcome_of
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import upstream_folder


def upstream() -> Upstream:
    return Upstream(Rulebook(corpus()), upstream_folder())


@pytest.fixture(scope="module")
def copy() -> Iterator[Copy]:
    """What one sabotage after the other breaks."""
    with copied(upstream()) as copy:
        yield copy


@pytest.mark.parametrize("name", CORPUS_SABOTAGES)
def test_a_sabotage_is_seen_where_it_is_declared_and_nowhere_else(copy: Copy, name: str) -> None:
    assert outcome_of(copy, CORPUS_SABOTAGES[name]).faults == ()


def test_each_sabotage_leaves_the_files_as_they_were(copy: Copy) -> None:
    def files() -> dict[Path, bytes]:
        places = (copy.folder, copy.evidence)
        paths = (path for place in places for path in place.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in paths}

    before = files()
    for sabotage in CORPUS_SABOTAGES.values():
        with copy.broken(sabotage.change):
            pass
    assert files() == before


def test_every_row_about_the_corpus_is_turned_red_alone_by_a_sabotage() -> None:
    alone = {s.red[0] for s in CORPUS_SABOTAGES.values() if len(s.red) == 1}
    rows = read_requirements(corpus().requirements).values()

    assert {row.id for row in rows if row.subject == "corpus"} == alone


def test_a_sabotage_says_what_it_breaks() -> None:
    for sabotage in CORPUS_SABOTAGES.values():
        assert sabotage.breaks.endswith("."), sabotage.name


def test_a_sabotage_that_changes_nothing_or_something_else_is_a_fault(copy: Copy) -> None:
    def nothing(copy: Copy) -> None:
        assert copy.folder.is_dir()

    def another(copy: Copy) -> None:
        copy.remove("fixtures/profile/closed/divider-axis-unknown.json")

    row = "openwop-conformance.corpus.ids-kept"
    idle = CorpusSabotage("idle", "Nothing.", nothing, (row,), ())
    assert outcome_of(copy, idle).faults == (f"{row} is not executed-fail",)

    wrong = CorpusSabotage("wrong", "A case is gone.", another, (row,), ())
    first, second = outcome_of(copy, wrong).faults
    assert first == f"{row} is not executed-fail"
    assert second.startswith("openwop-conformance.corpus.restrictions-guarded is executed-fail: ")


def test_a_name_that_is_none_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"^no sabotage of the corpus is called 'x'$"):
        next(broken(upstream(), ["x"]))
