"""Which envelopes a client takes, in which order they count, and what they allow."""

from __future__ import annotations

from itertools import permutations

import pytest

from openwop_conformance.jsonvalue import JsonValue

from .envelopes import Asked, button, column, create, data, delete, payload, text, textbox, update

FORM = (create(), update(column("t", "b", "e"), textbox("t", "/x"), *button("b")))
EXCHANGE = update(*button("e", "exchange"))


def form() -> Asked:
    """A client with a field and a button for each event."""
    asked = Asked()
    asked.gives(*FORM, EXCHANGE)
    return asked


def enabled(asked: Asked) -> list[str]:
    return [n["id"] for n in asked.flat() if n["role"] == "button" and n["enabled"]]


REFUSED: list[JsonValue] = [
    {**text("t", "x"), "onclick": "alert(1)"},
    {"id": "t", "component": "Image", "url": "https://x.example/"},
    {**textbox("t", "/x"), "variant": "obscured"},
    text("t", {"call": "formatString", "args": {"value": "${/x}"}}),
    {**button("t")[0], "action": {"functionCall": {"call": "openUrl", "args": {"url": "x:"}}}},
    {**button("t")[0], "action": {"event": {"name": "deleteAll"}}},
]


@pytest.mark.parametrize("component", REFUSED, ids=lambda c: c["component"])
def test_an_envelope_outside_the_profile_changes_nothing(component: JsonValue) -> None:
    asked = form()
    before = asked.surfaces

    asked.gives(update(text("root", "bad"), component), trust="untrusted", partial=True, sequence=7)
    assert asked.surfaces == before

    asked.gives(update(text("root", "good")), sequence=7)
    assert asked.texts() == ["good"]


@pytest.mark.parametrize(
    "given",
    [
        {**payload(update(text("root", "x"))), "catalogId": "https://x.example/c"},
        {**payload(update(text("root", "x"))), "surfaceId": "other"},
        {**payload(delete(), create()), "catalogId": None},
        payload(update(text("root", "x"), surface="other")),
        payload(create(), update(text("root", "x"))),
        payload(update(text("root", "x")), data(1, "/x/y")),
        {"catalogVersion": "0.9.1", "surface": {"components": []}},
        None,
        [],
        "text",
    ],
)
def test_a_payload_that_does_not_fit_or_cannot_be_folded_is_used_in_no_part(
    given: JsonValue,
) -> None:
    asked = form()
    asked.gives(data({"x": "a primitive"}))
    before = asked.surfaces

    asked.delivers(given)

    assert asked.surfaces == before


@pytest.mark.parametrize("version", [-1, 3, 1, 0, 900, True])
def test_a_payload_is_read_as_the_version_that_the_envelope_says_and_no_other(version: int) -> None:
    asked = Asked()
    asked.delivers(payload(*FORM), version)

    assert asked.surfaces == {}


def test_an_envelope_of_another_type_is_ignored() -> None:
    asked = Asked()
    asked.delivers(payload(*FORM), type="media.image")

    assert asked.surfaces == {}


def test_no_action_is_enabled_while_the_envelope_that_came_last_in_sequence_is_partial() -> None:
    asked = form()
    asked.gives(data("x", "/x"), partial=True, sequence=20)
    assert enabled(asked) == []
    assert not asked.fires("b")
    assert asked.sets("textbox", "t", "still a field")

    asked.gives(data("y", "/y"), sequence=10)
    assert enabled(asked) == []

    asked.gives(data("z", "/z"), sequence=30)
    assert enabled(asked) == ["b", "e"]


def test_one_untrusted_envelope_blocks_the_approval_for_ever() -> None:
    for untrusted in range(3):
        asked = Asked()
        for number, messages in enumerate([(*FORM, EXCHANGE), (data("x", "/x"),), (data("y"),)]):
            asked.gives(*messages, trust="untrusted" if number == untrusted else "trusted")

        assert enabled(asked) == ["e"]
        assert not asked.fires("b")
        asked.gives(delete(), *FORM, EXCHANGE)
        assert enabled(asked) == ["e"]


def test_the_taint_of_a_surface_is_no_other_one_s() -> None:
    asked = form()
    other = payload(create("o"), update(column("b"), *button("b"), surface="o"), surface="o")
    asked.delivers(other, trust="untrusted")
    asked.delivers(payload(*FORM), run="another", trust="untrusted")

    assert enabled(asked) == ["b", "e"]
    assert not asked.fires("b", surface="o")


def test_surfaces_of_one_id_in_two_runs_are_kept_apart() -> None:
    asked = Asked()
    for run in ("one", "two"):
        asked.gives(create(), update(column("t"), text("t", run)), run=run, sequence=1)
    assert asked.texts() == ["one", "two"]

    asked.gives(delete(), run="one", sequence=2)
    assert asked.texts() == ["two"]


def test_envelopes_are_folded_by_sequence_whatever_the_order_in_which_they_come() -> None:
    log: list[tuple[JsonValue, ...]] = [
        (create(), update(column("a"), text("a", "1"))),
        (update(text("a", {"path": "/v"})), data({"v": "2"})),
        (delete(),),
        (create(), update(column("a", "b"), text("a", "3"))),
        (update(text("b", "4")),),
    ]
    for order in permutations(range(len(log))):
        asked = Asked()
        for number in order:
            asked.gives(*log[number], sequence=number * 10, partial=number == 4)
            assert len(asked.surfaces) < 2
        assert asked.texts() == ["3", "4"], order


def test_an_envelope_that_comes_twice_counts_once() -> None:
    asked = form()
    asked.gives(data("theirs", "/x"), sequence=2)
    asked.sets("textbox", "t", "mine")

    asked.gives(data("theirs", "/x"), sequence=2)

    assert asked.one("textbox")["value"] == "mine"


def test_what_a_person_entered_stays_when_an_envelope_comes_late_and_yields_to_a_later_one() -> (
    None
):
    asked = form()
    asked.gives(data("theirs", "/x"), sequence=10)
    asked.sets("textbox", "t", "mine")

    asked.gives(data("late", "/x"), sequence=5)
    assert asked.one("textbox")["value"] == "mine"

    asked.gives(data("later", "/x"), sequence=11)
    assert asked.one("textbox")["value"] == "later"
