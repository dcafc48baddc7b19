"""What a sabotage is, and the small tools that several of them share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from starlette.types import ASGIApp

from ...jsonvalue import JsonValue
from ..policy import Policy
from ..rules import Admission, replacing
from ..settings import Settings

Change = Callable[[Policy], Policy]
Wrap = Callable[[ASGIApp, Settings], ASGIApp]


def _unchanged(policy: Policy) -> Policy:
    return policy


def _unwrapped(app: ASGIApp, settings: Settings) -> ASGIApp:
    return app


@dataclass(frozen=True, slots=True)
class Sabotage:
    """One broken rule: in words, and how the host is changed or wrapped."""

    name: str
    breaks: str
    change: Change = _unchanged
    """Called once for each host, so that what a broken rule remembers is that host's alone."""
    wrap: Wrap = _unwrapped
    settings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The arguments of ``reference?…`` under which the rule binds."""
    of_time: bool = False
    """Whether what it breaks is how long something takes, and nothing that is sent."""


def set_to(**fields: Any) -> Change:
    """The policy with some fields set."""
    return lambda policy: replace(policy, **fields)


def v1_set_to(**fields: Any) -> Change:
    """The policy with some fields of major 1 set."""
    return lambda policy: replace(policy, v1=replace(policy.v1, **fields))


def with_rule(name: str, judge: Callable[[Admission], int | None]) -> Change:
    """The policy with one admission rule judged otherwise."""
    return lambda policy: replace(policy, rules=replacing(policy.rules, name, judge))


def mapped(value: JsonValue, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """A JSON value with ``change`` applied to every value in it, from the leaves up."""
    if isinstance(value, dict):
        value = {key: mapped(item, change) for key, item in value.items()}
    elif isinstance(value, list):
        value = [mapped(item, change) for item in value]
    return change(value)
