"""The requirements: each rule with its words, its source, and how it can be witnessed."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from ..scenario.document import load
from ..schemas import problems, validator

Level = Literal["MUST", "SHOULD", "MAY"]


@dataclass(frozen=True, slots=True)
class Requirement:
    """One row that a run can fill."""

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


def read_requirements(path: Path) -> dict[str, Requirement]:
    """The requirements of a file, by id. Raises ``DocumentError`` with the place of a fault."""
    document = load(path, path.name)
    for problem in problems(validator("requirements"), document.value):
        raise document.at(*_tokens(problem.path)).error(problem.message)
    found: dict[str, Requirement] = {}
    for index, row in enumerate(document.value["requirements"]):
        if row["id"] in found:
            raise document.at("requirements", index).error(f"{row['id']} stands twice")
        found[row["id"]] = Requirement(**row)
    return found


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


def _tokens(pointer: str) -> list[str | int]:
    return [int(t) if t.isdigit() else t for t in pointer.split("/")[1:]]
