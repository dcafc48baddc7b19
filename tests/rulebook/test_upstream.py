"""Evidence of others: found by its digest or fetched by name, and never anything in its place."""

from __future__ import annotations

import dataclasses
import hashlib
import io
import json
import re
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from openwop_conformance.corpus import corpus
from openwop_conformance.errors import UsageError
from openwop_conformance.jsonvalue import JsonValue
from openwop_conformance.rulebook import upstream as module
from openwop_conformance.rulebook.book import Rulebook
from openwop_conformance.rulebook.upstream import FETCH_SECONDS, Unavailable, Upstream, cache

from ..shared_data import upstream_folder

WHEEL, SOURCE = "made_up-1.2-py3-none-any.whl", "made-cases-3.4.tar.gz"
FILES = {"one.json": b'{"$id": "one"}', "two.json": b'{"$id": "two", "x": [1]}'}
MEMBERS = {name: f"made/0.9/{name}" for name in FILES}
CASES = {
    "json/tests/draft2020-12/enum.json": b'[{"tests": []}]',
    "json/tests/draft2020-12/optional/format/date.json": b"[]",
    "json/tests/draft7/enum.json": b"[1]",
    "json/tests/draft2020-12/README.md": b"no cases",
    "json/remotes/draft2020-12/below/a.json": b'{"type": "integer"}',
    "json/remotes/draft7/b.json": b"{}",
    "src/data.json": b"not even JSON",
}


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wheel_of(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def source_of(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for name, data in files.items():
            member = tarfile.TarInfo(f"made-cases-3.4/{name}")
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return made.getvalue()


class Evidence:
    """A corpus that pins small archives, and a folder for them."""

    def __init__(self, folder: Path, files: dict[str, bytes], cases: dict[str, bytes]) -> None:
        self.fixtures, self.folder = folder / "fixtures", folder / "evidence"
        self.fixtures.mkdir()
        self.folder.mkdir()
        wheel = wheel_of({MEMBERS[name]: data for name, data in files.items()})
        self.archives = {WHEEL: wheel, SOURCE: source_of(cases)}
        self.pins: dict[str, Any] = {
            name: {
                "package": package,
                "version": version,
                "archive": archive,
                "sha256": digest(self.archives[archive]),
            }
            for name, package, version, archive in (
                ("a2ui", "made-up", "1.2", WHEEL),
                ("official-cases", "made-cases", "3.4", SOURCE),
            )
        }
        self.pins["a2ui"]["files"] = {
            name: {"member": MEMBERS[name], "sha256": digest(data)} for name, data in files.items()
        }

    def place(self, files: dict[str, bytes]) -> None:
        for name, data in files.items():
            (self.folder / name).write_bytes(data)

    def upstream(self, *, cached: bool = False, fetch: bool = False) -> Upstream:
        """From the folder, or from the cache."""
        (self.fixtures / "upstream.json").write_text(json.dumps(self.pins), "utf-8")
        book = Rulebook(dataclasses.replace(corpus(), fixtures=self.fixtures))
        return Upstream(book, None if cached else self.folder, fetch=fetch)


@pytest.fixture
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Evidence:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was run"))
    return Evidence(tmp_path, FILES, CASES)


class Pip:
    """Stands for pip: keeps what it was told, and brings what it has, or ends otherwise."""

    def __init__(
        self, archives: dict[str, bytes], said: str | None = None, error: Exception | None = None
    ) -> None:
        self.archives, self.said, self.error = archives, said, error
        self.commands: list[list[str]] = []
        self.wanted: list[str] = []

    def run(
        self, command: list[str], *, timeout: float, **_: object
    ) -> subprocess.CompletedProcess[str]:
        assert timeout == FETCH_SECONDS
        if self.error is not None:
            raise self.error
        self.commands.append(command)
        self.wanted.append(Path(command[command.index("-r") + 1]).read_text("utf-8"))
        for name, data in self.archives.items():
            if name.partition("-")[0].replace("_", "-") in self.wanted[-1]:
                (Path(command[command.index("--dest") + 1]) / name).write_bytes(data)
        code = 0 if self.said is None else 1
        return subprocess.CompletedProcess(command, code, "", self.said or "")


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(Unavailable) as caught:
        act()
    text = str(caught.value)
    assert "Traceback" not in text
    assert len(text.splitlines()) == 1
    return text


# --------------------------------------------------------------------------------- the files


def test_files_in_a_folder_are_taken_as_they_are_without_any_archive(evidence: Evidence) -> None:
    evidence.place(FILES)
    upstream = evidence.upstream()

    assert (upstream.files, upstream.unlike_its_pin()) == (FILES, [])
    assert upstream.schemas == {"one.json": {"$id": "one"}, "two.json": {"$id": "two", "x": [1]}}


def test_files_are_read_out_of_the_wheel_where_one_lies_not_beside_it(evidence: Evidence) -> None:
    evidence.place({"one.json": b"[]", WHEEL: evidence.archives[WHEEL]})
    upstream = evidence.upstream()

    assert upstream.files == FILES
    assert upstream.schemas.keys() == FILES.keys()


@pytest.mark.parametrize("in_wheel", [False, True])
def test_a_file_with_one_other_byte_is_named_and_not_read(
    evidence: Evidence, in_wheel: bool
) -> None:
    evidence.place(evidence.archives if in_wheel else FILES)
    other = FILES["two.json"].replace(b"1", b"2")
    evidence.pins["a2ui"]["files"]["two.json"]["sha256"] = digest(other)
    upstream = evidence.upstream()

    assert upstream.unlike_its_pin() == ["two.json"]
    assert refused(lambda: upstream.schemas) == "two.json is not the file that is pinned"


def test_an_archive_of_another_digest_is_not_opened(evidence: Evidence) -> None:
    evidence.place({name: data + b" " for name, data in evidence.archives.items()})
    upstream = evidence.upstream()

    for act, name in ((lambda: upstream.files, WHEEL), (upstream.official_cases, SOURCE)):
        assert (
            refused(act) == f"{evidence.folder / name} is not the archive that is pinned: delete it"
        )
    assert refused(upstream.archives).startswith(str(evidence.folder / WHEEL))


@pytest.mark.parametrize(("cached", "fetch"), [(True, False), (False, False), (False, True)])
def test_what_is_not_there_is_told_with_the_folder_which_is_never_filled_unasked(
    evidence: Evidence, cached: bool, fetch: bool
) -> None:
    upstream = evidence.upstream(cached=cached, fetch=fetch)
    folder = cache() if cached else evidence.folder

    assert refused(lambda: upstream.schemas) == f"{WHEEL} is not in {folder}"
    assert refused(upstream.unlike_its_pin) == f"{WHEEL} is not in {folder}"
    assert refused(upstream.archives) == f"{WHEEL} is not in {folder}"
    assert refused(upstream.official_cases) == f"{SOURCE} is not in {folder}"


def test_a_wheel_that_lacks_a_file_is_told(evidence: Evidence) -> None:
    evidence.place(evidence.archives)
    evidence.pins["a2ui"]["files"]["two.json"]["member"] = "made/0.8/two.json"

    said = refused(lambda: evidence.upstream().files)
    assert re.match(f"{WHEEL} lacks a file: .*made/0.8/two.json", said)


@pytest.mark.parametrize("data", [b"{", b'{"a": 1, "a": 1}', b"\xff"])
def test_pinned_files_that_are_not_strict_json_are_not_guessed_at(
    tmp_path: Path, data: bytes
) -> None:
    evidence = Evidence(tmp_path, {"one.json": data, "two.json": b"{}"}, CASES)
    evidence.place(evidence.archives)
    said = refused(lambda: evidence.upstream().schemas)

    assert evidence.upstream().unlike_its_pin() == []
    assert said.startswith("upstream's files are not strict JSON: ")


# ------------------------------------------------------------------------------- the bounds


@pytest.mark.parametrize("files", [FILES, None])
def test_what_is_larger_than_the_bound_is_not_read(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, files: dict[str, bytes] | None
) -> None:
    evidence.place(evidence.archives if files is None else files)
    monkeypatch.setattr(module, "MOST_BYTES", 10)
    path = evidence.folder / (WHEEL if files is None else "one.json")

    assert refused(lambda: evidence.upstream().files) == f"{path} is larger than 10 bytes"


def test_a_small_wheel_does_not_unfold_to_a_large_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    evidence = Evidence(tmp_path, {"one.json": b" " * 100_000, "two.json": b"{}"}, CASES)
    evidence.place(evidence.archives)
    monkeypatch.setattr(module, "MOST_BYTES", 10_000)
    assert len(evidence.archives[WHEEL]) < 10_000

    said = refused(lambda: evidence.upstream().files)
    assert said == f"{MEMBERS['one.json']} is larger than 10000 bytes"


# -------------------------------------------------------------------------------- the cases


def test_the_official_cases_are_those_of_one_draft_with_their_remotes(evidence: Evidence) -> None:
    evidence.place({SOURCE: evidence.archives[SOURCE]})
    tests, remotes = evidence.upstream().official_cases()
    assert tests == {"enum.json": [{"tests": []}], "optional/format/date.json": []}
    assert remotes == [("http://localhost:1234/draft2020-12/below/a.json", {"type": "integer"})]


def test_an_archive_without_cases_is_told(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, FILES, {"json/remotes/draft2020-12/a.json": b"{}"})
    evidence.place(evidence.archives)

    assert refused(evidence.upstream().official_cases) == f"{SOURCE} holds no official cases"


# ------------------------------------------------------------------------------------- pip


def test_what_the_cache_lacks_is_fetched_by_name_and_digest_and_once(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip = Pip(evidence.archives)
    monkeypatch.setattr(subprocess, "run", pip.run)

    for _ in range(2):
        upstream = evidence.upstream(cached=True, fetch=True)
        assert upstream.files == FILES
        assert len(upstream.official_cases()[0]) == 2
        assert upstream.archives() == [cache() / WHEEL, cache() / SOURCE]
    assert pip.wanted == [
        f"made-up==1.2 --hash=sha256:{digest(evidence.archives[WHEEL])}\n",
        f"made-cases==3.4 --hash=sha256:{digest(evidence.archives[SOURCE])}\n",
    ]
    wheel, source = pip.commands
    for command in (wheel, source):
        assert command[:3] == [sys.executable, "-m", "pip"]
        assert {"download", "--no-deps"} <= set(command)
    assert "--no-binary" not in wheel
    assert source[-2:] == ["--no-binary", "made-cases"]
    assert {p.name for p in cache().iterdir()} == {WHEEL, SOURCE}


def test_both_archives_are_brought_into_a_new_folder(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(subprocess, "run", Pip(evidence.archives).run)
    folder = tmp_path / "new" / "folder"

    assert evidence.upstream().bring(folder) == [folder / WHEEL, folder / SOURCE]
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == evidence.archives
    assert not cache().exists()


def test_what_pip_brings_has_to_have_the_digest(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", Pip({WHEEL: wheel_of({"other": b""})}).run)

    said = refused(lambda: evidence.upstream(cached=True, fetch=True).files)
    assert said == f"{cache() / WHEEL} is not the archive that is pinned: delete it"


FAILED, ABSENT = "pip could not fetch made-up: ", "made-up could not be fetched: "


@pytest.mark.parametrize(
    ("pip", "said"),
    [
        (Pip({}, "Traceback (most recent call last):\n  x\nERROR: none\n"), f"{FAILED}ERROR: none"),
        (Pip({}, ""), f"{FAILED}pip said nothing"),
        (Pip({}, "\n \n"), f"{FAILED}pip said nothing"),
        (Pip({}), f"{ABSENT}[Errno 2] "),
        (Pip({}, error=FileNotFoundError(2, "No such file")), f"{ABSENT}[Errno 2] No such file"),
        (Pip({}, error=PermissionError(13, "Denied")), f"{ABSENT}[Errno 13] Denied"),
        (Pip({}, error=subprocess.TimeoutExpired("pip", 1)), "pip did not fetch made-up in time"),
    ],
)
def test_a_pip_that_fails_hangs_or_is_not_there_leaves_the_evidence_unavailable(
    evidence: Evidence, monkeypatch: pytest.MonkeyPatch, pip: Pip, said: str
) -> None:
    monkeypatch.setattr(subprocess, "run", pip.run)

    assert refused(lambda: evidence.upstream(cached=True, fetch=True).files).startswith(said)
    assert list(cache().iterdir()) == []


def test_a_cache_that_cannot_be_written_leaves_the_evidence_unavailable(evidence: Evidence) -> None:
    cache().parent.parent.write_text("a file")

    assert refused(evidence.upstream(cached=True, fetch=True).archives).startswith(ABSENT)


def test_the_cache_is_where_the_user_keeps_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    below = Path("openwop-conformance") / "upstream"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "mine"))
    assert cache() == tmp_path / "mine" / below
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    assert cache() == tmp_path / "home" / ".cache" / below
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache() == tmp_path / "home" / ".cache" / below


# -------------------------------------------------------------------------------- the pins


KEYS = ("package", "version", "archive", "sha256")


@pytest.mark.parametrize(
    "path",
    [
        *("a2ui", "official-cases", "a2ui/files"),
        *(f"{name}/{key}" for name in ("a2ui", "official-cases") for key in KEYS),
    ],
)
def test_a_pin_that_is_not_there_is_named(evidence: Evidence, path: str) -> None:
    *above, last = path.split("/")
    del (evidence.pins[above[0]] if above else evidence.pins)[last]

    with pytest.raises(UsageError, match=f'^fixtures/upstream.json: /.*: "{last}" is a required'):
        evidence.upstream()


@pytest.mark.parametrize("pins", [[], None, "a2ui", {"a2ui": []}])
def test_pins_of_another_form_are_an_error_of_usage(evidence: Evidence, pins: JsonValue) -> None:
    evidence.pins = pins

    with pytest.raises(UsageError, match=r"^fixtures/upstream\.json: /"):
        evidence.upstream()


# ------------------------------------------------------------------------- the pinned things


def test_what_the_corpus_pins_is_read_from_its_own_archives() -> None:
    upstream = Upstream(Rulebook(corpus()), upstream_folder())

    assert upstream.unlike_its_pin() == []
    assert set(upstream.schemas) == {"server_to_client.json", "catalog.json", "common_types.json"}
    for component, valid in (("Text", True), ("Nothing", False)):  # as its catalog has it
        shown = {"id": "root", "component": component, "text": "x"}
        update = {"surfaceId": "s", "components": [shown]}
        message = {"version": "v0.9", "updateComponents": update}
        assert upstream.message.is_valid(message) is valid


def test_the_pinned_official_cases_are_of_every_keyword_with_a_verdict_each() -> None:
    tests, remotes = Upstream(Rulebook(corpus()), upstream_folder()).official_cases()

    assert {"enum.json", "ref.json", "optional/format/date-time.json"} <= tests.keys()
    cases = [case for groups in tests.values() for group in groups for case in group["tests"]]
    assert sum(isinstance(case["valid"], bool) and "data" in case for case in cases) > 1_000
    assert "http://localhost:1234/draft2020-12/integer.json" in dict(remotes)
