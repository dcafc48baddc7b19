"""The command line called in this process, in no environment of whoever runs the tests."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple

import pytest

from openwop_conformance.cli import main


class Said(NamedTuple):
    """What a command returned and printed."""

    code: object
    out: str
    err: str


Cli = Callable[..., Said]


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    for name in [name for name in os.environ if name.startswith("OPENWOP_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: object) -> Said:
        code: object
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        said = Said(code, *capsys.readouterr())
        assert "Traceback" not in said.out + said.err
        return said

    return call
