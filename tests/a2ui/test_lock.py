"""Locks: the proposal's examples and criteria, the form of a policy, and that nothing gets by."""

from __future__ import annotations

import copy
import hashlib
from pathlib import Path
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from openwop_conformance.a2ui.lock import (
    Lock,
    LockViolation,
    check_form,
    digest,
    without_locks,
)
from openwop_conformance.a2ui.locked_fold import LockedFold, refusal_of
from openwop_conformance.corpus import corpus
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import parse
from openwop_conformance.scenario.lint import load_all
from openwop_conformance.schemas import schema, validator

from ..shared_data import FIXTURES
from .locking import CATALOG, MODELS, PAYLOADS, POLICIES, Payload, confirmation, frozen, full

GIVEN = parse((FIXTURES / "locked/given/transfer.json").read_bytes())
REFUSED = [
    path
    for path in sorted((FIXTURES / "locked").glob("*/*.json"))
    if path.parent.name not in ("given", "allowed", "form", "form-created")
]
ALLOWED = sorted((FIXTURES / "locked/allowed").glob("*.json"))
FORMS = sorted((FIXTURES / "locked").glob("form*/*.json"))


def name_of(path: Path) -> str:
    return f"{path.parent.name}/{path.stem}"


def after(*payloads: Payload) -> LockedFold:
    fold = LockedFold()
    for payload in payloads:
        fold.apply_all(full(payload))
    return fold


@pytest.mark.parametrize("path", REFUSED, ids=name_of)
def test_a_lock_refuses_each_case_and_an_unlocked_surface_takes_it(path: Path) -> None:
    case = parse(path.read_bytes())
    fold = after(GIVEN["locked"])
    before = copy.deepcopy(fold.surfaces["s"].data.root), dict(fold.surfaces["s"].components)
    with pytest.raises(LockViolation) as caught:
        fold.apply_all(full(case["messages"]))
    violation = caught.value.violation
    assert violation == {
        "type": "A2UI_POLICY_VIOLATION",
        "surfaceId": "s",
        "reason": violation["reason"],
        **case["violation"],
    }
    assert validator("locked-surfaces", "violation").is_valid(violation)
    assert (fold.surfaces["s"].data.root, dict(fold.surfaces["s"].components)) == before
    after(GIVEN["messages"], case["messages"])


@pytest.mark.parametrize("path", ALLOWED, ids=name_of)
def test_a_lock_lets_through_what_its_policy_allows(path: Path) -> None:
    case = parse(path.read_bytes())
    fold = after(GIVEN["locked"], case["messages"])
    assert fold.surfaces["s"].data.root == case["data"]


@pytest.mark.parametrize("path", FORMS, ids=name_of)
def test_a_policy_without_its_form_is_refused_and_its_twin_taken(path: Path) -> None:
    case = parse(path.read_bytes())
    made = case.get("given", [])
    with pytest.raises(Violation) as caught:
        after([*made, *case["messages"]])
    assert not isinstance(caught.value, LockViolation)
    assert "s" in after([*made, *case["twin"]]).locks.held


def test_each_case_of_a_lock_is_asked_of_all_three_subjects() -> None:
    asked: dict[str, set[str]] = {}
    for scenario in load_all(corpus()):
        for step in scenario.steps:
            if step.case is not None:
                asked.setdefault(step.case, set()).add(scenario.subject)
    for path in [*REFUSED, *ALLOWED]:
        assert asked[f"locked/{name_of(path)}.json"] == {"host", "sdk", "consumer"}, path
    for path in FORMS:
        assert asked[f"locked/{name_of(path)}.json"] == {"host", "sdk"}, path


def test_the_proposal_s_own_policy_and_messages_have_their_form() -> None:
    policy = {
        "reason": "safetyCriticalConfirmation",
        "allowedDataModelPaths": ["/status", "/progress", "/errorMessage", "/completedAt"],
        "allowComponentUpdates": False,
        "allowDeleteSurface": False,
    }
    for message in full(
        [
            {"lockSurface": policy},
            {"createSurface": {"surfacePolicy": {"mutability": "locked", **policy}}},
        ]
    ):
        check_form(message)
    lock = Lock.of(policy)
    assert lock.allowed == (("status",), ("progress",), ("errorMessage",), ("completedAt",))
    assert not lock.components
    assert not lock.delete


def test_a_policy_that_allows_a_region_twice_is_the_same_lock() -> None:
    once = Lock.of({"allowedDataModelPaths": ["/a"]})
    assert Lock.of({"allowedDataModelPaths": ["/a/b", "//a", "/a"]}) == once
    assert Lock.of({"allowedDataModelPaths": ["/", "/a"]}).allowed == ((),)


def test_a_lock_is_undone_with_its_transaction() -> None:
    fold = after(GIVEN["messages"])
    locked_and_wrong = full([{"lockSurface": {}}, {"createSurface": {}}])
    with pytest.raises(Violation):
        fold.apply_all(locked_and_wrong)
    fold.apply_all(full([{"updateDataModel": {"path": "/amount", "value": 1}}]))
    assert fold.locks.held == {}


