"""Every fixture is judged by a gate, or sent by a scenario. (Runs after the gates that judge.)"""

from __future__ import annotations

import pytest

from openwop_conformance.rulebook.gates import Check, GateRun


@pytest.mark.row("openwop-conformance.corpus.fixtures-used")
def test_every_fixture_is_used(check: Check, run: GateRun) -> None:
    sent = {
        step.case
        for scenario in run.book.scenarios
        for step in scenario.steps
        if step.case is not None
    }
    for case in run.book.cases:
        used = case.name in run.book.judged or case.name in sent
        check(used, "{}: no gate judges it, and no scenario sends it", case.name)
    for case in run.book.cases:
        if case.refused:
            reason = case.restriction or case.rule in ("kind", *EQUALITIES)
            check(reason, "{}: names no restriction", case.name)
    both = len(run.book.judged & sent)
    check.note(f"{len(run.book.cases)} fixtures, {both} of them judged here and sent to hosts")


EQUALITIES = ("surface-id-equality", "catalog-equality")
