"""What the corpus gates are given: the rules as files, upstream's evidence, and what counts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.gates import Check, GateRun, run_of
from openwop_conformance.rulebook.upstream import Unavailable, Upstream


def pytest_configure(config: pytest.Config) -> None:
    """Run by pytest alone, the gates hold this package's own corpus."""
    if not any(isinstance(p, GateRun) for p in config.pluginmanager.get_plugins()):
        book = Rulebook(corpus())
        folder = os.environ.get("OPENWOP_UPSTREAM")
        upstream = Upstream(book, Path(folder) if folder else None)
        config.pluginmanager.register(GateRun(book, upstream))


@pytest.fixture
def check() -> Iterator[Check]:
    """What a gate asserts with."""
    check = Check()
    yield check
    if check.failures:
        pytest.fail("\n".join(check.failures), pytrace=False)


@pytest.fixture
def run(pytestconfig: pytest.Config) -> GateRun:
    """The run that the gate belongs to."""
    return run_of(pytestconfig)


@pytest.fixture
def book(run: GateRun) -> Rulebook:
    """The rules that are judged."""
    return run.book


@pytest.fixture
def upstream(run: GateRun) -> Upstream:
    """A2UI's own schemas; without them what needs them is blocked."""
    try:
        run.upstream.schemas  # noqa: B018
    except Unavailable as error:
        pytest.skip(str(error))
    return run.upstream
