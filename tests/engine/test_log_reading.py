"""How logs are read: by poll until they are whole, by a stream that may say anything at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from openwop_conformance.engine.verdict import Disposition
from tests.engine.subjects import Ran, altered, polls, ran, scenario, streaming


@pytest.fixture(autouse=True)
def _does_not_wait_long(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("reading", "listening"):
        monkeypatch.setattr(f"openwop_conformance.engine.{module}.SETTLES_WITHIN", 0.5)


def streamed(change: Callable[[bytes], bytes], **how: Any) -> Ran:
    return asyncio.run(ran([scenario("streamed-as-recorded")], wrap=streaming(change, **how)))


def frames(body: bytes) -> list[bytes]:
    return [frame + b"\n\n" for frame in body.split(b"\n\n") if frame]


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda body: body, id="as it is"),
        pytest.param(lambda body: body.replace(b"\n", b"\r\n"), id="with CRLF"),
        pytest.param(lambda body: b": hello\n\nretry: 5\n\n" + body, id="with comments"),
        pytest.param(
            lambda body: body + b'id: 99\nevent: state.snapshot\ndata: {"a": 1}\n\n',
            id="with a snapshot",
        ),
        pytest.param(lambda body: body + b"id: 99\ndata: cut o", id="with a frame cut off"),
    ],
)
def test_what_a_stream_may_do_keeps_the_rule(change: Callable[[bytes], bytes]) -> None:
    found = streamed(change)
    assert found.dispositions == {"streamed-as-recorded": Disposition.PASS}, found.rows


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param(lambda body: b"", "leaves out a recorded surface", id="nothing"),
        pytest.param(lambda body: b"data: {\n\n", "not JSON", id="no JSON"),
        pytest.param(lambda body: b"data: {}\n\n", "holds no run event", id="no event"),
        pytest.param(
            lambda body: b'data: {"sequence": "1"}\n\n', "holds no run event", id="a string"
        ),
        pytest.param(lambda body: b"data: 5\n\n", "holds no run event", id="a number"),
        pytest.param(
            lambda body: body.replace(b"id: ", b"id: 7"), "not its event's", id="other ids"
        ),
        pytest.param(
            lambda body: body.replace(b"event: ", b"event: x"), "not its event's", id="other names"
        ),
        pytest.param(
            lambda body: b"".join(frames(body)[::-1]), "repeated or out of order", id="turned round"
        ),
        pytest.param(lambda body: body + body, "repeated or out of order", id="twice"),
        pytest.param(
            lambda body: b"".join(f for f in frames(body) if b"surface" not in f),
            "leaves out a recorded surface",
            id="without surfaces",
        ),
        pytest.param(
            lambda body: body.replace(b"Hello", b"Hullo"),
            "stream and the poll differ",
            id="reworded",
        ),
        pytest.param(lambda body: b"\xff\n" + body, "not UTF-8", id="no UTF-8"),
        pytest.param(
            lambda body: b": " + b"x" * 9_000_000 + b"\n" + body, "exceeds", id="a line of 9 MB"
        ),
        pytest.param(lambda body: b"[" * 200_000, "leaves out", id="deep, and no frame"),
        pytest.param(
            lambda body: b"data: " + b"[" * 200_000 + b"\n\n", "not JSON", id="a deep frame"
        ),
    ],
)
def test_a_stream_that_is_not_the_log_fails(change: Callable[[bytes], bytes], words: str) -> None:
    found = streamed(change)
    row = found.row("streamed-as-recorded")
    assert row.disposition is Disposition.FAIL, row
    assert words in row.reason


@pytest.mark.parametrize("how", [{"status": 404}, {"status": 500}, {"kind": b"application/json"}])
def test_a_stream_that_is_not_served_fails(how: dict[str, Any]) -> None:
    row = streamed(lambda body: body, **how).row("streamed-as-recorded")
    assert (row.disposition, "is not served" in row.reason) == (Disposition.FAIL, True)


def test_a_stream_of_very_many_events_is_blocked() -> None:
    frame = b'id: %d\nevent: x.y\ndata: {"sequence": %d, "type": "x.y"}\n\n'

    def many(body: bytes) -> bytes:
        return b"".join(frame % (n, n) for n in range(100, 12_000))

    row = streamed(many).row("streamed-as-recorded")
    assert row.disposition is Disposition.BLOCKED
    assert "does not end within 10000 events" in row.reason


# ----------------------------------------------------------------------------------- polls


def polled(change: Callable[[Any], Any], name: str = "catalog-equality") -> Ran:
    return asyncio.run(ran([scenario(name)], wrap=altered(polls(change))))


def test_a_log_that_comes_in_pages_is_read_to_its_end() -> None:
    found = polled(lambda body: {**body, "events": body["events"][:1]}, "recorded-as-recorded")
    assert found.dispositions == {"recorded-as-recorded": Disposition.PASS}
    targets = [x.request.target for x in found.finished["recorded-as-recorded"].exchanges]
    assert any("afterSequence=0&" in target for target in targets)
    whole = asyncio.run(ran([scenario("recorded-as-recorded")]))
    assert found.digest == whole.digest


def test_a_log_that_comes_late_is_waited_for() -> None:
    """It is only after some empty pages that the log is served: slowness is no verdict."""
    pages = 0

    def late(body: Any) -> Any:
        nonlocal pages
        pages += 1
        return body if pages > 3 else {**body, "events": [], "lastSequence": -1}

    assert polled(late).dispositions == {"catalog-equality": Disposition.PASS}
    assert pages == 4


def test_a_log_that_never_comes_is_not_hammered() -> None:
    found = polled(lambda body: {**body, "events": [], "lastSequence": 99})
    row = found.row("catalog-equality")
    assert row.disposition is Disposition.FAIL
    assert "no event at the sequence that the seam answered" in row.reason
    targets = [x.request.target for x in found.finished["catalog-equality"].exchanges]
    assert sum("/events/poll" in target for target in targets) < 40


def test_a_surface_that_no_one_sent_is_found_in_the_log() -> None:
    def doubled(body: Any) -> Any:
        *events, last = body["events"]
        copy = json.loads(json.dumps(last))
        copy["sequence"] += 1
        return {**body, "events": [*events, last, copy], "lastSequence": copy["sequence"]}

    row = polled(doubled).row("catalog-equality")
    assert row.disposition is Disposition.FAIL
    assert "carries a surface that was not recorded there" in row.reason
