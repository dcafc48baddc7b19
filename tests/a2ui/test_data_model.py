"""The data model: A2UI's pointer rules one by one, reported faults, laws, and upstream's cases."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.a2ui.data_model import MAX_INDEX, DataModel, segments_of
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import MISSING, JsonValue

from ..shared_data import shared
from .naive import Refused, put, remove


def model(root: JsonValue) -> DataModel:
    subject = DataModel()
    subject.root = copy.deepcopy(root)
    return subject


# -------------------------------------------------------------------------------------- paths


@pytest.mark.parametrize(
    ("path", "segments"),
    [
        (None, ()),
        ("", ()),
        ("/", ()),
        ("//", ()),
        ("/a", ("a",)),
        ("/a/", ("a",)),
        ("//a///b/", ("a", "b")),
        ("/a~1b", ("a/b",)),
        ("/a~0b", ("a~b",)),
        ("/a~01b", ("a~1b",)),
        ("/~1~0", ("/~",)),
        ("/0/00", ("0", "00")),
        ("/ / a", (" ", " a")),
        ("/\N{ROCKET}", ("\N{ROCKET}",)),
        ("/proto/__proto", ("proto", "__proto")),
    ],
)
def test_a_path_has_these_segments(path: str | None, segments: tuple[str, ...]) -> None:
    assert segments_of(path) == segments


@pytest.mark.parametrize(
    "path",
    [
        "a",
        "a/b",
        " /a",
        "#/a",
        "./a",
        "/~",
        "/a~2b",
        "/a~",
        "/__proto__",
        "/__proto__/x",
        "/a/constructor",
        "/a~0/b/prototype/c",
    ],
)
def test_a_path_that_is_relative_misspelt_or_reaches_a_prototype_is_refused(path: str) -> None:
    subject = model({"a": 1})
    for act in (subject.get, subject.remove, lambda p: subject.put(p, 1)):
        with pytest.raises(Violation) as refusal:
            act(path)
        assert refusal.value.rule == "data-path"
        assert repr(path) in str(refusal.value)
    assert subject.root == {"a": 1}


# ------------------------------------------------------------------------------------- writing


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ({"x": 1}, "/x", None, {"x": None}),
        ({}, "/x", None, {"x": None}),
        ({}, "/p/q", None, {"p": {"q": None}}),
        ({"x": 1}, None, {"y": 2}, {"y": 2}),
        ({"x": 1}, "/", {"y": 2}, {"y": 2}),
        ({"x": 1}, "", [1], [1]),
        ({"x": 1}, "/", None, None),
        ({}, "/a/b/c", "foo", {"a": {"b": {"c": "foo"}}}),
        ({}, "/a/0", "x", {"a": ["x"]}),
        ({}, "/a/b/0/c", 1, {"a": {"b": [{"c": 1}]}}),
        ({}, "/a/0/0", 1, {"a": [[1]]}),
        ({}, "/a/2", 1, {"a": [None, None, 1]}),
        ({}, "/a/01", 1, {"a": {"01": 1}}),
        ({"a": None}, "/a/b", 1, {"a": {"b": 1}}),
        ({"a": None}, "/a/0", 1, {"a": [1]}),
        ({"l": [None]}, "/l/0/b", 1, {"l": [{"b": 1}]}),
        (None, "/a", 1, {"a": 1}),
        (None, "/0/a", 1, [{"a": 1}]),
        ({"l": ["a", "b"]}, "/l/1", "c", {"l": ["a", "c"]}),
        ({"l": ["a", "b"]}, "/l/2", "c", {"l": ["a", "b", "c"]}),
        ({"l": ["a", "b"]}, "/l/4", "X", {"l": ["a", "b", None, None, "X"]}),
        ({"l": ["a"]}, "/l/2/k", 1, {"l": ["a", None, {"k": 1}]}),
        ({"l": ["a"]}, "/l/", "b", {"l": "b"}),
        ({"m": {}}, "/m/01", 1, {"m": {"01": 1}}),
        ({"m": {}}, "/m/1", 1, {"m": {"1": 1}}),
        ({"m": {}}, "/m/-", 1, {"m": {"-": 1}}),
        ({"m": {}}, "/m/foo", 1, {"m": {"foo": 1}}),
        ([1], "/0", 2, [2]),
        ({}, "/a~1b", 1, {"a/b": 1}),
        ({}, "/a~0b", 1, {"a~b": 1}),
        ({}, "/a~01b", 1, {"a~1b": 1}),
        ({"u": {"n": "A"}}, "/u/n", {"f": 1}, {"u": {"n": {"f": 1}}}),
        ({"u": {"n": "A"}}, "/u", 1, {"u": 1}),
        ({}, f"/l/{MAX_INDEX}", 1, {"l": [*[None] * MAX_INDEX, 1]}),
    ],
)
def test_a_write_leaves_this_model_and_can_be_undone(
    before: JsonValue, path: str | None, value: JsonValue, after: JsonValue
) -> None:
    subject = model(before)
    undo = subject.put(path, value)
    assert subject.root == after
    undo()
    assert subject.root == before


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ({"u": {"n": "A"}}, "/u/n/f"),
        ({"u": {"n": "A"}}, "/u/n/0"),
        ({"u": 0}, "/u/f"),
        ({"u": False}, "/u/f/g/h"),
        ({"u": ""}, "/u/f"),
        ({"l": ["a"]}, "/l/0/foo"),
        ("text", "/a"),
        (5, "/0"),
        ({"l": [1]}, "/l/foo"),
        ({"l": [1]}, "/l/foo/bar"),
        ({"l": [1]}, "/l/-"),
        ({"l": [1]}, "/l/-/a"),
        ({"l": [1]}, "/l/-1"),
        ({"l": [1]}, "/l/01"),
        ({"l": [1]}, "/l/00"),
        ({"l": [1]}, "/l/+1"),
        ({"l": [1]}, "/l/1e1"),
        ({"l": [1]}, "/l/1.0"),
        ({"l": [1]}, "/l/0x0a"),
        ({"l": [1]}, "/l/1_0"),
        ({"l": [1]}, "/l/ 1"),
        ({"l": [1]}, "/l/\u0661"),
        ({"l": [1]}, "/l/\u00b2"),
        ({"l": [1]}, "/l/length"),
        ({"l": [1]}, f"/l/{MAX_INDEX + 1}"),
        ({"l": [1]}, "/l/" + "9" * 5000),
        ({}, f"/l/{MAX_INDEX + 1}"),
        ({}, f"/l/a/{MAX_INDEX + 1}/b"),
        ([1], "/x"),
    ],
)
def test_a_write_that_would_destroy_or_misread_is_refused_and_changes_nothing(
    before: JsonValue, path: str
) -> None:
    subject = model(before)
    with pytest.raises(Violation) as refusal:
        subject.put(path, 1)
    assert refusal.value.rule == "data-path"
    assert subject.root == before


# ------------------------------------------------------------------------------------ removing


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ({"x": 1, "y": 2}, "/x", {"y": 2}),
        ({"x": None, "y": 2}, "/x", {"y": 2}),
        ({"x": 1}, "/y", {"x": 1}),
        ({"x": 1}, "/y/z", {"x": 1}),
        ({"x": {"a": {"b": 1}}}, "/x/a/b", {"x": {"a": {}}}),
        ({"x": None}, "/x/a", {"x": None}),
        ({"l": ["a", "b", "c"]}, "/l/1", {"l": ["a", None, "c"]}),
        ({"l": ["a", "b", "c"]}, "/l/2", {"l": ["a", "b", None]}),
        ({"l": ["a"]}, "/l/1", {"l": ["a"]}),
        ({"l": ["a"]}, "/l/1/b", {"l": ["a"]}),
        ({"l": [{"a": 1}]}, "/l/0/a", {"l": [{}]}),
        ({"x": 1}, None, {}),
        ({"x": 1}, "", {}),
        ({"x": 1}, "/", {}),
        ([1], "/", {}),
        (None, "/", {}),
        (None, "/a", None),
        (None, "/a/b", None),
        ({"a/b": 1, "a": {"b": 2}}, "/a~1b", {"a": {"b": 2}}),
    ],
)
def test_a_removal_leaves_this_model_and_can_be_undone(
    before: JsonValue, path: str | None, after: JsonValue
) -> None:
    subject = model(before)
    undo = subject.remove(path)
    assert subject.root == after
    undo()
    assert subject.root == before


@pytest.mark.parametrize(
    ("before", "path"),
    [
        ({"u": {"n": "A"}}, "/u/n/f"),
        ({"l": [1]}, "/l/foo"),
        ({"l": [1]}, "/l/-"),
        ({"l": [1]}, "/l/01"),
        (5, "/a"),
    ],
)
def test_a_removal_through_what_is_no_container_is_refused(before: JsonValue, path: str) -> None:
    subject = model(before)
    with pytest.raises(Violation):
        subject.remove(path)
    assert subject.root == before


# ------------------------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("root", "path", "value"),
    [
        ({"a": {"b": [1, {"c": None}]}}, "/a/b/1/c", None),
        ({"a": 1}, "/b", MISSING),
        ({"a": 1}, "/a/b", MISSING),
        ({"a": None}, "/a/b", MISSING),
        ({"l": [1]}, "/l/1", MISSING),
        ({"l": [1]}, "/l/-1", MISSING),
        ({"l": [1]}, "/l/x", MISSING),
        ({"l": [1]}, "/l/00", MISSING),
        ({"l": [1]}, "/l/" + "9" * 5000, MISSING),
        ({"l": [1]}, "/l/0", 1),
        ({"l": list(range(12_000))}, "/l/11999", 11999),
        (None, "/", None),
        ({"a": 1}, None, {"a": 1}),
        ({"a": 1}, "/a/", 1),
    ],
)
def test_a_read_finds_a_value_or_nothing_and_never_fails(
    root: JsonValue, path: str | None, value: JsonValue
) -> None:
    assert model(root).get(path) == value


def test_values_are_copied_in() -> None:
    value: dict[str, Any] = {"list": [1]}
    subject = DataModel()
    subject.put("/x", value)
    value["list"].append(2)
    assert subject.root == {"x": {"list": [1]}}
    subject.put("/x/list/1", 3)
    assert value == {"list": [1, 2]}


# ---------------------------------------------------------------------------------------- laws

tokens = st.sampled_from(["a", "b", "0", "1", "2", "01", "-", "~1", "~0", "", "__proto__"])
paths = st.none() | st.lists(tokens, max_size=4).map(lambda parts: "".join("/" + p for p in parts))
roots = st.recursive(
    st.none() | st.booleans() | st.integers(0, 9) | st.text("ab", max_size=2),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "0", "/"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(roots, paths, roots)
def test_a_write_does_what_a_copying_model_does(
    root: JsonValue, path: str | None, value: JsonValue
) -> None:
    subject = model(root)
    try:
        expected = put(root, path, value)
    except Refused:
        with pytest.raises(Violation):
            subject.put(path, value)
        assert subject.root == root
        return
    undo = subject.put(path, value)
    assert subject.root == expected
    assert subject.get(path) == value
    undo()
    assert subject.root == root


@given(roots, paths)
def test_a_removal_does_what_a_copying_model_does(root: JsonValue, path: str | None) -> None:
    subject = model(root)
    try:
        expected = remove(root, path)
    except Refused:
        with pytest.raises(Violation):
            subject.remove(path)
        assert subject.root == root
        return
    undo = subject.remove(path)
    assert subject.root == expected
    undo()
    assert subject.root == root


# ---------------------------------------------------------------------------- upstream's cases

DIFFERENCES = {
    "notifications are a renderer's; a fold has no observers": {
        "trailing_slash",
        "notify_exact",
        "notify_ancestor",
        "notify_descendant",
        "notify_root",
        "no_notify_unrelated",
        "no_notify_prefix_sibling",
        "two_observers",
        "observe_absent",
    },
    "a fold's model lives and ends with its surface, so there is nothing to dispose of": {
        "dispose"
    },
}


def test_upstream_s_cases_for_a_data_model_hold() -> None:
    suite = json.loads(shared("a2ui/suites_newer/data_model.compact.json").read_text())
    assert len(suite["cases"]) == 35
    differing = set()
    for name, start, steps, *rest in suite["cases"]:
        subject = DataModel(start)
        understood = [step(subject, *one) for one in steps]
        for path, value in (rest[0].get("values", {}) if rest else {}).items():
            assert subject.get(path) == value, name
        if not all(understood) or (rest and "values" not in rest[0]):
            differing.add(name)
    assert differing == set.union(*DIFFERENCES.values())


def step(subject: DataModel, verb: str, path: str = "/", *rest: Any) -> bool:
    """One step of an upstream case; False for a verb that a fold's model does not have."""
    match verb, rest:
        case "get", [expected]:
            found = subject.get(path)
            assert (found is MISSING) if expected == "<absent>" else (found == expected)
        case "set", [value]:
            subject.put(path, value)
        case "set", [value, _error]:
            before = copy.deepcopy(subject.root)
            with pytest.raises(Violation):
                subject.put(path, value)
            assert subject.root == before
        case "delete", []:
            subject.remove(path)
        case "type", [kind]:
            assert isinstance(subject.get(path), {"object": dict, "list": list}[kind])
        case "key", [name]:
            assert name in subject.get(path)
        case _:
            return False
    return True
