"""The requirements: read with the place of each fault, and found by an id or its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.errors import DocumentError, UsageError
from openwop_conformance.evidence.requirements import (
    Requirement,
    citations,
    read_clauses,
    read_ids,
    read_requirements,
    requirement,
)

ROW = """\
- id: a.first
  rule: One is kept.
  source: somewhere
  level: MUST
  subject: host
  witness: seam-gated
  why: People rely on it.
  breaks: A race.
"""
SECOND = ROW.replace("a.first", "a.second")
DOCUMENTS = "documents:\n- name: RFC 1\n  title: One\n  clauses: [A.1, B]\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "requirements.yaml"
    path.write_text(f"requirements:\n{ROW}{SECOND}{DOCUMENTS}", "utf-8")
    return path


def test_requirements_are_read_by_their_ids(file: Path) -> None:
    found = read_requirements(file)

    assert list(found) == ["a.first", "a.second"]
    assert found["a.first"] == Requirement(
        id="a.first",
        rule="One is kept.",
        source="somewhere",
        level="MUST",
        subject="host",
        witness="seam-gated",
        why="People rely on it.",
        breaks="A race.",
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("id: a.second", "id: a.first", "10:3: a.first stands twice"),
        ("id: a.second", "id: second", '10:7: "second" does not match '),
        ("second\n  rule", "second\n  roole", "10:3: "),
        (
            "second\n  rule: One is kept.\n",
            "second\n  rule: ''\n",
            '11:9: "" is shorter than 1 char',
        ),
        ("second\n  rule: One is kept.\n", "second\n", '10:3: "rule" is a required property'),
        (
            "MUST\n  subject: host\n  witness: seam",
            "OUGHT\n  subject: host\n  witness: seam",
            "5:10: ",
        ),
        ("requirements:", "requirement:", "1:1: "),
        ("first\n  rule: One is kept.", "first\n  rule: no", "3:9: 'no' would be read as bool"),
        ("first\n  rule: One is kept.", "first\n  rule: 5", '3:9: 5 is not of type "string"'),
    ],
)
def test_a_wrong_file_is_an_error_at_its_place(
    file: Path, old: str, new: str, expected: str
) -> None:
    text = file.read_text("utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), "utf-8")

    with pytest.raises(DocumentError) as caught:
        read_requirements(file)
    assert str(caught.value).startswith(f"requirements.yaml:{expected}")


def test_an_empty_list_of_requirements_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(f"requirements: []\n{DOCUMENTS}", "utf-8")

    with pytest.raises(DocumentError, match=r"^r\.yaml:1:15: \[\] has less than 1 item$"):
        read_requirements(tmp_path / "r.yaml")


def test_a_requirement_is_found_by_its_id_or_by_an_end_that_only_it_has() -> None:
    found = read_requirements(corpus().requirements)

    for row in found.values():
        assert requirement(found, row.id) is row
    assert requirement(found, "fold-guarded").id == "openwop.requirement.0209.fold-guarded"
    assert requirement(found, "0209.fold-guarded").id == "openwop.requirement.0209.fold-guarded"


def test_an_id_that_is_none_is_an_error_with_near_ones() -> None:
    found = read_requirements(corpus().requirements)

    with pytest.raises(UsageError) as caught:
        requirement(found, "openwop.requirement.0209.fold-gaurded")
    assert str(caught.value).startswith(
        "no requirement is called 'openwop.requirement.0209.fold-gaurded'; near it: "
        "openwop.requirement.0209.fold-guarded"
    )
    with pytest.raises(UsageError, match=r"^no requirement is called '§§§'$"):
        requirement(found, "§§§")
    with pytest.raises(UsageError, match=r"^no requirement is called 'guarded'"):
        requirement(found, "guarded")


def test_the_clauses_of_each_document_are_read(file: Path) -> None:
    assert read_clauses(file) == {"RFC 1": ("A.1", "B")}


def test_a_reason_why_not_is_read(file: Path) -> None:
    text = file.read_text("utf-8").replace("A race.\n", "A race.\n  not-yet: Later.\n", 1)
    file.write_text(text, "utf-8")

    assert [row.not_yet for row in read_requirements(file).values()] == ["Later.", ""]


@pytest.mark.parametrize(
    ("source", "cited"),
    [
        ("RFC 0209 §A.1", [("RFC 0209", "A.1")]),
        ("RFC 0209 §A.1, §C.12, the fold", [("RFC 0209", "A.1"), ("RFC 0209", "C.12")]),
        ("RFC 1 §A.1; RFC 2 §Delete; a2ui#12", [("RFC 1", "A.1"), ("RFC 2", "Delete")]),
        ("spec/v2 auth.md", []),
    ],
)
def test_a_source_cites_clauses_of_documents(source: str, cited: list[tuple[str, str]]) -> None:
    assert list(citations(source)) == cited


def test_ids_and_their_aliases_are_read_with_the_place_of_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "aliases.yaml"
    path.write_text("issued: [a.b, a.c]\naliases: {a.b: a.c}\n", "utf-8")
    assert read_ids(path).aliases == {"a.b": "a.c"}
    assert read_ids(path).issued == {"a.b", "a.c"}

    path.write_text("issued: [a.b, a.b]\naliases: {}\n", "utf-8")
    with pytest.raises(DocumentError, match=r"^aliases\.yaml:1:9: "):
        read_ids(path)


def test_an_end_that_two_have_is_an_error_that_names_both() -> None:
    one = Requirement("a.x", "", "", "MUST", "host", "", "", "")
    found = {"a.x": one, "b.x": one}

    with pytest.raises(UsageError, match=r"^no requirement is called 'x'; near it: a\.x, b\.x$"):
        requirement(found, "x")
