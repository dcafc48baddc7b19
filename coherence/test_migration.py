"""Every version 1 surface has a version 2 payload: valid, upstream's, foldable, and complete."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache

import pytest

from openwop_conformance.a2ui.fold import Fold
from openwop_conformance.a2ui.message import check_catalog_ids, check_surface_ids
from openwop_conformance.a2ui.migration import migrate
from openwop_conformance.a2ui.topology import topology
from openwop_conformance.errors import Violation
from openwop_conformance.jsonvalue import MISSING, JsonValue, brief, first_difference
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check, GateRun
from openwop_conformance.rulebook.reasons import is_admitted_by_rule, is_upstream
from openwop_conformance.rulebook.upstream import Upstream
from openwop_conformance.schemas.generate import Generator

ROW = pytest.mark.row("openwop-conformance.corpus.migration-total")

BECOMES = {
    "heading": ("Text",),
    "text": ("Text",),
    "field.text": ("TextField",),
    "field.date": ("DateTimeInput",),
    "field.select": ("ChoicePicker",),
    "field.checkbox": ("CheckBox",),
    "action.button": ("Button", "Text"),
}


@ROW
def test_the_stated_examples_are_what_the_map_makes(check: Check, book: Rulebook) -> None:
    stated = book.family("migration")
    check(len(stated) > 3, "there are {} stated examples", len(stated))
    for case in stated:
        found = first_difference(case.migrated, migrate(case.instance, "s"))
        check(found is None, "{}: {}", case.name, found)


@ROW
def test_every_version_1_payload_has_a_valid_and_whole_version_2_payload(
    check: Check, run: GateRun, upstream: Upstream
) -> None:
    generator = Generator(run.book.shapes["payloadV1"], random.Random(run.seed))
    payloads = [case.instance for case in run.book.admitted("payloadV1")]
    payloads += [generator.instance() for _ in range(run.generated // 20)]
    for payload in payloads:
        made = migrate(payload, "s")
        shown = brief(payload)
        check(run.book.shapes["payloadV2"].check.is_valid(made), "not valid: {}", shown)
        check(is_upstream(upstream, made), "not upstream's: {}", shown)
        for judge in (check_surface_ids, check_catalog_ids):
            check(is_admitted_by_rule(judge, made), "breaks a rule across members: {}", shown)
        hold_to_completeness(check, payload, made)


def hold_to_completeness(check: Check, payload: JsonValue, made: JsonValue) -> None:
    """Everything that the tree had is in the surface, where a reader would meet it."""
    fold = Fold()
    fold.apply_all(made["messages"])
    surface = fold.surfaces["s"]
    found, shown = topology(surface.components), brief(payload)
    check(found.renderable and not found.dangling, "does not render: {}", shown)
    tree = payload["surface"]
    wanted = Counter(name for c in tree["components"] for name in BECOMES[c["component"]])
    wanted += Counter(Column=1, Text="title" in tree)
    have = Counter(c["component"] for c in surface.components.values())
    check(have == wanted, "has {} in place of {}: {}", have, wanted, shown)
    bound = [c["value"]["path"] for c in surface.components.values() if "value" in c]
    inputs = [c for c in tree["components"] if c["component"].startswith("field.")]
    fields = {component["id"] for component in inputs}
    check(len(set(bound)) == len(fields), "fields share a place in the data: {}", shown)
    for path in bound:
        there = surface.data.get(path) is not MISSING
        check(there, "{} is bound to nothing: {}", path, shown)


@ROW
def test_a_surface_too_large_for_one_payload_is_refused_by_name(check: Check) -> None:
    rule = rule_against(40_000)
    check(rule == "limits", "40,000 components are refused by {}", rule or "nothing")


@cache
def rule_against(count: int) -> str:
    """The rule that refuses the migration of so many components; empty if none does."""
    texts = [{"component": "text", "text": "x"}] * count
    try:
        migrate({"catalogVersion": "0.9.1", "surface": {"components": texts}}, "s")
    except Violation as violation:
        return violation.rule
    return ""
