"""The ledger: written, read back, digested alike in any order, and refused once tampered with."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import Header, counts, digest, read_ledger, write_ledger
from openwop_conformance.schemas import problems, validator

HEADER = Header("0.1.0", "a" * 64, "http://127.0.0.1:8080", 7)
ROWS = (
    Row("r.b", "s.b", Disposition.FAIL, 3, "a rule is broken: ä\u2028"),
    Row("r.a", "s.a", Disposition.PASS, 2),
    Row("r.d", "s.d", Disposition.INAPPLICABLE, 0, "not claimed"),
    Row("r.c", "s.c", Disposition.BLOCKED, 0, "no key"),
    Row("r.e", "s.e", Disposition.SKIPPED, 0, "opted out"),
)
BY_ID = tuple(sorted(ROWS, key=lambda row: row.id))


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    path = tmp_path / "new" / "folder" / "ledger.jsonl"
    write_ledger(path, HEADER, ROWS)
    return path


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def rewritten(path: Path, records: list[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read_ledger(path)
    return str(caught.value).replace(str(path), "FILE")


def test_a_ledger_reads_back_as_it_was_written(ledger: Path) -> None:
    header, rows, total = read_ledger(ledger)

    assert header == HEADER.as_json()
    assert rows == BY_ID
    assert total == digest(ROWS)


def test_a_ledger_is_a_header_the_rows_by_id_and_a_footer_each_valid(ledger: Path) -> None:
    records = lines(ledger)

    assert [r["record"] for r in records] == ["header", *["row"] * 5, "footer"]
    assert [r["id"] for r in records[1:-1]] == ["r.a", "r.b", "r.c", "r.d", "r.e"]
    assert records[-1]["counts"] == {
        "executed-pass": 1,
        "executed-fail": 1,
        "skipped": 1,
        "inapplicable": 1,
        "blocked": 1,
    }
    for record in records:
        assert problems(validator("ledger-record"), record) == []


def test_the_digest_is_the_one_that_was_always_written() -> None:
    assert digest(()) == "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945"
    assert counts(()) == dict.fromkeys(
        ["executed-pass", "executed-fail", "skipped", "inapplicable", "blocked"], 0
    )


@given(st.randoms(use_true_random=False))
def test_the_digest_does_not_know_the_order_of_the_rows(chance: random.Random) -> None:
    shuffled = list(ROWS)
    chance.shuffle(shuffled)

    assert digest(shuffled) == digest(ROWS)


def test_the_file_does_not_know_the_order_of_the_rows(ledger: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    write_ledger(other, HEADER, ROWS[::-1])

    assert other.read_bytes() == ledger.read_bytes()


@pytest.mark.parametrize(
    "row",
    [
        Row("r.x", "s.b", Disposition.FAIL, 3, "a rule is broken: ä\u2028"),
        Row("r.b", "s.x", Disposition.FAIL, 3, "a rule is broken: ä\u2028"),
        Row("r.b", "s.b", Disposition.BLOCKED, 3, "a rule is broken: ä\u2028"),
        Row("r.b", "s.b", Disposition.FAIL, 4, "a rule is broken: ä\u2028"),
        Row("r.b", "s.b", Disposition.FAIL, 3, "a rule is broken"),
    ],
)
def test_the_digest_covers_every_field_of_a_row(row: Row) -> None:
    assert digest((row, *ROWS[1:])) != digest(ROWS)


def test_without_a_footer_there_is_no_digest_for_the_run_died(ledger: Path) -> None:
    rewritten(ledger, lines(ledger)[:-1])

    assert read_ledger(ledger) == (HEADER.as_json(), BY_ID, None)


def test_a_header_alone_is_a_run_that_died_before_any_row(ledger: Path) -> None:
    rewritten(ledger, lines(ledger)[:1])

    assert read_ledger(ledger) == (HEADER.as_json(), (), None)


@pytest.mark.parametrize(
    ("place", "change", "message"),
    [
        (1, {"assertions": 9}, "FILE: the footer's digest is not that of the rows"),
        (2, {"reason": "less"}, "FILE: the footer's digest is not that of the rows"),
        (3, {"disposition": "skipped"}, "FILE: the footer's digest is not that of the rows"),
        (-1, {"sha256": "0" * 64}, "FILE: the footer's digest is not that of the rows"),
        (
            -1,
            {"counts": {"executed-pass": 5}},
            "FILE: the footer's counts are not those of the rows",
        ),
    ],
)
def test_a_changed_row_or_footer_is_found(
    ledger: Path, place: int, change: dict[str, Any], message: str
) -> None:
    records = lines(ledger)
    records[place] |= change

    assert refused(rewritten(ledger, records)) == message


OUT_OF_PLACE = "FILE is no ledger: between header and footer stand rows, by id"


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([0, 1, 2, 3, 4, 6], "FILE: the footer's digest is not that of the rows"),
        ([0, 2, 1, 3, 4, 5, 6], OUT_OF_PLACE),
        ([0, 1, 1, 2, 3, 4, 5, 6], OUT_OF_PLACE),
        ([0, 0, 1, 2, 3, 4, 5, 6], OUT_OF_PLACE),
        ([0, 1, 2, 6, 3, 4, 5, 6], OUT_OF_PLACE),
        ([0, 6, 1, 2, 3, 4, 5], "FILE is no ledger: below the header stand rows"),
        ([0, 1, 2, 2], "FILE is no ledger: a row stands twice, or was not planned"),
        ([1, 2, 3, 4, 5, 6], "FILE is no ledger: it does not begin with a header"),
        ([], "FILE is no ledger: it does not begin with a header"),
    ],
)
def test_lines_out_of_their_place_are_found(ledger: Path, order: list[int], message: str) -> None:
    records = lines(ledger)

    assert refused(rewritten(ledger, [records[i] for i in order])) == message


ROW = {"record": "row", "id": "r", "scenario": "s", "disposition": "executed-pass", "assertions": 1}


@pytest.mark.parametrize(
    "change",
    [
        {"assertions": 0},
        {"assertions": -1},
        {"assertions": 1.5},
        {"assertions": True},
        {"reason": "a pass needs none"},
        {"disposition": "executed-fail"},
        {"disposition": "blocked"},
        {"disposition": "skipped"},
        {"disposition": "inapplicable"},
        {"disposition": "blocked", "reason": ""},
        {"disposition": "passed"},
        {"id": ""},
        {"record": "raw"},
        {"extra": 1},
    ],
    ids=str,
)
def test_a_row_that_cannot_be_is_refused_with_its_line(
    ledger: Path, change: dict[str, Any]
) -> None:
    assert problems(validator("ledger-record"), ROW) == []

    records = [*lines(ledger)[:2], {**ROW, **change}]
    assert refused(rewritten(ledger, records)).startswith("FILE:3: ")


@pytest.mark.parametrize("data", [b"{", b"\xff", b'{"a": 1, "a": 2}\n', b"\n", b"NaN\n"])
def test_a_file_that_is_not_json_lines_is_no_ledger(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)

    assert refused(path).startswith("FILE is no ledger: ")


def test_a_file_that_cannot_be_had_is_an_error_and_so_is_one_that_cannot_be_written(
    tmp_path: Path,
) -> None:
    assert refused(tmp_path / "gone").startswith("FILE is no ledger: ")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^the ledger cannot be written to .*: File exists$"):
        write_ledger(tmp_path / "file" / "ledger", HEADER, ROWS)
