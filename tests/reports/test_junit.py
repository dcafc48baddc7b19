"""JUnit XML: read by two readers, held to the schema of Jenkins, and broken by no subject.

``junitparser`` reads it as tools that gather reports do, and ``xml.etree`` as XML is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import junitparser
import pytest
from hypothesis import given
from hypothesis import strategies as st

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.verdict import Disposition, Event, Failure, ScenarioFinished
from openwop_conformance.evidence.ledger import digest
from openwop_conformance.reports.junit import JUnitReport, group_of
from openwop_conformance.scenario.lint import load_all
from tests.report_events import HEADER, HOSTILE, MEANT_ILL, REQUIREMENTS, WHOLE, events, tell


def written(path: Path, told: tuple[Event, ...] = WHOLE, header: Any = HEADER) -> ET.Element:
    tell(JUnitReport(path, REQUIREMENTS, header), told)
    return ET.fromstring(path.read_bytes())


# ------------------------------------------------------------------------------ the schema

STRING = r"[\s\S]*"
SECONDS = r"\d+\.\d{3}"
COUNT = r"\d+"
SAID = {"type": STRING, "message": STRING}
RULES: dict[str, tuple[tuple[str, ...], dict[str, str], tuple[str, ...]]] = {
    "testsuites": (
        ("testsuite",),
        {"name": STRING, "time": SECONDS, "tests": COUNT, "failures": COUNT, "errors": COUNT},
        (),
    ),
    "testsuite": (
        ("testsuite", "properties", "testcase", "system-out", "system-err"),
        {
            "name": STRING,
            "tests": COUNT,
            "failures": COUNT,
            "errors": COUNT,
            "skipped": COUNT,
            "time": SECONDS,
        },
        ("name", "tests", "failures", "errors"),
    ),
    "properties": (("property",), {}, ()),
    "property": ((), {"name": STRING, "value": STRING}, ("name", "value")),
    "testcase": (
        ("skipped", "error", "failure", "system-out", "system-err"),
        {"name": STRING, "classname": STRING, "time": SECONDS},
        ("name",),
    ),
    "failure": ((), SAID, ()),
    "error": ((), SAID, ()),
    "skipped": ((), SAID, ()),
}
"""Of Jenkins' schema (junit-10), what we use: for each element its children, its attributes with
their patterns, and those that have to be there. Text stands in the three last alone."""


def faults(element: ET.Element) -> Iterator[str]:
    if element.tag not in RULES:
        yield f"{element.tag} is no element"
        return
    children, attributes, required = RULES[element.tag]
    for name in required:
        if name not in element.attrib:
            yield f"{element.tag} has no {name}"
    for name, value in element.attrib.items():
        if not re.fullmatch(attributes.get(name, r"(?!)"), value):
            yield f"{element.tag}: {name}={value!r}"
    if element.tag not in ("failure", "error", "skipped") and (element.text or "").strip():
        yield f"{element.tag} holds text"
    for child in element:
        if child.tag not in children:
            yield f"{element.tag} holds {child.tag}"
        yield from faults(child)


@pytest.mark.parametrize("told", [WHOLE, MEANT_ILL], ids=["whole", "ill"])
def test_a_report_keeps_to_the_schema(tmp_path: Path, told: tuple[Event, ...]) -> None:
    assert list(faults(written(tmp_path / "report", told))) == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<testsuites><case/></testsuites>", "testsuites holds case"),
        ("<testsuites tests='many'/>", "testsuites: tests='many'"),
        ("<testsuites skipped='1'/>", "testsuites: skipped='1'"),
        ("<testsuite name='' tests='0' failures='0'/>", "testsuite has no errors"),
        ("<testcase name=''><properties/></testcase>", "testcase holds properties"),
        ("<testcase name='' time='1e-05'/>", "testcase: time='1e-05'"),
        ("<testcase>passed</testcase>", "testcase has no name"),
    ],
)
def test_the_schema_sees_what_is_no_report(text: str, fault: str) -> None:
    assert fault in faults(ET.fromstring(text))


# ------------------------------------------------------------------------- what is written


def test_each_requirement_is_a_case_with_its_outcome(tmp_path: Path) -> None:
    (suite,) = written(tmp_path / "report")

    outcomes = {
        case.get("name"): [(child.tag, child.get("type"), child.get("message")) for child in case]
        for case in suite.iter("testcase")
    }
    absent = [("skipped", "inapplicable", "replay.modes is []: branch is not offered")]
    assert outcomes == {
        "rows.absent": absent,
        "rows.absent-too": absent,
        "rows.broken": [("failure", "executed-fail", "admitted what has to be refused")],
        "rows.gone": [("error", "blocked", "no second tenant's key was given")],
        "rows.kept": [],
        "rows.left": [("skipped", "skipped", "the operator opted out of canary")],
    }
    assert list(outcomes) == sorted(map(str, outcomes))
    assert {case.get("classname") for case in suite.iter("testcase")} == {"host.RFC 0209"}


def test_the_run_is_known_by_its_properties(tmp_path: Path) -> None:
    (suite,) = written(tmp_path / "report", header=replace(HEADER, left_out=2))

    found = {p.get("name"): p.get("value") for p in suite.iter("property")}
    rows = WHOLE[-1].rows  # type: ignore[union-attr]
    assert found == {
        "subject": "http://127.0.0.1:8080",
        "kind": "host",
        "suite": "1.2.3",
        "corpus": "c" * 64,
        "seed": "7",
        "leftOut": "2",
        "digest": digest(rows),
        "verdict": "Not conformant: 1 rule is broken.",
    }


SNAPSHOT = """\
The rule of broken.
source    RFC 0209 broken

