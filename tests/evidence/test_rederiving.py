"""A trace, judged again with no subject at hand, gives the rows of the run, or what differs."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from openwop_conformance import suite
from openwop_conformance.adapters.asgi import AsgiHost
from openwop_conformance.adapters.host import Host
from openwop_conformance.cli import main
from openwop_conformance.engine.credentials import Credentials
from openwop_conformance.engine.session import Options
from openwop_conformance.engine.verdict import Disposition, Event, Row, RunFinished
from openwop_conformance.errors import ExchangeError, UnreachableError
from openwop_conformance.evidence.ledger import digest, read_ledger, write_ledger
from openwop_conformance.evidence.trace import read_trace
from openwop_conformance.reference.connect import build_app, credentials_for, settings_of
from openwop_conformance.reference.policy import Policy
from openwop_conformance.reference.sabotage import SABOTAGES
from openwop_conformance.reference.settings import Settings
from tests.engine.hostile import serving
from tests.engine.subjects import Breaking

SETTINGS = Settings(
    keys={"acme": "key-of-acme-0123456789", "globex": "key-of-globex-0123456789"},
    secrets={"conformance-secret": "canary-of-tests-1"},
)
GIVEN = credentials_for(SETTINGS)
SOME = ("host.v2.c*", "host.v2.l*", "host.v2.s*", "host.v2.no-secret")


class Folder:
    """A run's files in a folder, and what a rederivation of them said."""

    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.trace, self.ledger, self.again = path / "trace", path / "ledger", path / "again"
        self._capsys = capsys
        self.rows: tuple[Row, ...] = ()

    def run(self, *arguments: str) -> int:
        files = ("--trace", str(self.trace), "--ledger", str(self.ledger))
        code = main(["run", *arguments, *files])
        self._capsys.readouterr()
        self.rows = read_ledger(self.ledger)[1]
        return code

    def rederive(self) -> tuple[int, Any]:
        code = main(["rederive", str(self.trace), "--ledger", str(self.again), "--json"])
        said = self._capsys.readouterr()
        assert said.err == ""
        return code, json.loads(said.out)

    def gives_the_same(self) -> None:
        code, said = self.rederive()
        assert (said["differences"], said["notes"]) == ([], [])
        assert (code, said["complete"]) == (0, True)
        assert said["sha256"] == digest(self.rows)
        assert self.again.read_bytes() == self.ledger.read_bytes()
        data = self.trace.read_text("utf-8") + self.again.read_text("utf-8")
        assert not any(value in data for value in _secrets(GIVEN))

    def records(self) -> list[Any]:
        return [json.loads(line) for line in self.trace.read_bytes().splitlines()]

    def rewrite(self, records: Sequence[Any]) -> None:
        """Chain records anew, as somebody does who knows how."""
        previous, lines = "0" * 64, []
        for record in records:
            lines.append(json.dumps({**record, "prev": previous}, ensure_ascii=False).encode())
            previous = hashlib.sha256(lines[-1]).hexdigest()
        self.trace.write_bytes(b"\n".join([*lines, b""]))


def _secrets(given: Credentials) -> list[str]:
    return [value for value in (given.owner, given.other, given.canary) if value]


@pytest.fixture
def folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Folder:
    return Folder(tmp_path, capsys)


@pytest.fixture(autouse=True)
def _no_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("OPENWOP_")]:
        monkeypatch.delenv(name)


Against = Callable[..., dict[str, Row]]


