"""Upstream's own suites, run through the profile, the fold and the topology; each verdict that
differs stands in a table with its reason, so that a new difference fails.

Not comparable, and left out: the cases of v0.8 and v0.10 (other wires), of v0.9.1 (the same cases
again), of client messages (a host receives none), of streaming, parsing, catalog pruning and
prompts (a library's work; no rule of a recorded surface).
"""

from __future__ import annotations

import re
from typing import Any

import yaml

from openwop_conformance.a2ui.catalog import check_message
from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.message import kind_of
from openwop_conformance.a2ui.topology import topology
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import JsonValue, parse

from ..shared_data import shared

SPECIFICATION = {
    "button_checks": 7,
    "checkable_components": 12,
    "contact_form_example_test": 3,
    "function_catalog_validation": 43,
    "tabs_checks": 2,
    "text_variants": 2,
    "theme_validation": 4,
}
"""The files whose cases are server messages, and how many each has."""

TAKEN_AWAY = {
    "the two names of an event are allowlisted": (
        r"/action/event/name",
        {
            "button_checks: Button with nested valid checks",
            "button_checks: Button with variant 'primary'",
            "button_checks: Button with variant 'borderless'",
        },
    ),
    "a check calls required alone": (
        r"/checks/\d+/condition/call",
        {
            "checkable_components: TextField with valid checks",
            "checkable_components: ChoicePicker with valid checks",
            "checkable_components: TextField with regex validation",
            "checkable_components: TextField with min/max length validation",
            "checkable_components: TextField with complex logic checks (AND/OR/NOT)",
            "checkable_components: ChoicePicker with length validation (exactly 2)",
            "contact_form_example_test: Contact Form Example: Update Components",
            "function_catalog_validation: regex: Valid call",
            "function_catalog_validation: length: Valid min",
            "function_catalog_validation: length: Valid max",
            "function_catalog_validation: numeric: Valid range",
            "function_catalog_validation: email: Valid call",
            "function_catalog_validation: and: Valid call",
            "function_catalog_validation: or: Valid call",
            "function_catalog_validation: not: Valid call",
        },
    ),
    "a dynamic value is a literal or a binding": (
        r"/text",
        {
            "function_catalog_validation: formatString: Valid call",
            "function_catalog_validation: formatNumber: Valid args",
            "function_catalog_validation: formatCurrency: Valid args",
            "function_catalog_validation: formatDate: Valid args",
            "function_catalog_validation: pluralize: Valid args",
        },
    ),
    "an action is the server event": (
        r"/action",
        {"function_catalog_validation: openUrl: Valid call in Action"},
    ),
    "the component is out of the profile": (
        r"/component",
        {
            "checkable_components: Slider with valid checks",
            "checkable_components: Slider with min/max numeric validation",
            "tabs_checks: Tabs with valid tabs array",
        },
    ),
    "a theme is closed": (
        r"/createSurface/theme",
        {"theme_validation: Additional theme properties are allowed"},
    ),
}
"""What upstream admits and the profile does not (RFC 0209 §B): where it is refused, and which."""


def test_the_profile_admits_no_message_that_upstream_refuses_and_refuses_only_what_it_closes() -> (
    None
):
    differing: dict[str, str] = {}
    for file, size in SPECIFICATION.items():
        suite = parse(shared(f"a2ui/suites/spec_v0_9/cases/{file}.json").read_bytes())
        assert suite["schema"] == "server_to_client.json"
        assert len(suite["tests"]) == size
        for case in suite["tests"]:
            name = f"{file}: {case['description']}"
            refused_at = refusal_of(case["data"])
            assert case["valid"] or refused_at is not None, f"upstream alone refuses {name}"
            if case["valid"] and refused_at is not None:
                differing[name] = refused_at
    expected = {name: where for where, names in TAKEN_AWAY.values() for name in names}
    assert set(differing) == set(expected)
    for name, place in differing.items():
        assert re.search(expected[name] + "$", place), (name, place)