admitted what has to be refused
rule      createSurface on a live surface
fixture   profile/x.json
expected  refused (envelope_invalid, rule fold)
got       201 {"sequence": 6}
at        scenarios/host/v2/broken.yaml:12:3
exchange  POST /conformance/seams/sample/a2ui/emit-surface → 201

no answer: no answer in 10 s
at        scenarios/b.yaml:13:3
exchange  GET /runs/acme~2F1 → no answer in 10 s

case 0
fixture   c/0.json
at        scenarios/b.yaml:0:3

case 1
fixture   c/1.json
at        scenarios/b.yaml:1:3

case 2
fixture   c/2.json
at        scenarios/b.yaml:2:3

case 3
fixture   c/3.json
at        scenarios/b.yaml:3:3

case 4
fixture   c/4.json
at        scenarios/b.yaml:4:3

again     openwop-conformance run http://127.0.0.1:8080 --select host.v2.broken"""


def test_a_failure_holds_the_details_of_all_failures_of_its_row(tmp_path: Path) -> None:
    root = written(tmp_path / "report")

    assert root.findtext(".//failure") == SNAPSHOT


def test_a_scenario_that_shows_the_same_keeps_its_lines(tmp_path: Path) -> None:
    failure = Failure("they differ", "f:1:1", scenario="scenario: x\nsteps:\n- run: y\n")
    root = written(tmp_path / "report", events(("x", Disposition.FAIL, "r", [failure])))

    text = root.findtext(".//failure") or ""
    shown = "scenario  scenario: x\n          steps:\n          - run: y\n"
    assert shown in text


def test_the_seconds_of_a_case_are_those_of_its_scenario(tmp_path: Path) -> None:
    told = [
        replace(event, seconds=0.00004 + number) if isinstance(event, ScenarioFinished) else event
        for number, event in enumerate(WHOLE)
    ]
    root = written(tmp_path / "report", tuple(told))

    found = {case.get("name"): case.get("time") for case in root.iter("testcase")}
    assert (found["rows.kept"], found["rows.broken"]) == ("1.000", "2.000")
    assert root.get("time") == "1.250"


def test_a_second_reader_finds_the_same_run(tmp_path: Path) -> None:
    written(tmp_path / "report")

    found = junitparser.JUnitXml.fromfile(str(tmp_path / "report"))
    (suite,) = found
    assert (found.tests, found.failures, found.errors) == (6, 1, 1)
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == (6, 1, 1, 3)
    results = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert results["rows.broken"] == ["Failure"]
    assert results["rows.gone"] == ["Error"]
    assert results["rows.absent"] == results["rows.left"] == ["Skipped"]
    assert results["rows.kept"] == []
    counted = (suite.tests, suite.failures, suite.errors, suite.skipped, suite.time)
    suite.update_statistics()  # type: ignore[no-untyped-call]
    assert (suite.tests, suite.failures, suite.errors, suite.skipped) == counted[:-1]


# --------------------------------------------------------------------------- what it is fed


@given(said=st.text(st.characters(exclude_categories=()), min_size=1, max_size=60))
def test_whatever_a_subject_says_the_report_can_be_read(
    tmp_path_factory: pytest.TempPathFactory, said: str
) -> None:
    failure = Failure(said, "f:1:1", expected=said, got=f"]]>{said}<!--", case=said)
    reason = said.encode(errors="replace").decode()  # a row is hashed, so it is Unicode
    told = events(
        ("ill", Disposition.FAIL, reason, [failure]),
        ("shut", Disposition.BLOCKED, reason, ()),
        subject=said,
    )
    root = written(tmp_path_factory.getbasetemp() / "report", told)

    assert list(faults(root)) == []
    text = root.findtext(".//failure") or ""
    assert "]]>" in text
    assert text.endswith(" --select host.v2.ill")
    assert all(c.isprintable() for c in text.replace("\n", ""))


@pytest.mark.parametrize("said", ["\x00", "\x1b", "\ud800", "\ufffe", "\uffff", "\u202e", "\x9b"])
def test_what_xml_or_an_eye_would_obey_is_shown_as_unreadable(tmp_path: Path, said: str) -> None:
    failure = Failure("message", "f:1:1", got=f"a{said}b")
    root = written(tmp_path / "report", events(("x", Disposition.FAIL, "reason", [failure])))

    assert "\ngot       a�b\n" in (root.findtext(".//failure") or "")


def test_what_a_subject_says_is_text_in_a_file_of_ascii(tmp_path: Path) -> None:
    root = written(tmp_path / "report", MEANT_ILL)

    assert (tmp_path / "report").read_bytes().isascii()
    (failure,) = root.iter("failure")
    assert len(failure) == 0
    for words in ("<script>alert(1)</script>", "&amp;", "[bold red]markup[/]"):
        assert words in HOSTILE
        assert words in (failure.text or "")


# -------------------------------------------------------------------------------- its groups


@pytest.mark.parametrize(
    ("source", "group"),
    [
        ("RFC 0209 §C.9", "RFC 0209"),
        ("RFC 0102; RFC 0114 §A", "RFC 0102"),
        ("SDK blueprints §3", "SDK blueprints"),
        ("spec/v2 events.md E2; RFC 0209 §A.1", "spec/v2 events"),
        ("spec/v2 api/seams-v2.yaml, emitA2uiSurface", "spec/v2 api/seams-v2"),
        ("SR-1; SECURITY invariants x", "SR-1"),
    ],
)
def test_rules_are_grouped_by_the_document_that_they_are_taken_from(
    source: str, group: str
) -> None:
    assert group_of(source) == group


def test_every_scenario_has_a_group_that_is_one_name() -> None:
    groups = {group_of(scenario.source) for scenario in load_all(corpus())}

    assert "" not in groups
    assert not any("." in group for group in groups)
    assert len(groups) < 25
