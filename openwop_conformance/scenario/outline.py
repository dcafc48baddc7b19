"""The heads of the scenario files, for listings: read quickly, without their steps."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from ..corpus import Corpus, files_below
from ..errors import DocumentError, UsageError
from ..jsonvalue import JsonValue
from .document import Document, Position, load, load_head

Subject = Literal["host", "sdk", "consumer"]
_KNOWN: Final[dict[str, tuple[str | int, ...]]] = {"subject": get_args(Subject), "major": (1, 2)}
"""What chooses scenarios: one with another value would never be asked, and nobody be told."""


@dataclass(frozen=True, slots=True)
class Outline:
    """What a scenario says of itself before its steps."""

    id: str
    title: str
    source: str
    subject: Subject
    major: int
    requirement: str
    needs: tuple[str, ...]
    sabotage: tuple[str, ...]
    place: Position

    @property
    def file(self) -> str:
        """The scenario's file by its name in the corpus."""
        return self.place.path

    def as_json(self) -> JsonValue:
        """The outline as a JSON object."""
        held = asdict(self)
        del held["place"]
        whole = {**held, "file": self.file}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in whole.items()}


def outlines(corpus: Corpus) -> list[Outline]:
    """Every scenario's outline, by id. Raises ``DocumentError`` for a file without its head."""
    files = files_below(corpus.scenarios, ".yaml")
    found = [_read(path, f"scenarios/{name}") for name, path in files]
    return sorted(found, key=lambda outline: outline.id)


def _read(path: Path, name: str) -> Outline:
    """The outline of one file; the whole is read where its head is not all before its steps."""
    try:
        return _outline(load_head(path, name))
    except (TypeError, KeyError, DocumentError):
        document = load(path, name)
    try:
        return _outline(document)
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


def _outline(document: Document) -> Outline:
    head = document.value
    for word, known in _KNOWN.items():
        if head[word] not in known:
            raise document.at(word).error(f"a {word} is one of {', '.join(map(str, known))}")
    return Outline(
        head["scenario"],
        head["title"],
        head["source"],
        head["subject"],
        head["major"],
        head["requirement"],
        tuple(head.get("needs", ())),
        tuple(head["sabotage"]),
        document.at(),
    )
