"""What one scenario has seen: its exchanges, runs and emissions, and how many times it asserted."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from ..adapters.host import Request, Response, Stream
from ..adapters.operations import API
from ..errors import ExchangeError, JsonError
from ..jsontree import strings_in, with_texts
from ..jsonvalue import JsonValue, parse
from ..scenario.model import Scenario
from ..scenario.names import CANARY
from ..wire.envelope import renamed, surface_payload
from ..wire.ids import project, tenant_of
from .session import Session
from .verdict import Blocked, CheckFailed, Exchange

if TYPE_CHECKING:
    from .following import Follower
    from .listening import Subscription

SHOWN: Final = 1000
"""The most characters of what a host said that a row or a report repeats in one place."""
_PLACE: Final = re.compile(r"\{((?:run|id):[a-z0-9-]+|missing)\}")


@dataclass(slots=True)
class Emission:
    """A payload that the host admitted, and the sequence it gave for the recording event."""

    payload: JsonValue
    sequence: int
    has_canary: bool


@dataclass(slots=True)
class Shown:
    """A version 1 payload that the host admitted, and what it is called in the log."""

    payload: JsonValue
    ref: str
    trust: str | None = None
    has_canary: bool = False


@dataclass(slots=True)
class RunView:
    """A run as this scenario knows it. ``refused`` are payloads that must have left no trace."""

    name: str
    id: str
    emissions: list[Emission] = field(default_factory=list)
    refused: list[JsonValue] = field(default_factory=list)
    shown: list[Shown] = field(default_factory=list)
    """What was shown in major 1, in order."""
    over: bool = False
    """Whether this scenario has ended the run."""


class Witness:
    """One scenario's view of one host. Steps ask through it and assert through it."""

    def __init__(self, session: Session, scenario: Scenario) -> None:
        self.session, self.scenario = session, scenario
        self.exchanges: list[Exchange] = []
        self.assertions = 0
        self.api = API[scenario.major]
        self.runs: dict[str, RunView] = {}
        self.emissions: dict[str, Emission] = {}
        self.shown: dict[str, Shown] = {}
        self.followers: dict[str, Follower] = {}
        self.states: set[str] = set()
        """The handles of the states that an SDK was asked to make."""
        self.clients: set[str] = set()
        """The handles of the clients that a consumer was asked to open."""
        self.words: dict[str, set[str]] = {}
        """By surface, the words of all that was delivered to it."""
        self.sequences: dict[str, int] = {}
        """The sequence of what was last delivered to each client of a consumer."""
        self.accounted: dict[str, int] = {}
        """How many submissions of each client were made by a press."""
        self.reported: dict[str, int] = {}
        """How many violations of a surface's lock a client had reported when it was asked last."""
        self.leaks: list[Exchange] = []
        self.case = ""
        self.measured: list[JsonValue] = []
        """What was measured, as evidence beside the verdict."""
        self.subscriptions: dict[str, Subscription] = {}
        """The subscriber of each run that has one, by the run's name."""
        self.tasks: set[asyncio.Task[None]] = set()
        """What goes on beside the steps, and is ended with the scenario."""
        self._heard: dict[int, list[str]] = {}
        self._names: dict[str, str] = {}
        self._fresh = 0

    # --------------------------------------------------------------------------- asking

    async def ask(self, request: Request, whose: str = "owner") -> tuple[Exchange, Response]:
        """One exchange, kept. Raises ``ExchangeError``, and keeps that too."""
        number = len(self.exchanges) + 1
        kept = self._without_canary(request)
        self.exchanges.append(Exchange(number, kept, whose))
        try:
            response = await self.session.send(request, whose)
        except (ExchangeError, Blocked) as error:
            fault = self.plain(str(error))
            self.exchanges[number - 1] = Exchange(number, kept, whose, fault=fault)
            raise
        exchange = Exchange(number, kept, whose, response)
        self.exchanges[number - 1] = exchange
        self._look_for_canary(exchange, response.body, response.headers)
        return exchange, response

    @asynccontextmanager
    async def listen(self, request: Request) -> AsyncIterator[tuple[Exchange, Stream]]:
        """An exchange whose answer is read as it comes."""
        number = len(self.exchanges) + 1
        self.exchanges.append(Exchange(number, request, "owner"))
        try:
            async with self.session.stream(request, "owner") as stream:
                exchange = Exchange(
                    number, request, "owner", Response(stream.status, stream.headers, b"")
                )
                self.exchanges[number - 1] = exchange
                self._look_for_canary(exchange, b"", stream.headers)
                yield exchange, stream
                said = "\n".join(self._heard.pop(number, ())).encode()
                self.exchanges[number - 1] = Exchange(
                    number, request, "owner", Response(stream.status, stream.headers, said)
                )
        except (ExchangeError, Blocked) as error:
            fault = self.plain(str(error))
            self.exchanges[number - 1] = Exchange(number, request, "owner", fault=fault)
            raise

    def heard(self, exchange: Exchange, *texts: str) -> None:
        """Take note of what a stream said: a canary is looked for there too."""
        for text in texts:
            self._heard.setdefault(exchange.number, []).append(text)
            self._look_for_canary(exchange, text.encode())

    def _without_canary(self, request: Request) -> Request:
        """A request as it is kept and shown: the operator's secret is a name in its body."""
        if self.session.credentials.canary is None or request.body is None:
            return request
        return replace(
            request, body=self.session.credentials.hidden_in(request.body.decode()).encode()
        )

    def _look_for_canary(
        self, exchange: Exchange, body: bytes, headers: tuple[tuple[str, str], ...] = ()
    ) -> None:
        canary = self.session.credentials.canary
        if canary is None or any(leak.number == exchange.number for leak in self.leaks):
            return
        if _holds(body, canary) or any(canary in value for _, value in headers):
            self.leaks.append(exchange)

    # ------------------------------------------------------------------------- asserting

    def check(
        self,
        holds: bool,
        message: str,
        *,
        expected: str | None = None,
        got: str | None = None,
        exchange: Exchange | None = None,
    ) -> None:
        """Count one assertion; raise ``CheckFailed`` where it does not hold."""
        self.assertions += 1
        if not holds:
            raise CheckFailed(message, expected=expected, got=got, exchange=exchange)

    # ------------------------------------------------------------------------------ names

    def id_for(self, kind: str, name: str) -> str:
        """The fresh id behind a name, the same for the same name all through one case."""
        made = f"{name}-{self.session.nonce(self.scenario.id, self.case, kind, name)}"
        self._names[made] = name
        return made

    def id_or_fresh(self, kind: str, name: str | None) -> str:
        """The id of a name, or one that nothing else has where there is no name."""
        return self.id_for(kind, name) if name else self.fresh(kind)

    def fresh(self, kind: str) -> str:
        """An id that is used once."""
        self._fresh += 1
        made = f"{kind}-{self.session.nonce(self.scenario.id, kind, str(self._fresh))}"
        self._names[made] = kind
        return made

    def know_run(
        self, name: str, run_id: str, *, parent: RunView | None = None, at: int = 0
    ) -> None:
        """Remember a run; a fork of ``parent`` carries what was recorded before sequence ``at``."""
        inherited = [e for e in parent.emissions if e.sequence < at] if parent else []
        self.runs[name] = RunView(name, run_id, inherited)
        self._names[run_id] = f"<{name}>"
        self._names[project(run_id)] = f"<{name}>"

    def run(self, name: str) -> RunView:
        """The run of a name; the file that uses one it did not start is at fault."""
        if name not in self.runs:
            raise self.scenario.place.error(f"no step has started a run called {name!r}")
        return self.runs[name]

    def emission(self, name: str) -> Emission:
        """The admitted emission of a name."""
        if name not in self.emissions:
            raise self.scenario.place.error(f"no step has made an emission called {name!r}")
        return self.emissions[name]

    def plain(self, text: str) -> str:
        """Text for people, on one line: no key, no canary, this run's ids by name; cut if long."""
        text = self.session.credentials.hidden_in(text)
        for made in sorted(self._names, key=len, reverse=True):
            text = text.replace(made, self._names[made])
        text = text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"
        return "".join(c if c.isprintable() else " " if c.isspace() else "�" for c in text)

    # --------------------------------------------------------------------------- payloads

    def payload(self, surface: str, messages: list[JsonValue], catalog_id: str) -> JsonValue:
        """The payload for messages written in short, with a fresh id for each surface named."""
        named = [renamed(m, lambda name: self.id_for("surface", name)) for m in messages]
        return surface_payload(self.id_for("surface", surface), named, catalog_id=catalog_id)

    def with_canary(self, value: JsonValue) -> JsonValue:
        """A value with ``$canary`` in it replaced by the operator's secret.

        The value itself where there is nothing to replace.
        """
        canary = self.session.credentials.canary
        if canary is None or CANARY not in json.dumps(value):
            return value
        return with_texts(value, lambda text: text.replace(CANARY, canary))

    def filled(self, text: str, *, in_path: bool) -> str:
        """Text with each ``{run:NAME}``, ``{id:NAME}`` and ``{missing}`` replaced by an id."""

        def value(match: re.Match[str]) -> str:
            kind, _, name = match[1].partition(":")
            if kind == "id":
                return self.id_for("id", name)
            made = self.run(name).id if kind == "run" else self._missing()
            return project(made) if in_path else made

        return _PLACE.sub(value, text)

    def _missing(self) -> str:
        """An id that no run has, of the tenant whose runs this scenario knows."""
        tenant = next((tenant_of(run.id) for run in self.runs.values()), None)
        opaque = self.id_for("run", "missing")
        return f"{tenant}/{opaque}" if tenant else opaque


def _holds(body: bytes, secret: str) -> bool:
    """Whether a body holds a secret: as it is, or in a string of its JSON, however spelled."""
    if secret.encode() in body:
        return True
    if b"\\" not in body:
        return False
    try:
        return any(secret in text for _, text in strings_in(parse(body)))
    except JsonError:
        return False
