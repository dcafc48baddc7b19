"""What a store may do to a recorded surface, and what it may not: the value is what counts."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition
from openwop_conformance.reference.events import Event
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage.model import mapped
from tests.engine.subjects import ran, scenario, scenarios

ABOUT_RECORDS = (
    "host.v2.recorded-as-recorded",
    "host.v2.streamed-as-recorded",
    "host.v2.family",
    "host.v2.fold-*",
    "host.v2.fork-*",
    "host.v2.limits",
    "host.v2.no-secret",
    "host.v2.re-emission-*",
    "host.v2.refused-leaves-no-trace",
    "host.v2.taint-*",
)


def _members(order: Callable[[list[str]], list[str]]) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        return {key: value[key] for key in order(list(value))} if isinstance(value, dict) else value

    return change


def _as_fraction(value: Any) -> Any:
    return float(value) if type(value) is int else value


def _as_integer(value: Any) -> Any:
    whole = type(value) is float and value.is_integer()
    return int(value) if whole else value


def by_length(keys: list[str]) -> list[str]:
    """The order that JSONB keeps: shorter names first."""
    return sorted(keys, key=lambda key: (len(key), key))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_members(by_length), id="members are sorted as JSONB does"),
        pytest.param(_members(lambda keys: keys[::-1]), id="members are turned round"),
        pytest.param(_as_fraction, id="1 is written 1.0"),
        pytest.param(_as_integer, id="1.0 is written 1"),
    ],
)
def test_a_store_that_keeps_the_value_passes(change: Callable[[Any], Any]) -> None:
    policy = replace(Policy(), recorded=lambda envelope: mapped(envelope, change))
    found = asyncio.run(ran(scenarios(*ABOUT_RECORDS), policy=policy))
    assert set(found.dispositions.values()) == {Disposition.PASS}, found.rows


def test_poll_and_stream_may_order_members_each_in_their_way() -> None:
    def sorted_by(order: Callable[[list[str]], list[str]]) -> Callable[[Event], Event]:
        return lambda event: mapped(event, _members(order))

    policy = replace(
        Policy(), served_poll=sorted_by(by_length), served_sse=sorted_by(lambda keys: keys[::-1])
    )
    found = asyncio.run(ran(scenarios(*ABOUT_RECORDS), policy=policy))
    assert set(found.dispositions.values()) == {Disposition.PASS}, found.rows


def _numbers(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: change(value) if type(value) in (int, float) else value


def _lists(change: Callable[[list[Any]], list[Any]]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, list) else value


def _texts(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else value


def _without(*dropped: Any) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return {k: v for k, v in value.items() if not any(v == d for d in dropped)}

    return change


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_lists(lambda items: items[::-1]), id="a list is turned round"),
        pytest.param(
            _lists(lambda v: sorted(v) if all(type(i) is int for i in v) else v), id="sorted"
        ),
        pytest.param(_without(None), id="null is dropped"),
        pytest.param(_without({}), id="an empty object is dropped"),
        pytest.param(_numbers(str), id="numbers become strings"),
        pytest.param(_numbers(lambda n: round(n, 6)), id="numbers are rounded"),
        pytest.param(_numbers(lambda n: n + 1 if n > 2**52 else n), id="a large number gives way"),
        pytest.param(_texts(lambda text: unicodedata.normalize("NFKC", text)), id="normalised"),
        pytest.param(_texts(lambda text: text.encode("ascii", "replace").decode()), id="ASCII"),
        pytest.param(_texts(lambda text: text + " "), id="texts grow"),
        pytest.param(lambda v: {**v, "id_": 1} if isinstance(v, dict) else v, id="a member more"),
    ],
)
@pytest.mark.parametrize("place", ["recorded", "served_poll"])
def test_a_store_that_changes_the_value_fails(place: str, change: Callable[[Any], Any]) -> None:
    def on_payload(value: Any) -> Any:
        return {**value, "payload": mapped(value["payload"], change)}

    def on_event(event: Event) -> Event:
        if "envelope" not in event["payload"]:
            return event
        inner = on_payload(event["payload"]["envelope"])
        return {**event, "payload": {**event["payload"], "envelope": inner}}

    policies = {
        "recorded": replace(Policy(), recorded=on_payload, folds=lambda envelope, branch: False),
        "served_poll": replace(Policy(), served_poll=on_event),
    }
    chosen = scenario("recorded-as-recorded")
    found = asyncio.run(ran([chosen], policy=policies[place]))
    assert found.dispositions == {"recorded-as-recorded": Disposition.FAIL}, found.rows
    (failure, *_) = found.finished["recorded-as-recorded"].failures
    assert "is not what was sent" in failure.message or "carries no such" in failure.message


def test_a_fork_that_changes_the_value_fails_too() -> None:
    def change(event: Event) -> Event:
        return mapped(event, _lists(lambda items: items[::-1]))  # type: ignore[no-any-return]

    policy = replace(Policy(), fork_event=change, folds=lambda envelope, branch: False)
    found = asyncio.run(ran([scenario("recorded-as-recorded")], policy=policy))
    assert found.dispositions == {"recorded-as-recorded": Disposition.FAIL}
