"""Upstream's suites as input: each case becomes calls of an SDK, with what each must answer.

How a suite says it is in ``upstream_suites``; which differences stand is said by the tests.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.host import Bounds, Subject
from openwop_conformance.jsonvalue import MISSING, JsonValue, compact


@dataclass(frozen=True, slots=True)
class Refused:
    """A refusal of one of these kinds whose text or details name these things."""

    kinds: frozenset[str]
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a response. Text counts without the whitespace around it: the older suites keep
    it and the newer ones drop it. Neighbouring parts of messages are one, as are objects' orders.
    """

    parts: Sequence[JsonValue]


@dataclass(frozen=True, slots=True)
class Value:
    """What stands at a place of the result: ``MISSING`` for nothing, a type for one of that type.

    With ``partly`` an object may have more members than are named.
    """

    at: tuple[str, ...]
    value: object
    partly: bool = False


Wanted: TypeAlias = Refused | Parts | Value | None
"""``None`` wants only that it was done."""


@dataclass(frozen=True, slots=True)
class Ask:
    """One call, for the step (from 1) of the case that it performs; 0 prepares."""

    step: int
    call: str
    given: dict[str, JsonValue]
    wanted: Wanted = None


@dataclass(frozen=True, slots=True)
class Case:
    """A case: its name within its suite, what kind of case it is, and its calls.

    ``kind`` is ``suite/version/action``. A case that no call of ours can perform has none.
    """

    name: str
    kind: str
    asks: tuple[Ask, ...]
    again: Callable[[Sequence[str]], Case] | None = field(default=None, compare=False)
    """The case said anew, by the names of restatements."""

    @property
    def suite(self) -> str:
        return self.kind.partition("/")[0]

    @property
    def called(self) -> str:
        """How a difference names the case."""
        return f"{self.suite}/{self.name}"


async def differences(subject: Subject, case: Case) -> dict[int, str]:
    """What the subject does instead, by step; empty when it does all that upstream expects.

    A case ends with the first refusal that it does not want: what follows is not reached.
    """
    found: dict[int, str] = {}
    for ask in case.asks:
        response = await subject.exchange(call(ask.call, ask.given), Bounds())
        answer = json.loads(response.body)
        if not _fits(ask.wanted, answer):
            found[ask.step] = told(ask, answer)
            if "error" in answer:
                break
    return found


async def components_after(subject: Subject, case: Case, *, as_upstream: bool) -> JsonValue:
    """The components of each surface after a stream's case, or after the messages that upstream
    expects of it, without those that only stood in for others."""
    messages = [
        message
        for ask in case.asks
        if isinstance(ask.wanted, Parts)
        for part in ask.wanted.parts
        for message in part.get("a2ui", [])
    ]
    each = Ask(1, "apply_each", {"state": "s", "messages": messages})
    for ask in (*case.asks[:1], each) if as_upstream else case.asks:
        await subject.exchange(call(ask.call, ask.given), Bounds())
    response = await subject.exchange(call("read", {"state": "s"}), Bounds())
    return {
        name: {id_: c for id_, c in held["components"].items() if not id_.startswith("loading_")}
        for name, held in json.loads(response.body)["result"]["surfaces"].items()
    }


def told(ask: Ask, answer: JsonValue) -> str:
    """An answer in short, as ``differences.yaml`` has it."""
    if "error" in answer:
        return f"refused as {answer['error']['kind']}"
    if isinstance(ask.wanted, Value):
        return f"holds {compact_text(_at(answer['result'], ask.wanted.at))}"
    if "parts" in answer["result"]:
        return "; ".join(_told_part(part) for part in plain(answer["result"]["parts"])) or "nothing"
    return "taken"


def plain(parts: Sequence[JsonValue]) -> list[JsonValue]:
    """Parts as they are compared: a text or a list of messages each."""
    found: list[JsonValue] = []
    for part in parts:
        text = part.get("text", "").strip()
        if text:
            found.append(text)
        messages = part.get("messages", part.get("a2ui", []))
        if messages and found and isinstance(found[-1], list):
            found[-1] = found[-1] + messages
        elif messages:
            found.append(list(messages))
    return found


def compact_text(value: object) -> str:
    """A value on one line; nothing is ``nothing``."""
    return "nothing" if value is MISSING else compact(value).decode()


def _fits(wanted: Wanted, answer: JsonValue) -> bool:
    if isinstance(wanted, Refused):
        error = answer.get("error")
        return (
            error is not None
            and error["kind"] in wanted.kinds
            and all(word in json.dumps(error, ensure_ascii=False) for word in wanted.says)
        )
    if "error" in answer:
        return False
    if isinstance(wanted, Parts):
        return plain(answer["result"]["parts"]) == plain(wanted.parts)
    if isinstance(wanted, Value):
        found = _at(answer["result"], wanted.at)
        if isinstance(wanted.value, type):
            return isinstance(found, wanted.value)
        return _covers(found, wanted.value) if wanted.partly else found == wanted.value
    return True


def _covers(found: object, wanted: object) -> bool:
    """Whether what was found has at least the members that are wanted."""
    if isinstance(wanted, dict):
        return isinstance(found, dict) and all(
            _covers(found.get(name, MISSING), value) for name, value in wanted.items()
        )
    return found is not MISSING and found == wanted


def _at(value: JsonValue, at: Sequence[str]) -> object:
    """What stands at a place, told without the product's own pointers."""
    for token in at:
        if isinstance(value, dict) and token in value:
            value = value[token]
        elif isinstance(value, list) and token.isdecimal() and int(token) < len(value):
            value = value[int(token)]
        else:
            return MISSING
    return value


def _told_part(part: JsonValue) -> str:
    return f"text {part!r}" if isinstance(part, str) else "; ".join(map(_told_message, part))


def _told_message(message: JsonValue) -> str:
    (kind,) = message.keys() - {"version"}
    body = message[kind]
    told = f"{kind} {body['surfaceId']}"
    if "components" in body:
        told += f" ({' '.join(component['id'] for component in body['components'])})"
    if "value" in body:
        told += f" {compact_text(body['value'])}"
    return told
