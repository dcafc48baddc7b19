"""A subject whose exchanges are kept as they pass: how an answer looked, beside what it meant."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ...adapters.host import Bounds, Host, Request, Response, Stream, Subject


@dataclass(frozen=True, slots=True)
class Passed:
    """A request, and its answer or what came instead of one."""

    request: Request
    answer: Response | Exception


class NotedSubject:
    """Does as the subject that it stands for. ``passed`` has the exchanges, streams left out."""

    def __init__(self, subject: Subject) -> None:
        self.name, self.passed = subject.name, list[Passed]()
        self._subject = subject

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """The subject's exchange."""
        try:
            response = await self._subject.exchange(request, bounds)
        except Exception as error:
            self.passed.append(Passed(request, error))
            raise
        self.passed.append(Passed(request, response))
        return response

    @asynccontextmanager
    async def stream(self, request: Request, bounds: Bounds) -> AsyncIterator[Stream]:
        """The subject's stream."""
        assert isinstance(self._subject, Host)
        async with self._subject.stream(request, bounds) as stream:
            yield stream

    async def close(self) -> None:
        """Close the subject."""
        await self._subject.close()
