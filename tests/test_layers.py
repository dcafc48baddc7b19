"""The shape of the package: layers import downwards only, and every module says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
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


def imports(module: str, text: str) -> Iterator[tuple[int, str]]:
    """The modules of this package that a text imports anywhere in it, with the lines."""
    package = module.split(".")[:-1]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                top, _, rest = alias.name.partition(".")
                if top == PACKAGE.name:
                    yield node.lineno, rest
        elif isinstance(node, ast.ImportFrom):
            named = node.module.split(".") if node.module else []
            if node.level:
                named = package[: len(package) - node.level + 1] + named
            elif named[0] == PACKAGE.name:
                named = named[1:]
            else:
                continue
            if named:
                yield node.lineno, ".".join(named)
            else:
                yield from ((node.lineno, alias.name) for alias in node.names)


def upward(module: str, text: str) -> list[str]:
    layer = module.partition(".")[0]
    return [
        f"{module}:{line}: {layer} imports {name}"
        for line, name in imports(module, text)
        if (other := name.partition(".")[0]) != layer
        and (layer, other) not in NEIGHBOURS
        and LEVEL[other] >= LEVEL[layer]
    ]


def test_every_layer_is_in_its_place() -> None:
    tops = {dotted(path).partition(".")[0] for path in MODULES} - {"__init__"}

    assert tops == LEVEL.keys()


@pytest.mark.parametrize(
    "path", [p for p in MODULES if p.parent != PACKAGE or p.stem in LEVEL], ids=dotted
)
def test_a_module_imports_from_below_only(path: Path) -> None:
    assert upward(dotted(path), path.read_text("utf-8")) == []


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
    assert len(upward("wire.sse", text)) == len(upward("wire.__init__", text)) == 1
    assert upward("cli.run", text.replace("cli", "suite")) == []


@pytest.mark.parametrize(
    "text", ["from ..a2ui import fold", "from .ids import project", "import json", "import wire"]
)
def test_a_downward_import_is_none(text: str) -> None:
    assert upward("wire.sse", text) == []


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_opens_with_a_sentence_that_says_what_it_is(path: Path) -> None:
    doc = ast.get_docstring(ast.parse(path.read_text("utf-8")))

    assert doc
    first = " ".join(doc.split("\n\n")[0].split())
    assert first[-1] in ".:?", first
    assert len(first.split()) >= 3, first


@pytest.mark.parametrize("path", MODULES, ids=dotted)
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= 400
    assert not {"utils", "helpers", "common", "misc"} & set(dotted(path).split("."))


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
        dotted(path)
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if (isinstance(node, ast.Import) and any(a.name == "httpx" for a in node.names))
        or (isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "httpx")
    }

    assert users == {"adapters.http"}
