"""Two recordings compared: every pair of dispositions, renamed rows, runs that died, bundles."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.difference import (
    Change,
    Difference,
    Kind,
    compare,
    current_id,
    kind_of,
)
from openwop_conformance.evidence.ledger import Header, write_ledger
from openwop_conformance.evidence.sides import NO_ROW, Side, read_side
from tests.shared_data import shared

PASS, FAIL, SKIPPED, INAPPLICABLE, BLOCKED = Disposition

NAMED = """
              pass               fail       skipped            inapplicable       blocked
pass          same               regressed  opted out          no longer binds    newly blocked
fail          fixed              same       opted out          no longer binds    newly blocked
skipped       newly kept         broken     same               no longer binds    newly blocked
inapplicable  newly kept         broken     opted out          same               newly blocked
blocked       no longer blocked  broken     no longer blocked  no longer blocked  same
"""
WORSE = {(PASS, now) for now in (FAIL, SKIPPED, INAPPLICABLE, BLOCKED)} | {
    (was, FAIL) for was in (PASS, SKIPPED, INAPPLICABLE, BLOCKED)
}


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("  ") if cell.strip()]


def row(name: str, disposition: Disposition, reason: str = "so it is") -> Row:
    return Row(name, f"of.{name}", disposition, 1, "" if disposition is PASS else reason)


def side_of(*rows: Row, **other: Any) -> Side:
    by_id = {one.id: one for one in rows}
    return replace(Side("F", "ledger", "suite 1", "c", "reference", by_id), **other)


def only(difference: Difference) -> Change:
    (change,) = difference.changes
    return change


# --------------------------------------------------------------------------------- the table


def test_each_of_the_25_pairs_has_the_name_that_the_table_gives_it() -> None:
    lines = [cells(line) for line in NAMED.strip("\n").splitlines()]
    named = {
        (line[0], now): name
        for line in lines[1:]
        for now, name in zip(lines[0], line[1:], strict=True)
    }
    said = {
        (short(was), short(now)): str(kind_of(was, now))
        for was, now in product(Disposition, repeat=2)
    }

    assert len(said) == 25
    assert said == named


def short(disposition: Disposition) -> str:
    return str(disposition).removeprefix("executed-")


@pytest.mark.parametrize(("was", "now"), list(product(Disposition, repeat=2)))
def test_worse_is_a_pass_that_is_lost_or_a_failure_that_was_not_there(
    was: Disposition, now: Disposition
) -> None:
    found = compare(side_of(row("r.a", was)), side_of(row("r.a", now)), {})

    assert (len(found.worse) == 1) is ((was, now) in WORSE)
    assert len(found.changes) + found.same == 1
    assert (found.same == 1) is (was is now)


@pytest.mark.parametrize("one", Disposition)
def test_a_row_on_one_side_appeared_or_vanished(one: Disposition) -> None:
    appeared = only(compare(side_of(), side_of(row("r.a", one)), {}))
    vanished = only(compare(side_of(row("r.a", one)), side_of(), {}))

    assert (appeared.kind, appeared.worse) == (Kind.APPEARED, one is FAIL)
    assert (vanished.kind, vanished.worse) == (Kind.VANISHED, one is PASS)


@pytest.mark.parametrize("one", [d for d in Disposition if d is not PASS])
def test_another_reason_is_a_change_and_not_a_worse_one(one: Disposition) -> None:
    before, after = side_of(row("r.a", one, "x")), side_of(row("r.a", one, "y"))
    change = only(compare(before, after, {}))

    assert (change.kind, change.worse) == (Kind.REASON, False)


def test_how_many_assertions_a_pass_took_is_no_difference() -> None:
    after = side_of(replace(row("r.a", PASS), assertions=9, scenario="another"))

    assert compare(side_of(row("r.a", PASS)), after, {}).changes == ()


ROWS = st.dictionaries(
    st.sampled_from([f"r.{letter}" for letter in "abcdef"]),
    st.tuples(st.sampled_from(Disposition), st.sampled_from("xy")),
)


def made(drawn: dict[str, tuple[Disposition, str]], died: bool) -> Side:
    return side_of(*(row(name, *rest) for name, rest in drawn.items()), died=died)


@given(ROWS, st.booleans())
def test_nothing_differs_from_itself(drawn: dict[str, Any], died: bool) -> None:
    one = made(drawn, died)

    assert compare(one, one, {}) == Difference(one, one, (), len(drawn))


@given(ROWS, ROWS, st.booleans(), st.booleans())
def test_every_row_is_counted_once_and_nothing_is_lost_in_silence(
    was: dict[str, Any], now: dict[str, Any], one_died: bool, other_died: bool
) -> None:
    found = compare(made(was, one_died), made(now, other_died), {})
    ids = [change.id for change in found.changes]

    assert len(ids) == len(set(ids))
    assert len(ids) + found.same == len(was.keys() | now.keys())
    for name in was.keys() | now.keys():
        before, after = (side.get(name, (None,))[0] for side in (was, now))
        lost = before is PASS and after is not PASS
        red = after is FAIL and before is not FAIL
        assert (name in [change.id for change in found.worse]) is (lost or red)


def test_changes_stand_by_kind_the_worse_first_then_by_id() -> None:
    was = [row("r.a", FAIL), row("r.b", PASS), row("r.c", PASS), row("r.d", FAIL)]
    now = [row("r.a", BLOCKED), row("r.b", BLOCKED), row("r.c", FAIL), row("r.d", PASS)]
    found = compare(side_of(*was), side_of(*now), {})

    assert [(change.id, str(change.kind)) for change in found.changes] == [
        ("r.c", "regressed"),
        ("r.b", "newly blocked"),
        ("r.a", "newly blocked"),
        ("r.d", "fixed"),
    ]


# ------------------------------------------------------------------------------------- names


def test_a_renamed_row_is_one_row() -> None:
    aliases = {"r.old": "r.mid", "r.mid": "r.new"}
    change = only(compare(side_of(row("r.old", PASS)), side_of(row("r.new", FAIL)), aliases))

    assert (change.id, change.former_id, change.kind) == ("r.new", "r.old", Kind.REGRESSED)
    back = compare(side_of(row("r.new", PASS)), side_of(row("r.old", PASS)), aliases)
    assert (back.changes, back.same) == ((), 1)


def test_a_new_name_that_is_taken_leaves_the_row_its_own() -> None:
    aliases = {"r.old": "r.new", "r.older": "r.new"}
    side = side_of(row("r.old", PASS), row("r.new", PASS))
    found = compare(side, side_of(row("r.new", PASS)), aliases)
    assert (only(found).id, only(found).kind, found.same) == ("r.old", Kind.VANISHED, 1)

    merged = compare(
        side_of(row("r.old", PASS), row("r.older", PASS)), side_of(row("r.new", PASS)), aliases
    )
    assert (only(merged).id, only(merged).worse, merged.same) == ("r.older", True, 1)


def test_aliases_that_go_in_a_circle_end() -> None:
    assert current_id("r.a", {"r.a": "r.b", "r.b": "r.a"}) == "r.b"
    assert current_id("r.a", {"r.a": "r.a"}) == "r.a"


# ----------------------------------------------------------------------------------- ledgers

HEADER = Header("0.1.0", "a" * 64, "reference", 7, 3)


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "ledger.jsonl"
    write_ledger(path, HEADER, (row("r.a", PASS), row("r.b", FAIL, "broken"), row("r.c", PASS)))
    return path


def cut(path: Path, lines: int) -> Path:
    other = path.with_name("cut.jsonl")
    other.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:lines]))
    return other


def test_a_ledger_is_read_with_what_it_is_about(ledger: Path) -> None:
    found = read_side(ledger)

    assert (found.form, found.suite, found.corpus, found.subject, found.left_out, found.died) == (
        "ledger",
        "openwop-conformance 0.1.0",
        "a" * 64,
        "reference",
        3,
        False,
    )
    assert [(r.id, r.disposition, r.reason) for r in found.rows.values()] == [
        ("r.a", PASS, ""),
        ("r.b", FAIL, "broken"),
        ("r.c", PASS, ""),
    ]


def test_what_a_run_that_died_lacks_is_blocked_on_either_side(ledger: Path) -> None:
    whole, died = read_side(ledger), read_side(cut(ledger, 3))
    assert died.died

    change = only(compare(whole, died, {}))
    assert (change.id, change.kind, change.worse) == ("r.c", Kind.BLOCKED, True)
    assert change.after is not None
    assert (change.after.disposition, change.after.reason) == (BLOCKED, NO_ROW)
    assert only(compare(died, whole, {})).kind is Kind.UNBLOCKED


def test_a_header_alone_is_a_run_that_witnessed_nothing(ledger: Path) -> None:
    found = compare(read_side(ledger), read_side(cut(ledger, 1)), {})

    assert {change.kind for change in found.changes} == {Kind.BLOCKED}
    assert len(found.worse) == 2


def test_another_suite_corpus_or_subject_is_told_and_what_is_not_known_is_not() -> None:
    one = side_of()

    assert compare(one, one, {}).changed == ()
    assert compare(one, replace(one, suite="suite 2"), {}).changed == ("suite",)
    other = replace(one, suite="suite 2", corpus="d", subject="http://h")
    assert compare(one, other, {}).changed == ("suite", "corpus", "subject")
    assert compare(one, replace(one, corpus=""), {}).changed == ()
    assert compare(one, replace(other, form="bundle v3"), {}).changed == ("suite", "corpus")


# ----------------------------------------------------------------------------------- bundles

SUITE = {"name": "@openwop/openwop-conformance", "version": "2.4.5"}
HOST = {"name": "host", "version": "1"}
V3 = {
    "bundleVersion": "3",
    "suite": SUITE,
    "host": HOST,
    "results": {
        "requirements": [
            {"id": "r.a", "scenario": "a.test.ts", "result": "executed-pass", "assertions": 2},
            {"id": "r.b", "scenario": "b.test.ts", "result": "skipped", "detail": "opted out"},
            {"id": "r.c", "scenario": "c.test.ts", "result": "blocked"},
            {"id": "r.d", "scenario": "c.test.ts", "result": "inapplicable"},
        ]
    },
    "detail": {"nonPass": [{"id": "r.c", "result": "blocked", "reason": "no seam"}]},
}
V2 = {
    "bundleVersion": "2",
    "suite": {"package": "@openwop/openwop-conformance", "version": "1.130.0"},
    "host": HOST,
    "results": {
        "requirements": [
            {"requirementId": "r.a", "scenarioId": "a.test.ts", "disposition": "executed-fail"},
            {"requirementId": "r.c", "scenarioId": "c.test.ts", "disposition": "executed-pass"},
        ]
    },
}
V1 = {
    "bundleVersion": "1",
    "suite": V2["suite"],
    "host": HOST,
    "results": {"passed": ["a.test.ts", "c.test.ts"], "failed": ["x.test.ts"], "skipped": ["s"]},
}


def written(folder: Path, document: Any, name: str = "bundle.json", indent: int | None = 2) -> Path:
    path = folder / name
    path.write_text(json.dumps(document, indent=indent), "utf-8")
    return path


@pytest.mark.parametrize("indent", [None, 2])
def test_a_bundle_v3_is_read_with_its_reasons(tmp_path: Path, indent: int | None) -> None:
    found = read_side(written(tmp_path, V3, indent=indent))

    assert (found.form, found.suite, found.subject) == (
        "bundle v3",
        "@openwop/openwop-conformance 2.4.5",
        "host 1",
    )
    assert [(r.id, r.disposition, r.reason) for r in found.rows.values()] == [
        ("r.a", PASS, ""),
        ("r.b", SKIPPED, "opted out"),
        ("r.c", BLOCKED, "no seam"),
        ("r.d", INAPPLICABLE, "no reason is given"),
    ]


def test_a_bundle_v1_meets_another_by_file_where_a_file_is_one_row(tmp_path: Path) -> None:
    one = read_side(written(tmp_path, V1, "1"))
    two = read_side(written(tmp_path, V2, "2"))
    three = read_side(written(tmp_path, V3, "3"))

    found = compare(one, two, {})
    assert [(change.id, str(change.kind)) for change in found.changes] == [
        ("r.a", "regressed"),
        ("s", "vanished"),
        ("x.test.ts", "vanished"),
    ]
    assert found.same == 1
    assert {c.id: str(c.kind) for c in compare(three, one, {}).changes} == {
        "r.b": "vanished",
        "r.c": "vanished",
        "r.d": "vanished",
        "c.test.ts": "appeared",
        "s": "appeared",
        "x.test.ts": "appeared",
    }


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "is neither a ledger nor a bundle: it has no header and no bundleVersion"),
        ({}, "is neither a ledger nor a bundle: it has no header and no bundleVersion"),
        ({**V3, "bundleVersion": "4"}, "bundleVersion '4' is not one of 1, 2 and 3"),
        ({**V3, "bundleVersion": ["3"]}, "is not one of 1, 2 and 3"),
        ({**V3, "suite": None}, "is no bundle as published: AttributeError: "),
        ({**V3, "suite": {"name": 1, "version": "1"}}, "TypeError: 1 is no text"),
        ({"bundleVersion": "3"}, "is no bundle as published: KeyError: 'suite'"),
        ({**V3, "results": {}}, "is no bundle as published: KeyError: 'requirements'"),
        ({**V3, "results": {"requirements": "rows"}}, "TypeError: 'rows' is no list"),
        ({**V3, "results": {"requirements": [1]}}, "is no bundle as published: "),
        ({**V3, "detail": {"nonPass": [{"id": [], "reason": ""}]}}, "is no bundle as published: "),
        ({**V1, "results": {"passed": [1], "failed": [], "skipped": []}}, "1 is no text"),
        (
            {**V1, "results": {"passed": ["a"], "failed": ["a"], "skipped": []}},
            "the row 'a' stands twice",
        ),
        (
            {
                **V3,
                "results": {"requirements": [{"id": "r", "scenario": "s", "result": "\x1b[2J"}]},
            },
            r"ValueError: '\x1b[2J' is not a valid Disposition",
        ),
    ],
    ids=str,
)
def test_a_file_that_is_neither_is_refused(tmp_path: Path, document: Any, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_side(written(tmp_path, document))

    assert message in str(caught.value)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"\xff", b"{", b'{"record": 1, "record": 2}', b"1\n2"]
)
def test_bytes_that_are_neither_are_refused(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)

    with pytest.raises(UsageError, match="is neither a ledger nor a bundle: "):
        read_side(path)


@pytest.mark.parametrize("path", [Path("/nowhere/at/all"), Path("/")])
def test_a_file_that_cannot_be_read_is_refused(path: Path) -> None:
    with pytest.raises(UsageError, match=f"{path} cannot be read: "):
        read_side(path)


@pytest.mark.parametrize(
    ("name", "form", "counts"),
    [
        ("v1-bundle-v1.in-memory", "bundle v1", [256, 29, 43, 0, 0]),
        ("v1-bundle-v2.in-memory", "bundle v2", [206, 30, 0, 119, 111]),
        ("v1-bundle-v2.python", "bundle v2", [181, 0, 0, 149, 136]),
        ("v3-bundle.reference-host", "bundle v3", [231, 0, 7, 7, 0]),
    ],
)
def test_the_published_bundles_are_read_to_their_own_totals(
    name: str, form: str, counts: list[int]
) -> None:
    found = read_side(shared(f"openwop/samples/{name}.json"))
    rows = list(found.rows.values())

    assert found.form == form
    assert [sum(r.disposition is d for r in rows) for d in Disposition] == counts
    assert all(r.reason for r in rows if r.disposition is not PASS)
    assert compare(found, found, {}).changes == ()


def test_the_published_v1_meets_its_v2_in_every_file() -> None:
    one = read_side(shared("openwop/samples/v1-bundle-v1.in-memory.json"))
    two = read_side(shared("openwop/samples/v1-bundle-v2.in-memory.json"))
    found = compare(one, two, {})

    assert found.changed == ("suite",)
    assert [change for change in found.changes if change.kind is Kind.VANISHED] == []
    assert sum(change.kind is Kind.APPEARED for change in found.changes) == 466 - 328
