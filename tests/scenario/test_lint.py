"""Many scenarios together: no row has two witnesses, and every pattern matches something."""

from __future__ import annotations

from pathlib import Path

import pytest

from openwop_conformance.corpus import Corpus
from openwop_conformance.corpus import corpus as corpus_in
from openwop_conformance.errors import DocumentError, UsageError
from openwop_conformance.scenario.lint import heads, lint, load, load_all, load_of, select
from openwop_conformance.scenario.outline import outlines, select_outlines


def corpus_of(folder: Path, files: dict[str, str]) -> Corpus:
    for name, text in files.items():
        path = folder / "scenarios" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    (folder / "scenarios").mkdir(exist_ok=True)
    return corpus_in(folder)


def scenario(name: str, requirement: str | None = None, steps: str = "[{run: w}]") -> str:
    return (
        f"# {name}\nscenario: {name}\ntitle: The rule of {name}\nsource: somewhere\n"
        f"subject: host\nmajor: 2\nrequirement: {requirement or 'r.' + name}\nsabotage: [s]\n"
        f"steps: {steps}\n"
    )


@pytest.fixture
def three(tmp_path: Path) -> Corpus:
    return corpus_of(
        tmp_path,
        {f"{n}.yaml": scenario(f"host.{n}", f"rows.{n[0]}") for n in ("one", "two", "six")},
    )


def test_a_corpus_is_loaded_by_id_whatever_its_files_are_called(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"a/z.yaml": scenario("a.b"), "b.yaml": scenario("a.a")})

    assert [s.id for s in load_all(corpus)] == ["a.a", "a.b"]
    assert [str(s.place) for s in load_all(corpus)] == [
        "scenarios/b.yaml:2:1",
        "scenarios/a/z.yaml:2:1",
    ]
    assert lint(corpus) == []


def test_what_is_the_same_elsewhere_is_read_once_and_what_was_changed_anew(tmp_path: Path) -> None:
    for folder in ("one", "other"):
        corpus_of(tmp_path / folder, {"a.yaml": scenario("a.a")})
    one, other = corpus_in(tmp_path / "one"), corpus_in(tmp_path / "other")
    assert all(a is b for a, b in zip(load_all(one), load_all(other), strict=True))

    changed = corpus_of(tmp_path / "other", {"a.yaml": scenario("a.a", "r.other")})
    assert [s.requirement for s in load_all(changed)] == ["r.other"]


def test_two_scenarios_of_one_id_are_an_error_in_the_second_file(tmp_path: Path) -> None:
    corpus = corpus_of(tmp_path, {"a.yaml": scenario("a.a"), "b.yaml": scenario("a.a", "r.b")})

    expected = "scenarios/b.yaml:2:1: scenario a.a is already that of scenarios/a.yaml"
    assert [str(fault) for fault in lint(corpus)] == [expected]
    with pytest.raises(DocumentError) as caught:
        load_all(corpus)
    assert str(caught.value) == expected


def test_two_witnesses_of_one_row_are_an_error_in_the_second_file(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path, {"a.yaml": scenario("a.a", "r.x"), "b.yaml": scenario("b.b", "r.x")}
    )

    assert [str(fault) for fault in lint(corpus)] == [
        "scenarios/b.yaml:2:1: requirement r.x is already that of scenarios/a.yaml"
    ]


def test_lint_names_one_fault_of_every_file_and_goes_on(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path,
        {
            "a.yaml": scenario("a.a", steps="[{walk: w}, {fly: w}]"),
            "b.yaml": "scenario: no\n",
            "c.yaml": scenario("c.c", "r.x"),
            "d.yaml": scenario("d.d", "r.x"),
        },
    )

    places = [str(fault).partition(": ")[0] for fault in lint(corpus)]
    assert places == ["scenarios/a.yaml:9:16", "scenarios/b.yaml:1:11", "scenarios/d.yaml:2:1"]


