"""Our closed forms beside those that were published: no line in common, one language."""

from __future__ import annotations

import random

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.jsonvalue import JsonValue, brief, parse
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.schemas import compiled
from openwop_conformance.schemas.generate import Generator, near_miss

from ..shared_data import shared

PUBLISHED = {
    "payloadV1": "openwop/schemas/ui.a2ui-surface.v1-branch.schema.json",
    "frame": "openwop/schemas/a2ui-surface-delta-frame.schema.json",
    "envelope": "openwop/schemas/ai-envelope.v2.schema.json",
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_form_is_the_published_one(name: str) -> None:
    document = parse(shared(PUBLISHED[name]).read_bytes())
    book = Rulebook(corpus())
    shape, draw = book.shapes[name], random.Random(1)
    if name == "envelope":  # the file of ids that it refers to was in no public store
        document["properties"]["nodeId"] = shape.document["properties"]["nodeId"]
    published = compiled(document)
    generator = Generator(shape, draw)

    instances: list[JsonValue] = []
    for case in book.cases:
        if case.shape == name:
            instances += [case.instance, *([case.twin] if case.refused else [])]
    for _ in range(1000):
        instance = generator.instance()
        instances += [instance, near_miss(instance, draw)]

    for instance in instances:
        ours = shape.check.is_valid(instance)
        assert published.is_valid(instance) is ours, brief(instance, 1000)
