"""The Markdown page, to the letter, and what a subject cannot make of it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from openwop_conformance.engine.verdict import Disposition, Event, Failure
from openwop_conformance.errors import UsageError
from openwop_conformance.reports.markdown import MarkdownReport
from tests.report_events import MEANT_ILL, REQUIREMENTS, WHOLE, events, tell


def written(folder: Path, told: tuple[Event, ...]) -> str:
    path = folder / "new" / "report.md"
    tell(MarkdownReport(path, REQUIREMENTS, "1.2.3"), told)
    return path.read_text("utf-8")


FEWER = events(
    ("kept", Disposition.PASS, "", ()),
    (
        "broken",
        Disposition.FAIL,
        "admitted what has to be refused",
        [
            Failure(
                "admitted what has to be refused",
                "scenarios/host/v2/broken.yaml:12:3",
                because="createSurface on a live surface",
                expected="refused (envelope_invalid)",
                got='201 {"sequence": 6}',
            )
        ],
    ),
    ("gone", Disposition.BLOCKED, "no key was given", ()),
    ("left", Disposition.SKIPPED, "opted out", ()),
)
SNAPSHOT = """\
# openwop-conformance: http://127.0.0.1:8080

**Not conformant: 1 rule is broken.**

Suite 1.2.3, digest of the rows `DIGEST`.

## The title of broken

`rows.broken`

- admitted what has to be refused
  - rule: createSurface on a live surface
  - expected: refused (envelope\\_invalid)
  - got: 201 {"sequence": 6}
  - at: scenarios/host/v2/broken.yaml:12:3

| requirement | outcome | assertions | rule or reason |
|---|---|---|---|
| `rows.broken` | executed-fail | 3 | admitted what has to be refused |
| `rows.gone` | blocked | 0 | no key was given |
| `rows.kept` | executed-pass | 3 | The rule of kept. |
| `rows.left` | skipped | 0 | opted out |
"""


def test_a_run_is_written_to_the_letter(tmp_path: Path) -> None:
    text = written(tmp_path, FEWER)

    assert re.sub("[0-9a-f]{64}", "DIGEST", text) == SNAPSHOT


@pytest.mark.parametrize(
    ("disposition", "verdict"),
    [(Disposition.PASS, "Conformant"), (Disposition.BLOCKED, "Incomplete")],
)
def test_the_verdict_stands_at_the_top(
    tmp_path: Path, disposition: Disposition, verdict: str
) -> None:
    reason = "" if disposition is Disposition.PASS else "so it is"

    text = written(tmp_path, events(("one", disposition, reason, ())))
    assert text.splitlines()[2].startswith(f"**{verdict}: ")


def test_nothing_that_a_subject_says_is_markdown_html_or_control(tmp_path: Path) -> None:
    text = written(tmp_path, MEANT_ILL)
    said = text.partition("- ")[2]

    assert all(c.isprintable() for c in text.replace("\n", ""))
    for mark in ("`", "*", "_", "[", "]", "<", ">", "#", "~", "$", "&", "@"):
        ours = {"`": r"`rows\.(ill|shut)`"}.get(mark, r"(?!)")
        bare = re.findall(rf"(?<!\\){re.escape(mark)}", re.sub(ours, "", said))
        assert bare == [], mark
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        text.splitlines()[0],
        "## The title of ill",
    ]
    table = text.splitlines()[-4:]
    assert [len(re.findall(r"(?<!\\)\|", line)) for line in table] == [5] * 4


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("- item", r"\- item"),
        ("+ item", r"\+ item"),
        ("12. item", r"12\. item"),
        ("3) item", r"3\) item"),
        ("# head", r"\# head"),
        ("> quote", r"\> quote"),
        (r"a \| b", r"a \\\| b"),
        ("  two  \n lines ", "two lines"),
        ("plain, with - and . in it", "plain, with - and . in it"),
    ],
)
def test_a_reason_begins_no_block_and_ends_no_cell(tmp_path: Path, said: str, shown: str) -> None:
    text = written(
        tmp_path, events(("x", Disposition.FAIL, said, [Failure(said, "scenarios/x.yaml:1:1")]))
    )

    assert f"\n- {shown}\n" in text
    assert text.endswith(f"| {shown} |\n")


def test_a_report_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    report = MarkdownReport(tmp_path / "file" / "report.md", {}, "1.2.3")

    with pytest.raises(UsageError, match=r"^the report cannot be written: "):
        tell(report, WHOLE)
