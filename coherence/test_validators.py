"""The library that judges is itself judged: by a second one, and by JSON Schema's own cases."""

from __future__ import annotations

import random
from collections.abc import Iterator

import jsonschema
import jsonschema_rs
import pytest

from openwop_conformance.jsonvalue import JsonValue, brief, compact
from openwop_conformance.rulebook.book import ENTRIES, Rulebook
from openwop_conformance.rulebook.gates import Check, GateRun
from openwop_conformance.rulebook.second_opinion import FORMATS, says_jsonschema
from openwop_conformance.rulebook.upstream import Unavailable
from openwop_conformance.schemas import schema_names
from openwop_conformance.schemas.generate import Generator, near_miss
from openwop_conformance.schemas.shape import Shape

AGREE = "openwop-conformance.corpus.validators-agree"
OFFICIAL = "openwop-conformance.corpus.official-cases"


def hold_to_each_other(check: Check, shape: Shape, named: Iterator[tuple[str, JsonValue]]) -> int:
    """Both libraries say the same of every instance; how many were valid."""
    schema, valid = compact(shape.standalone), 0
    for name, instance in named:
        one = shape.check.is_valid(instance)
        agree = says_jsonschema(schema, compact(instance)) is one
        text = "{}: jsonschema-rs says {}, jsonschema says {}: {}"
        check(agree, text, name, one, not one, "" if agree else brief(instance, 500))
        valid += one
    return valid


@pytest.mark.row(AGREE)
def test_a_second_checker_knows_dates(check: Check) -> None:
    """Without its checker of dates jsonschema would agree to any text."""
    checker = jsonschema.Draft202012Validator({"format": "date-time"}, format_checker=FORMATS)
    check(not checker.is_valid("yesterday"), "jsonschema asserts no date-time: {}", "it is missing")


@pytest.mark.row(AGREE)
@pytest.mark.parametrize("name", ENTRIES)
def test_two_libraries_agree_on_every_fixture(check: Check, book: Rulebook, name: str) -> None:
    def named() -> Iterator[tuple[str, JsonValue]]:
        for case in book.cases:
            if case.shape == name:
                yield case.name, case.instance
                if case.refused:
                    yield f"{case.name} (twin)", case.twin

    hold_to_each_other(check, book.shapes[name], named())


@pytest.mark.row(AGREE)
@pytest.mark.parametrize("name", ["message", *(n for n in ENTRIES if n != "payloadV2")])
def test_two_libraries_agree_on_generated_instances(check: Check, run: GateRun, name: str) -> None:
    shape = run.book.message if name == "message" else run.book.shapes[name]
    draw = random.Random(run.seed)
    generator = Generator(shape, draw)
    count = run.generated // 20

    def named() -> Iterator[tuple[str, JsonValue]]:
        for number in range(count):
            instance = generator.instance()
            yield f"{name} {number}", instance
            yield f"{name} {number} with one edit", near_miss(instance, draw)

    valid = hold_to_each_other(check, shape, named())
    check(count <= valid < 2 * count, "of 2 × {} instances {} are valid", count, valid)


@pytest.mark.row(OFFICIAL)
def test_the_official_cases_of_every_keyword_that_is_used(check: Check, run: GateRun) -> None:
    try:
        files, remotes = run.upstream.official_cases()
    except Unavailable as error:
        pytest.skip(str(error))
    registry = jsonschema_rs.Registry(remotes)
    used = {k for name in schema_names() for k in keywords_of(run.book.schema(name))}
    needed = {"ref" if k == "$ref" else "defs" if k == "$defs" else k for k in used}
    if needed & {"if", "then", "else"}:
        needed = needed - {"if", "then", "else"} | {"if-then-else"}
    chosen = {f"{name}.json" for name in needed | {"boolean_schema", "infinite-loop-detection"}}
    chosen &= files.keys()
    chosen |= {f"optional/format/{name}.json" for name in formats_of(run.book)}
    check(len(chosen) > 20, "only {} files of official cases apply", len(chosen))
    cases = 0
    for name in sorted(chosen):
        formats = name.startswith("optional/format/")
        for group in files[name]:
            judge = jsonschema_rs.Draft202012Validator(
                group["schema"], registry=registry, validate_formats=formats, offline=True
            )
            for case in group["tests"]:
                cases += 1
                right = judge.is_valid(case["data"]) is case["valid"]
                check(right, "{}: {}: {}", name, group["description"], case["description"])
    check.note(f"{cases} official cases of {len(chosen)} keywords and formats")


def keywords_of(node: JsonValue) -> set[str]:
    """Every keyword of a schema, wherever a schema can stand."""
    if not isinstance(node, dict):
        return set()
    found = set(node)
    for keyword, held in node.items():
        if keyword in ("properties", "$defs"):
            found |= {k for below in held.values() for k in keywords_of(below)}
        elif isinstance(held, list) and keyword in ("anyOf", "oneOf", "allOf"):
            found |= {k for below in held for k in keywords_of(below)}
        elif keyword not in ("const", "enum", "default", "examples"):
            found |= keywords_of(held)
    return found


def formats_of(book: Rulebook) -> set[str]:
    """Every format that a schema of this suite asserts."""

    def within(node: JsonValue) -> Iterator[str]:
        if isinstance(node, dict):
            if isinstance(node.get("format"), str):
                yield node["format"]
            for below in node.values():
                yield from within(below)
        elif isinstance(node, list):
            for below in node:
                yield from within(below)

    return {found for name in schema_names() for found in within(book.schema(name))}
