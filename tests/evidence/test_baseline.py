"""The baseline: what it takes for a known failure, which entries fail a run, what is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.engine.verdict import Disposition, Row, exit_code, verdict
from openwop_conformance.errors import DocumentError
from openwop_conformance.evidence.baseline import Baseline, Known, judge, read_baseline
from openwop_conformance.scenario.document import Position

PASS, FAIL, SKIPPED, INAPPLICABLE, BLOCKED = Disposition
TODAY = date(2026, 11, 30)
GOOD = """\
known:
- requirement: r.a
  reason: ticket 12
- requirement: r.b
  reason: the next release mends it
  expires: "2026-12-31"
"""
Write = Callable[[str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(text: str) -> Path:
        path = tmp_path / "known.yaml"
        path.write_text(text, "utf-8")
        return path

    return written


def row(name: str, disposition: Disposition) -> Row:
    return Row(name, f"of.{name}", disposition, 1, "" if disposition is PASS else "so it is")


def baseline(*names: str, expires: date | None = None) -> Baseline:
    known = (
        Known(name, "known", expires, Position("k.yaml", 2 + 2 * i, 16))
        for i, name in enumerate(names)
    )
    return Baseline("k.yaml", tuple(known))


# ------------------------------------------------------------------------------------- the file


def test_a_baseline_is_read_with_the_place_of_each_entry(write: Write) -> None:
    path = write(GOOD)
    found = read_baseline(path, {})

    assert found.path == str(path)
    assert [(k.requirement, k.reason, k.expires) for k in found.known] == [
        ("r.a", "ticket 12", None),
        ("r.b", "the next release mends it", date(2026, 12, 31)),
    ]
    assert [str(k.place) for k in found.known] == [f"{path}:2:16", f"{path}:4:16"]


def test_a_baseline_of_nothing_is_one(write: Write) -> None:
    assert read_baseline(write("known: []\n"), {}).known == ()


def test_an_entry_may_name_a_row_by_the_id_that_it_had(write: Write) -> None:
    found = read_baseline(write(GOOD), {"r.a": "r.new"})

    assert [k.requirement for k in found.known] == ["r.new", "r.b"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1:1: the file is empty"),
        ("known:\n", ":1:7: nothing stands here"),
        ("- r.a\n", ":1:1: "),
        ("knwon: []\n", ":1:1: "),
        (GOOD.replace("  reason: ticket 12\n", ""), ':2:3: "reason" is a required property'),
        (GOOD.replace("ticket 12", '"  "'), ":3:11: "),
        (GOOD.replace("r.a", "fold guarded"), ":2:16: "),
        (GOOD.replace("reason: ticket", "raeson: ticket"), ":2:3: "),
        (GOOD.replace('"2026-12-31"', "2026-12-31"), ":6:12: '2026-12-31' would be read as time"),
        (GOOD.replace("2026-12-31", "2026-02-30"), ':6:12: "2026-02-30" is not a "date"'),
        (GOOD.replace("2026-12-31", "31.12.2026"), ':6:12: "31.12.2026" is not a "date"'),
        (GOOD.replace("2026-12-31", "20261231"), ':6:12: "20261231" is not a "date"'),
        (GOOD.replace("r.b", "r.a"), ":4:16: r.a is already listed in line 2"),
        (GOOD + "known: []\n", ":7:1: duplicate key 'known'"),
    ],
    ids=str,
)
def test_a_file_that_is_no_baseline_is_refused_at_its_place(
    write: Write, text: str, said: str
) -> None:
    path = write(text)
    with pytest.raises(DocumentError) as caught:
        read_baseline(path, {})

    assert str(caught.value).startswith(f"{path}{said}")


def test_two_names_of_one_row_are_one_entry_too_many(write: Write) -> None:
    with pytest.raises(DocumentError, match=r":4:16: r\.b is already listed in line 2"):
        read_baseline(write(GOOD), {"r.a": "r.b"})


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DocumentError, match=r"gone\.yaml:1:1: No such file"):
        read_baseline(tmp_path / "gone.yaml", {})


# ------------------------------------------------------------------------------------ judging


@pytest.mark.parametrize(
    ("disposition", "fault"),
    [
        (PASS, "k.yaml:2:16: r.a passes now: remove the entry"),
        (FAIL, None),
        (SKIPPED, None),
        (INAPPLICABLE, "k.yaml:2:16: r.a does not bind this subject: remove the entry"),
        (BLOCKED, None),
    ],
)
def test_an_entry_is_stale_once_its_row_is_known_not_to_fail(
    disposition: Disposition, fault: str | None
) -> None:
    judged = judge(baseline("r.a"), [row("r.a", disposition), row("r.z", PASS)], set(), TODAY)

    assert [str(error) for error in judged.faults] == ([fault] if fault else [])
    assert judged.exit_code == (1 if fault else 3 if disposition is BLOCKED else 0)


def test_an_entry_without_a_row_is_wrong_unless_its_row_was_left_out() -> None:
    rows = [row("r.z", PASS)]
    judged = judge(baseline("r.a"), rows, set(), TODAY)

    assert [str(error) for error in judged.faults] == [
        "k.yaml:2:16: no row of this run is called r.a: correct the id, or remove the entry"
    ]
    assert judged.exit_code == 1
    assert judge(baseline("r.a"), rows, {"r.a"}, TODAY).exit_code == 0
    assert judge(baseline("r.a"), rows, {"r.b"}, TODAY).exit_code == 1


@pytest.mark.parametrize(
    ("expires", "code"),
    [(None, 0), (date(2026, 12, 1), 0), (TODAY, 0), (date(2026, 11, 29), 1)],
)
def test_an_entry_counts_until_the_end_of_its_last_day(expires: date | None, code: int) -> None:
    rows = [row("r.a", FAIL), row("r.z", PASS)]
    judged = judge(baseline("r.a", expires=expires), rows, set(), TODAY)

    assert judged.exit_code == code
    assert judged.known == (() if code else ("r.a",))
    assert judged.unknown == (("r.a",) if code else ())
    if code:
        assert [str(error) for error in judged.faults] == [
            "k.yaml:2:16: the entry for r.a expired on 2026-11-29: "
            "mend the rule, or renew the entry"
        ]


@pytest.mark.parametrize("disposition", [None, SKIPPED, BLOCKED])
def test_an_expired_entry_is_wrong_whatever_became_of_its_row(
    disposition: Disposition | None,
) -> None:
    rows = [row("r.a", disposition)] if disposition else []
    judged = judge(baseline("r.a", expires=date(2026, 1, 1)), rows, {"r.a"}, TODAY)

    assert len(judged.faults) == 1
    assert judged.exit_code == 1


BROKEN = "Not conformant: {} broken, {} (baseline k.yaml){}."


@pytest.mark.parametrize(
    ("failing", "listed", "blocked", "said", "code"),
    [
        (1, 1, 0, BROKEN.format("1 rule is", "and it is known", ""), 0),
        (2, 2, 0, BROKEN.format("2 rules are", "both known", ""), 0),
        (3, 3, 0, BROKEN.format("3 rules are", "all of them known", ""), 0),
        (3, 1, 0, BROKEN.format("3 rules are", "1 of them known", ""), 1),
        (3, 0, 0, BROKEN.format("3 rules are", "none of them known", ""), 1),
        (1, 0, 0, BROKEN.format("1 rule is", "and it is not known", ""), 1),
        (2, 2, 1, BROKEN.format("2 rules are", "both known", "; 1 rule was not witnessed"), 3),
        (2, 2, 2, BROKEN.format("2 rules are", "both known", "; 2 rules were not witnessed"), 3),
        (
            2,
            1,
            2,
            BROKEN.format("2 rules are", "1 of them known", "; 2 rules were not witnessed"),
            1,
        ),
    ],
)
def test_the_verdict_says_how_many_of_the_broken_rules_are_known(
    failing: int, listed: int, blocked: int, said: str, code: int
) -> None:
    failed = [row(f"r.f{i}", FAIL) for i in range(failing)]
    rows = [*failed, *(row(f"r.b{i}", BLOCKED) for i in range(blocked))]
    judged = judge(baseline(*(r.id for r in failed[:listed])), rows, set(), TODAY)

    assert (judged.verdict, judged.exit_code) == (said, code)


def test_wrong_entries_are_part_of_the_verdict() -> None:
    rows = (row("r.a", PASS), row("r.b", PASS))
    one = judge(baseline("r.a"), rows, set(), TODAY)
    two = judge(baseline("r.a", "r.b"), rows, set(), TODAY)

    assert one.verdict == f"{verdict(rows)} The baseline k.yaml is wrong in 1 entry."
    assert two.verdict == f"{verdict(rows)} The baseline k.yaml is wrong in 2 entries."


@given(st.lists(st.sampled_from(Disposition), max_size=6))
def test_a_baseline_of_nothing_changes_nothing(dispositions: list[Disposition]) -> None:
    rows = tuple(row(f"r.{i}", d) for i, d in enumerate(dispositions))
    judged = judge(baseline(), rows, set(), TODAY)

    assert judged.exit_code == exit_code(rows)
    assert judged.rows == rows
    if FAIL not in dispositions:
        assert judged.verdict == verdict(rows)


def test_exit_0_needs_every_failure_known_every_entry_right_and_nothing_blocked() -> None:
    for dispositions in product(Disposition, repeat=3):
        for listed in product((False, True), repeat=3):
            rows = [row(f"r.{i}", d) for i, d in enumerate(dispositions)]
            names = [r.id for r, on in zip(rows, listed, strict=True) if on]
            judged = judge(baseline(*names), rows, set(), TODAY)

            unknown = any(r.disposition is FAIL and r.id not in names for r in rows)
            stale = any(r.disposition in (PASS, INAPPLICABLE) and r.id in names for r in rows)
            if unknown or stale:
                assert judged.exit_code == 1
            elif BLOCKED in dispositions or not {PASS, FAIL} & set(dispositions):
                assert judged.exit_code == 3
            else:
                assert judged.exit_code == 0


def test_json_is_yaml_too(write: Write) -> None:
    text = json.dumps({"known": [{"requirement": "r.a", "reason": "ä", "expires": "2027-01-01"}]})

    assert read_baseline(write(text), {}).known[0].expires == date(2027, 1, 1)
