"""The run as one JSON document: whole, of its schema, and harmless on a terminal."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition, Event, Failure, RunFinished
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import digest
from openwop_conformance.jsonvalue import parse
from openwop_conformance.reports.jsonfile import JsonReport
from openwop_conformance.schemas import problems, validator
from tests.report_events import HEADER, HOSTILE, MEANT_ILL, REQUIREMENTS, WHOLE, events, tell


def test_a_run_is_one_document_with_its_header_rows_and_failures(tmp_path: Path) -> None:
    path = tmp_path / "new" / "report.json"
    tell(JsonReport(path, REQUIREMENTS, HEADER), WHOLE)

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
    tell(JsonReport(None, REQUIREMENTS, HEADER), WHOLE)

    out, err = capsys.readouterr()
    assert out.endswith("}\n")
    assert parse(out)["exitCode"] == 1
    assert err == ""


def test_what_a_subject_says_is_kept_and_is_no_control(capsys: pytest.CaptureFixture[str]) -> None:
    tell(JsonReport(None, REQUIREMENTS, HEADER), MEANT_ILL)

    out = capsys.readouterr().out
    assert all(" " <= c <= "~" for c in out.replace("\n", ""))
    assert parse(out)["failures"][0]["got"] == HOSTILE


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        tell(JsonReport(tmp_path / "file" / "report.json", REQUIREMENTS, HEADER), WHOLE)


# ------------------------------------------------------------------------------- the schema

DIALECT = {"seam": "payload", "seamStatus": 201}
MEASURED = [{"work": "w", "n": 1, "unit": "seconds", "costs": [1, 2, 4], "exponent": 1.0}]


def measured() -> tuple[Event, ...]:
    """A run with all that a report seldom has."""
    failure = Failure("m", "f:1:1", "b", "e", "g", "c", None, "scenario: x")
    *before, over = events(("one", Disposition.FAIL, "so it is", [failure]))
    assert isinstance(over, RunFinished)
    rows = tuple(replace(row, measured=MEASURED) for row in over.rows)
    return (*before, replace(over, rows=rows, dialect=DIALECT))


@pytest.mark.parametrize("told", [WHOLE, MEANT_ILL, measured()], ids=["whole", "ill", "measured"])
@pytest.mark.parametrize(
    "header", [HEADER, replace(HEADER, kind="sdk", resumed=(8, 9), left_out=3)], ids=["host", "sdk"]
)
def test_every_report_is_of_the_schema(
    told: tuple[Event, ...], header: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(JsonReport(None, REQUIREMENTS, header), told)

    assert problems(validator("report"), parse(capsys.readouterr().out)) == []


@pytest.mark.parametrize(
    ("spoil", "where"),
    [
        (lambda report: report.pop("sha256"), ""),
        (lambda report: report.update(score=0.9), ""),
        (lambda report: report.update(exitCode=2), "/exitCode"),
        (lambda report: report["counts"].pop("blocked"), "/counts"),
        (lambda report: report["counts"].update(passed=1), "/counts"),
        (lambda report: report["counts"].update(blocked=-1), "/counts/blocked"),
        (lambda report: report["rows"][0].pop("reason"), "/rows/0"),
        (lambda report: report["rows"][4].update(reason="none"), "/rows/4/reason"),
        (lambda report: report["rows"][4].update(assertions=0), "/rows/4/assertions"),
        (lambda report: report["failures"][0].pop("place"), "/failures/0"),
        (lambda report: report["failures"][0].update(case=None), "/failures/0/case"),
    ],
)
def test_the_schema_sees_what_is_no_report(
    spoil: Callable[[Any], object], where: str, capsys: pytest.CaptureFixture[str]
) -> None:
    tell(JsonReport(None, REQUIREMENTS, HEADER), WHOLE)
    report = parse(capsys.readouterr().out)
    spoil(report)

    assert where in [problem.path for problem in problems(validator("report"), report)]
