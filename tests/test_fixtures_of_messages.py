"""The fixtures of an SDK's messages and paths: each has one fault, and upstream's schema agrees."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue, one_edit, parse
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.upstream import Upstream

from .shared_data import FIXTURES, upstream_folder

COMPONENTS = ("binding-forms", "catalog-properties", "unknown-rejected")
MESSAGES = ("message-schema", "message-version", "message-whole")
PATHS = ("data-index", "data-prototype", "data-scalar")
NOT_OF_A_SCHEMA = {"message-whole/cycle", "message-whole/id-twice"}
"""What only the components of a message together show."""


@cache
def cases(folders: tuple[str, ...]) -> dict[str, Any]:
    """The fixtures of folders, by folder and name."""
    paths = [path for folder in folders for path in (FIXTURES / "sdk" / folder).glob("*.json")]
    return {f"{path.parent.name}/{path.stem}": parse(path.read_bytes()) for path in sorted(paths)}


def messages_of(case: JsonValue, side: str) -> list[JsonValue]:
    if "component" not in case:
        return list(case["messages" if side == "wrong" else "twin"])
    component = case["component" if side == "wrong" else "twin"]
    return [{"version": "v0.9", "updateComponents": {"surfaceId": "a", "components": [component]}}]


def test_upstream_s_schema_refuses_each_fault_and_takes_its_twin() -> None:
    schema = Upstream(Rulebook(corpus()), upstream_folder()).message
    for name, case in cases(COMPONENTS + MESSAGES).items():
        wrong = [schema.is_valid(as_v0_9(m)) for m in messages_of(case, "wrong")]
        assert all(wrong) is (name in NOT_OF_A_SCHEMA), name
        assert all(schema.is_valid(as_v0_9(m)) for m in messages_of(case, "twin")), name


def as_v0_9(message: JsonValue) -> JsonValue:
    """A message of v0.9.1, which the schema of v0.9 does not know, as one of v0.9."""
    late = isinstance(message, dict) and message.get("version") == "v0.9.1"
    return {**message, "version": "v0.9"} if late else message


def test_a_component_and_its_twin_are_the_same_one_in_one_place() -> None:
    for name, case in cases(COMPONENTS).items():
        wrong, right = case["component"], case["twin"]
        assert wrong["id"] == right["id"], name
        assert one_edit(wrong, right, whole_from=1), name


@pytest.mark.parametrize("folder", PATHS)
def test_a_path_and_its_twin_are_different_paths(folder: str) -> None:
    for name, case in cases((folder,)).items():
        assert case["path"].startswith("/"), name
        assert case["path"] != case["twin"], name


def test_each_case_has_a_state_of_its_own_and_says_why() -> None:
    for name, case in cases(COMPONENTS + MESSAGES + PATHS).items():
        assert case["state"] == Path(name).name
        assert re.fullmatch(r"[A-Z0-9~].*\.|[a-z].*\.", case["why"]), name


def test_every_component_and_most_functions_of_the_basic_catalog_have_a_fault() -> None:
    found = cases(("catalog-properties",)).values()
    types = {case["twin"]["component"] for case in found}
    text = repr([case["twin"] for case in found])

    assert len(types) == 18
    for function in ("required", "regex", "length", "numeric", "email", "and", "or", "not"):
        assert f"'call': '{function}'" in text
    for function in ("formatString", "formatNumber", "formatCurrency", "formatDate", "pluralize"):
        assert f"'call': '{function}'" in text
