"""A scenario, ready to run: typed steps, with every ``$name`` and every ``each`` resolved."""

from __future__ import annotations

from dataclasses import dataclass

from .document import Position
from .outline import Subject as Subject
from .verbs import Arguments, Refused


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to ask. ``case`` names the fixture that it comes from, if any."""

    verb: str
    arguments: Arguments
    place: Position
    because: str | None = None
    refused: Refused | None = None
    twin: Arguments | None = None
    case: str | None = None


@dataclass(frozen=True, slots=True)
class Scenario:
    """One file: what it asks, of whom, when it applies, and which row it fills."""

    id: str
    title: str
    source: str
    subject: Subject
    major: int
    needs: tuple[str, ...]
    requirement: str
    sabotage: tuple[str, ...]
    steps: tuple[Step, ...]
    place: Position
