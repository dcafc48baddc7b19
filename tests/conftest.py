"""How the tests of this package run: property tests are bounded by examples, never by the clock.

The longest come first, so that no process is left with one when the others have nothing to do.
"""

from __future__ import annotations

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
    "test_sabotage.py",
    "reference/test_library_matrix.py",
    "rulebook/test_sabotage.py",
    "evidence/test_killed.py",
    "cli/test_init_command.py",
    "test_ci_recipes.py",
    "sdks/test_results.py",
    "test_several_machines.py",
    "evidence/test_campaign.py",
    "test_wheel.py",
    "engine/test_whole_runs.py",
    "test_pytest_plugin.py",
    "engine/test_hostile_hosts.py",
    "evidence/test_rederiving.py",
    "cli/test_merge_command.py",
    "engine/test_major_one.py",
    "reports/test_html_in_browser.py",
    "consumers/test_results.py",
    "rulebook/test_ledger.py",
    "cli/test_coherence_command.py",
    "benchmarks/test_delta.py",
    "benchmarks/test_sdk.py",
)
"""Modules of many seconds, in the order in which they begin."""


@pytest.fixture(scope="session")
def python() -> Iterator[Path]:
    """A program that does as ``python -m`` does, and has the suite ready."""
    with prepared() as program:
        yield program


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; all else stays in its order."""
    places = {HERE / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
