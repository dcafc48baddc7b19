"""The corpus as a whole: rows, scenarios, sabotages and fixtures answer to each other."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.errors import UsageError
from openwop_conformance.evidence.requirements import Requirement, read_requirements
from openwop_conformance.reference.sabotage.names import SABOTAGES_OF
from openwop_conformance.scenario.lint import lint, load_all
from openwop_conformance.scenario.model import Scenario
from openwop_conformance.suite import plan

from .shared_data import REPOSITORY


@cache
def scenarios() -> tuple[Scenario, ...]:
    return load_all(corpus())


@cache
def requirements() -> dict[str, Requirement]:
    return read_requirements(corpus().requirements)


def test_nothing_is_wrong_with_the_corpus() -> None:
    assert lint(corpus()) == []
    assert len(scenarios()) >= 40


def test_a_row_is_gated_by_the_seam_exactly_where_its_scenario_needs_it() -> None:
    for scenario in scenarios():
        gated = requirements()[scenario.requirement].witness == "seam-gated"
        if gated:
            seams = {"seam.emit-surface", "seams", "seam.show", "seam.accept"}
            assert seams & set(scenario.needs), scenario.id


def test_every_sabotage_named_is_there_and_every_one_there_is_named() -> None:
    for subject, known in SABOTAGES_OF.items():
        named = {name for s in scenarios() if s.subject == subject for name in s.sabotage}
        assert named == known
        assert len(known) >= 25


def test_a_scenarios_id_says_its_subject_and_major_and_its_file() -> None:
    for scenario in scenarios():
        kind, *rest = scenario.id.split(".")
        assert scenario.place.path == f"scenarios/{kind}/{'/'.join(rest)}.yaml"
        major = [f"v{scenario.major}"] if kind == "host" else []
        assert (kind, rest[:-1]) == (scenario.subject, major)


def test_every_refusal_is_bound_to_its_reason_and_has_a_twin() -> None:
    refusals = [step for s in scenarios() for step in s.steps if step.refused is not None]

    assert len(refusals) > 300
    for step in refusals:
        assert step.refused is not None
        assert step.refused.code or step.refused.reason, step.place
        assert step.because, step.place
        assert step.twin is not None or step.verb == "race", step.place


# ------------------------------------------------------------------------------- the digest


def test_a_corpus_lists_what_decides_a_verdict_by_name_wherever_it_lies(tmp_path: Path) -> None:
    corpus().copy_to(tmp_path / "copy")
    copy = corpus(tmp_path / "copy")

    names = [name for name, _ in copy.files()]
    assert names == sorted(names) == [name for name, _ in corpus().files()]
    assert {name.partition("/")[0] for name in names} == {
        "coherence",
        "fixtures",
        "ledger",
        "scenarios",
        "schemas",
    }
    assert "ledger/corpus-ledger.json" not in names


def test_a_digest_is_the_same_elsewhere_and_another_after_any_change(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    corpus().copy_to(folder)
    digests = {corpus().digest, corpus(folder).digest}
    assert len(digests) == 1

    for name in (
        "ledger/aliases.yaml",
        "fixtures/upstream.json",
        "schemas/ai-envelope.schema.json",
    ):
        (folder / name).write_text("changed")
        digests.add(corpus(folder).digest)
    (folder / "scenarios/host/v2/family.yaml").rename(folder / "scenarios/family.yaml")
    digests.add(corpus(folder).digest)
    assert len(digests) == 5


def test_a_copy_is_not_written_over_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x")

    with pytest.raises(UsageError, match=r" is not an empty folder$"):
        corpus().copy_to(tmp_path)


def test_a_corpus_of_some_parts_takes_the_others_from_the_package(tmp_path: Path) -> None:
    (tmp_path / "fixtures").mkdir()
    mixed = corpus(tmp_path)

    assert mixed.fixtures == tmp_path / "fixtures"
    assert mixed.schemas == corpus().schemas
    assert mixed.coherence == corpus().coherence


def test_a_checkout_is_a_corpus() -> None:
    assert corpus(REPOSITORY).digest == corpus().digest


def test_a_folder_without_any_part_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r" holds no corpus: none of schemas/, "):
        corpus(tmp_path)


# --------------------------------------------------------------------------------- the plan


def test_a_plan_has_the_scenarios_that_are_asked_for_and_a_header() -> None:
    chosen = plan("reference", Credentials(), patterns=["*.limits", "openwop.family.*"])

    assert [s.id for s in chosen.scenarios] == ["host.v2.family", "host.v2.limits"]
    assert chosen.header.subject == "reference"
    assert chosen.header.corpus == corpus().digest
    assert 0 <= chosen.header.seed < 2**48


def test_a_plan_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"^there is no scenario of major 3 for this kind of"):
        plan("reference", Credentials(), major=3)
    with pytest.raises(UsageError, match=r"^no scenario matches 'nothing\.\*'; "):
        plan("reference", Credentials(), patterns=["nothing.*"])
