"""A class with some methods put in place of its own: how the parts of a library are broken."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, TypeVar

T = TypeVar("T")

Methods = Mapping[str, Any]


def none() -> Methods:
    """No methods: a part that stays as it is."""
    return MappingProxyType({})


def broken(whole: type[T], methods: Methods, **parts: Methods) -> type[T]:
    """A class with these methods, and with those of its parts, each by what makes the part.

    Nothing is shared with another one.
    """
    own = dict(methods)
    for maker, of_part in parts.items():
        if of_part:
            own[maker] = broken(getattr(whole, maker), of_part)
    return type(f"Broken{whole.__name__}", (whole,), own)
