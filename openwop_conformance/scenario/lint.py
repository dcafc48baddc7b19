"""The scenarios as a whole: every file is sound, no two claim one row, patterns match something."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from ..corpus import Corpus, files_below
from ..errors import DocumentError, UsageError
from .document import Position
from .expand import load_scenario
from .fixtures import Fixtures
from .model import Scenario
from .outline import Outline, Subject, outlines


class Claim(Protocol):
    """What names a scenario and the row that it fills: the scenario, or its outline."""

    @property
    def id(self) -> str:
        """The scenario's id."""

    @property
    def requirement(self) -> str:
        """The id of the row."""

    @property
    def place(self) -> Position:
        """Where the scenario begins."""


T = TypeVar("T", bound=Claim)


def load_all(corpus: Corpus) -> tuple[Scenario, ...]:
    """Every scenario of a corpus, by id. Raises ``DocumentError`` for the first fault."""
    fixtures = Fixtures(corpus.fixtures)
    files = files_below(corpus.scenarios, ".yaml")
    scenarios = [load_scenario(path, fixtures, f"scenarios/{name}") for name, path in files]
    for fault in cross_faults(scenarios):
        raise fault
    return tuple(sorted(scenarios, key=lambda scenario: scenario.id))


def load_of(corpus: Corpus, subject: Subject) -> tuple[Scenario, ...]:
    """Every scenario for a kind of subject, by id. Raises ``DocumentError`` for the first fault."""
    return load(corpus, (head for head in heads(corpus) if head.subject == subject))


def heads(corpus: Corpus) -> list[Outline]:
    """Every outline, by id. Raises ``DocumentError`` also where two of them claim one row."""
    found = outlines(corpus)
    for fault in cross_faults(sorted(found, key=lambda outline: outline.place.path)):
        raise fault
    return found


def load(corpus: Corpus, chosen: Iterable[Outline]) -> tuple[Scenario, ...]:
    """The scenarios of some outlines, whole. Raises ``DocumentError`` for the first fault."""
    fixtures = Fixtures(corpus.fixtures)
    named = ((head.file.removeprefix("scenarios/"), head.file) for head in chosen)
    return tuple(load_scenario(corpus.scenarios / n, fixtures, file) for n, file in named)


def lint(corpus: Corpus) -> list[DocumentError]:
    """Everything that is wrong with a corpus' scenarios, one error for each file at most."""
    found: list[DocumentError] = []
    scenarios: list[Scenario] = []
    fixtures = Fixtures(corpus.fixtures)
    for name, path in files_below(corpus.scenarios, ".yaml"):
        try:
            scenarios.append(load_scenario(path, fixtures, f"scenarios/{name}"))
        except DocumentError as error:
            found.append(error)
    return [*found, *cross_faults(scenarios)]


def cross_faults(scenarios: Iterable[Claim]) -> Iterable[DocumentError]:
    """Ids and requirements that two scenarios claim: a row has one witness."""
    seen: dict[str, Claim] = {}
    for scenario in scenarios:
        for key in (f"scenario {scenario.id}", f"requirement {scenario.requirement}"):
            if key in seen:
                yield scenario.place.error(f"{key} is already that of {seen[key].place.path}")
            seen[key] = scenario


def select(scenarios: Sequence[T], patterns: Sequence[str]) -> tuple[T, ...]:
    """The scenarios whose id or requirement matches a pattern (``*`` and ``?``).

    Without patterns, all. Raises ``UsageError`` for a pattern that matches nothing.
    """
    if not patterns:
        return tuple(scenarios)
    chosen: set[str] = set()
    for pattern in patterns:
        matched = {
            s.id
            for s in scenarios
            if fnmatch.fnmatchcase(s.id, pattern) or fnmatch.fnmatchcase(s.requirement, pattern)
        }
        if not matched:
            raise UsageError(
                f"no scenario matches {pattern!r}; 'openwop-conformance list' shows their ids"
            )
        chosen |= matched
    return tuple(s for s in scenarios if s.id in chosen)
