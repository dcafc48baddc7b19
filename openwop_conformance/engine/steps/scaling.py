"""The verb that measures how the cost of an SDK's work grows with its size.

The same work is done at n, 2n and 4n, each in a state of its own, and measured as a whole: in time,
with n large enough for that, or, where the SDK counts what it looks at, by its counts.
"""

from __future__ import annotations

import json
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from ...a2ui.catalog import BASIC_CATALOG
from ...jsonvalue import JsonValue, parse
from ...scenario.sdk_verbs import Scales
from ...scenario.verbs import Refused
from ..checks.calls import result_of, same
from ..verdict import Blocked
from ..witness import Witness
from .calling import VERSION, asked, done, made_state
from .costing import ATTEMPTS, GROWTH, NOISE

_START: Final = 25
_MOST: Final = 1600
_MEASURABLE: Final = 0.1
"""Seconds that the work at n takes at least, before it is multiplied."""
_LONG: Final = 1.0
"""Seconds after which nothing is repeated only to steady a measurement."""
_TIMES: Final = 3

Work = Callable[["_Meter", int, int], Awaitable[float]]
"""Does some work of a size, in chunks of some characters where there are chunks; its cost."""


@dataclass(frozen=True, slots=True)
class Measured:
    """The cost at n, 2n and 4n, in seconds or in what the subject counts."""

    size: int
    costs: tuple[float, float, float]
    unit: str

    @property
    def growth(self) -> float:
        """The cost at 4n over that at n."""
        return self.costs[2] / self.costs[0] if self.costs[0] else math.inf

    @property
    def exponent(self) -> float:
        """The power of n with which the cost grows: 1 is linear, 2 quadratic."""
        return math.log(self.growth, 4) if 0 < self.growth < math.inf else self.growth

    def as_json(self) -> dict[str, JsonValue]:
        """What goes into the row as evidence."""
        costs = [float(f"{cost:.3g}") for cost in self.costs]
        exponent = round(self.exponent, 2) if math.isfinite(self.exponent) else None
        return {"n": self.size, "unit": self.unit, "costs": costs, "exponent": exponent}


async def scales(witness: Witness, args: Scales, refused: Refused | None) -> None:
    """Measure one kind of work; it fails where its growth is above the limit each time."""
    asserted = witness.assertions
    meter = _Meter(witness, "work" in (await witness.session.offer()).features)
    work = _WORKS[args.work]
    measure = _counted if meter.counts else _timed
    found = await measure(meter, work, args.chunk)
    witness.assertions = asserted  # how often it was measured makes no other row
    witness.measured.append({"work": args.work, **found.as_json()})
    witness.check(
        found.growth <= GROWTH,
        f"the cost of {args.work} grows faster than their number",
        expected=f"{4 * found.size} cost at most {GROWTH:.0f} times as much as {found.size}",
        got=f"{found.growth:.1f} times as much, as n^{found.exponent:.2f}",
        exchange=witness.exchanges[-1],
    )


class _Meter:
    """Makes the call that is measured, and what leads up to it."""

    def __init__(self, witness: Witness, counts: bool) -> None:
        self.witness, self.counts = witness, counts

    async def state(self, *messages: JsonValue) -> str:
        """A state that holds what some messages make."""
        name = self.witness.fresh("state")
        await made_state(self.witness, name)
        if messages:
            await done(self.witness, "apply", {"state": name, "messages": list(messages)})
        return name

    async def cost(self, name: str, given: Mapping[str, JsonValue]) -> float:
        """What a call costs: seconds, or what was counted meanwhile."""
        before = self._work()
        began = self.witness.session.clock()
        exchange, response = await asked(self.witness, name, given)
        seconds = self.witness.session.clock() - began
        result = result_of(self.witness, name, exchange, response)
        if name == "apply_each":
            each = len(given["messages"])
            same(self.witness, "the number of messages applied", each, result["applied"], exchange)
        if name == "transaction":
            same(self.witness, "whether the transaction is kept", True, result["kept"], exchange)
        if name == "stream":  # who drops what comes is not quick
            emitted = result.get("emitted", 0) > 0
            same(self.witness, "whether anything is emitted", True, emitted, exchange)
        return self._work() - before if self.counts else seconds

    def _work(self) -> int:
        """The count of the last answer."""
        if not self.counts:
            return 0
        response = self.witness.exchanges[-1].response if self.witness.exchanges else None
        work = parse(response.body).get("work") if response else 0
        if not isinstance(work, int):
            raise Blocked("the subject has the feature work, and an answer without a count")
        return work


