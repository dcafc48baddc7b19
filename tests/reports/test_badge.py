"""The badge: the verdict in two words, as shields.io reads it, and never a score."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.reports.badge import BadgeReport
from tests.report_events import HEADER, MEANT_ILL, WHOLE, events, tell

PASS, FAIL, SKIPPED = Disposition.PASS, Disposition.FAIL, Disposition.SKIPPED
BLOCKED, INAPPLICABLE = Disposition.BLOCKED, Disposition.INAPPLICABLE


def badge(folder: Path, *found: Disposition, left_out: int = 0) -> JsonValue:
    path = folder / "new" / "badge.json"
    results = [(f"n{n}", d, "" if d is PASS else "so it is", ()) for n, d in enumerate(found)]
    tell(BadgeReport(path, {}, replace(HEADER, left_out=left_out)), events(*results))
    return parse(path.read_bytes())


@pytest.mark.parametrize(
    ("found", "message", "colour"),
    [
        ([PASS, PASS, INAPPLICABLE], "conformant", "brightgreen"),
        ([PASS, FAIL, BLOCKED], "1 broken", "red"),
        ([FAIL, FAIL, FAIL], "3 broken", "red"),
        ([PASS, BLOCKED], "incomplete", "yellow"),
        ([INAPPLICABLE], "incomplete", "yellow"),
    ],
)
def test_a_badge_is_the_verdict_in_two_words(
    tmp_path: Path, found: list[Disposition], message: str, colour: str
) -> None:
    assert badge(tmp_path, *found) == {
        "schemaVersion": 1,
        "label": "A2UI conformance",
        "message": message,
        "color": colour,
    }


@pytest.mark.parametrize(("found", "left_out"), [([PASS], 1), ([PASS, SKIPPED], 0)])
def test_a_badge_of_some_rules_alone_says_so(
    tmp_path: Path, found: list[Disposition], left_out: int
) -> None:
    shown = badge(tmp_path, *found, left_out=left_out)
    assert (shown["label"], shown["message"]) == ("A2UI conformance, in part", "conformant")


@pytest.mark.parametrize("told", [WHOLE, MEANT_ILL], ids=["whole", "ill"])
def test_no_word_of_a_subject_and_no_ratio_is_on_a_badge(
    told: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    tell(BadgeReport(None, {}, HEADER), told)  # type: ignore[arg-type]

    out = capsys.readouterr().out
    assert re.fullmatch(r'[A-Za-z0-9 ,:"{}\n]+', out)
    assert parse(out)["message"] == "1 broken"
