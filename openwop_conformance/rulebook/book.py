"""The rules of a corpus, read once: its schemas as shapes, its fixtures as cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ..a2ui.catalog import KIND
from ..corpus import Corpus, files_below
from ..errors import JsonError, UsageError
from ..evidence.requirements import read_ids, read_requirements
from ..jsonvalue import MISSING, JsonValue, compact, parse
from ..scenario.lint import load_all
from ..scenario.model import Scenario
from ..schemas import problems, schema_names, validator
from ..schemas.shape import Shape
from ..wire.envelope import surface_payload
from .lifting import Lift, Restrictions

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

FRAME: Final = "a2ui-surface-delta-frame"
ENTRIES: Final = {
    "payloadV1": (KIND, "/$defs/payloadV1"),
    "payloadV2": (KIND, "/$defs/payloadV2"),
    "envelope": ("ai-envelope", ""),
    "frame": (FRAME, ""),
}
"""What a fixture is held to, by name: the schema, and the entry in it."""

_SHAPE_OF: Final = {"messages": "payloadV2", "envelope": "envelope", "frame": "frame", "kind": ""}


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One fixture: an instance that is admitted, or one that is refused and its twin.

    Corpora share what is read of one file, so a case is the same one as long as its file is.
    """

    name: str
    """Its place under ``fixtures/``."""
    family: str
    """The folder it lies in."""
    why: str
    shape: str
    """A name of ``ENTRIES``; empty for what no schema judges."""
    instance: JsonValue
    twin: JsonValue
    """``MISSING`` for an instance that is admitted."""
    rule: str
    restriction: str
    upstream: str
    migrated: JsonValue

    @property
    def refused(self) -> bool:
        """Whether this is a case that has to be refused."""
        return self.twin is not MISSING


@lru_cache(maxsize=2 * len(ENTRIES))
def _restrictions(schema: bytes, entry: str) -> Restrictions:
    """Of an entry of a schema. Corpora that are broken elsewhere share what was compiled of it."""
    return Restrictions(Shape(parse(schema), entry))


class Rulebook:
    """The schemas and fixtures of a corpus. Raises ``UsageError`` for a file that is none."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._schemas: dict[str, JsonValue] = {}
        self.judged: set[str] = set()
        """The names of the cases that a gate has judged."""

    def read(self) -> None:
        """Read every file at once: what cannot be read is told before anything is judged."""
        for name in schema_names():
            self.schema(name)
        read_requirements(self.corpus.requirements)
        read_ids(self.corpus.ids)
        assert self.cases is not None
        assert self.scenarios is not None

    def schema(self, name: str) -> JsonValue:
        """A schema document of the corpus by its short name."""
        if name not in self._schemas:
            self._schemas[name] = _json(self.corpus.schemas / f"{name}.schema.json")
        return self._schemas[name]

    @cached_property
    def _restrictions(self) -> dict[str, Restrictions]:
        shapes = {name: Shape(self.schema(kind), at).alone for name, (kind, at) in ENTRIES.items()}
        return {n: _restrictions(compact(s.document), s.entry) for n, s in shapes.items()}

    @cached_property
    def shapes(self) -> dict[str, Shape]:
        """The shapes that fixtures are held to, by name."""
        return {name: found.shape for name, found in self._restrictions.items()}

    @cached_property
    def message(self) -> Shape:
        """One message of the profile."""
        return Shape(self.schema(KIND), "/$defs/message")

    @cached_property
    def lifts(self) -> dict[str, tuple[Lift, ...]]:
        """The restrictions of each shape."""
        return {name: found.lifts for name, found in self._restrictions.items()}

    def restriction(self, shape: str, name: str) -> Lift | None:
        """The restriction of a shape that a case may name as its reason, by its name."""
        return self._restrictions[shape].named.get(name)

    def without(self, shape: str, lift: Lift) -> Draft202012Validator:
        """The validator of a shape with one restriction lifted."""
        return self._restrictions[shape].without(lift)

    def unused(self, shape: str) -> Mapping[str, Sequence[str]]:
        """By node of a shape, what it allows and no positive makes use of."""
        return self._restrictions[shape].unused(self._admitted(shape))

    def unseen(self, shape: str) -> frozenset[str]:
        """The names of the restrictions of a shape that can be lifted, and nothing notices."""
        refused = [case.instance for case in self.cases if case.refused and case.shape == shape]
        return self._restrictions[shape].unseen(compact(refused), self._admitted(shape))

    def _admitted(self, shape: str) -> bytes:
        return compact([case.instance for case in self.admitted(shape)])

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """Every scenario, by id. Raises ``DocumentError``."""
        return load_all(self.corpus)

    @cached_property
    def cases(self) -> tuple[Case, ...]:
        """Every fixture that is a case of the schemas; those for SDKs and of locks are not."""
        return tuple(
            _case_in(name, path)
            for name, path in self._fixtures()
            if "/" in name  # what lies beside the folders is no case
            and not name.startswith(("sdk/", "locked/"))
        )

    def fixture(self, name: str) -> JsonValue:
        """One file under ``fixtures/``."""
        return _json(self.corpus.fixtures / name)

    def documents(self) -> Iterator[tuple[str, JsonValue]]:
        """Every file under ``fixtures/`` with its name, in order."""
        return ((name, _json(path)) for name, path in self._fixtures())

    def _fixtures(self) -> list[tuple[str, Path]]:
        return files_below(self.corpus.fixtures, ".json")

    def family(self, name: str) -> list[Case]:
        """The cases of one folder, to be judged."""
        cases = [case for case in self.cases if case.family == name]
        self.judged.update(case.name for case in cases)
        return cases

    def admitted(self, shape: str) -> list[Case]:
        """The cases of a shape that are admitted."""
        return [case for case in self.cases if case.shape == shape and not case.refused]

    def refused(self, *families: str) -> list[Case]:
        """The cases of some folders that are refused."""
        return [case for case in self.cases if case.refused and case.family in families]


def _json(path: Path) -> JsonValue:
    try:
        return parse(_bytes(path))
    except JsonError as error:
        raise UsageError(f"{path} is not strict JSON: {error}") from None


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None


def _case_in(name: str, path: Path) -> Case:
    try:
        return _case(name, _bytes(path))
    except JsonError as error:
        raise UsageError(f"{path} is not strict JSON: {error}") from None


@lru_cache(maxsize=4096)
def _case(name: str, data: bytes) -> Case:
    return case_of(name, parse(data))


def case_of(name: str, document: JsonValue) -> Case:
    """A fixture's document as a case. Raises ``UsageError`` for one that is none."""
    for problem in problems(validator("fixture"), document):
        raise UsageError(f"fixtures/{name}: {problem.path or '/'}: {problem.message}")
    family = name.rpartition("/")[0]
    (held,) = document.keys() & {"messages", "payload", "envelope", "frame", "kind"}
    of_version_1 = family.partition("/")[0] in ("v1", "migration")
    shape = _SHAPE_OF.get(held) if held != "payload" else f"payloadV{1 if of_version_1 else 2}"
    return Case(
        name=name,
        family=family,
        why=document["why"],
        shape=shape or "",
        instance=_whole(held, document[held]),
        twin=_whole(held, document["twin"]) if "twin" in document else MISSING,
        rule=document.get("rule", ""),
        restriction=document.get("restriction", ""),
        upstream=document.get("upstream", ""),
        migrated=document.get("migrated", MISSING),
    )


def _whole(held: str, value: JsonValue) -> JsonValue:
    """What is judged: of messages in short form, the payload that they stand for."""
    return surface_payload("s", value) if held == "messages" else value
