"""Which behaviours of the reference host a run consults: the others cannot change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, cast

from .policy import Policy
from .v1.policy import V1Policy


class Consulted:
    """A policy that notes in ``names`` which of its fields were asked for, as ``v1.discovery``."""

    def __init__(
        self, policy: Policy | V1Policy, names: set[str] | None = None, within: str = ""
    ) -> None:
        self.names: set[str] = set() if names is None else names
        self._policy, self._within = policy, within

    def __getattr__(self, name: str) -> Any:
        held = getattr(self._policy, name)
        if isinstance(held, V1Policy):
            return Consulted(held, self.names, f"{name}.")
        self.names.add(self._within + name)
        return held

    def as_policy(self) -> Policy:
        """The same, for whoever takes a ``Policy``."""
        return cast(Policy, self)


def replaced(one: Policy | V1Policy, other: Policy | V1Policy) -> Iterator[str]:
    """The fields in which two policies differ, named in the same way."""
    for name in (field.name for field in fields(one)):
        left, right = getattr(one, name), getattr(other, name)
        if isinstance(left, V1Policy):
            yield from (f"{name}.{field}" for field in replaced(left, right))
        elif left != right:
            yield name
