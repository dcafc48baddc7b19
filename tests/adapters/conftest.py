"""What holds for every test of an adapter, and a browser for those that need one."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from openwop_conformance.adapters.chromium import DEFAULT_PATH

from .driving import PROBE, Client, Driven


@pytest.fixture(autouse=True, scope="module")
def _nothing_is_left_unclosed() -> Iterator[None]:
    """Warnings are errors, those of a late ``__del__`` too."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def driven() -> Iterator[Driven]:
    pytest.importorskip("playwright", reason="playwright is not installed: pip install playwright")
    if not os.access(os.environ.get("CHROMIUM") or DEFAULT_PATH, os.X_OK):
        pytest.skip("Chromium is not installed: apt-get install chromium, or set CHROMIUM")
    made = Driven()
    yield made
    made.close()


@pytest.fixture
def probe(driven: Driven) -> Callable[..., Any]:
    driven.ask("open", of=str(PROBE), consumer="p")
    return lambda what, /, **given: driven.ask(what, of=str(PROBE), consumer="p", **given)


@pytest.fixture
def client(driven: Driven) -> Client:
    return Client(driven)
