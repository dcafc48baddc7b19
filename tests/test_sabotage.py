"""The whole matrix, through the command: every break is found, and found where it is declared."""

from __future__ import annotations

import json
import subprocess
import sys

from openwop_conformance.reference.sabotage import SABOTAGES


def test_every_sabotage_turns_exactly_its_declared_rows_red() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "openwop_conformance", "sabotage", "--json"],
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