async def _counted(meter: _Meter, work: Work, chunk: int) -> Measured:
    costs = [await work(meter, size, chunk) for size in (_START, 2 * _START, 4 * _START)]
    if costs[0] <= 0:
        raise Blocked("the subject counts nothing of the work that it does")
    return Measured(_START, (costs[0], costs[1], costs[2]), "looked at")


async def _timed(meter: _Meter, work: Work, chunk: int) -> Measured:
    """The least growth of some attempts; noise comes and goes, and growth stays.

    Noise makes work at 4n take longer and never less long: where it took little, once is enough.
    """
    size, first = await _measurable(meter, work, chunk)
    known, found = [first], None
    for attempt in range(ATTEMPTS):
        again = [await work(meter, size, chunk) for _ in range(_TIMES - len(known))]
        few, known = sorted([*known, *again]), []
        if few[1] > NOISE * few[0]:
            continue
        twice = await work(meter, 2 * size, chunk)
        four = await work(meter, 4 * size, chunk)
        if four > GROWTH * few[0] and few[0] <= _LONG / 4:
            four = min(four, await work(meter, 4 * size, chunk))
        measured = Measured(size, (few[0], twice, four), "seconds")
        if found is None or measured.growth < found.growth:
            found = measured
        if found.growth <= GROWTH or four > (_LONG if attempt else 4 * _LONG):
            break  # what takes so long is not slow by accident
    if found is None:
        raise Blocked(f"the time that {size} take varies too much here")
    return found


async def _measurable(meter: _Meter, work: Work, chunk: int) -> tuple[int, float]:
    """The size at which the work takes long enough to be timed, and the time that it took there.

    The first time warms it up.
    """
    size = _START
    await work(meter, size, chunk)
    while (cost := await work(meter, size, chunk)) < _MEASURABLE and size < _MOST:
        size *= 2
    return size, cost


# ------------------------------------------------------------------------------ the works


async def _updates(meter: _Meter, size: int, chunk: int) -> float:
    state = await meter.state(_CREATE, _components(_root(size)))
    messages = [_components(component) for component in _texts(size)]
    return await meter.cost("apply_each", {"state": state, "messages": messages})


async def _chunks(meter: _Meter, size: int, chunk: int) -> float:
    return await _stream(meter, [_CREATE, _components(_root(size), *_texts(size))], chunk)


async def _messages(meter: _Meter, size: int, chunk: int) -> float:
    each = [_components(component) for component in _texts(size)]
    return await _stream(meter, [_CREATE, _components(_root(size)), *each], chunk)


async def _payload(meter: _Meter, size: int, chunk: int) -> float:
    payload = [_CREATE, _components(_root(size), *_texts(size))]
    await meter.state()
    return await meter.cost("validate_payload", {"payload": payload})


async def _data(meter: _Meter, size: int, chunk: int) -> float:
    bound = [{**text, "text": {"path": f"/values/{i}"}} for i, text in enumerate(_texts(size))]
    state = await meter.state(_CREATE, _components(_root(size), *bound))
    messages = [_message("updateDataModel", path=f"/values/{i}", value=i) for i in range(size)]
    return await meter.cost("apply_each", {"state": state, "messages": messages})


async def _rollback(meter: _Meter, size: int, chunk: int) -> float:
    state = await meter.state(_CREATE, _components(_root(size)))
    steps: list[JsonValue] = []
    for component in _texts(size):
        update = {"apply": [_components(component)]}
        steps += [{"transaction": [update, {"fail": True}]}, update]
    return await meter.cost("transaction", {"state": state, "steps": steps})


async def _stream(meter: _Meter, messages: list[JsonValue], chunk: int) -> float:
    content = f"<a2ui-json>{json.dumps(messages)}</a2ui-json>"
    chunks = [content[i : i + chunk] for i in range(0, len(content), chunk)]
    state = await meter.state()
    return await meter.cost("stream", {"state": state, "chunks": chunks, "quiet": True})


def _message(kind: str, **body: JsonValue) -> JsonValue:
    return {"version": VERSION, kind: {"surfaceId": "a", **body}}


def _components(*components: JsonValue) -> JsonValue:
    return _message("updateComponents", components=list(components))


def _texts(size: int) -> list[JsonValue]:
    return [{"id": f"c{i}", "component": "Text", "text": f"Line {i}"} for i in range(size)]


def _root(size: int) -> JsonValue:
    return {"id": "root", "component": "Column", "children": [f"c{i}" for i in range(size)]}


_CREATE: Final = _message("createSurface", catalogId=BASIC_CATALOG)
_WORKS: Final[dict[str, Work]] = {
    "updates": _updates,
    "chunks": _chunks,
    "messages": _messages,
    "payload": _payload,
    "data": _data,
    "rollback": _rollback,
}
