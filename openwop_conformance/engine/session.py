"""One run's dealings with one subject: the seed of every id, the bounds, the keys, the claims.

All that could differ from one run to the next goes through here.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final, Protocol

from ..adapters.host import Bounds, Host, Request, Response, Stream, Subject
from ..adapters.operations import V1, V2
from ..errors import AbsentError, ConformanceError, ExchangeError, JsonError, UnreachableError
from ..jsonvalue import JsonValue, parse
from ..scenario.model import Subject as Kind
from ..wire import discovery_v1
from ..wire.discovery import Claims, claims_of
from ..wire.discovery_v1 import ClaimsV1
from .credentials import Credentials
from .dialect import Dialect, probe
from .hello import HELLO, Offer, offer_of
from .verdict import Blocked, Inapplicable

GIVE_UP_AFTER: Final = 5
"""So many exchanges in a row without an answer, and the host counts as gone."""
GONE: Final = "the subject has stopped answering, so it was not asked again"


SCOPE: Final[ContextVar[str]] = ContextVar("scope", default="session")
"""On whose behalf something is asked: a scenario's id, or ``session`` for what is asked once."""


@contextmanager
def asked_for(scope: str) -> Iterator[None]:
    """What is asked in this block is asked on behalf of a scope."""
    token = SCOPE.set(scope)
    try:
        yield
    finally:
        SCOPE.reset(token)


