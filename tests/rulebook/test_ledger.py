"""The corpus ledger: rows of the gates alone, current, and never a host's."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import DocumentError, UsageError
from openwop_conformance.evidence.requirements import check_subjects, read_requirements
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import GateRow, GateRun, run_gates
from openwop_conformance.rulebook.ledger import corpus_ledger, stale, write_corpus_ledger
from openwop_conformance.rulebook.upstream import Upstream
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.schemas import problems, validator

from ..shared_data import upstream_folder

PASS = Disposition.PASS
ROW = Row("openwop-conformance.corpus.ids-kept", "coherence/test_x.py", PASS, 3)


@cache
def whole_run() -> tuple[GateRun, tuple[GateRow, ...]]:
    book = Rulebook(corpus())
    run = GateRun(book, Upstream(book, upstream_folder()))
    return run, run_gates(run)


def small_run() -> GateRun:
    book = Rulebook(corpus())
    return GateRun(book, Upstream(book))


def test_every_gate_is_kept_and_the_committed_ledger_says_so() -> None:
    run, rows = whole_run()

    assert [row.row.reason for row in rows if row.row.disposition is not PASS] == []
    assert all(row.row.assertions > 0 for row in rows)
    assert stale(corpus().corpus_ledger, corpus_ledger(run, rows)) == ""


def test_the_rows_are_those_of_the_requirements_about_the_corpus() -> None:
    committed = json.loads(corpus().corpus_ledger.read_text("utf-8"))
    rows = read_requirements(corpus().requirements).values()

    assert problems(validator("corpus-ledger"), committed) == []
    assert [row["id"] for row in committed["rows"]] == sorted(
        row.id for row in rows if row.subject == "corpus"
    )
    assert {row["disposition"] for row in committed["rows"]} == {"executed-pass"}


@pytest.mark.parametrize("row", ["openwop.requirement.0209.fold-guarded", "made.up"])
def test_a_row_of_a_host_cannot_enter_it(row: str) -> None:
    with pytest.raises(UsageError, match=r": it is no row of a corpus ledger$"):
        corpus_ledger(small_run(), [GateRow(Row(row, "host.v2.x", PASS, 1))])


def test_a_row_about_the_corpus_cannot_enter_a_host_s_ledger() -> None:
    found = read_requirements(corpus().requirements)
    (scenario,) = [s for s in load_all(corpus()) if s.id == "host.v2.family"]
    about_the_corpus = {**found, scenario.requirement: found[ROW.id]}

    check_subjects([scenario], found)
    with pytest.raises(DocumentError, match=r"is about a corpus, and the scenario about a host$"):
        check_subjects([scenario], about_the_corpus)
    with pytest.raises(DocumentError, match=r"no requirement 'openwop\.family\.a2uiSurface'$"):
        check_subjects([scenario], {})


def test_a_stale_ledger_is_told_by_its_first_difference(tmp_path: Path) -> None:
    document = corpus_ledger(small_run(), [GateRow(ROW)])
    path = tmp_path / "corpus-ledger.json"
    write_corpus_ledger(path, document)
    assert stale(path, document) == ""

    changed = json.loads(path.read_text("utf-8"))
    changed["rows"][0]["assertions"] = 4
    path.write_text(json.dumps(changed), "utf-8")
    assert stale(path, document) == "at '/rows/0/assertions': expected 3, got 4"


@pytest.mark.parametrize("text", ["", "[]", '{"rows": []}'])
def test_what_is_no_ledger_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, "utf-8")

    with pytest.raises(UsageError, match=str(path)):
        stale(path, corpus_ledger(small_run(), [GateRow(ROW)]))


def test_a_ledger_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r" cannot be written: "):
        write_corpus_ledger(tmp_path / "absent" / "x.json", {})
