"""Every rule is witnessed and can be broken, or says why not; and no id changes unseen."""

from __future__ import annotations

import pytest

from openwop_conformance.evidence.requirements import (
    citations,
    read_clauses,
    read_ids,
    read_requirements,
)
from openwop_conformance.reference.sabotage.names import SABOTAGES_OF
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.breaking import CORPUS_SABOTAGES
from openwop_conformance.rulebook.gates import Check, GateRun

WITNESSED = pytest.mark.row("openwop-conformance.corpus.requirements-witnessed")
KEPT = pytest.mark.row("openwop-conformance.corpus.ids-kept")


@WITNESSED
def test_each_requirement_is_witnessed_in_one_way_or_says_why_not(
    check: Check, run: GateRun
) -> None:
    rows = read_requirements(run.book.corpus.requirements)
    asked = {scenario.requirement for scenario in run.book.scenarios}
    for row in rows.values():
        ways = [row.id in asked, row.id in run.gates, bool(row.not_yet)]
        text = "{}: is witnessed by {} of a scenario, a gate and a reason why not"
        check(sum(ways) == 1, text, row.id, sum(ways))
        check((row.witness == "corpus") is (row.subject == "corpus"), "{}: {}", row.id, row.witness)
        unwitnessed = row.witness != "unwitnessable" or row.not_yet
        check(unwitnessed, "{}: is unwitnessable, and says not why", row.id)


@WITNESSED
def test_each_scenario_and_each_gate_fills_a_row_of_its_own_subject(
    check: Check, run: GateRun
) -> None:
    rows = read_requirements(run.book.corpus.requirements)
    for scenario in run.book.scenarios:
        row = rows.get(scenario.requirement)
        if check(row, "{}: no requirement {}", scenario.id, scenario.requirement) and row:
            same = (row.rule, row.source) == (f"{scenario.title}.", scenario.source)
            check(same, "{}: scenario and requirement say different things", scenario.id)
            fits = row.subject == scenario.subject
            check(fits, "{}: is about a {}, its row is not", scenario.id, scenario.subject)
    for name in run.gates:
        about = rows[name].subject if name in rows else "nothing"
        check(about == "corpus", "{}: a gate's row is about {}", name, about)


@WITNESSED
def test_each_witnessed_row_has_a_sabotage(check: Check, run: GateRun) -> None:
    for scenario in run.book.scenarios:
        unknown = [n for n in scenario.sabotage if n not in SABOTAGES_OF[scenario.subject]]
        check(scenario.sabotage, "{}: nothing breaks it", scenario.id)
        check(not unknown, "{}: no sabotage is called {}", scenario.id, unknown)
    for name in run.gates:
        alone = [s for s in CORPUS_SABOTAGES.values() if s.red == (name,)]
        check(alone, "{}: no sabotage of the corpus turns it red alone", name)


@WITNESSED
def test_every_clause_of_every_document_is_a_requirement(check: Check, book: Rulebook) -> None:
    clauses = read_clauses(book.corpus.requirements)
    cited: set[tuple[str, str]] = set()
    for row in read_requirements(book.corpus.requirements).values():
        for document, clause in citations(row.source):
            cited.add((document, clause))
            known = document not in clauses or clause in clauses[document]
            check(known, "{}: {} has no clause {}", row.id, document, clause)
    for document, names in clauses.items():
        for clause in names:
            check((document, clause) in cited, "no requirement cites {} §{}", document, clause)


@KEPT
def test_no_id_comes_or_goes_unseen(check: Check, book: Rulebook) -> None:
    current = read_requirements(book.corpus.requirements).keys()
    ids = read_ids(book.corpus.ids)
    for name in current:
        check(name in ids.issued, "{}: is new, and not among the issued ids", name)
        check(name not in ids.aliases, "{}: is in use, and has an alias", name)
    for name in sorted(ids.issued - current):
        check(name in ids.aliases, "{}: was issued, is gone, and has no alias", name)
    for old, new in ids.aliases.items():
        check(old in ids.issued, "{}: has an alias, and was never issued", old)
        check(new in current, "{}: its alias {} is no requirement", old, new)
