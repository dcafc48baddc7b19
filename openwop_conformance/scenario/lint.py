"""The scenarios as a whole: every file is sound, no two claim one row, patterns match something."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ..corpus import Corpus
from ..errors import DocumentError, UsageError
from .expand import load_scenario
from .model import Scenario


def load_all(corpus: Corpus) -> tuple[Scenario, ...]:
    """Every scenario of a corpus, by id. Raises ``DocumentError`` for the first fault."""
    return _loaded(_Read(corpus.asked_digest, corpus))


@dataclass(frozen=True, slots=True)
class _Read:
    """What scenarios are read from: the same bytes give the same ones, wherever they lie."""

    digest: str
    corpus: Corpus = field(compare=False)


@lru_cache(maxsize=4)
def _loaded(read: _Read) -> tuple[Scenario, ...]:
    fixtures = read.corpus.fixtures
    scenarios = [
        load_scenario(path, fixtures, f"scenarios/{name}") for name, path in _files(read.corpus)
    ]
    faults = list(cross_faults(scenarios))
    if faults:
        raise faults[0]
    return tuple(sorted(scenarios, key=lambda s: s.id))


def lint(corpus: Corpus) -> list[DocumentError]:
    """Everything that is wrong with a corpus' scenarios, one error for each file at most."""
    found: list[DocumentError] = []
    scenarios: list[Scenario] = []
    for name, path in _files(corpus):
        try:
            scenarios.append(load_scenario(path, corpus.fixtures, f"scenarios/{name}"))
        except DocumentError as error:
            found.append(error)
    return [*found, *cross_faults(scenarios)]


def cross_faults(scenarios: Iterable[Scenario]) -> Iterable[DocumentError]:
    """Ids and requirements that two scenarios claim: a row has one witness."""
    seen: dict[str, Scenario] = {}
    for scenario in scenarios:
        for key in (f"scenario {scenario.id}", f"requirement {scenario.requirement}"):
            if key in seen:
                yield scenario.place.error(f"{key} is already that of {seen[key].place.path}")
            seen[key] = scenario


def select(scenarios: Sequence[Scenario], patterns: Sequence[str]) -> tuple[Scenario, ...]:
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


def _files(corpus: Corpus) -> list[tuple[str, Path]]:
    return sorted(
        (path.relative_to(corpus.scenarios).as_posix(), path)
        for path in corpus.scenarios.rglob("*.yaml")
    )