class Clock(Protocol):
    """Time as a run sees it. A recording gives back the readings and limits of the run it holds."""

    def now(self) -> float:
        """Seconds since some moment."""
        ...

    def date(self) -> datetime:
        """The date and time, in UTC."""
        ...

    def within(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """Bound a block; ``TimeoutError`` where it takes longer."""
        ...


class WallClock:
    """The time of this machine."""

    def date(self) -> datetime:
        """The date and time, in UTC."""
        return datetime.now(UTC)

    def now(self) -> float:
        """Seconds of ``time.perf_counter``."""
        return time.perf_counter()

    def within(self, seconds: float) -> AbstractAsyncContextManager[object]:
        """``asyncio.timeout``."""
        return asyncio.timeout(seconds)


@dataclass(frozen=True, slots=True)
class Options:
    """How a run is made. Seconds are multiplied by ``time_scale`` wherever they bound anything."""

    seed: int
    jobs: int = 8
    time_scale: float = 1.0
    opted_out: frozenset[str] = frozenset()
    bounds: Bounds = field(default_factory=Bounds)

    def seconds(self, bound: float) -> float:
        """A bound in seconds, scaled."""
        return bound * self.time_scale


class Session:
    """A subject (``host``, of whatever ``kind``), and what a run knows of it."""

    def __init__(
        self,
        host: Subject,
        options: Options,
        credentials: Credentials,
        clock: Clock | None = None,
        kind: Kind = "host",
    ) -> None:
        self.host, self.options, self.credentials = host, options, credentials
        self.kind: Kind = kind
        self._clock: Clock = clock or WallClock()
        self.discovery: JsonValue = None
        """The discovery document that was read first; ``None`` where none was."""
        self._bounds = options.bounds.scaled(options.time_scale)
        self._unanswered = 0
        self._gone = False
        self._claims: Claims | Exception | None = None
        self._claims_lock = asyncio.Lock()
        self._dialect_lock = asyncio.Lock()
        self._claims_v1: ClaimsV1 | Exception | None = None
        self._dialect: Dialect | Exception | None = None
        self._offer: Offer | Exception | None = None
        self.seam_lock = asyncio.Lock()
        self.seam_fault: str | None = None
        self.seam_probed = False

    def nonce(self, *parts: str) -> str:
        """Twelve hex digits that belong to these parts in this run, and to no other run."""
        text = "\0".join((str(self.options.seed), *parts))
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def clock(self) -> float:
        """Seconds, for bounds and for ratios; never for a verdict by themselves."""
        return self._clock.now()

    def date(self) -> datetime:
        """The date and time that a message is stamped with, in UTC."""
        return self._clock.date()

    def within(self, bound: float) -> AbstractAsyncContextManager[object]:
        """Bound a block to some seconds, scaled; ``TimeoutError`` where it takes longer."""
        return self._clock.within(self.options.seconds(bound))

    # ------------------------------------------------------------------------- exchanges

    async def send(self, request: Request, whose: str) -> Response:
        """One exchange, with the key of ``whose``.

        Raises ``ExchangeError``, and ``Blocked`` when nothing could be sent at all.
        """
        self._refuse_if_gone()
        try:
            response = await self._exchange(self._signed(request, whose))
        except (ExchangeError, UnreachableError) as error:
            raise self._unanswered_by(error) from None
        self._unanswered = 0
        return response

    async def _exchange(self, request: Request) -> Response:
        """The adapter's own exchange; a promise that it breaks says nothing of the host."""
        try:
            response = await self.host.exchange(request, self._bounds)
        except ConformanceError:
            raise
        except Exception as error:
            raise Blocked(f"the adapter failed: {_named(error)}") from None
        if not isinstance(response, Response):
            kind = type(response).__name__
            raise Blocked(f"the adapter answered with {kind}, not a Response")
        return response

    @asynccontextmanager
    async def stream(self, request: Request, whose: str) -> AsyncIterator[Stream]:
        """An exchange whose answer is read as it comes. Raises as ``send`` does."""
        self._refuse_if_gone()
        assert isinstance(self.host, Host)
        try:
            async with self.host.stream(self._signed(request, whose), self._bounds) as stream:
                self._unanswered = 0
                yield stream
        except UnreachableError as error:
            raise self._unanswered_by(error) from None

    def _signed(self, request: Request, whose: str) -> Request:
        key = self.credentials.of(whose)
        if key is None:
            return request
        headers = (*request.headers, ("Authorization", f"Bearer {key}"))
        return Request(request.method, request.target, headers, request.body)

    def _refuse_if_gone(self) -> None:
        if self._gone:
            raise Blocked(GONE)

    def _unanswered_by(self, error: ExchangeError | UnreachableError) -> ExchangeError | Blocked:
        self._unanswered += 1
        self._gone = self._gone or self._unanswered >= GIVE_UP_AFTER
        if isinstance(error, ExchangeError):
            return error
        return Blocked(f"the subject can no longer be reached: {error}")

    # ---------------------------------------------------------------------------- claims

    async def claims(self) -> Claims:
        """What the host claims, read once.

        Raises ``Blocked`` when discovery cannot be read and ``Inapplicable`` when the host says
        that it does not speak major 2.
        """
        async with self._claims_lock:
            if self._claims is None:
                try:
                    with asked_for("session"):
                        self._claims = await self._discover()
                except (Blocked, Inapplicable) as error:
                    self._claims = error
        if isinstance(self._claims, Exception):
            raise self._claims
        return self._claims

    async def claims_v1(self) -> ClaimsV1:
        """What the host claims in major 1, read once. Raises as ``claims`` does."""
        async with self._claims_lock:
            if self._claims_v1 is None:
                try:
                    with asked_for("session"):
                        document = await self._document(V1.discovery())
                    if not discovery_v1.speaks_major_1(document):
                        raise Inapplicable("discovery names no version of major 1")
                    self._claims_v1 = discovery_v1.claims_of(document)
                except (Blocked, Inapplicable) as error:
                    self._claims_v1 = error
        if isinstance(self._claims_v1, Exception):
            raise self._claims_v1
        return self._claims_v1

    async def dialect(self) -> Dialect:
        """How the host speaks major 1, found out once. Raises ``Blocked``."""
        async with self._dialect_lock:
            if self._dialect is None:
                try:
                    with asked_for("session"):
                        self._dialect = await probe(self)
                except Blocked as error:
                    self._dialect = error
        if isinstance(self._dialect, Exception):
            raise self._dialect
        return self._dialect

    @property
    def known_dialect(self) -> Dialect | None:
        """The dialect, where it was found out."""
        return self._dialect if isinstance(self._dialect, Dialect) else None

    async def offer(self) -> Offer:
        """What an SDK or a consumer says of itself, read once. Raises ``Blocked``."""
        async with self._claims_lock:
            if self._offer is None:
                try:
                    with asked_for("session"):
                        self._offer = offer_of(await self.send(HELLO, "none"), self.kind)
                except (Blocked, ExchangeError) as error:
                    self._offer = Blocked(f"hello is not answered: {error}")
        if isinstance(self._offer, Exception):
            raise self._offer
        return self._offer

    async def first_contact(self) -> None:
        """Raise ``UnreachableError`` when nothing is there where the subject should be."""
        if self.kind != "host":
            try:
                self._offer = offer_of(await self._exchange(HELLO), self.kind)
            except Blocked as error:
                self._offer = error
            except AbsentError as error:
                self._offer = Blocked(str(error))
            except ExchangeError as error:
                raise UnreachableError(f"{self.host.name} does not say hello: {error}") from None
            return
        async with self._claims_lock:
            if self._claims is None:
                try:
                    self._claims = await self._discover(must_connect=True)
                except (Blocked, Inapplicable) as error:
                    self._claims = error

    async def _discover(self, *, must_connect: bool = False) -> Claims:
        document = await self._document(V2.discovery(), must_connect=must_connect)
        if not isinstance(document, dict):
            return claims_of(document)
        versions = document.get("protocolVersions")
        if isinstance(versions, list) and not any(str(v).startswith("2.") for v in versions):
            raise Inapplicable("protocolVersions lists no version of major 2")
        if versions is None and discovery_v1.speaks_major_1(document):
            raise Inapplicable(f"protocolVersion is {document['protocolVersion']}: major 1 alone")
        return claims_of(document)

    async def _document(self, request: Request, *, must_connect: bool = False) -> JsonValue:
        try:
            if must_connect:
                response = await self._exchange(request)
            else:
                response = await self.send(request, "none")
        except ExchangeError as error:
            raise Blocked(f"the discovery document could not be read: {error}") from None
        if response.status == 406:
            raise Inapplicable("the host refuses the major in discovery (406)")
        if response.status != 200:
            raise Blocked(f"discovery answers {response.status} instead of its document")
        try:
            document = parse(response.body)
        except JsonError as error:
            raise Blocked(f"the discovery document is not JSON: {error}") from None
        if self.discovery is None:
            self.discovery = document
        return document


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
