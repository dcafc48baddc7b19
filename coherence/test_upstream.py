"""RFC 0209 §B.4: the profile only takes away; every message of it is one of A2UI v0.9."""

from __future__ import annotations

import random

import pytest

from openwop_conformance.jsonvalue import brief
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check, GateRun
from openwop_conformance.rulebook.reasons import is_upstream
from openwop_conformance.rulebook.upstream import Unavailable, Upstream
from openwop_conformance.schemas.generate import Generator, smallest

SUBSET = "openwop.requirement.0209.profile-subset-of-upstream"


@pytest.mark.row("openwop-conformance.corpus.upstream-pinned")
def test_upstream_s_files_are_the_pinned_ones(check: Check, run: GateRun) -> None:
    try:
        wrong = run.upstream.unlike_its_pin()
    except Unavailable as error:
        pytest.skip(str(error))
    for name in run.upstream.pins:
        check(name not in wrong, "{} has not the digest that is pinned", name)


@pytest.mark.row(SUBSET)
def test_every_positive_is_upstream_s(check: Check, book: Rulebook, upstream: Upstream) -> None:
    for case in book.admitted("payloadV2"):
        holds = is_upstream(upstream, case.instance)
        check(holds, "{}: is of the profile, and not of upstream", case.name)


@pytest.mark.row(SUBSET)
def test_every_generated_message_is_upstream_s(
    check: Check, run: GateRun, upstream: Upstream
) -> None:
    shape = run.book.message
    generator = Generator(shape, random.Random(run.seed))
    strangers = []
    for _ in range(run.generated):
        message = generator.instance()
        check(shape.check.is_valid(message), "generated, and not of the profile: {}", message)
        check.assertions += 1
        if not upstream.message.is_valid(message):
            strangers.append(message)
    if strangers:
        least = smallest(shape, lambda m: not upstream.message.is_valid(m), strangers[0])
        text = "{} of {} generated messages are not upstream's; the smallest: {}"
        check(False, text, len(strangers), run.generated, brief(least, 2000))
    missed = sorted(shape.nodes.keys() - generator.reached)
    check(not missed, "no message was generated through {}", ", ".join(missed))
    reached, nodes = len(shape.nodes) - len(missed), len(shape.nodes)
    check.note(
        f"{run.generated:,} messages generated with seed {run.seed}, through {reached} of {nodes} "
        "places of the schema"
    )
