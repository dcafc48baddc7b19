"""The trace: bound line by line, read back, and refused once a line was changed or is missing."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance import suite
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.session import Options
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence import trace as module
from openwop_conformance.evidence.trace import (
    TraceWriter,
    data_from_json,
    data_to_json,
    digest_of,
    read_trace,
)
from openwop_conformance.schemas import problems, validator

ZEROS = "0" * 64


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The trace of some scenarios, one of which reads a stream."""
    path = tmp_path_factory.mktemp("real") / "new" / "trace"
    chosen = suite.plan(
        "reference",
        Credentials(),
        patterns=["host.v2.limits", "host.v2.no-secret", "host.v2.stream*"],
        options=Options(seed=1),
    )
    asyncio.run(suite.execute(chosen, lambda event: None, path))
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, real: bytes) -> Path:
    path = tmp_path / "trace"
    path.write_bytes(real)
    return path


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def rewritten(path: Path, data: Sequence[bytes]) -> Path:
    path.write_bytes(b"".join(line + b"\n" for line in data))
    return path


def chained(path: Path, records: Sequence[Any]) -> Path:
    """Records, chained anew: what somebody writes who knows how."""
    previous, data = ZEROS, []
    for record in records:
        data.append(json.dumps({**record, "prev": previous}, ensure_ascii=False).encode())
        previous = hashlib.sha256(data[-1]).hexdigest()
    return rewritten(path, data)


def refused(path: Path) -> str:
    with pytest.raises(UsageError) as caught:
        read_trace(path)
    return str(caught.value).replace(str(path), "FILE")


def test_a_real_trace_reads_back_and_each_line_is_valid_and_bound_to_the_last(path: Path) -> None:
    trace, previous = read_trace(path), ZEROS
    for line in lines(path):
        record = json.loads(line)
        assert problems(validator("trace-record"), record) == []
        assert record["prev"] == previous
        previous = hashlib.sha256(line).hexdigest()

    kinds = {record["record"] for record in trace.records}
    assert kinds >= {"request", "reply", "chunk", "clock", "row"}
    assert trace.footer is not None
    assert [row["scenario"] for row in trace.rows] != []
    assert {row["scenario"] for row in trace.rows} == set(trace.header["scenarios"])
    assert digest_of(path) == hashlib.sha256(path.read_bytes()).hexdigest()


Change = Callable[[list[bytes], int], int]
"""Changes the lines at an index; the number of the line that tells."""


def _changed(data: list[bytes], at: int) -> int:
    data[at] = data[at].replace(b'"record":"', b'"record": "')
    return at + 2


def _removed(data: list[bytes], at: int) -> int:
    del data[at]
    return at + 1


def _swapped(data: list[bytes], at: int) -> int:
    data[at : at + 2] = [data[at + 1], data[at]]
    return at + 1


def _doubled(data: list[bytes], at: int) -> int:
    data.insert(at, data[at])
    return at + 2


