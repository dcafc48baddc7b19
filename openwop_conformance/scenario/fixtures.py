"""The fixtures that scenarios name: a folder of JSON files, each read once."""

from __future__ import annotations

import fnmatch
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ..corpus import files_below
from ..errors import DocumentError, JsonError
from ..jsonvalue import JsonValue, parse
from .document import bytes_of


@dataclass(frozen=True, slots=True, eq=False)
class Fixture:
    """One file. As long as its name and its bytes are the same, so is this. Do not change it."""

    name: str
    value: JsonValue


class Fixtures:
    """The fixtures below a folder, by their names in it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._below: dict[str, list[tuple[str, Path]]] = {}
        self._matching: dict[str, tuple[Fixture, ...]] = {}

    def matching(self, pattern: str) -> tuple[Fixture, ...]:
        """Those whose names match, by name. Raises ``DocumentError`` for one that is not JSON."""
        if pattern not in self._matching:
            self._matching[pattern] = tuple(self._read(pattern))
        return self._matching[pattern]

    def _read(self, pattern: str) -> list[Fixture]:
        folder = re.split(r"[*?\[]", pattern, maxsplit=1)[0].rpartition("/")[0]
        if ".." in folder.split("/") or pattern.startswith("/"):
            return []
        if folder not in self._below:
            below = files_below(self._folder / folder, ".json")
            self._below[folder] = [(f"{folder}/{name}".lstrip("/"), path) for name, path in below]
        named = self._below[folder]
        return [
            _fixture(n, bytes_of(path, f"fixtures/{n}"))
            for n, path in named
            if fnmatch.fnmatchcase(n, pattern)
        ]


@lru_cache(maxsize=4096)
def _fixture(name: str, data: bytes) -> Fixture:
    try:
        return Fixture(name, parse(data))
    except JsonError as error:
        raise DocumentError(f"fixtures/{name}", 1, 1, str(error)) from None
