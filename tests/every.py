"""Many small cases in one test, which tells every one that fails by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")


def every(cases: Iterable[T], named: Callable[[T], str], judge: Callable[[T], None]) -> None:
    """Judge each case; what fails is raised together at the end, with the names of its cases."""
    names: list[str] = []
    faults: list[BaseException] = []
    count = 0
    for case in cases:
        count += 1
        try:
            judge(case)
        except (Exception, pytest.fail.Exception) as fault:
            fault.add_note(f"in the case {named(case)}")
            names.append(named(case))
            faults.append(fault)
    if faults:
        said = f"{len(names)} of {count} cases fail: {', '.join(names)}"
        raise BaseExceptionGroup(said, faults)
    assert count, "there is no case"
