"""What the whole subject was asked for a scenario and answered: who answers the same is judged so.

What the engine asks and how it judges follows from the scenario, the seed and the answers, where
nothing is measured. So a broken subject that gives each recorded call the answer that the whole one
gave would be asked just these calls, and its row is known. The calls alone cost a part of the run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass

from ..adapters.calls import InProcess
from ..adapters.host import Bounds, Request, Response
from ..engine.credentials import Credentials
from ..engine.run import run_one
from ..engine.session import Options, Session
from ..engine.verdict import Disposition
from ..scenario.model import Scenario
from ..scenario.model import Subject as SubjectKind
from .consulting import Note


@dataclass(frozen=True, slots=True)
class Recorded:
    """A scenario against the whole subject: its calls in order, each with its answer's body."""

    scenario: Scenario
    disposition: Disposition
    calls: Sequence[tuple[Request, bytes]]
    consulted: Set[str]
    """What of the subject was consulted meanwhile."""

    def cannot_change(self, replaced: Set[str], broken: InProcess) -> bool:
        """Whether the row of a subject in which something is replaced is this one too."""
        return not replaced & self.consulted or same_answers(self.calls, broken)


def same_answers(calls: Sequence[tuple[Request, bytes]], subject: InProcess) -> bool:
    """Whether a subject gives these answers to these calls."""
    return all(subject.answered(request, json.loads).body == body for request, body in calls)


class Recordings:
    """The runs of a whole subject that were recorded, each when it was first asked for."""

    def __init__(self, kind: SubjectKind, seed: int, noting: Callable[[Note], InProcess]) -> None:
        self.hello: Sequence[tuple[Request, bytes]] = ()
        """What the session asked, once for all."""
        self._whole = _Remembering(noting)
        self._session = Session(self._whole, Options(seed=seed), Credentials(), kind=kind)
        self._known: dict[tuple[str | None, ...], list[Recorded]] = defaultdict(list)

    async def of(self, scenario: Scenario) -> Recorded:
        """The run of a scenario with just the cases that it has."""
        if not self.hello:
            await self._session.offer()
            self.hello, _ = self._whole.remembered()
        known = self._known[scenario.id, *(step.case for step in scenario.steps)]
        for one in known:
            if one.scenario == scenario:
                return one
        finished = await run_one(scenario, self._session)
        known.append(Recorded(scenario, finished.row.disposition, *self._whole.remembered()))
        return known[-1]


class _Remembering:
    """The whole subject, which remembers what it was asked, answered and consulted."""

    def __init__(self, noting: Callable[[Note], InProcess]) -> None:
        self._calls: list[tuple[Request, bytes]] = []
        self._consulted: set[str] = set()
        self._whole = noting(lambda name: self._consulted.add(name))
        self.name = self._whole.name

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        response = await self._whole.exchange(request, bounds)
        self._calls.append((request, response.body))
        return response

    async def close(self) -> None:
        await self._whole.close()

    def remembered(self) -> tuple[Sequence[tuple[Request, bytes]], Set[str]]:
        """All since the last time."""
        found = self._calls, self._consulted
        self._calls, self._consulted = [], set()
        return found
