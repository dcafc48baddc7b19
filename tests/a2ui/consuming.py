"""Surfaces, frames and consumers for the tests of the delta consumer."""

from __future__ import annotations

from openwop_conformance.a2ui.consumer import Consumer
from openwop_conformance.jsonvalue import JsonValue


def surface(*texts: str) -> JsonValue:
    listed = [{"component": "text", "text": text} for text in texts]
    return {"catalogVersion": "0.9.1", "surface": {"components": listed}}


def text_frame(text: str, ref: str = "a", *, component: int = 0, **more: JsonValue) -> JsonValue:
    """A frame that replaces one text."""
    path = f"/components/{component}/text"
    patch = [{"op": "replace", "path": path, "value": text}]
    return {"surfaceRef": ref, "catalogVersion": "0.9.1", "patch": patch, **more}


def consumer_of(*refs: str) -> Consumer:
    """One that holds a right surface, with the text ``one``, under each of some refs."""
    consumer = Consumer(base="tree")
    for ref in refs:
        consumer.full(ref, surface("one"))
    return consumer


def rules(consumer: Consumer) -> list[str]:
    return [violation.rule for violation in consumer.violations]
