"""The run as one JSON document: whole, readable by a program, and harmless on a terminal."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import digest
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reports.jsonfile import JsonReport
from tests.report_events import HEADER, HOSTILE, MEANT_ILL, WHOLE, tell


def test_a_run_is_one_document_with_its_header_rows_and_failures(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.json"
    tell(JsonReport(path, HEADER), WHOLE)

    found: Any = parse(path.read_bytes())
    rows = WHOLE[-1].rows  # type: ignore[union-attr]
    assert list(found) == [
        "suite",
        "corpus",
        "subject",
        "seed",
        "leftOut",
        "dialect",
        "exitCode",
        "counts",
        "sha256",
        "rows",
        "failures",
    ]
    of_header = ("suite", "corpus", "subject", "seed", "leftOut", "dialect")
    assert {name: found[name] for name in of_header} == {
        name: value for name, value in HEADER.as_json().items() if name != "record"
    }
    assert found["exitCode"] == 1
    assert found["counts"] == {
        "executed-pass": 1,
        "executed-fail": 1,
        "skipped": 1,
        "inapplicable": 2,
        "blocked": 1,
    }
    assert found["sha256"] == digest(rows)
    assert found["rows"] == [row.as_json() for row in rows]
    assert len(found["failures"]) == 7
    assert found["failures"][0] == {
        "id": "rows.broken",
        "message": "admitted what has to be refused",
        "place": "scenarios/host/v2/broken.yaml:12:3",
        "because": "createSurface on a live surface",
        "case": "profile/x.json",
        "expected": "refused (envelope_invalid, rule fold)",
        "got": '201 {"sequence": 6}',
    }
    assert found["failures"][1] == {
        "id": "rows.broken",
        "message": "no answer: no answer in 10 s",
        "place": "scenarios/b.yaml:13:3",
    }


def test_without_a_file_the_document_goes_to_standard_output(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell(JsonReport(None, HEADER), WHOLE)

    out, err = capsys.readouterr()
    assert out.endswith("}\n")
    assert parse(out)["exitCode"] == 1
    assert err == ""


def test_what_a_subject_says_is_kept_and_is_no_control(capsys: pytest.CaptureFixture[str]) -> None:
    tell(JsonReport(None, HEADER), MEANT_ILL)

    out = capsys.readouterr().out
    assert all(" " <= c <= "~" for c in out.replace("\n", ""))
    assert parse(out)["failures"][0]["got"] == HOSTILE


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        tell(JsonReport(tmp_path / "file" / "report.json", HEADER), WHOLE)
