"""The shape of the package: layers import downwards only, and every module says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import openwop_conformance

PACKAGE = Path(openwop_conformance.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))
LAYERS = (
    ("errors", "jsonvalue", "jsontree", "version"),
    ("schemas",),
    ("a2ui",),
    ("wire",),
    ("adapters",),
    ("sdks",),
    ("corpus",),
    ("starting",),
    ("scenario",),
    ("engine",),
    ("evidence",),
    ("reports",),
    ("reference",),
    ("rulebook",),
    ("suite",),
    ("cli", "pytest_plugin"),
    ("__main__",),
)
"""From the ground up; what stands in one line may not import its neighbour."""

LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
NEIGHBOURS = {("jsonvalue", "errors"), ("jsontree", "jsonvalue")}
"""The ground floor's two imports: what is not JSON is an error, and a tree is of values."""


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


@dataclass(frozen=True)
class Module:
    """What the rules ask of a text: small, for there are many."""

    name: str
    doc: str
    imports: tuple[tuple[int, str], ...]
    """The absolute names of what it imports anywhere in it, with the lines."""
    length: int


@cache
def modules() -> tuple[Module, ...]:
    return tuple(module_of(dotted(path), path.read_text("utf-8")) for path in MODULES)


def module_of(name: str, text: str) -> Module:
    tree = ast.parse(text)
    doc = ast.get_docstring(tree) or ""
    return Module(name, doc, tuple(imports(name, tree)), len(text.splitlines()))


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements of a tree; expressions hold none."""
    for field in ("body", "handlers", "cases", "orelse", "finalbody"):
        for below in getattr(node, field, ()):
            yield below
            yield from statements(below)


def imports(module: str, tree: ast.AST) -> Iterator[tuple[int, str]]:
    package = [PACKAGE.name, *module.split(".")[:-1]]
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            named = node.module.split(".") if node.module else []
            if node.level:
                named = package[: len(package) - node.level + 1] + named
            if named == [PACKAGE.name]:
                yield from ((node.lineno, f"{named[0]}.{alias.name}") for alias in node.names)
            else:
                yield node.lineno, ".".join(named)


def upward(module: Module) -> list[str]:
    layer = module.name.partition(".")[0]
    inside = (
        (line, name.partition(".")[2])
        for line, name in module.imports
        if name.partition(".")[0] == PACKAGE.name
    )
    return [
        f"{module.name}:{line}: {layer} imports {name}"
        for line, name in inside
        if (other := name.partition(".")[0]) != layer
        and (layer, other) not in NEIGHBOURS
        and LEVEL[other] >= LEVEL[layer]
    ]


def test_every_layer_is_in_its_place() -> None:
    tops = {module.name.partition(".")[0] for module in modules()} - {"__init__"}

    assert tops == LEVEL.keys()


def test_every_module_imports_from_below_only() -> None:
    inside = [module for module in modules() if module.name != "__init__"]

    assert [fault for module in inside for fault in upward(module)] == []


@pytest.mark.parametrize(
    "text",
    [
        "from ..cli import run",
        "from ..engine import run",
        "from .. import suite",
        "def f():\n    from ..reports.console import ConsoleReport",
        "import openwop_conformance.engine.run",
        "from openwop_conformance.scenario import lint",
        "from openwop_conformance import corpus",
    ],
)
def test_an_upward_import_is_seen_however_it_is_written(text: str) -> None:
    for name in ("wire.sse", "wire.__init__"):
        assert len(upward(module_of(name, text))) == 1
    assert upward(module_of("cli.run", text.replace("cli", "suite"))) == []


@pytest.mark.parametrize(
    "text", ["from ..a2ui import fold", "from .ids import project", "import json", "import wire"]
)
def test_a_downward_import_is_none(text: str) -> None:
    assert upward(module_of("wire.sse", text)) == []


def test_every_module_opens_with_a_sentence_that_says_what_it_is() -> None:
    firsts = {module.name: " ".join(module.doc.split("\n\n")[0].split()) for module in modules()}

    assert {name: first for name, first in firsts.items() if first[-1:] not in [*".:?"]} == {}
    assert {name: first for name, first in firsts.items() if len(first.split()) < 3} == {}


def test_every_module_can_be_read_in_one_sitting() -> None:
    vague = {"utils", "helpers", "common", "misc"}

    assert {module.name: module.length for module in modules() if module.length > 400} == {}
    assert [module.name for module in modules() if vague & {*module.name.split(".")}] == []


def test_the_package_exposes_the_public_names_and_nothing_else() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text("utf-8"))
    imported = [
        alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names
    ]

    assert sorted(imported) == openwop_conformance.__all__
    assert {type(node) for node in tree.body} == {ast.Expr, ast.ImportFrom, ast.Assign}
    assert all(hasattr(openwop_conformance, name) for name in openwop_conformance.__all__)


def test_only_one_module_touches_httpx() -> None:
    users = {
        module.name
        for module in modules()
        for _, name in module.imports
        if name.partition(".")[0] == "httpx"
    }

    assert users == {"adapters.http"}
