"""Where the independent evidence lies that tests compare with; the product never reads it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
FIXTURES = REPOSITORY / "fixtures"


def shared(relative: str) -> Path:
    """A file of the shared data, or a skip that says what is missing.

    The folder is ``OPENWOP_SHARED``, else the repository's sibling ``shared``.
    """
    folder = Path(os.environ.get("OPENWOP_SHARED") or REPOSITORY.parent / "shared")
    path = folder / "data" / relative
    if not path.is_file():
        pytest.skip(f"no data/{relative} in the shared folder: set OPENWOP_SHARED to compare")
    return path
