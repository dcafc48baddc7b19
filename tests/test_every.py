"""Cases that are judged in one test: none is left out, and none that fails is lost."""

from __future__ import annotations

import pytest

from .every import every


def test_every_case_is_judged_and_each_that_fails_is_named() -> None:
    judged = []

    def judge(number: int) -> None:
        judged.append(number)
        assert number != 2, "it is two"
        if number == 3:
            pytest.fail("it is three")

    with pytest.raises(BaseExceptionGroup, match=r"^2 of 5 cases fail: 2, 3") as found:
        every(range(5), str, judge)

    assert judged == [0, 1, 2, 3, 4]
    assert [fault.__notes__ for fault in found.value.exceptions] == [
        ["in the case 2"],
        ["in the case 3"],
    ]


def test_what_keeps_every_case_says_nothing_and_no_case_at_all_is_a_fault() -> None:
    every(range(5), str, lambda _: None)

    with pytest.raises(AssertionError, match="there is no case"):
        every((), str, lambda _: None)
