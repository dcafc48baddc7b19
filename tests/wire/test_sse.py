"""The SSE parser, by the standard's cases, by every split, and against httpx-sse."""

from __future__ import annotations

from itertools import repeat
from time import perf_counter

import httpx
import httpx_sse
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.errors import ExchangeError
from openwop_conformance.wire.sse import SseComment, SseEvent, SseParser


def parsed(*chunks: bytes) -> list[tuple[str, str, str | None]]:
    """Event, data and id of what the chunks dispatch."""
    parser = SseParser()
    events = [event for chunk in chunks for event in parser.feed(chunk, 0.0)]
    parser.close()
    return [(event.event, event.data, event.id) for event in events]


def test_an_event_has_its_fields_and_the_arrival_of_its_last_byte() -> None:
    parser = SseParser()
    assert parser.feed(b"id: 7\nevent: run.started\nda", 1.0) == []
    assert parser.feed(b'ta: {"a":1}\n', 2.0) == []
    assert parser.feed(b"\n", 3.0) == [SseEvent("run.started", '{"a":1}', "7", 3.0)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_each_line_end_ends_a_line(end: bytes) -> None:
    assert parsed(end.join([b"data: a", b"data: b", b"", b""])) == [("message", "a\nb", None)]


def test_an_event_ended_by_cr_does_not_wait_for_an_lf() -> None:
    parser = SseParser()
    assert [event.at for event in parser.feed(b"data: a\r\r", 1.0)] == [1.0]
    assert parser.feed(b"\n", 2.0) == []
    assert [event.data for event in parser.feed(b"data: b\n\n", 3.0)] == ["b"]


def test_an_empty_chunk_between_cr_and_lf_changes_nothing() -> None:
    assert parsed(b"data: a\r", b"", b"\ndata: b\r\n\r", b"", b"\n") == [("message", "a\nb", None)]


@pytest.mark.parametrize(
    ("stream", "data"),
    [
        (b"data: YHOO\ndata: +2\ndata: 10\n\n", ["YHOO\n+2\n10"]),
        (
            b": test stream\n\ndata: first\nid: 1\n\ndata:second\nid\n\ndata:  third\n",
            ["first", "second"],
        ),
        (b"data\n\ndata\ndata\n\ndata:", ["", "\n"]),
        (b"data:test\n\ndata: test\n\n", ["test", "test"]),
        (b"data: a: b\n\n", ["a: b"]),
        (b"unknown: x\nDATA: no\n data: no\ndata: yes\n\n", ["yes"]),
    ],
)
def test_data_is_joined_as_the_standard_has_it(stream: bytes, data: list[str]) -> None:
    assert [event[1] for event in parsed(stream)] == data


def test_an_event_without_data_is_dropped_with_its_name_but_its_id_stays() -> None:
    stream = b"event: lost\nid: 4\n\ndata: a\n\n"
    assert parsed(stream) == [("message", "a", "4")]


def test_an_id_stays_until_another_and_an_empty_one_resets_it() -> None:
    stream = b"id: 1\ndata: a\n\ndata: b\n\nid\ndata: c\n\n"
    assert [event[2] for event in parsed(stream)] == ["1", "1", ""]


def test_an_id_with_nul_is_ignored() -> None:
    assert parsed(b"id: 1\nid: 2\0\ndata: a\n\n") == [("message", "a", "1")]


def test_the_id_of_an_event_that_never_ended_is_not_the_last_event_id() -> None:
    parser = SseParser()
    parser.feed(b"id: 1\ndata: a\n\nid: 2\ndata: b\n", 0.0)
    parser.close()
    assert parser.last_event_id == "1"


@pytest.mark.parametrize(
    "value", [b"", b"-1", b"+5", b"1.5", b"5 ", b"1_0", "٣".encode(), b"9" * 5000]
)
def test_retry_takes_digits_only(value: bytes) -> None:
    parser = SseParser()
    parser.feed(b"retry: 2500\nretry: " + value + b"\n", 0.0)
    assert parser.retry == 2500


def test_comments_are_kept_with_their_arrival() -> None:
    parser = SseParser()
    assert parser.feed(b":keepalive\n", 1.0) == []
    parser.feed(b": two  words\ndata: a\n:\n", 2.0)
    assert parser.comments == [
        SseComment("keepalive", 1.0),
        SseComment("two  words", 2.0),
        SseComment("", 2.0),
    ]


def test_one_leading_bom_is_dropped_and_a_second_is_not() -> None:
    bom = b"\xef\xbb\xbf"
    assert parsed(bom + b"data: a\n\n") == [("message", "a", None)]
    assert parsed(bom + bom + b"data: a\n\n") == []
    assert parsed(b"data: a\n\n" + bom + b"data: b\n\n") == [("message", "a", None)]
    assert parsed(b"data: " + bom + b"\n\n") == [("message", "\ufeff", None)]


def test_other_line_separators_are_text() -> None:
    text = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"
    assert parsed(f"data: {text}\n\n".encode()) == [("message", text, None)]


def test_a_partial_event_is_dropped_at_the_end() -> None:
    assert parsed(b"data: a\n\ndata: b\n") == [("message", "a", None)]
    assert parsed(b"data: a\n\ndata: b") == [("message", "a", None)]


SAMPLE = (
    "\ufeffid: 1\r\nevent: é\r\ndata: 😀\r\ndata: b\r\n\r\n:c\r\rdata: \u2028\n\n"
    "retry: 5\rid: 2\rdata: x\r\r\ndata: y\n\r\ndata: lost"
).encode()


def test_every_split_of_a_stream_gives_the_same_events() -> None:
    whole = parsed(SAMPLE)
    assert whole == [
        ("é", "😀\nb", "1"),
        ("message", "\u2028", "1"),
        ("message", "x", "2"),
        ("message", "y", "2"),
    ]
    for first in range(len(SAMPLE) + 1):
        assert parsed(SAMPLE[:first], SAMPLE[first:]) == whole
        for second in range(first, len(SAMPLE) + 1):
            assert parsed(SAMPLE[:first], SAMPLE[first:second], SAMPLE[second:]) == whole
    assert parsed(*(bytes([byte]) for byte in SAMPLE)) == whole


# ------------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    "bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
)
@pytest.mark.parametrize("field", [b"data: ", b": ", b"x"])
def test_bytes_that_are_not_utf_8_are_refused(field: bytes, bad: bytes) -> None:
    parser = SseParser()
    with pytest.raises(ExchangeError, match="UTF-8") as refusal:
        parser.feed(field + bad + b"\n", 0.0)
    assert refusal.value.kind == "transport"