@pytest.fixture
def against(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> Against:
    """Run scenarios against a host of one's own; the rows, by scenario."""

    def ran(
        host: Host, *patterns: str, given: Credentials = GIVEN, options: Options | None = None
    ) -> dict[str, Row]:
        dialect = None

        def tell(event: Event) -> None:
            nonlocal dialect
            if isinstance(event, RunFinished):
                dialect = event.dialect

        monkeypatch.setattr(suite, "open_subject", lambda *_, **__: (host, given))
        chosen = suite.plan(
            host.name, Credentials(), patterns=patterns, options=options or Options(seed=3)
        )
        folder.rows = asyncio.run(suite.execute(chosen, tell, folder.trace))
        write_ledger(folder.ledger, replace(chosen.header, dialect=dialect), folder.rows)
        return {row.scenario: row for row in folder.rows}

    return ran


def sabotaged(name: str) -> Host:
    sabotage = SABOTAGES[name]
    settings = replace(SETTINGS, **_changes(settings_of(dict(sabotage.settings))))
    app = sabotage.wrap(build_app(settings, sabotage.change(Policy())), settings)
    return AsgiHost(app, "reference")


def _changes(settings: Settings) -> dict[str, Any]:
    return {n: getattr(settings, n) for n in ("strictness", "floor", "dialect", "v1_wrapper")}


# ----------------------------------------------------------------------------- the same again


def test_the_whole_corpus_in_process_and_over_http(
    folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert folder.run("reference", "--seed", "5") == 0
    folder.gives_the_same()
    in_process = folder.rows

    names = ("OPENWOP_API_KEY", "OPENWOP_TENANT_B_API_KEY", "OPENWOP_CANARY_SECRET_VALUE")
    for name, value in zip(names, _secrets(GIVEN), strict=True):
        monkeypatch.setenv(name, value)
    with serving(build_app(SETTINGS)) as url:
        assert folder.run(url, "--seed", "5") == 0
    for name in names:
        monkeypatch.delenv(name)

    folder.gives_the_same()
    assert read_trace(folder.trace).header["given"] == sorted(names)
    assert folder.rows == in_process


def test_a_selection_with_other_options(folder: Folder) -> None:
    arguments = ("--jobs", "2", "--opt-out", "canary", "--time-scale", "3", "--select", *SOME)
    folder.run("reference", "--seed", "8", *arguments)
    assert Disposition.SKIPPED in {row.disposition for row in folder.rows}
    folder.gives_the_same()


def test_a_host_that_forgets_placeholders(folder: Folder, against: Against) -> None:
    rows = against(sabotaged("delta-forgets-placeholder"), "host.v1.delta-explored")
    assert rows["host.v1.delta-explored"].disposition is Disposition.FAIL
    folder.gives_the_same()


def test_a_host_that_leaks_the_canary(folder: Folder, against: Against) -> None:
    rows = against(sabotaged("secret-in-log"), "host.v2.no-secret", "host.v2.profile-secret-input")
    assert rows["host.v2.no-secret"].disposition is Disposition.FAIL
    folder.gives_the_same()
    assert "$OPENWOP_CANARY_SECRET_VALUE" in folder.trace.read_text("utf-8")


def test_a_host_that_does_not_answer(folder: Folder, against: Against) -> None:
    def hanging(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["path"].endswith("/events/poll"):
                await asyncio.sleep(60)
            await app(scope, receive, send)

        return wrapped

    host = AsgiHost(hanging(build_app(SETTINGS)), "reference")
    rows = against(host, *SOME, options=Options(seed=3, time_scale=0.05))
    assert Disposition.BLOCKED in {row.disposition for row in rows.values()}
    assert _kinds(folder) >= {("fault", "timeout")}
    folder.gives_the_same()


def test_a_host_whose_stream_says_nothing(folder: Folder, against: Against) -> None:
    """The limits that pass here are those of the reader and not those of one exchange."""

    def mute(app: ASGIApp) -> ASGIApp:
        async def wrapped(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http" or not scope["path"].endswith("/events"):
                await app(scope, receive, send)
                return
            headers = [(b"content-type", b"text/event-stream")]
            await send({"type": "http.response.start", "status": 200, "headers": headers})
            while True:
                await send({"type": "http.response.body", "body": b": \n\n", "more_body": True})
                await asyncio.sleep(0.1)

        return wrapped

    host = AsgiHost(mute(build_app(SETTINGS)), "reference")
    against(host, "host.v2.stream*", "host.v2.no-secret", options=Options(seed=3, time_scale=0.05))
    assert {row.disposition for row in folder.rows} != {Disposition.PASS}
    assert ("expired", "") in _kinds(folder)
    folder.gives_the_same()


@pytest.mark.parametrize(
    "error", [ExchangeError("cut-off", "it broke off"), UnreachableError("nobody listens")], ids=str
)
def test_a_host_that_is_gone_from_one_moment_on(
    folder: Folder, against: Against, error: Exception
) -> None:
    host = Breaking(build_app(SETTINGS), lambda request: True, error, at=40, for_good=True)
    rows = against(host, *SOME)
    assert {row.disposition for row in rows.values()} >= {Disposition.PASS, Disposition.BLOCKED}
    folder.gives_the_same()


def _kinds(folder: Folder) -> set[tuple[str, str]]:
    return {(record["record"], record.get("kind", "")) for record in folder.records()}


def test_serial_pytest_the_command_line_and_the_rederivation_give_one_digest(
    folder: Folder, tmp_path: Path
) -> None:
    patterns = ["host.v2.limits", "host.v2.catalog-equality"]
    theirs = tmp_path / "pytest.jsonl"
    selected = [word for pattern in patterns for word in ("--owp-select", pattern)]
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", "-c", "pytest.ini",
         "-p", "no:cacheprovider", "--pyargs",
         "openwop_conformance", "--owp-host", "reference", "--owp-ledger", str(theirs), *selected],
        cwd=tmp_path,
        env={k: v for k, v in os.environ.items() if not k.startswith("PYTEST")},
        capture_output=True,
        text=True,
        timeout=110,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert folder.run("reference", "--select", *patterns) == 0
    _, said = folder.rederive()

    assert read_ledger(theirs)[2] == digest(folder.rows) == said["sha256"]


# --------------------------------------------------------------------------- a run that died


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """The lines of a trace."""
    path = tmp_path_factory.mktemp("whole") / "trace"
    chosen = suite.plan("reference", Credentials(), patterns=SOME, options=Options(seed=3))
    asyncio.run(suite.execute(chosen, lambda event: None, path))
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("seed", range(8))
def test_of_a_run_that_died_what_it_had_judged_is_the_same_and_the_rest_is_blocked(
    folder: Folder, whole: list[bytes], seed: int
) -> None:
    cut = random.Random(seed).randrange(1, len(whole))
    folder.trace.write_bytes(b"".join(whole[:cut]))
    judged = {row["scenario"]: row for row in read_trace(folder.trace).rows}
    code, said = folder.rederive()

    assert (code, said["complete"], said["differences"]) == (3, False, [])
    for row in said["rows"]:
        if row["scenario"] in judged:
            assert row == judged[row["scenario"]]
        else:
            assert row["disposition"] == "blocked"
            assert row["reason"] == "the run died before it was judged"
    assert len(said["rows"]) == sum(b'"record":"row"' in line for line in whole)


# ------------------------------------------------------------------------------ what differs


CHANGED = "host.v2.catalog-equality"


@pytest.fixture
def one(folder: Folder) -> Folder:
    assert folder.run("reference", "--seed", "5", "--select", "host.v2.limits", CHANGED) == 0
    return folder


def test_a_reply_that_was_changed_shows_in_its_row_and_in_no_other(
    one: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    records = one.records()
    asked = {r["n"]: r for r in records if r["record"] == "request"}
    for record in records:
        request = asked.get(record.get("n"), {})
        seam = request.get("target", "").endswith("/emit-surface")
        if record["record"] == "reply" and request["scope"] == CHANGED and seam:
            record["status"] = 418
    one.rewrite(records)
    code, said = one.rederive()

    (row,) = [row for row in one.rows if row.scenario == CHANGED]
    assert code == 1
    assert said["complete"]
    changed, *more = said["differences"]
    assert changed.startswith(f"{row.id}: disposition 'executed-pass' then, ")
    assert all(line.startswith("the digest of the rows: ") for line in more)
    assert main(["rederive", str(one.trace)]) == 1
    out = capsys.readouterr().out
    assert f"differs: {row.id}: disposition" in out
    assert f"{len(one.rows)} rows, other than in the run; digest " in out


def test_a_row_that_was_changed_removed_or_made_up_is_said(one: Folder) -> None:
    records = one.records()
    first, second = (i for i, r in enumerate(records) if r["record"] == "row")

    worse = [*records]
    broken = {**records[first]["row"], "disposition": "executed-fail", "reason": "x"}
    worse[first] = {**records[first], "row": broken}
    one.rewrite(worse)
    code, said = one.rederive()
    assert code == 1
    assert said["differences"] == [
        f"{broken['id']}: disposition 'executed-fail' then, 'executed-pass' now; "
        "reason 'x' then, None now"
    ]

    one.rewrite([r for i, r in enumerate(records) if i != second])
    code, said = one.rederive()
    assert (code, said["differences"]) == (1, [f"{records[second]['row']['id']}: no row then"])

    made_up = {**records[first], "row": {**records[first]["row"], "id": "r.none"}}
    one.rewrite([*records[:-1], made_up, records[-1]])
    code, said = one.rederive()
    assert (code, said["differences"]) == (1, ["r.none: no row here"])


def test_a_footer_that_is_not_that_of_the_rows_is_said(one: Folder) -> None:
    *records, footer = one.records()
    one.rewrite([*records, {**footer, "rows": "0" * 64}])
    code, said = one.rederive()

    assert code == 1
    (difference,) = said["differences"]
    assert difference == f"the digest of the rows: {'0' * 64} then, {digest(one.rows)} now"


def test_another_suite_and_another_corpus_are_notes_and_no_differences(one: Folder) -> None:
    header, *records = one.records()
    other = {**header, "suite": {**header["suite"], "version": "0.0.9"}, "corpus": "c" * 64}
    one.rewrite([other, *records])
    code, said = one.rederive()

    assert (code, said["differences"]) == (0, [])
    suite_note, corpus_note = said["notes"]
    assert suite_note == f"the suite was 0.0.9 then, and is {suite.VERSION} now"
    assert corpus_note == f"the corpus was cccccccccccc then, and is {header['corpus'][:12]} now"


def test_a_scenario_that_this_suite_has_not_is_said(
    one: Folder, capsys: pytest.CaptureFixture[str]
) -> None:
    header, *records = one.records()
    one.rewrite([{**header, "scenarios": [*header["scenarios"], "host.v2.gone"]}, *records])
    code, said = one.rederive()
    assert (code, said["differences"]) == (1, ["this suite has no scenario host.v2.gone"])

    one.rewrite([{**header, "scenarios": ["host.v2.gone"]}, *records])
    assert main(["rederive", str(one.trace)]) == 2
    assert "this suite has none of the scenarios that were run" in capsys.readouterr().err


def test_what_was_never_asked_in_the_run_is_said_and_never_made_up(one: Folder) -> None:
    records = one.records()
    gone = [r["n"] for r in records if r["record"] == "request" and r["scope"] == CHANGED]
    one.rewrite([r for r in records if r.get("n") not in gone])
    code, said = one.rederive()

    assert code == 1
    assert said["differences"]
    asked = f"asked here, and never in the run: {CHANGED}: POST "
    assert [note.startswith(asked) for note in said["notes"]] == [True]
    by_scenario = {row["scenario"]: row for row in said["rows"]}
    assert by_scenario["host.v2.limits"]["disposition"] == "executed-pass"
    assert by_scenario[CHANGED]["disposition"] == "blocked"


def test_a_trace_that_is_none_is_exit_2(folder: Folder, capsys: pytest.CaptureFixture[str]) -> None:
    folder.trace.write_text("{}\n")

    assert main(["rederive", str(folder.trace)]) == 2
    assert capsys.readouterr().err.startswith(f"openwop-conformance: {folder.trace}:1: ")
