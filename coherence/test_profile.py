"""RFC 0209 §B.5 to §B.8: what the profile takes away, case by case and by the schema's own form."""

from __future__ import annotations

import pytest

from openwop_conformance.a2ui.catalog import KIND
from openwop_conformance.jsontree import strings_in
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check
from openwop_conformance.rulebook.reasons import hold_to_their_reasons, hold_to_upstream
from openwop_conformance.rulebook.upstream import Upstream

EGRESS = "openwop.requirement.0209.no-egress-components"
CLOSED = "openwop.it.a2ui-v09-profile.closed-components-no-function-values"
ACTIONS = "openwop.requirement.0209.action-confined"
SECRETS = "openwop.requirement.0209.no-secret-input"
CATALOG = "openwop.requirement.0209.catalog-pinned"

FAMILIES = [
    pytest.param(families, marks=pytest.mark.row(row), id=row.rpartition(".")[2])
    for row, families in (
        (EGRESS, ("profile/egress",)),
        (CLOSED, ("profile/closed", "profile/components", "profile/dynamic-values")),
        (ACTIONS, ("profile/actions",)),
        (SECRETS, ("profile/secret-input",)),
    )
]


@pytest.mark.parametrize("families", FAMILIES)
def test_each_case_is_refused_for_its_own_reason(
    check: Check, book: Rulebook, families: tuple[str, ...]
) -> None:
    hold_to_their_reasons(check, book, book.refused(*families))


@pytest.mark.parametrize("families", FAMILIES)
def test_each_case_gets_upstream_s_verdict_as_stated(
    check: Check, book: Rulebook, upstream: Upstream, families: tuple[str, ...]
) -> None:
    hold_to_upstream(check, upstream, book.refused(*families))


@pytest.mark.row(EGRESS)
def test_nothing_of_the_profile_is_an_address(
    check: Check, book: Rulebook, upstream: Upstream
) -> None:
    """Upstream's members that hold an address are not among the profile's."""
    catalog = upstream.schemas["catalog.json"]
    theirs = {**catalog["components"], "theme": catalog["$defs"]["theme"]}
    addresses = {
        (name, member)
        for name, definition in theirs.items()
        for part in (definition, *definition.get("allOf", ()))
        for member, schema in part.get("properties", {}).items()
        if "url" in member.lower() or schema.get("format") == "uri"
    }
    check(len(addresses) > 3, "upstream has addresses in {} alone: it is read wrongly", addresses)
    definitions = book.schema(KIND)["$defs"]
    create = definitions["createSurface"]["properties"]["createSurface"]["properties"]
    ours = {**definitions, "theme": create["theme"]}
    for name, member in sorted(addresses):
        held = ours.get(name, {}).get("properties", {})
        check(member not in held, "{}.{} would be fetched", name, member)


@pytest.mark.row(CLOSED)
def test_every_object_of_the_profile_is_closed(check: Check, book: Rulebook) -> None:
    for place, node in book.shapes["payloadV2"].nodes.items():
        if node.get("type") == "object":
            rest = node.get("additionalProperties", True)
            check(rest is not True, "{}: an object that takes any member", place)


@pytest.mark.row(CLOSED)
def test_the_one_function_that_a_value_may_call_is_required(check: Check, book: Rulebook) -> None:
    calls = [
        (place, node["properties"]["call"])
        for place, node in book.shapes["payloadV2"].nodes.items()
        if "call" in node.get("properties", {})
    ]
    check(len(calls) == 1, "functions are called in {} places, not in one", len(calls))
    for place, call in calls:
        check(call.get("enum") == ["required"], "{}: calls {}", place, call)


@pytest.mark.row(ACTIONS)
def test_an_action_is_an_event_with_one_of_two_names(check: Check, book: Rulebook) -> None:
    action = book.schema(KIND)["$defs"]["action"]
    check(list(action["properties"]) == ["event"], "an action has {}", list(action["properties"]))
    event = action["properties"]["event"]["properties"]
    names = event["name"].get("enum")
    check(names == ["resume", "exchange"], "the names of an event are {}", names)
    check(event.keys() == {"name", "context"}, "an event has {}", list(event))


@pytest.mark.row(SECRETS)
def test_no_component_of_the_profile_hides_what_is_typed(
    check: Check, book: Rulebook, upstream: Upstream
) -> None:
    theirs = {text for _, text in strings_in(upstream.schemas["catalog.json"]["components"])}
    check("obscured" in theirs, "upstream has no obscured variant: it is read wrongly")
    for place, node in book.shapes["payloadV2"].nodes.items():
        values = node.get("enum", [])
        check("obscured" not in values, "{}: admits the obscured variant", place)


@pytest.mark.row(CATALOG)
def test_the_catalog_is_the_pinned_one_alone(
    check: Check, book: Rulebook, upstream: Upstream
) -> None:
    pinned = book.schema(KIND)["$defs"]["catalogId"].get("enum")
    own = upstream.schemas["catalog.json"]["$id"]
    check(pinned == [own], "pinned are {}, and the catalog calls itself {}", pinned, own)
    frame = book.shapes["payloadV2"].at("/$defs/payloadV2/properties/catalogId")
    check(frame == {"$ref": "#/$defs/catalogId"}, "a payload's catalogId is {}", frame)


@pytest.mark.row(CATALOG)
def test_every_other_catalog_is_refused(check: Check, book: Rulebook) -> None:
    cases = [c for c in book.refused("payload/refused") if c.restriction == "/$defs/catalogId/enum"]
    check(len(cases) > 3, "there are {} cases of other catalogs", len(cases))
    hold_to_their_reasons(check, book, cases)
