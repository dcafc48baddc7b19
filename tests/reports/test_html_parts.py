"""The parts of the HTML page: what is shown of a text, a difference, a body, a timeline, a cost."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.adapters.host import Request
from openwop_conformance.engine.verdict import Exchange
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.reports.html.charts import Chart, charts
from openwop_conformance.reports.html.difference import Piece, sides
from openwop_conformance.reports.html.exchanges import laid_out, timeline
from openwop_conformance.reports.html.legible import Room, cut, in_words, legible

ANY_TEXT = st.text(st.characters(codec=None))
"""Text with all that Unicode has, lone surrogates too."""
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=40),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=9), inner),
)

# ------------------------------------------------------------------------------------ text


@given(ANY_TEXT)
def test_of_a_legible_text_all_is_seen_and_none_of_it_rules_how_it_is_shown(text: str) -> None:
    seen = legible(text)

    assert all(c.isprintable() or c == "\n" for c in seen)
    assert seen.encode().decode() == seen
    if text.isprintable():
        assert seen == text


@given(ANY_TEXT, st.integers(0, 200))
def test_a_cut_text_takes_no_more_than_it_may_and_says_how_much_is_gone(
    text: str, most: int
) -> None:
    shown, size = cut(text, most)

    assert size == len(html.escape(legible(shown.text)).encode()) <= most
    assert text.startswith(shown.text)
    assert shown.more == len(text) - len(shown.text)
    if shown.more:
        assert cut(text[: len(shown.text) + 1], most)[0].more == 1, "one more had no room"


def test_a_room_that_is_full_gives_the_least_and_no_more() -> None:
    room = Room(12)

    assert room.text("abcdef", 100).text == "abcdef"
    assert room.text("abcdefgh", 100).text == "abcdef"
    assert (room.text("abcdefgh", 100, least=2).text, room.take(1)) == ("ab", False)


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 B"), (999, "999 B"), (1234, "1.2 kB"), (2_500_000, "2.5 MB")]
)
def test_a_size_in_words(size: int, words: str) -> None:
    assert in_words(size) == words


# ------------------------------------------------------------------------------ differences


def marked(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces if piece.differs]


def whole(pieces: tuple[Piece, ...]) -> str:
    return "".join(piece.text for piece in pieces)


def test_json_differs_where_its_values_do() -> None:
    found = sides(
        '{"id": "root", "children": ["a", "b"], "weight": 1}',
        '{"weight": 2, "children": ["a", "b"], "id": "root"}',
    )

    assert found.pointer == "/weight"
    assert (marked(found.expected), marked(found.got)) == (["1"], ["2"])


def test_what_one_side_lacks_is_marked_on_the_other() -> None:
    found = sides('["a", "b", "c"]', '["a", "c"]')

    assert found.pointer == "/1"
    assert "".join(marked(found.expected)).split() == ['"b",']
    assert marked(found.got) == []


def test_words_are_marked_where_texts_are_alike() -> None:
    found = sides("refused (envelope_invalid, rule fold)", "refused (not_found, rule fold)")

    assert (marked(found.expected), marked(found.got)) == (["envelope_invalid"], ["not_found"])
    assert found.pointer is None


@pytest.mark.parametrize(
    ("expected", "got"),
    [("refused", '201 {"sequence": 6}'), ('{"a": 1}', "nothing"), ("1", "2"), ("", "x")],
)
def test_texts_with_little_in_common_are_not_marked(expected: str, got: str) -> None:
    found = sides(expected, got)

    assert marked(found.expected) == marked(found.got) == []
    assert (whole(found.expected), whole(found.got)) == (expected, got)


@given(ANY_TEXT, ANY_TEXT)
def test_nothing_is_lost_between_the_pieces(expected: str, got: str) -> None:
    found = sides(expected, got)

    if found.pointer is None:
        assert (whole(found.expected), whole(found.got)) == (expected, got)
    if expected == got:
        assert marked(found.expected) == marked(found.got) == []


@given(JSON.filter(lambda v: isinstance(v, (list, dict))), JSON)
def test_both_values_are_there_whole(expected: JsonValue, got: JsonValue) -> None:
    found = sides(json.dumps(expected), json.dumps([got]))

    assert parse(whole(found.expected)) == expected
    assert parse(whole(found.got)) == [got]


# -------------------------------------------------------------------------------- exchanges


@given(JSON)
def test_a_body_is_laid_out_in_full_lines_and_stays_the_same_value(value: JsonValue) -> None:
    text = laid_out(json.dumps(value).encode())

    assert parse(text) == value
    short = len(json.dumps(value, ensure_ascii=False)) <= 100
    assert short == ("\n" not in text) or not isinstance(value, (list, dict))


def test_many_small_values_share_lines() -> None:
    text = laid_out(json.dumps({"children": [f"c{n}" for n in range(40)], "id": "x"}).encode())

    lines = text.splitlines()
    assert len(lines) == 8
    assert max(map(len, lines)) <= 100
    assert lines[2].startswith('    "c0", "c1", ')


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"data: 1\n\n", "data: 1\n\n"),
        (b"\xff\x00", "\\xff\x00"),
        (b'{"a":1,"a":2}', '{"a":1,"a":2}'),
        (b"[" * 5000, "[" * 5000),
    ],
)
def test_a_body_that_is_no_json_is_shown_as_it_is(body: bytes, text: str) -> None:
    assert laid_out(body) == text


def exchanges(count: int) -> list[Exchange]:
    return [Exchange(n, Request("GET", f"/{n}"), "none") for n in range(1, count + 1)]


def test_a_timeline_is_what_led_to_a_failure_and_says_what_it_leaves_out() -> None:
    every = exchanges(100)

    shown, later = timeline(every, [every[29], every[59]], Room(10**6))

    assert [(a.number, a.skipped) for a in shown if a.skipped] == [(24, 23), (54, 21)]
    assert [a.number for a in shown] == [*range(24, 33), *range(54, 63)]
    assert [a.number for a in shown if a.failing] == [30, 60]
    assert later == 38


def test_with_little_room_the_failing_exchanges_are_what_stays() -> None:
    every = exchanges(50)

    shown, later = timeline(every, [every[19], every[39]], Room(3500))

    assert [(a.number, a.skipped) for a in shown] == [(20, 19), (40, 19)]
    assert later == 10


def test_the_exchange_as_it_ended_is_shown_and_not_as_it_was_when_it_failed() -> None:
    begun = Exchange(1, Request("GET", "/events"), "owner")
    ended = Exchange(1, begun.request, "owner", fault="cut off")

    (shown,), _ = timeline([ended], [begun], Room(10**6))

    assert shown.came.text == "cut off"


# ------------------------------------------------------------------------------------ costs


def measured(**changed: JsonValue) -> JsonValue:
    return {
        "work": "data",
        "unit": "looked at",
        "n": 25,
        "costs": [675.0, 2600.0, 10200.0],
    } | changed


def drawn(*entries: JsonValue) -> list[Chart]:
    return list(charts(list(entries)))


def test_a_chart_says_in_words_all_that_it_draws() -> None:
    (chart,) = drawn(measured())

    assert chart.words == (
        "At 25, 50 and 100: 675, 2,600 and 10,200 looked at. "
        "15.1 times as much for four times the work, above the limit of 8."
    )
    assert [(m.n, m.cost) for m in chart.marks] == [
        ("25", "675"),
        ("50", "2,600"),
        ("100", "10,200"),
    ]
    assert (chart.over, chart.most) == (True, "5,400")
    assert chart.marks[-1].y < chart.limit_y, "the cost stands above its limit"


def test_what_grows_with_its_size_stays_below_the_limit() -> None:
    (chart,) = drawn(measured(unit="seconds", costs=[0.1, 0.2, 0.4]))

    assert chart.words.startswith("At 25, 50 and 100: 0.1, 0.2 and 0.4 s. 4.0 times as much")
    assert not chart.over
    assert chart.marks[-1].y > chart.limit_y


def test_two_figures_that_are_near_each_other_are_written_apart() -> None:
    (chart,) = drawn(measured(costs=[100, 300, 801]))

    assert abs(chart.cost_y - chart.limit_y) >= 12


def test_one_measurement_has_one_chart() -> None:
    assert len(drawn(measured(), measured(), measured(work="chunks"))) == 2


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "text",
        {},
        measured(n=0),
        measured(n="25"),
        measured(costs=[1, 2]),
        measured(costs=[1, 2, None]),
        measured(costs=[0, 0, 0]),
        measured(costs=[1, 2, 1e300]),
    ],
)
def test_what_is_of_another_shape_has_no_chart(odd: Any) -> None:
    assert drawn(odd) == []
    assert list(charts(odd)) == []
