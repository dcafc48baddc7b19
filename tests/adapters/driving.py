"""A browser that is driven by tests, and a client of the reference page."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from openwop_conformance.adapters.browser import BrowserConsumer
from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.chromium import Chromium
from openwop_conformance.adapters.host import Bounds
from openwop_conformance.jsonvalue import JsonValue, parse
from openwop_conformance.schemas import problems, validator
from openwop_conformance.wire.envelope import surface_payload

PROBE = Path(__file__).with_name("probe.html")
BOUNDS = Bounds(total=20)
SHORT = Bounds(total=0.5)


class Driven:
    """One browser and one loop for all tests of a file; a page that was used is loaded again."""

    def __init__(self) -> None:
        self.runner = asyncio.Runner()
        self.chromium = Chromium()
        self.subjects: dict[str, BrowserConsumer] = {}
        self.count = 0

    def ask(
        self, what: str, /, *, of: str = "reference", within: Bounds = BOUNDS, **given: Any
    ) -> Any:
        subject = self.subjects.get(of)
        if subject is None:
            subject = self.subjects[of] = BrowserConsumer(of, chromium=self.chromium)
        if what == "open":
            subject.rest()
        answered = parse(self.runner.run(subject.exchange(call(what, given), within)).body)
        if "result" in answered:
            found = list(problems(validator("consumer-line", f"result_{what}"), answered["result"]))
            assert not found
            return answered["result"]
        assert not list(problems(validator("consumer-line", "error"), answered["error"]))
        return answered

    def close(self) -> None:
        for subject in self.subjects.values():
            self.runner.run(subject.close())
        self.runner.run(self.chromium.close())
        self.runner.close()


class Client:
    """A consumer of the reference page, with envelopes of one surface."""

    def __init__(self, driven: Driven) -> None:
        self.driven, self.sequence = driven, 0
        driven.ask("open", consumer="c")

    def deliver(self, *messages: JsonValue, **more: JsonValue) -> None:
        self.sequence += 1
        envelope = {
            "payload": surface_payload("s", list(messages)),
            "schemaVersion": 2,
            "sequence": self.sequence,
            **more,
        }
        assert self.driven.ask("deliver", consumer="c", envelope=envelope) == {}

    def shown(self, surface: str = "s") -> list[JsonValue]:
        nodes: list[JsonValue] = self.driven.ask("rendered", consumer="c")["surfaces"].get(
            surface, []
        )
        return nodes

    def set(self, role: str, name: str, value: JsonValue) -> bool:
        given = {"surface": "s", "role": role, "name": name, "value": value}
        return bool(self.driven.ask("set", consumer="c", **given)["done"])

    def fire(self, name: str) -> bool:
        return bool(self.driven.ask("fire", consumer="c", surface="s", name=name)["done"])

    def submitted(self) -> list[JsonValue]:
        made: list[JsonValue] = self.driven.ask("submitted", consumer="c")["submissions"]
        return made


def update(*components: JsonValue) -> JsonValue:
    return {"updateComponents": {"components": list(components)}}


def text(name: str, words: JsonValue) -> JsonValue:
    return {"id": name, "component": "Text", "text": words}


def button(name: str, event: str = "resume", **context: JsonValue) -> list[JsonValue]:
    action = {"event": {"name": event, **({"context": context} if context else {})}}
    label = text(f"{name}-label", name)
    return [{"id": name, "component": "Button", "child": label["id"], "action": action}, label]


EMPTY = {"ends-deleted"}
"""The positive fixtures of which nothing is to be seen."""

CREATE: JsonValue = {"createSurface": {}}


def envelope(payload: JsonValue) -> JsonValue:
    return {"payload": payload, "schemaVersion": 2, "sequence": 0}
