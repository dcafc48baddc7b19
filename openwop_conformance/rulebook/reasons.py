"""Whether a case is refused for its own reason: one restriction, lifted, and it is admitted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from ..errors import Violation
from ..jsonvalue import JsonValue, one_edit
from ..schemas.shape import Shape
from .book import Case, Rulebook
from .gates import Check
from .upstream import Upstream


def hold_to_their_reasons(check: Check, book: Rulebook, cases: Iterable[Case]) -> None:
    """Each refused case: not valid, its twin is, and the restriction that it names is why."""
    for case in cases:
        book.judged.add(case.name)
        shape = book.shapes[case.shape]
        valid, twin_valid = _valid(shape, case)
        check(not valid, "{}: has to be refused, and is valid", case.name)
        check(twin_valid, "{}: its twin is not valid", case.name)
        check(_is_one_edit_away(case), "{}: its twin is more than one edit away", case.name)
        if not valid:
            _hold_to_its_reason(check, book, case)


@lru_cache(maxsize=4096)
def _valid(shape: Shape, case: Case) -> tuple[bool, bool]:
    """Whether a case and its twin are valid; some of them are as large as can be."""
    return shape.check.is_valid(case.instance), shape.check.is_valid(case.twin)


@lru_cache(maxsize=4096)
def _is_one_edit_away(case: Case) -> bool:
    return one_edit(case.instance, case.twin, whole_from=3 if case.shape == "payloadV2" else 1)


def _hold_to_its_reason(check: Check, book: Rulebook, case: Case) -> None:
    """Lifting the named restriction admits the case: then it keeps every other one."""
    lift = book.restriction(case.shape, case.restriction)
    if not check(lift, "{}: no restriction stands at {}", case.name, case.restriction or "''"):
        return
    assert lift is not None
    admits = book.without(case.shape, lift).is_valid(case.instance)
    check(admits, "{}: refused also without {}", case.name, case.restriction)


def hold_to_upstream(check: Check, upstream: Upstream, cases: Iterable[Case]) -> None:
    """Each refused case gets upstream's verdict as stated; its twin is upstream's in any case."""
    for case in cases:
        found = "admitted" if is_upstream(upstream, case.instance) else "refused"
        text = "{}: upstream says {}, and the fixture says {}"
        check(found == case.upstream, text, case.name, found, case.upstream or "nothing")
        check(is_upstream(upstream, case.twin), "{}: its twin is not upstream's", case.name)


def is_upstream(upstream: Upstream, payload: JsonValue) -> bool:
    """Whether every message of a version 2 payload is a message of A2UI v0.9."""
    messages = payload.get("messages") if isinstance(payload, dict) else None
    return isinstance(messages, list) and all(upstream.message.is_valid(m) for m in messages)


def is_admitted_by_rule(judge: Callable[..., None], instance: JsonValue, *more: object) -> bool:
    """Whether a rule that raises ``Violation`` lets an instance through."""
    try:
        judge(instance, *more)
    except Violation:
        return False
    return True