@pytest.mark.parametrize("change", [_changed, _removed, _swapped, _doubled])
def test_a_line_that_was_changed_removed_moved_or_doubled_is_found_with_its_place(
    path: Path, change: Change
) -> None:
    whole = lines(path)
    for at in [*range(0, len(whole) - 1, max(1, len(whole) // 25)), len(whole) - 2]:
        data = list(whole)
        number = change(data, at)
        said = refused(rewritten(path, data))
        assert said == f"FILE:{number}: the chain is broken: the line before was changed"


def test_the_chain_does_not_bind_the_last_line_but_a_trace_without_its_footer_says_so(
    path: Path,
) -> None:
    trace = read_trace(rewritten(path, lines(path)[:-1]))

    assert trace.footer is None
    assert trace.records[-1]["record"] in {"row", "clock"}


def test_a_last_line_that_a_kill_cut_short_is_left_out(path: Path) -> None:
    *whole, last = lines(path)
    trace = read_trace(path)
    for cut in (1, len(last) // 2, len(last)):
        path.write_bytes(b"\n".join([*whole, last[:cut]]))
        torn = read_trace(path)
        assert (torn.header, torn.records, torn.footer) == (trace.header, trace.records, None)

    path.write_bytes(b"\n".join([*whole, last, b'{"prev"']))
    assert refused(path) == "FILE: something follows the footer"


def test_a_trace_cut_anywhere_reads_as_far_as_its_whole_lines_go(path: Path) -> None:
    data, first = path.read_bytes(), len(lines(path)[0]) + 1
    for cut in range(first, len(data), max(1, len(data) // 20)):
        path.write_bytes(data[:cut])
        assert len(read_trace(path).records) == data[:cut].count(b"\n") - 1


HEADER: dict[str, Any] = {
    "record": "header",
    "suite": {"name": "openwop-conformance", "version": "0.1.0"},
    "corpus": "a" * 64,
    "subject": "reference",
    "seed": 1,
    "leftOut": 0,
    "scenarios": ["host.v2.limits"],
    "jobs": 1,
    "timeScale": 1.0,
    "optedOut": [],
    "given": [],
    "began": "2026-01-01T00:00:00+00:00",
}
CLOCK = {"record": "clock", "scope": "session", "at": 1.5}
FULL = {"record": "full"}
FOOTER = {"record": "footer", "rows": "b" * 64}


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([CLOCK], "FILE is no trace: it does not begin with a header"),
        ([FOOTER, HEADER], "FILE is no trace: it does not begin with a header"),
        ([HEADER, HEADER], "FILE:2: a header does not belong here"),
        ([HEADER, CLOCK, HEADER, FOOTER], "FILE:3: a header does not belong here"),
        ([HEADER, FOOTER, CLOCK], "FILE:2: a footer does not belong here"),
        ([HEADER, FOOTER, FOOTER], "FILE:2: a footer does not belong here"),
        ([HEADER, CLOCK, FULL, FOOTER], "FILE:3: a full does not belong here"),
    ],
)
def test_records_out_of_their_place_are_found(
    tmp_path: Path, records: list[Any], message: str
) -> None:
    assert refused(chained(tmp_path / "trace", records)) == message


@pytest.mark.parametrize(
    "record",
    [
        {"record": "raw"},
        {"record": "clock", "scope": "session"},
        {**CLOCK, "at": "now"},
        {**CLOCK, "extra": 1},
        {"record": "request", "n": 1, "at": 0, "scope": "s", "method": "GET", "target": "/"},
        {"record": "chunk", "n": 0, "at": 0, "data": ""},
        {"record": "chunk", "n": 1, "at": 0, "data": {"base64": "", "more": 1}},
        {"record": "reply", "n": 1, "at": 0, "status": 200, "headers": [["one"]]},
        {"record": "fault", "n": 1, "at": 0, "error": "other", "kind": ""},
        {"record": "footer", "rows": "b"},
    ],
    ids=str,
)
def test_a_record_that_cannot_be_is_refused_with_its_line(
    tmp_path: Path, record: dict[str, Any]
) -> None:
    assert read_trace(chained(tmp_path / "trace", [HEADER, CLOCK])).footer is None

    said = refused(chained(tmp_path / "trace", [HEADER, CLOCK, record]))
    assert said.startswith("FILE:3: ")


@pytest.mark.parametrize("data", [b"{\n", b"\xff\n", b'{"a": 1, "a": 2}\n', b"[]\n", b"NaN\n"])
def test_a_file_that_is_not_json_lines_is_no_trace(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "trace").write_bytes(data)

    assert refused(tmp_path / "trace").startswith("FILE:1: ")


@pytest.mark.parametrize("data", [b"", b"{"])
def test_a_file_without_a_whole_line_is_no_trace(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "trace").write_bytes(data)

    assert refused(tmp_path / "trace") == "FILE is no trace: it has no whole line"


def test_a_file_that_cannot_be_had_is_an_error_and_so_is_one_that_cannot_be_written(
    tmp_path: Path,
) -> None:
    assert refused(tmp_path / "gone") == "the trace FILE cannot be read: No such file or directory"
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^the trace cannot be written to .*: File exists$"):
        TraceWriter(tmp_path / "file" / "trace", HEADER)


def test_a_record_is_in_the_file_before_anything_else_happens(tmp_path: Path) -> None:
    writer = TraceWriter(tmp_path / "trace", HEADER)
    for count in range(1, 4):
        writer.write(dict(CLOCK))
        assert len(read_trace(tmp_path / "trace").records) == count
    writer.close()
    assert [file.name for file in tmp_path.iterdir()] == ["trace"]


def test_a_trace_that_grew_too_large_ends_with_saying_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_BYTES", 2000)
    writer = TraceWriter(tmp_path / "trace", HEADER)
    for _ in range(50):
        writer.write(dict(CLOCK))
    writer.write(dict(FOOTER))
    writer.close()

    trace = read_trace(tmp_path / "trace")
    assert 2000 < (tmp_path / "trace").stat().st_size < 2000 + 400
    assert [r["record"] for r in trace.records[-2:]] == ["clock", "full"]
    assert trace.footer is None


@given(st.binary() | st.text().map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    value = json.loads(json.dumps(data_to_json(data)))

    assert data_from_json(value) == data
    assert isinstance(value, str) == (data.decode("utf-8", "ignore").encode() == data)
    check = validator("trace-record")
    record = {"record": "chunk", "prev": ZEROS, "n": 1, "at": 0, "data": value}
    assert problems(check, record) == []