@pytest.mark.parametrize(
    ("patterns", "chosen"),
    [
        ([], ["host.one", "host.six", "host.two"]),
        (["host.one"], ["host.one"]),
        (["rows.t"], ["host.two"]),
        (["host.*"], ["host.one", "host.six", "host.two"]),
        (["*.t?o", "*.one"], ["host.one", "host.two"]),
        (["host.one", "host.one", "rows.o"], ["host.one"]),
    ],
)
def test_patterns_match_ids_and_requirements_whole(
    three: Corpus, patterns: list[str], chosen: list[str]
) -> None:
    assert [s.id for s in select(load_all(three), patterns)] == chosen
    assert [o.id for o in select_outlines(outlines(three), patterns)] == chosen


@pytest.mark.parametrize("pattern", ["one", "host.", "HOST.*", "", "host.one "])
def test_a_pattern_that_matches_nothing_is_an_error_beside_one_that_does(
    three: Corpus, pattern: str
) -> None:
    with pytest.raises(UsageError, match=r"^no scenario matches ") as caught:
        select(load_all(three), ["host.one", pattern])
    with pytest.raises(UsageError) as listed:
        select_outlines(outlines(three), ["host.one", pattern])

    assert repr(pattern) in str(caught.value)
    assert "openwop-conformance list" in str(caught.value)
    assert str(listed.value) == f"no scenario matches {pattern!r}"


def test_an_outline_is_the_head_of_what_is_loaded(three: Corpus) -> None:
    for outline, loaded in zip(outlines(three), load_all(three), strict=True):
        head = {name: getattr(loaded, name) for name in outline.as_json() if name != "file"}
        assert {**outline.as_json(), "needs": (), "sabotage": ("s",)} == {
            **head,
            "file": loaded.place.path,
        }


@pytest.mark.parametrize("text", ["- a\n", "scenario: a.b\ntitle: x\n", "x\n"])
def test_an_outline_without_its_head_is_an_error_with_its_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(DocumentError, match=r"^scenarios/a\.yaml:1:1: the head of the scenario "):
        outlines(corpus_of(tmp_path, {"a.yaml": text}))


def test_what_is_chosen_is_read_whole_and_of_the_rest_the_head(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path,
        {
            "a.yaml": scenario("a.a"),
            "b.yaml": scenario("b.b", steps="[{walk: w}]"),
            "c.yaml": scenario("c.c").replace("subject: host", "subject: sdk"),
        },
    )
    found = heads(corpus)

    assert [head.id for head in found] == ["a.a", "b.b", "c.c"]
    assert [s.id for s in load(corpus, select(found, ["a.*"]))] == ["a.a"]
    with pytest.raises(DocumentError, match=r"^scenarios/b\.yaml:9:16: unknown verb 'walk'"):
        load_of(corpus, "host")
    with pytest.raises(DocumentError, match=r"^scenarios/c\.yaml:9:15: unknown verb 'run'"):
        load_of(corpus, "sdk")


def test_that_two_claim_one_row_is_told_whichever_is_chosen(tmp_path: Path) -> None:
    corpus = corpus_of(
        tmp_path, {"a.yaml": scenario("c.c", "r.x"), "b.yaml": scenario("b.b", "r.x")}
    )

    with pytest.raises(DocumentError) as caught:
        heads(corpus)
    assert [str(caught.value)] == [str(fault) for fault in lint(corpus)]


@pytest.mark.parametrize(
    ("line", "other", "said"),
    [
        ("subject: host", "subject: server", "5:10: a subject is one of host, sdk, consumer"),
        ("major: 2", "major: 3", "6:8: a major is one of 1, 2"),
    ],
)
def test_a_scenario_that_nobody_would_choose_is_told(
    tmp_path: Path, line: str, other: str, said: str
) -> None:
    corpus = corpus_of(tmp_path, {"a.yaml": scenario("a.a").replace(line, other)})

    with pytest.raises(DocumentError) as caught:
        outlines(corpus)
    assert str(caught.value) == f"scenarios/a.yaml:{said}"