def refusal_of(message: JsonValue) -> str | None:
    try:
        check_message(message)
    except Violation as refusal:
        return refusal.path
    return None


def test_the_example_stream_is_the_profile_s_but_for_its_components() -> None:
    """Its Icon and Image, an email check and an event of its own name are closed out."""
    lines = shared("a2ui/suites/spec_v0_9/cases/contact_form_example.jsonl").read_bytes()
    messages = [parse(line) for line in lines.splitlines() if line]
    assert [kind_of(m) for m in messages if refusal_of(m) is not None] == ["updateComponents"]
    fold = Fold()
    fold.apply_all(messages[:-1])
    (surface,) = fold.surfaces.values()
    found = topology(surface.components)
    assert found.renderable
    assert not found.dangling
    assert surface.data.get("/contact/preference/0") == "email"
    fold.apply(messages[-1])
    assert fold.life(surface.surface_id) == "deleted"


# ------------------------------------------------------------------------------- the validator's

REASONS = {
    "Duplicate component ID": "duplicate",
    "Missing root": "no root",
    "references non-existent": "dangling",
    "Self-reference": "cycle",
    "Circular reference": "cycle",
    "not reachable": "orphan",
    "functionCall depth": "branch",
    "limit exceeded": "depth",
    "Invalid path syntax": "binding path",
    "is not of type": "branch",
    "was expected": "branch",
    "is a required property": "branch",
}
"""What an upstream error is called here, by a part of its text; the first that fits."""

DIFFERENCES = {
    "test_validator_0_9/0": "its simplified schema leaves a theme open; the catalog's own does not",
    "test_custom_catalog_0_9/0": "Canvas is of a catalog that no host of the profile pins",
    "test_validate_template_reachability_v09/0": "a template is out of the profile",
    "test_validate_template_reachability_v09/1": "refused before its reference is looked at",
    "test_validate_duplicate_ids_v09/0": "a repeated id in a list is an upsert, the last one stays",
    "test_incremental_update_duplicates_still_fail_v09/0": "as above",
    "test_validate_recursion_limit_exceeded_v09/0": "no text limits how deep components nest",
    "test_validate_global_recursion_limit_exceeded_v09/0": "no text limits how deep data nests",
    "test_validate_invalid_paths_v09/0": "the profile takes any text as a binding's path",
}


def test_the_validator_s_verdicts_are_ours_by_reason() -> None:
    suite = yaml.safe_load(shared("a2ui/suites/suites/validator.yaml").read_text())
    cases = [case for case in suite if case["catalog"]["version"] == "0.9"]
    assert len(cases) == 20
    differing = set()
    for case in cases:
        for index, step in enumerate(case.get("steps", [case])):
            error = step.get("expect_error")
            expected = {next(r for part, r in REASONS.items() if part in error)} if error else set()
            if findings(step["payload"]) != expected:
                differing.add(f"{case['name']}/{index}")
    assert differing == set(DIFFERENCES)


def findings(payload: list[Any]) -> set[str]:
    """What is wrong with the messages, by the reason's name.

    A payload that creates its surface is judged whole; one that only updates a surface which was
    made earlier may leave out the root, refer outside and hold what nothing refers to yet.
    """
    fold, whole = Fold(), "createSurface" in payload[0]
    try:
        for message in payload:
            check_message(message)
            body = message[kind_of(message)]
            if not whole and not fold.surfaces:
                fold.apply({"createSurface": {**body, "catalogId": "made earlier"}})
            fold.apply(message)
    except Violation as refusal:
        return {refusal.rule}
    found = set()
    for surface in fold.surfaces.values():
        shape = topology(surface.components)
        found |= {"cycle"} if shape.cycles else set()
        if whole and surface.components:
            found |= {"dangling"} if shape.dangling else set()
            found |= {"no root"} if not shape.has_root else set()
            orphans = surface.components.keys() - shape.reachable
            found |= {"orphan"} if shape.has_root and orphans else set()
    return found
