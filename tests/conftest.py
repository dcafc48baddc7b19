"""How the tests of this package run: property tests are bounded by examples, never by the clock.

A process takes the next module when it is through with one, and the longest come first, so that
none is left with a long one when the others have nothing to do.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, settings

from tests.prepared import prepared

settings.register_profile(
    "bounded", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("bounded")

HERE: Final = Path(__file__).parent
LONGEST: Final = (
    "reference/test_library_matrix",
    "test_sabotage",
    "engine/test_hostile_hosts",
    "evidence/test_rederiving",
    "rulebook/test_sabotage",
    "cli/test_init_command",
    "docs/test_commands_in_documents",
    "reports/test_html_in_browser",
    "engine/test_whole_runs",
    "engine/test_major_one",
    "cli/test_merge_command",
    "evidence/test_killed",
    "sdks/test_results",
    "evidence/test_campaign",
    "engine/test_checkup",
    "benchmarks/test_sdk",
    "adapters/test_browser",
    "reference/test_v1_sabotage",
    "adapters/test_reference_page",
    "test_pytest_plugin",
    "cli/test_coherence_command",
    "test_wheel",
    "test_several_machines",
    "test_ci_recipes",
    "rulebook/test_ledger",
    "consumers/test_results",
    "benchmarks/test_delta",
    "a2ui/test_delta_patches",
)
"""Modules of many seconds, in the order in which they begin."""


@pytest.fixture(scope="session")
def python() -> Iterator[Path]:
    """A program that does as ``python -m`` does, and has the suite ready."""
    with prepared() as program:
        yield program


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: a test in a browser waits, as does one of a bound."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_finish() -> None:
    """What was collected stays to the end: no collection of garbage has to look through it."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; all else stays in its order."""
    places = {HERE / f"{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
