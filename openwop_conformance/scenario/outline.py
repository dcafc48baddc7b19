"""The heads of the scenario files, for listings: read quickly, without their steps."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from ..corpus import Corpus
from ..errors import DocumentError, UsageError
from ..jsonvalue import JsonValue
from .document import load, load_head


@dataclass(frozen=True, slots=True)
class Outline:
    """What a scenario says of itself before its steps."""

    id: str
    title: str
    source: str
    subject: str
    major: int
    requirement: str
    needs: tuple[str, ...]
    sabotage: tuple[str, ...]
    file: str

    def as_json(self) -> JsonValue:
        """The outline as a JSON object."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def outlines(corpus: Corpus) -> list[Outline]:
    """Every scenario's outline, by id. Raises ``DocumentError`` for a file without its head."""
    found = []
    for path in corpus.scenarios.rglob("*.yaml"):
        name = f"scenarios/{path.relative_to(corpus.scenarios).as_posix()}"
        found.append(_read(path, name))
    return sorted(found, key=lambda outline: outline.id)


def _read(path: Path, name: str) -> Outline:
    """The outline of one file; the whole is read where its head is not all before its steps."""
    try:
        return _outline(load_head(path, name).value, name)
    except (TypeError, KeyError, DocumentError):
        document = load(path, name)
    try:
        return _outline(document.value, name)
    except (TypeError, KeyError) as error:
        raise document.at().error(f"the head of the scenario lacks {error}") from None


def select_outlines(found: Sequence[Outline], patterns: Sequence[str]) -> list[Outline]:
    """The outlines whose id or requirement matches. Raises ``UsageError`` as ``select`` does."""
    for pattern in patterns:
        if not any(_matches(outline, pattern) for outline in found):
            raise UsageError(f"no scenario matches {pattern!r}")
    return [o for o in found if not patterns or any(_matches(o, p) for p in patterns)]


def _matches(outline: Outline, pattern: str) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for name in (outline.id, outline.requirement))


def _outline(head: JsonValue, file: str) -> Outline:
    return Outline(
        head["scenario"],
        head["title"],
        head["source"],
        head["subject"],
        head["major"],
        head["requirement"],
        tuple(head.get("needs", ())),
        tuple(head["sabotage"]),
        file,
    )
