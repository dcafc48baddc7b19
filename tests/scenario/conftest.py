"""A scenario from its text, or what is wrong with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.errors import DocumentError
from openwop_conformance.scenario.expand import load_scenario
from openwop_conformance.scenario.fixtures import Fixtures
from openwop_conformance.scenario.model import Scenario

from .example import HEAD, Fault, Load


@pytest.fixture
def loaded(tmp_path: Path) -> Load:
    def load(steps: str, head: str = HEAD, **fixtures: Any) -> Scenario:
        folder = tmp_path / "fixtures" / "set"
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in fixtures.items():
            text = value if isinstance(value, str) else json.dumps(value)
            (folder / f"{name}.json").write_text(text, "utf-8")
        path = tmp_path / "f.yaml"
        path.write_text(head + steps, "utf-8")
        return load_scenario(path, Fixtures(tmp_path / "fixtures"), "f.yaml")

    return load


@pytest.fixture
def fault(loaded: Load) -> Fault:
    def message(*args: Any, **kwargs: Any) -> str:
        with pytest.raises(DocumentError) as caught:
            loaded(*args, **kwargs)
        return str(caught.value)

    return message
