"""The corpus as a whole: rows, scenarios, sabotages and fixtures answer to each other."""

from __future__ import annotations

import fnmatch
from functools import cache
from pathlib import Path

import pytest

from openwop_conformance.corpus import Corpus, corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.requirements import Requirement, read_requirements
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.scenario.document import load
from openwop_conformance.scenario.lint import lint, load_all
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.suite import plan


@cache
def scenarios() -> tuple[Scenario, ...]:
    return load_all(corpus())


@cache
def requirements() -> dict[str, Requirement]:
    return read_requirements(corpus().requirements)


def test_nothing_is_wrong_with_the_corpus() -> None:
    assert lint(corpus()) == []
    assert len(scenarios()) >= 40


def test_every_row_has_exactly_one_scenario_and_every_scenario_a_row() -> None:
    assert sorted(s.requirement for s in scenarios()) == sorted(requirements())


def test_a_row_and_its_scenario_speak_of_the_same_subject() -> None:
    assert {s.id: s.subject for s in scenarios()} == {
        s.id: requirements()[s.requirement].subject for s in scenarios()
    }


def test_a_row_is_gated_by_the_seam_exactly_where_its_scenario_needs_it() -> None:
    for scenario in scenarios():
        gated = requirements()[scenario.requirement].witness == "seam-gated"
        if gated:
            assert {"seam.emit-surface", "seams"} & set(scenario.needs), scenario.id


def test_every_sabotage_named_is_there_and_every_one_there_is_named() -> None:
    named = {name for s in scenarios() for name in s.sabotage}

    assert named == SABOTAGES.keys()
    assert len(SABOTAGES) >= 30


def test_a_scenarios_id_says_its_subject_and_major_and_its_file() -> None:
    for scenario in scenarios():
        kind, major, name = scenario.id.split(".", 2)
        assert scenario.place.path == f"scenarios/{kind}/{major}/{name}.yaml"
        assert (kind, major) == (scenario.subject, f"v{scenario.major}")


def test_every_fixture_but_those_of_version_1_is_asked_somewhere() -> None:
    found = corpus()
    patterns = {
        step["each"]
        for path in found.scenarios.rglob("*.yaml")
        for step in load(path).value["steps"]
        if "each" in step
    }
    names = [path.relative_to(found.fixtures).as_posix() for path in found.fixtures.rglob("*.json")]

    unused = [
        name
        for name in names
        if not name.startswith("v1/") and not any(fnmatch.fnmatchcase(name, p) for p in patterns)
    ]
    assert unused == []


def test_every_refusal_is_bound_to_its_reason_and_has_a_twin() -> None:
    refusals = [step for s in scenarios() for step in s.steps if step.refused is not None]

    assert len(refusals) > 300
    for step in refusals:
        assert step.refused is not None
        assert step.refused.code or step.refused.reason, step.place
        assert step.because, step.place
        assert step.twin is not None or step.verb == "race", step.place


# ------------------------------------------------------------------------------- the digest


def small(folder: Path) -> Corpus:
    (folder / "s" / "deep").mkdir(parents=True)
    (folder / "f").mkdir()
    (folder / "s" / "deep" / "a.yaml").write_text("a")
    (folder / "f" / "b.json").write_text("b")
    (folder / "r.yaml").write_text("c")
    return Corpus(folder / "s", folder / "f", folder / "r.yaml")


def test_a_corpus_lists_its_files_by_name_wherever_it_lies(tmp_path: Path) -> None:
    assert [name for name, _ in small(tmp_path).files()] == [
        "fixtures/b.json",
        "requirements.yaml",
        "scenarios/deep/a.yaml",
    ]


def test_a_digest_is_the_same_elsewhere_and_another_after_any_change(tmp_path: Path) -> None:
    one, other = small(tmp_path / "one"), small(tmp_path / "other")
    assert one.digest == other.digest

    digests = {one.digest}
    for path in (other.requirements, other.scenarios / "deep/a.yaml", other.fixtures / "b.json"):
        path.write_text("changed")
        digests.add(Corpus(other.scenarios, other.fixtures, other.requirements).digest)
    (other.scenarios / "deep/a.yaml").rename(other.scenarios / "a.yaml")
    digests.add(Corpus(other.scenarios, other.fixtures, other.requirements).digest)
    assert len(digests) == 5


# --------------------------------------------------------------------------------- the plan


def test_a_plan_has_the_scenarios_that_are_asked_for_and_a_header() -> None:
    chosen = plan("reference", Credentials(), patterns=["*.limits", "openwop.family.*"])

    assert [s.id for s in chosen.scenarios] == ["host.v2.family", "host.v2.limits"]
    assert chosen.header.subject == "reference"
    assert chosen.header.corpus == corpus().digest
    assert 0 <= chosen.header.seed < 2**48


def test_a_plan_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"^there is no scenario of major 1 for a host$"):
        plan("reference", Credentials(), major=1)
    with pytest.raises(UsageError, match=r"^no scenario matches 'nothing\.\*'; "):
        plan("reference", Credentials(), patterns=["nothing.*"])


def test_a_row_and_its_scenario_say_the_same_of_the_rule() -> None:
    rows = read_requirements(corpus().requirements)
    for scenario in load_all(corpus()):
        row = rows[scenario.requirement]
        assert (row.rule, row.source) == (f"{scenario.title}.", scenario.source), scenario.id
