"""The basic catalog as any other: it decides as upstream's files do."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import pytest

from openwop_conformance.a2ui.catalog import BASIC_CATALOG
from openwop_conformance.a2ui.frame import check_frame
from openwop_conformance.a2ui.open_catalog import Catalog, basic
from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.upstream import Upstream

from ..shared_data import shared, upstream_folder
from .open_catalogs import (
    FUNCTIONS,
    INSTANCES,
    VERSIONS,
    component_refusal,
    mutants,
    refusal,
)


@pytest.fixture(scope="module")
def upstream() -> Callable[[str], Any]:
    """Upstream's own verdict on a component type, or on ``theme``, by its own four files."""
    from jsonschema_rs import Draft202012Validator, Registry

    schemas = Upstream(Rulebook(corpus()), upstream_folder()).schemas
    catalog, common = schemas["catalog.json"], schemas["common_types.json"]
    beside = catalog["$id"].replace("catalogs/basic/", "")
    registry = Registry(
        [(d["$id"], d) for d in (catalog, common)] + [(beside, {**catalog, "$id": beside})]
    )

    def verdict(place: str) -> Any:
        return Draft202012Validator(
            {"$ref": f"{catalog['$id']}#/{place}"},
            registry=registry,
            offline=True,
            validate_formats=True,
        ).is_valid

    return verdict


def test_the_basic_catalog_decides_on_mutants_as_upstream_s_files_do(
    upstream: Callable[[str], Any],
) -> None:
    chance, tally = random.Random(9), {True: 0, False: 0}
    verdicts = {kind: upstream(f"components/{kind}") for kind in basic().component_types}
    for instance in INSTANCES:
        assert verdicts[instance["component"]](instance), instance
        for mutant in [instance, *mutants(instance, chance)]:
            kind = mutant.get("component")
            expected = isinstance(kind, str) and kind in verdicts and verdicts[kind](mutant)
            error = component_refusal(mutant)
            assert (error is None) is expected, mutant
            assert error is None or (error.details and error.kind == "validation")
            tally[expected] += 1
    assert tally[True] > 500, tally
    assert tally[False] > 3000, tally


def test_every_type_and_function_of_the_basic_catalog_is_among_the_instances(
    upstream: Callable[[str], Any],
) -> None:
    document = basic().document
    assert {one["component"] for one in INSTANCES} == set(document["components"])
    assert [call["call"] for call in FUNCTIONS] == list(document["functions"])
    for call in FUNCTIONS:
        assert upstream(f"functions/{call['call']}")(call)


@pytest.mark.parametrize(
    "theme",
    [
        *({}, {"primaryColor": "#00bfFF", "x": 1}, {"primaryColor": "#00bfF"}, {"iconUrl": "a b"}),
        *({"iconUrl": "https://a.example"}, {"agentDisplayName": 1}, [], None, "blue"),
    ],
)
def test_a_theme_is_judged_as_by_upstream(theme: JsonValue, upstream: Callable[[str], Any]) -> None:
    error = refusal(lambda: basic().check_theme(theme, "/createSurface/theme"))

    assert (error is None) is upstream("$defs/theme")(theme)
    if error is not None:
        assert error.details[0]["path"].startswith("/createSurface/theme")


@pytest.mark.parametrize(
    ("file", "size"),
    [
        *(("button_checks", 7), ("checkable_components", 12), ("contact_form_example_test", 3)),
        *(("function_catalog_validation", 43), ("tabs_checks", 2), ("text_variants", 2)),
        ("theme_validation", 4),
    ],
)
def test_upstream_s_cases_of_server_messages_are_decided_as_they_say(file: str, size: int) -> None:
    suite = parse(shared(f"a2ui/suites/spec_v0_9/cases/{file}.json").read_bytes())
    assert suite["schema"] == "server_to_client.json"
    assert len(suite["tests"]) == size
    for case in suite["tests"]:
        error = refusal(lambda message=case["data"]: check_message(message))  # type: ignore[misc]
        assert (error is None) is case["valid"], case["description"]


def check_message(message: JsonValue, catalog: Catalog | None = None) -> None:
    catalog = catalog or basic()
    kind = check_frame(message, VERSIONS)
    body = message[kind]
    if kind == "createSurface" and "theme" in body:
        catalog.check_theme(body["theme"])
    for component in body.get("components", ()):
        catalog.check_component(component)


def test_both_documents_are_in_the_package() -> None:
    folder = files("openwop_conformance.a2ui") / "catalogs"
    for name in ("basic", "common_types"):
        assert json.loads((folder / f"{name}.json").read_bytes())["$defs"]
    assert basic().catalog_id == BASIC_CATALOG
    assert basic() is basic()


def test_to_import_the_module_loads_no_validator() -> None:
    code = (
        "import sys, openwop_conformance.a2ui.open_catalog as c; "
        "sys.exit('jsonschema_rs' in sys.modules or c.basic.cache_info().currsize)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0
