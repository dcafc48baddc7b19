"""The requirements: each rule with its words, its source, and how it can be witnessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from ..errors import UsageError
from ..scenario.document import Document, load
from ..schemas import problems, validator

if TYPE_CHECKING:
    from ..scenario.model import Scenario

Level = Literal["MUST", "SHOULD", "MAY"]

_CLAUSE: Final = re.compile(r"§([A-Za-z0-9]+(?:\.[0-9]+)?)")


@dataclass(frozen=True, slots=True)
class Requirement:
    """One rule, and the row that a run or a gate can fill."""

    id: str
    rule: str
    """The rule, as one sentence."""
    source: str
    level: Level
    subject: str
    witness: str
    """The witness class: what it takes to observe the rule."""
    why: str
    """Whom the rule protects, and from what."""
    breaks: str
    """What usually breaks it."""
    not_yet: str = ""
    """Why nothing witnesses it; empty for what a scenario or a gate witnesses."""


@dataclass(frozen=True, slots=True)
class Ids:
    """Every id that was ever issued, and for each that was given up the one in its place."""

    issued: frozenset[str]
    aliases: dict[str, str]


def read_requirements(path: Path) -> dict[str, Requirement]:
    """The requirements of a file, by id. Raises ``DocumentError`` with the place of a fault."""
    document = _read(path, "requirements")
    found: dict[str, Requirement] = {}
    for index, row in enumerate(document.value["requirements"]):
        if row["id"] in found:
            raise document.at("requirements", index).error(f"{row['id']} stands twice")
        members = {name.replace("-", "_"): value for name, value in row.items()}
        found[row["id"]] = Requirement(**members)
    return found


def read_clauses(path: Path) -> dict[str, tuple[str, ...]]:
    """The clauses of each document that the requirements are taken from, by its name."""
    documents = _read(path, "requirements").value["documents"]
    return {document["name"]: tuple(document["clauses"]) for document in documents}


def read_ids(path: Path) -> Ids:
    """The ids of a file. Raises ``DocumentError``."""
    value = _read(path, "aliases").value
    return Ids(frozenset(value["issued"]), value["aliases"])


def check_subjects(scenarios: Iterable[Scenario], found: Mapping[str, Requirement]) -> None:
    """Hold each scenario to a requirement about its own kind of subject.

    So no row about the corpus comes into a host's ledger. Raises ``DocumentError``.
    """
    for scenario in scenarios:
        row = found.get(scenario.requirement)
        if row is None:
            raise scenario.place.error(f"no requirement {scenario.requirement!r}")
        if row.subject != scenario.subject:
            raise scenario.place.error(
                f"{row.id} is about a {row.subject}, and the scenario about a {scenario.subject}"
            )


def citations(source: str) -> Iterator[tuple[str, str]]:
    """The clauses that a source cites, each with its document, as ``RFC 0209 §A.1, §A.3; …``."""
    for part in source.split(";"):
        document, mark, rest = part.partition("§")
        for clause in _CLAUSE.findall(mark + rest):
            yield document.strip(), clause


def requirement(found: dict[str, Requirement], wanted: str) -> Requirement:
    """The requirement of an id, or of the end of one. Raises ``UsageError`` with near ones."""
    import difflib

    if wanted in found:
        return found[wanted]
    ending = [i for i in found if i.endswith(f".{wanted}")]
    if len(ending) == 1:
        return found[ending[0]]
    near = ending or difflib.get_close_matches(wanted, found, n=3, cutoff=0.4)
    hint = f"; near it: {', '.join(near)}" if near else ""
    raise UsageError(f"no requirement is called {wanted!r}{hint}")


def _read(path: Path, kind: str) -> Document:
    document = load(path, path.name)
    for problem in problems(validator(kind), document.value):
        raise document.at(*_tokens(problem.path)).error(problem.message)
    return document


def _tokens(pointer: str) -> list[str | int]:
    return [int(t) if t.isdigit() else t for t in pointer.split("/")[1:]]
