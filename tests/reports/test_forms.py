"""All forms of a report: made alike, fed alike, and none of them lets a subject write its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from openwop_conformance.cli import parser
from openwop_conformance.errors import UsageError
from openwop_conformance.reports.forms import FORMS
from tests.report_events import HEADER, MEANT_ILL, REQUIREMENTS, WHOLE, tell

MOMENT: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


@pytest.mark.parametrize("form", FORMS)
def test_a_report_is_the_same_in_a_new_file_and_on_standard_output(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "new" / "report"
    for where in (path, path, None):
        tell(FORMS[form](where, REQUIREMENTS, HEADER), WHOLE)

    printed, written = (
        MOMENT.sub("now", text) for text in (capsys.readouterr().out, path.read_text("utf-8"))
    )
    assert printed == written != ""


@pytest.mark.parametrize("form", FORMS)
def test_a_report_that_cannot_be_written_is_an_error(form: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    report = FORMS[form](tmp_path / "file" / "report", REQUIREMENTS, HEADER)

    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        tell(report, WHOLE)


@pytest.mark.parametrize("form", FORMS)
def test_no_control_of_a_subject_is_in_any_report(form: str, tmp_path: Path) -> None:
    tell(FORMS[form](tmp_path / "report", REQUIREMENTS, HEADER), MEANT_ILL)

    text = (tmp_path / "report").read_text("utf-8")
    assert all(c.isprintable() for c in text.replace("\n", ""))


def test_the_help_of_a_run_names_every_form(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["run", "--help"])

    told = " ".join(capsys.readouterr().out.split())
    *most, last = FORMS
    assert f"write a report as well: {', '.join(most)} or {last};" in told
