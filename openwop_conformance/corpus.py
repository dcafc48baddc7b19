"""Where the scenarios, the fixtures and the requirements are, and the digest that names them.

In a wheel they lie inside the package; in a checkout, beside it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .errors import UsageError


@dataclass(frozen=True)
class Corpus:
    """A folder of scenarios, one of fixtures, and the requirements file."""

    scenarios: Path
    fixtures: Path
    requirements: Path

    @cached_property
    def digest(self) -> str:
        """SHA-256 over every file's place and bytes; the same in a checkout and in a wheel."""
        total = hashlib.sha256()
        for name, path in self.files():
            total.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
        return total.hexdigest()

    def files(self) -> list[tuple[str, Path]]:
        """Every file with its name in the corpus, sorted by name."""
        named = [("requirements.yaml", self.requirements)]
        for folder, suffix in ((self.scenarios, "*.yaml"), (self.fixtures, "*.json")):
            kind = "scenarios" if folder is self.scenarios else "fixtures"
            named += [
                (f"{kind}/{path.relative_to(folder).as_posix()}", path)
                for path in folder.rglob(suffix)
            ]
        return sorted(named)


def corpus() -> Corpus:
    """The corpus that came with this package."""
    package = Path(__file__).parent
    inside = package / "corpus"
    root = inside if inside.is_dir() else package.parent
    requirements = root / ("requirements.yaml" if root is inside else "ledger/requirements.yaml")
    if not requirements.is_file():
        raise UsageError(
            f"this installation has no corpus: {requirements} is missing; reinstall it"
        )
    return Corpus(root / "scenarios", root / "fixtures", requirements)
