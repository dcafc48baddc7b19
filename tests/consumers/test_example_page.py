"""The page of the documents is a consumer: small, and with some of the rules green."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.scenario.lint import select
from openwop_conformance.schemas import schema
from tests.results import judged, outcomes, scenarios

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "examples" / "consumer_page.html"


def test_the_page_of_the_documents_is_judged() -> None:
    if importlib.util.find_spec("playwright") is None:
        pytest.skip("playwright is not installed: install openwop-conformance[browser]")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    patterns = ["consumer.render-needs-root", "consumer.collected-target", "consumer.field-check"]
    chosen = select(scenarios("consumer", timed=False), patterns)
    label, rows, _ = judged(f"browser:{PAGE}", chosen, "consumer")
    assert label == "toy 1"
    assert outcomes(rows) == {
        "0209.render-needs-root": "executed-pass",
        "collected-target": "executed-pass",
        "field-check": "executed-fail",
    }


def test_the_documents_tell_of_every_call_role_and_feature() -> None:
    lines = schema("consumer-line")["$defs"]
    told = (DOCS / "reference" / "renderer-calls.md").read_text("utf-8")
    for call in lines["call"]["properties"]["call"]["enum"]:
        result = lines[f"result_{call}"]
        result = lines["hello"] if "$ref" in result else result
        row = [f"`{call}`", members(lines[f"with_{call}"]), members(result)]
        assert f"| {' | '.join(row)} | {lines[f'with_{call}']['description']} |" in told
    (roles,) = re.findall(r"Roles: ([^.]*)\.", told)
    words = re.sub(r"\([^)]*\)", "", roles).replace("\n", " ").split(",")
    assert [word.strip() for word in words] == lines["role"]["enum"]
    for feature in lines["hello"]["properties"]["features"]["items"]["enum"]:
        assert f"| `{feature}` |" in told


def members(shape: JsonValue) -> str:
    """The members of an object, those marked that may be left out; a dash for none."""
    required = shape.get("required", ())
    names = [name if name in required else f"{name}?" for name in shape.get("properties", {})]
    return ", ".join(names) or "–"
