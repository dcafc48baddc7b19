"""Where the rules lie as files (schemas, scenarios, fixtures, ledger, gates, documents), and the
digest that names them.

In a wheel they lie inside the package; in a checkout, beside it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Final

from .errors import UsageError

_PACKAGE: Final = Path(__file__).parent
_INSIDE: Final = _PACKAGE / "corpus"
_HOME: Final = _INSIDE if _INSIDE.is_dir() else _PACKAGE.parent


@dataclass(frozen=True)
class Corpus:
    """Folders of files; each may lie somewhere else."""

    schemas: Path
    scenarios: Path
    fixtures: Path
    ledger: Path
    """Requirements, ids, and the rows of the corpus gates as they were last witnessed."""
    coherence: Path
    """The gates: pytest modules."""
    documents: Path
    """The folder of README.md and docs/."""

    @property
    def requirements(self) -> Path:
        """The file of the requirements."""
        return self.ledger / "requirements.yaml"

    @property
    def ids(self) -> Path:
        """The file of every id that was ever issued, and what renamed ones are called now."""
        return self.ledger / "aliases.yaml"

    @property
    def corpus_ledger(self) -> Path:
        """The file of the corpus gates' rows."""
        return self.ledger / "corpus-ledger.json"

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every file's place and bytes; the same in a checkout and in a wheel."""
        from hashlib import sha256

        found = ((name, sha256(path.read_bytes()).hexdigest()) for name, path in self.files())
        lines = (f"{name}\0{digest}\n" for name, digest in found)
        return sha256("".join(lines).encode()).hexdigest()

    def files(self) -> list[tuple[str, Path]]:
        """Every file that decides a verdict, with its name in the corpus, sorted by name."""
        named = [(f"ledger/{path.name}", path) for path in self.ledger.glob("*.yaml")]
        for kind, ending in (
            ("schemas", ".json"),
            ("scenarios", ".yaml"),
            ("fixtures", ".json"),
            ("coherence", ".py"),
        ):
            named += [(f"{kind}/{n}", path) for n, path in files_below(getattr(self, kind), ending)]
        return sorted(named)

    def copy_to(self, folder: Path) -> None:
        """Write a copy that can be edited. Raises ``UsageError`` for a folder that holds files."""
        import shutil

        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise UsageError(f"{folder} is not an empty folder")
        leave = shutil.ignore_patterns("*.py", "__pycache__")
        for part in ("schemas", "scenarios", "fixtures", "ledger"):
            shutil.copytree(getattr(self, part), folder / part, ignore=leave)
        for page in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md"):
            shutil.copy(self.documents / page, folder)
        shutil.copytree(self.documents / "docs", folder / "docs")


def files_below(folder: Path, ending: str) -> list[tuple[str, Path]]:
    """What lies below a folder and ends so, by its name from there, sorted.

    A folder of such a name is among it: whoever reads it says that it is no file.
    """
    found = []
    for place, folders, names in os.walk(folder):
        at = Path(place)
        inside = "" if at == folder else f"{at.relative_to(folder).as_posix()}/"
        found += [
            (inside + name, at / name) for name in (*folders, *names) if name.endswith(ending)
        ]
    return sorted(found)


def corpus(folder: Path | None = None) -> Corpus:
    """The corpus that came with this package, or the one in a folder.

    A part that the folder does not have is this package's. The gates always are: a copy of the
    rules is held to the same judges. Raises ``UsageError`` for a folder that has no part.
    """
    own = Corpus(
        schemas=_PACKAGE / "schemas",
        scenarios=_HOME / "scenarios",
        fixtures=_HOME / "fixtures",
        ledger=_HOME / "ledger",
        coherence=_HOME / "coherence",
        documents=_HOME,
    )
    if not own.requirements.is_file():
        raise UsageError(
            f"this installation has no corpus: {own.requirements} is missing; reinstall it"
        )
    if folder is None:
        return own
    parts = {part: getattr(own, part) for part in (field.name for field in fields(Corpus))}
    there = {
        part: place
        for part in ("schemas", "scenarios", "fixtures", "ledger")
        for place in (folder / part, folder / _PACKAGE.name / part)
        if place.is_dir()
    }
    if (folder / "docs").is_dir():
        there["documents"] = folder
    if not there:
        raise UsageError(
            f"{folder} holds no corpus: none of schemas/, scenarios/, fixtures/ and ledger/ is "
            "there; 'openwop-conformance coherence --export DIR' writes a copy to edit"
        )
    return Corpus(**parts | there)
