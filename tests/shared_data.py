"""Where the independent evidence lies that tests compare with; the product never reads it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
FIXTURES = REPOSITORY / "fixtures"
_UPSTREAM = os.environ.get("OPENWOP_UPSTREAM")


def shared(relative: str) -> Path:
    """A file of the shared data, or a skip that says what is missing.

    The folder is ``OPENWOP_SHARED``, else the repository's sibling ``shared``.
    """
    folder = Path(os.environ.get("OPENWOP_SHARED") or REPOSITORY.parent / "shared")
    path = folder / "data" / relative
    if not path.is_file():
        pytest.skip(f"no data/{relative} in the shared folder: set OPENWOP_SHARED to compare")
    return path


def upstream_folder() -> Path:
    """The folder with the archives that ``fixtures/upstream.json`` pins, or a skip.

    ``OPENWOP_UPSTREAM``, else where ``make`` puts them.
    """
    folder = Path(_UPSTREAM or REPOSITORY / ".venv" / "upstream")
    if not any(folder.glob("a2ui_agent_sdk-*.whl")) or not any(folder.glob("jsonschema-*.tar.gz")):
        pytest.skip("upstream's files are not here: make fetches them by name")
    return folder