def test_what_is_tried_leaves_nothing_behind() -> None:
    fold = after(GIVEN["messages"])
    lock: Payload = [{"lockSurface": {}}, {"deleteSurface": {}}]
    violation = refusal_of(fold, full(lock))
    assert isinstance(violation, LockViolation)
    assert violation.path == "/messages/1/deleteSurface"
    assert refusal_of(fold, full(lock[:1])) is None
    assert fold.locks.held == {}
    rootless = [{"createSurface": {"surfacePolicy": {"mutability": "locked"}}}]
    found = refusal_of(fold, full(rootless, "other"))
    assert found is not None
    assert found.rule == "lock-policy"
    assert list(fold.surfaces) == ["s"]


def test_a_long_index_in_an_allowed_path_is_never_read_as_a_number() -> None:
    path = "/lines/" + "9" * 5000
    fold = after([*GIVEN["messages"], {"lockSurface": {"allowedDataModelPaths": ["/lines/1"]}}])
    lock = Lock.of({"allowedDataModelPaths": [path]})
    assert lock.changes_frozen({"lines": []}, lock.allowed[0])
    with pytest.raises(LockViolation):
        fold.apply_all(full([{"updateDataModel": {"path": path, "value": 1}}]))


def test_the_closed_profile_is_asked_of_everything_but_the_locks() -> None:
    payload = {"messages": full([*GIVEN["created"], {"lockSurface": GIVEN["policy"]}])}
    plain = without_locks(payload)["messages"]
    assert all(validator("ui.a2ui-surface", "message").is_valid(message) for message in plain)
    assert plain[:3] == full(GIVEN["messages"])
    extra = {"messages": [{**full([{"lockSurface": {}}])[0], "more": 1}]}
    assert not validator("ui.a2ui-surface", "message").is_valid(without_locks(extra)["messages"][0])
    untouched = {"messages": full(GIVEN["messages"])}
    assert without_locks(untouched) is untouched


def test_a_violation_has_one_form_wherever_it_travels() -> None:
    forms = [schema(n)["$defs"]["violation"] for n in ("sdk-line", "consumer-line")]
    assert forms == [schema("locked-surfaces")["$defs"]["violation"]] * 2


def test_the_digest_is_that_of_the_frozen_content_s_rfc_8785_form() -> None:
    fold = after(
        [
            {"createSurface": {}},
            {
                "updateComponents": {
                    "components": [{"id": "root", "component": "Text", "text": "é"}]
                }
            },
            {"updateDataModel": {"value": {"b": 1.0, "a": [1, 2], "c~/": None, "s": "x"}}},
            {"lockSurface": {"allowedDataModelPaths": ["/s", "/a/1"]}},
        ]
    )
    content: Any = {
        "catalogId": CATALOG,
        "components": {"root": {"id": "root", "component": "Text", "text": "é"}},
        "data": {"/b": 1, "/a/0": 1, "/c~0~1": None},
    }
    assert fold.frozen("s") == content
    assert validator("locked-surfaces", "frozenContent").is_valid(content)
    expected = hashlib.sha256(rfc8785.dumps(content)).hexdigest()
    assert digest(fold.frozen("s")) == f"sha256:{expected}"
    assert fold.frozen("other") is None


@settings(max_examples=300)
@given(MODELS, POLICIES, PAYLOADS)
def test_whatever_comes_what_is_frozen_stays_as_it_was(
    model: Any, policy: dict[str, Any], payloads: list[Payload]
) -> None:
    allowed = policy.get("allowedDataModelPaths", [])
    fold = after([*confirmation(model), {"lockSurface": policy}])
    surface = fold.surfaces["s"]
    before = frozen(surface.data.root, allowed)
    components, seen = dict(surface.components), digest(fold.frozen("s"))
    for payload in payloads:
        with_it = copy.deepcopy(fold.surfaces["s"].data.root)
        try:
            fold.apply_all(full(payload))
        except Violation:
            assert fold.surfaces["s"].data.root == with_it
        assert frozen(fold.surfaces["s"].data.root, allowed) == before
        assert dict(fold.surfaces["s"].components) == components
        assert digest(fold.frozen("s")) == seen


@settings(max_examples=200)
@given(MODELS, POLICIES, st.data())
def test_what_is_allowed_and_changes_nothing_frozen_is_let_through(
    model: Any, policy: dict[str, Any], data: st.DataObject
) -> None:
    """The other side: an update below an allowed path is refused only for what is around it."""
    allowed = policy.get("allowedDataModelPaths", [])
    if not allowed:
        return
    path = data.draw(st.sampled_from(allowed))
    message: Payload = [{"updateDataModel": {"path": path, "value": "new"}}]
    fold, free = (after([*confirmation(model), *lock]) for lock in ([{"lockSurface": policy}], []))
    before = frozen(free.surfaces["s"].data.root, allowed)
    try:
        free.apply_all(full(message))
    except Violation:
        with pytest.raises(Violation):
            fold.apply_all(full(message))
        return
    if frozen(free.surfaces["s"].data.root, allowed) == before:
        try:
            fold.apply_all(full(message))
        except LockViolation:  # a list that would be filled, be it with what is allowed as well
            assert path in ("/a/1", "/a/10")
            return
        assert fold.surfaces["s"].data.root == free.surfaces["s"].data.root
    else:
        with pytest.raises(LockViolation):
            fold.apply_all(full(message))
