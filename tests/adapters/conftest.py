"""What holds for every test of an adapter."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_left_unclosed() -> Iterator[None]:
    """Warnings are errors, those of a late ``__del__`` too."""
    yield
    gc.collect()
