"""The matrix of the host, through the command: every break is found, and where it is declared."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.sabotage.finding import by_name
from openwop_conformance.scenario.lint import load_all


def test_every_sabotage_turns_exactly_its_declared_rows_red_and_each_row_has_one() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "openwop_conformance", "sabotage", "--json", *SABOTAGES],
        capture_output=True,
        text=True,
        check=False,
        timeout=580,
    )
    assert run.stderr == ""
    matrix = json.loads(run.stdout)
    assert matrix["faults"] == []
    assert run.returncode == 0
    assert len(matrix["sabotages"]) == len(SABOTAGES) >= 30
    assert all(line["red"] == line["declared"] for line in matrix["sabotages"])
    alone = {line["red"][0] for line in matrix["sabotages"] if len(line["red"]) == 1}
    assert alone == {s.requirement for s in load_all(corpus()) if s.subject == "host"}


def test_no_two_sabotages_have_one_name() -> None:
    (first, *_) = SABOTAGES.values()
    with pytest.raises(ValueError, match=f"two sabotages '{first.name}'"):
        by_name([first, first])
