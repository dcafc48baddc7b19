"""How the tests of this package run: property tests are bounded by examples, never by the clock.

A process takes the next module when it is through with one, and the longest come first, so that
none is left with a long one when the others have nothing to do.
"""

from __future__ import annotations

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
    "reference/test_library_matrix.py",
    "test_sabotage.py",
    "engine/test_hostile_hosts.py",
    "evidence/test_rederiving.py",
    "rulebook/test_sabotage.py",
    "cli/test_init_command.py",
    "docs/test_commands_in_documents.py",
    "reports/test_html_in_browser.py",
    "engine/test_whole_runs.py",
    "engine/test_major_one.py",
    "cli/test_merge_command.py",
    "evidence/test_killed.py",
    "sdks/test_results.py",
    "evidence/test_campaign.py",
    "engine/test_checkup.py",
    "benchmarks/test_sdk.py",
    "adapters/test_browser.py",
    "reference/test_v1_sabotage.py",
    "adapters/test_reference_page.py",
    "test_pytest_plugin.py",
    "cli/test_coherence_command.py",
    "test_wheel.py",
    "test_several_machines.py",
    "test_ci_recipes.py",
    "rulebook/test_ledger.py",
    "consumers/test_results.py",
    "benchmarks/test_delta.py",
    "a2ui/test_delta_patches.py",
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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest first; all else stays in its order."""
    places = {HERE / name: place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path, len(places)))
