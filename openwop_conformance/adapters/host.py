"""How a subject is reached: one exchange at a time, whatever carries it.

The engine speaks only to ``Subject``, and to a host as ``Host``. What an exchange means is for the
layers above; what carries it (a socket, an application in this process, a pipe, a recording) is for
the modules beside this one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``target`` is the origin-form path, percent-encoded, with its query."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """One whole answer. Header names are lower case; ``seconds`` is request to last byte."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes
    seconds: float = field(default=0.0, compare=False)

    def header(self, name: str) -> str | None:
        """The first value of a header, or ``None``."""
        return next((value for key, value in self.headers if key == name.lower()), None)


@dataclass(frozen=True, slots=True)
class Chunk:
    """Bytes as they arrived, and when: ``at`` in seconds of ``time.perf_counter``."""

    data: bytes
    at: float


class Stream(Protocol):
    """An answer whose body is read as it arrives."""

    status: int
    headers: tuple[tuple[str, str], ...]

    def chunks(self) -> AsyncIterator[Chunk]:
        """The body, once. Ends with the body; raises ``ExchangeError`` on a broken bound.

        A read that is cancelled, as by a time limit of the reader, gives the body up: later reads
        raise ``ExchangeError("cut-off")``, so that it never looks whole.
        """
        ...


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one exchange may take: seconds, and bytes of body after decoding."""

    connect: float = 5.0
    read: float = 10.0
    """The longest silence between two chunks."""
    total: float = 30.0
    body: int = 16 * 1024 * 1024

    def scaled(self, factor: float) -> Bounds:
        """The same bounds with every time multiplied; bytes stay."""
        return Bounds(self.connect * factor, self.read * factor, self.total * factor, self.body)


@runtime_checkable
class Subject(Protocol):
    """Something under test. An object with these methods is one; nothing is inherited.

    Each method raises ``UnreachableError`` when no connection can be made, and ``ExchangeError``
    when the answer breaks a bound or the request cannot be put on the wire. Redirects are never
    followed. Nothing else is raised, but ``UsageError`` for a host that was closed, or that is
    used from a second event loop.
    """

    name: str
    """How a person calls it in a report: the URL, or the connectable string."""

    async def exchange(self, request: Request, bounds: Bounds) -> Response:
        """Send one request and read its whole answer."""
        ...

    async def close(self) -> None:
        """Let go of connections, processes and tasks."""
        ...


@runtime_checkable
class Host(Subject, Protocol):
    """A host under test: a subject whose answers can be read as they arrive."""

    def stream(self, request: Request, bounds: Bounds) -> AbstractAsyncContextManager[Stream]:
        """Send one request and read its answer as it arrives; leaving the context cancels it."""
        ...