def test_events_before_a_fault_are_returned_and_the_next_call_raises() -> None:
    parser = SseParser()
    assert [event.data for event in parser.feed(b"data: a\n\ndata: \xff\n\n", 0.0)] == ["a"]
    for call in (lambda: parser.feed(b"data: b\n\n", 1.0), parser.close):
        with pytest.raises(ExchangeError, match="UTF-8"):
            call()


@pytest.mark.parametrize(
    "chunks",
    [
        [b"data: " + b"x" * 100],
        [b"data: " + b"x" * 100 + b"\n"],
        [b"data: ", *[b"x" * 10] * 10],
        [b"data: 34567890\n"] * 5,
        [b"data\n"] * 20,
        [b":" + b"x" * 100 + b"\n"],
    ],
    ids=["unended", "ended", "piecemeal", "many-lines", "many-empty-lines", "comment"],
)
def test_a_line_or_an_event_over_the_limit_is_refused(chunks: list[bytes]) -> None:
    parser = SseParser(limit=64)
    with pytest.raises(ExchangeError) as refusal:
        list(map(parser.feed, chunks, repeat(0.0)))
    assert refusal.value.kind == "too-large"


def test_a_long_stream_of_small_events_is_within_the_limit() -> None:
    parser = SseParser(limit=64)
    events = [parser.feed(b"data: " + b"x" * 50 + b"\n\n", 0.0) for _ in range(100)]
    parser.close()
    assert sum(map(len, events)) == 100


def test_a_tiny_chunk_costs_the_same_however_much_waits_before_it() -> None:
    def seconds(waiting: int) -> float:
        parser = SseParser()
        parser.feed(b"x" * waiting, 0.0)
        began = perf_counter()
        for _ in range(500):
            parser.feed(b"x", 0.0)
        return perf_counter() - began

    little, much = (min(seconds(waiting) for _ in range(3)) for waiting in (1_000, 4_000_000))
    assert much / little < 50  # a rescan of what waits would make it thousands


# ----------------------------------------------------------------------------- a second opinion

_TEXT = st.text("ab: é😀\0\t\u2028\x85\x0b", max_size=6)
_FIELD = st.one_of(
    st.tuples(st.sampled_from(["data: ", "data:", "event: ", "id: ", "id:", ": ", "x", ""]), _TEXT)
    .map("".join)
    .filter(bool),
    st.sampled_from(["data", "id", "event", "retry: 12", "retry: x", "id: a\0b"]),
)
_BLOCK = st.tuples(st.lists(_FIELD, max_size=4), _TEXT.map("data: {}".format)).map(
    lambda parts: [*parts[0], parts[1], ""]
)


@st.composite
def _streams(draw: st.DrawFn) -> bytes:
    """Streams on which httpx-sse is right.

    It differs where a stream opens with a BOM (the first field is lost), where an event has no
    data (dispatched all the same), on comments (dropped), and on bytes that are not UTF-8
    (replaced). So each block here has data, and no BOM or stray byte occurs.
    """
    lines = [line for block in draw(st.lists(_BLOCK, max_size=4)) for line in block]
    ends = draw(
        st.lists(st.sampled_from(["\n", "\r", "\r\n"]), min_size=len(lines), max_size=len(lines))
    )
    partial = draw(st.sampled_from(["", "data: partial", "data: partial\n", "id: 9"]))
    return ("".join(map(str.__add__, lines, ends)) + partial).encode()


@given(_streams(), st.lists(st.integers(1, 7), min_size=1, max_size=5))
@settings(max_examples=60, deadline=None)
def test_it_agrees_with_httpx_sse(stream: bytes, sizes: list[int]) -> None:
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=stream)
    theirs = [(e.event, e.data, e.id) for e in httpx_sse.EventSource(response).iter_sse()]
    chunks: list[bytes] = []
    at = 0
    while at < len(stream):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(stream[at : at + size])
        at += size
    assert [(event, data, id_ or "") for event, data, id_ in parsed(*chunks)] == theirs
