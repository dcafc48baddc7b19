"""Pictures of a page: a file for each look, named by its scenario, and nothing else."""

from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path

import pytest

from openwop_conformance.adapters.calls import call
from openwop_conformance.adapters.host import Response
from openwop_conformance.engine.verdict import Exchange, ScenarioFinished
from openwop_conformance.errors import UsageError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.reports.pictures import PictureReport
from tests.report_events import WHOLE


def exchange(name: str, answered: JsonValue) -> Exchange:
    body = json.dumps(answered).encode()
    return Exchange(0, call(name, {"consumer": "c"}), "none", Response(200, (), body))


def looked(*pictures: bytes) -> ScenarioFinished:
    """A scenario with other calls, a look without a picture, and those with one."""
    finished = next(event for event in WHOLE if isinstance(event, ScenarioFinished))
    looks = [
        exchange(
            "rendered",
            {"result": {"surfaces": {}, "picture": base64.b64encode(picture).decode()}},
        )
        for picture in pictures
    ]
    others = [
        exchange("deliver", {"result": {}}),
        exchange("rendered", {"result": {"surfaces": {}}}),
        exchange("rendered", {"error": {"kind": "crash", "message": "no"}}),
        Exchange(0, call("rendered", {"consumer": "c"}), "none", fault="timeout"),
    ]
    return replace(finished, exchanges=(*others, *looks))


def test_each_look_is_a_file_named_by_its_scenario_and_counted(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "pictures"
    report = PictureReport(folder)
    for event in (*WHOLE, looked(b"one", b"two")):
        report(event)

    name = looked().scenario.id
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert found == {f"{name}-1.png": b"one", f"{name}-2.png": b"two"}
    assert report.written == 2


def test_where_nothing_was_seen_there_is_no_folder(tmp_path: Path) -> None:
    PictureReport(tmp_path / "none")(looked())
    assert not (tmp_path / "none").exists()


def test_pictures_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=r"^the pictures cannot be written: "):
        PictureReport(tmp_path / "file")(looked(b"one"))
