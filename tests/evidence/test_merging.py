"""Merging shards: the ledger of one run, or words about what is not one run."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.engine.verdict import Disposition, Row
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.ledger import (
    Header,
    Shard,
    digest,
    planned_digest,
    read_ledger,
    write_ledger,
)
from openwop_conformance.evidence.merging import merge
from openwop_conformance.schemas import problems, validator

ROWS = tuple(
    Row(f"r.{number}", f"s.{number}", disposition, 0, "so it is")
    if disposition is not Disposition.PASS
    else Row(f"r.{number}", f"s.{number}", disposition, number)
    for number, disposition in enumerate([*Disposition, *Disposition, Disposition.PASS], 1)
)
WHOLE = planned_digest({row.id: row.scenario for row in ROWS})
OF = 3
HEADER = Header("0.1.0", "a" * 64, "http://127.0.0.1:8080", 7, 2)
DIALECT = {
    "seam": "tree",
    "seamStatus": 201,
    "acceptor": True,
    "base": "tree",
    "frames": ["d"],
    "jsonDeltas": False,
    "fork": "start",
}
Write = Callable[..., list[Path]]


def part(index: int, of: int = OF) -> tuple[Header, tuple[Row, ...]]:
    """A shard of ``ROWS``: its header and its rows."""
    rows = ROWS[index - 1 :: of]
    shard = Shard(index, of, len(ROWS), WHOLE)
    return replace(HEADER, left_out=2 + len(ROWS) - len(rows), shard=shard), rows


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the shards; ``change(index, header)`` may give another header."""

    def written(change: Callable[[int, Header], Header] = lambda _, header: header) -> list[Path]:
        paths = []
        for index in range(1, OF + 1):
            header, rows = part(index)
            paths.append(tmp_path / f"{index}.jsonl")
            write_ledger(paths[-1], change(index, header), rows)
        return paths

    return written


def refused(paths: list[Path]) -> str:
    with pytest.raises(UsageError) as caught:
        merge(paths)
    return str(caught.value).replace(f"{paths[0].parent}/", "")


@given(st.permutations([1, 2, 3]))
def test_in_whatever_order_the_shards_come_the_whole_is_one_run_s(order: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for index in order:
            write_ledger(Path(folder, str(index)), *part(index))
        found = merge([Path(folder, str(index)) for index in order])
    assert found.rows == tuple(sorted(ROWS, key=lambda row: row.id))
    assert digest(found.rows) == digest(ROWS)
    assert found.header == replace(HEADER, shards=(7, 7, 7))
    assert found.died == ()


def test_the_merged_ledger_is_one_and_no_shard(write: Write, tmp_path: Path) -> None:
    found = merge(write())
    write_ledger(tmp_path / "whole", found.header, found.rows)
    header, rows, total = read_ledger(tmp_path / "whole")

    assert (rows, total) == (found.rows, digest(ROWS))
    assert header == {**HEADER.as_json(), "shards": [7, 7, 7]}
    assert problems(validator("ledger-record"), header) == []
    with pytest.raises(UsageError, match="whole is no shard: merge takes what 'run --shard I/N"):
        merge([tmp_path / "whole"])


def test_what_was_measured_and_the_seeds_of_all_stay(tmp_path: Path) -> None:
    measured = [{"work": "w", "n": 1, "unit": "looked at", "costs": [1, 2, 4], "exponent": 1.0}]
    paths = []
    for index in (1, 2, 3):
        header, rows = part(index)
        paths.append(tmp_path / str(index))
        resumed = (90 + index,) if index > 1 else ()
        rows = tuple(replace(row, measured=measured) for row in rows)
        write_ledger(paths[-1], replace(header, seed=index, resumed=resumed), rows)
    found = merge(paths[::-1])

    assert all(row.measured == measured for row in found.rows)
    assert (found.header.seed, found.header.shards) == (1, (1, 2, 3))
    assert found.header.resumed == (92, 93)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"suite": "0.2.0"}, "its suite is 0.2.0, not 0.1.0"),
        ({"corpus": "b" * 64}, f"its corpus is {'b' * 64}, not {'a' * 64}"),
        ({"kind": "sdk"}, "its kind of subject is sdk, not host"),
        ({"subject": "reference"}, "its subject is reference, not http://127.0.0.1:8080"),
        ({"shard": Shard(2, 4, 11, WHOLE)}, "its number of shards is 4, not 3"),
        ({"shard": Shard(2, 3, 12, WHOLE)}, "its number of scenarios is 12, not 11"),
        ({"shard": Shard(2, 3, 11, "c" * 64)}, f"its selection of scenarios is {'c' * 64}, not "),
        ({"left_out": 5}, "its number of scenarios left out is -2, not 2"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_a_shard_of_another_run_is_refused_with_what_differs(
    write: Write, change: dict[str, Any], said: str
) -> None:
    paths = write(lambda index, header: replace(header, **change) if index == 2 else header)

    assert refused(paths).startswith(f"2.jsonl is not of the same run as 1.jsonl: {said}")


def test_one_that_is_missing_or_twice_is_refused_by_its_number(write: Write) -> None:
    one, two, three = write()

    assert refused([one, three]) == "the shard 2/3 is missing; give all 3"
    assert refused([two]) == "the shards 1/3, 3/3 are missing; give all 3"
    assert refused([one, two, two, three]) == "shard 2/3 is there twice: 2.jsonl and 2.jsonl"


def test_a_number_beyond_the_last_is_refused(write: Write) -> None:
    paths = write(
        lambda index, header: (
            replace(header, shard=Shard(4, 3, 11, WHOLE)) if index == 3 else header
        )
    )
    assert refused(paths) == "3.jsonl is no shard: there is no 4/3"


def test_rows_that_are_not_those_of_the_run_are_refused(write: Write) -> None:
    paths = write()
    for rows in (ROWS[:4], (*ROWS[1:4], replace(ROWS[8], scenario="s.other"))):
        write_ledger(paths[1], part(2)[0], rows)
        assert "their rows together are not those of the run" in refused(paths)


def test_hosts_that_speak_differently_are_two_hosts(write: Write) -> None:
    def spoken(index: int, header: Header) -> Header:
        return replace(
            header, dialect={**DIALECT, "seamStatus": 200 + index} if index > 1 else None
        )

    assert refused(write(spoken)) == (
        "3.jsonl and 2.jsonl found the host speak major 1 differently (seamStatus): these are two "
        "hosts, or one that changed meanwhile"
    )
    paths = write(lambda i, header: replace(header, dialect=DIALECT if i > 1 else None))
    assert merge(paths).header.dialect == DIALECT


def test_a_shard_whose_run_died_is_refused_with_the_two_ways_on(write: Write) -> None:
    paths = write()
    header, rows = part(2)
    planned = {"rows": {row.id: row.scenario for row in rows}}
    lines = [{**header.as_json(), **planned}, {"record": "row", **rows[0].as_json()}]
    paths[1].write_text("".join(json.dumps(line) + "\n" for line in lines))

    assert refused(paths) == (
        "2.jsonl: the run of shard 2/3 died; go on with it by 'run --resume --shard 2/3 --ledger "
        "2.jsonl', or merge with --allow-died, and what it had not reached is blocked"
    )
    found = merge(paths, allow_died=True)
    assert found.died == ("2/3",)
    lost = {row.id: row for row in found.rows if row not in ROWS}
    assert lost.keys() == {row.id for row in rows[1:]}
    assert {row.disposition for row in lost.values()} == {Disposition.BLOCKED}
    assert {row.reason for row in lost.values()} == {"the run died before it was judged"}
