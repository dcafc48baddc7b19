"""Laws of the consumer over any payloads of the profile, and over what is none."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.catalog import check_payload
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reference.consumer.operations import ReferenceConsumer
from openwop_conformance.schemas import validator

from .envelopes import create, data, delete, payload, readable, tree, update

NAMES = ("root", "a", "b", "c", "d", "__proto__", "")
IDS = st.sampled_from(NAMES[1:])
BELOW = st.sampled_from(["c", "d", "d", "__proto__", "gone", "a"])
"""What groups and buttons refer to: mostly what lies deeper, at times what makes a cycle."""
WORDS = st.sampled_from(["", "x", "<b>é</b>", "1", "\u202e\x00"])
PATHS = st.sampled_from(["/", "", "/x", "x", "/x/0", "/x/y", "/x/99999", "/~2", "/constructor/x"])
BINDINGS = PATHS.map(lambda path: {"path": path})
SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.just(0.5) | WORDS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xy0"), inner),
    max_leaves=6,
)
TEXTS = WORDS | BINDINGS
CHECKS = st.lists(
    st.builds(
        lambda bound, message: {
            "condition": {"call": "required", "args": {"value": bound}},
            "message": message,
        },
        BINDINGS,
        WORDS,
    ),
    max_size=2,
)
OPTIONS = st.lists(st.fixed_dictionaries({"label": TEXTS, "value": WORDS}), min_size=1, max_size=3)
HINTS = st.fixed_dictionaries({}, optional={"label": TEXTS, "description": TEXTS})
EVENTS = st.fixed_dictionaries(
    {"name": st.sampled_from(["resume", "exchange"])},
    optional={"context": st.dictionaries(WORDS, BINDINGS | WORDS, max_size=2)},
)


def of(
    kind: str, needed: dict[str, Any], optional: dict[str, Any] | None = None
) -> st.SearchStrategy[JsonValue]:
    """Components of one kind."""
    return st.fixed_dictionaries(
        {"id": IDS, "component": st.just(kind), **needed},
        optional={"accessibility": HINTS, **(optional or {})},
    )


LISTS = st.lists(BELOW, max_size=3)
COMPONENTS = st.one_of(
    of("Text", {"text": TEXTS}, {"variant": st.sampled_from(["h1", "body"])}),
    of("TextField", {"label": TEXTS}, {"value": TEXTS, "checks": CHECKS}),
    of("CheckBox", {"label": TEXTS, "value": st.booleans() | BINDINGS}, {"checks": CHECKS}),
    of(
        "ChoicePicker",
        {"options": OPTIONS, "value": BINDINGS | st.lists(WORDS, max_size=2)},
        {
            "label": TEXTS,
            "variant": st.sampled_from(["multipleSelection", "mutuallyExclusive"]),
        },
    ),
    of("DateTimeInput", {"value": TEXTS}, {"label": TEXTS, "enableDate": st.booleans()}),
    of("Button", {"child": BELOW, "action": EVENTS.map(lambda event: {"event": event})}),
    of("Column", {"children": LISTS}),
    of("Row", {"children": LISTS}),
    of("Card", {"child": BELOW}),
    of("Divider", {}),
)
ROOT = {"id": "root", "component": "Column", "children": list(NAMES[1:])}
UPDATES = st.lists(COMPONENTS, min_size=1, max_size=6).map(lambda some: update(*some))
WHOLE = st.lists(COMPONENTS, min_size=4, max_size=9).map(lambda some: update(ROOT, *some))
WRITES = st.builds(data, VALUES, PATHS.filter(lambda path: path.startswith("/")))


@st.composite
def logs(draw: st.DrawFn) -> list[JsonValue]:
    """Envelopes of one run by sequence, of one surface; most can be folded, some cannot."""
    envelopes: list[JsonValue] = []
    for number in range(draw(st.integers(1, 5))):
        messages = draw(st.lists(UPDATES | WRITES, min_size=1, max_size=3))
        odd = draw(st.integers(0, 9))
        if number == 0:
            messages = [create(), draw(WHOLE), *messages]
        elif odd < 3:
            ends = [[delete()], [create()], [delete(), create(), draw(WHOLE)]]
            messages = [*ends[odd], *messages]
        made = payload(*messages)
        check_payload(made, 2)
        envelope = {"payload": made, "schemaVersion": 2, "sequence": number * 3}
        envelope["trust"] = "untrusted" if draw(st.integers(0, 5)) == 0 else "trusted"
        envelopes.append({**envelope, "partial": draw(st.integers(0, 3)) == 0})
    return envelopes


def consumer(*envelopes: JsonValue) -> ReferenceConsumer:
    made = ReferenceConsumer()
    made.open("c")
    for envelope in envelopes:
        made.deliver("c", envelope)
    return made


def nodes(surfaces: dict[str, list[JsonValue]]) -> list[JsonValue]:
    waiting = [node for roots in surfaces.values() for node in roots]
    for node in waiting:
        waiting.extend(node.get("children", ()))
    return waiting


@settings(max_examples=18)
@given(logs(), st.randoms(use_true_random=False), st.booleans())
def test_any_order_of_arrival_comes_to_the_same_as_the_order_of_sequence(
    log: list[JsonValue], random: Any, looked: bool
) -> None:
    shuffled = [*log, *random.choices(log, k=2)]
    random.shuffle(shuffled)
    late = consumer()
    for envelope in shuffled:
        late.deliver("c", envelope)
        if looked:
            late.rendered("c")

    assert late.rendered("c") == consumer(*log).rendered("c")


@settings(max_examples=12)
@given(logs())
def test_whatever_is_in_the_profile_is_shown_and_operated_without_an_error(
    log: list[JsonValue],
) -> None:
    subject = consumer(*log)

    for _ in range(2):
        rendered = readable(subject.rendered("c"))
        assert validator("consumer-line", "result_rendered").is_valid(rendered)
        for node in nodes(rendered["surfaces"]):
            if node["role"] == "button":
                done = subject.fire("c", "s", node["name"])["done"]
                assert done or not node["enabled"]
            elif "enabled" in node:
                for value in ("x", True, ["x"], "2026-12-01", None):
                    subject.set("c", "s", node["role"], node["name"], value)
    submitted = readable(subject.submitted("c"))
    assert validator("consumer-line", "result_submitted").is_valid(submitted)
    assert {s["to"] for s in submitted["submissions"]} <= {"interrupt", "turn"}


@settings(max_examples=10)
@given(logs(), st.data())
def test_what_is_outside_the_profile_changes_nothing_wherever_it_comes(
    log: list[JsonValue], drawn: st.DataObject
) -> None:
    broken = drawn.draw(st.sampled_from(log))
    place = drawn.draw(st.sampled_from(["payload", "message", "version", "legacy", "type"]))
    wrong: JsonValue = {**broken, "sequence": drawn.draw(st.integers(-1, 20)), "trust": "untrusted"}
    if place == "payload":
        wrong["payload"] = {**broken["payload"], "extra": 1}
    elif place == "message":
        strange = {"version": "v0.9", **update({"id": "root", "component": "Video", "url": "x"})}
        messages = [*broken["payload"]["messages"], strange]
        wrong["payload"] = {**broken["payload"], "messages": messages}
    elif place == "version":
        wrong["schemaVersion"] = drawn.draw(st.sampled_from([-1, 0, 1, 3]))
    elif place == "legacy":
        wrong["payload"] = tree({"component": "text", "text": "x"})
    else:
        wrong["type"] = "ui.other"
    at = drawn.draw(st.integers(0, len(log)))

    with_it = consumer(*log[:at], wrong, *log[at:])

    assert with_it.rendered("c") == consumer(*log).rendered("c")


@settings(max_examples=10)
@given(logs())
def test_nothing_of_a_surface_is_shown_without_a_root(log: list[JsonValue]) -> None:
    for envelope in log:
        for message in envelope["payload"]["messages"]:
            for component in message.get("updateComponents", {}).get("components", ()):
                if component["id"] == "root":
                    component["id"] = "no-root"

    assert consumer(*log).rendered("c") == {"surfaces": {}}


@settings(max_examples=10)
@given(st.lists(st.tuples(VALUES, st.integers(-1, 3), st.integers(0, 5)), max_size=4))
def test_whatever_else_a_payload_or_a_frame_is_it_is_taken_and_not_shown(
    given_values: list[tuple[JsonValue, int, int]],
) -> None:
    subject = consumer()
    for value, version, sequence in given_values:
        envelope = {"payload": value, "schemaVersion": version, "sequence": sequence}
        subject.deliver("c", envelope)
        subject.frame("c", value, sequence)

    assert subject.rendered("c") == {"surfaces": {}}
