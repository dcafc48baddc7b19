"""The site builds without a warning, offline, and asks nothing of another address."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.commands import DOCS


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    for module in ("sphinx", "myst_parser", "furo", "sphinx_external_toc"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: it is in the extra 'docs'")
    folder = tmp_path_factory.mktemp("site")
    options = ["--builder", "html", "--fail-on-warning", "--keep-going", "--quiet"]
    trees = ["--doctree-dir", str(folder / "trees")]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *options, *trees, str(DOCS), str(folder / "site")],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "site"


def test_each_page_is_there_and_in_the_menu(site: Path) -> None:
    index = (site / "index.html").read_text("utf-8")
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(DOCS).with_suffix(".html").as_posix()
        assert (site / name).is_file()
        assert name == "index.html" or f'href="{name}"' in index


def test_a_page_loads_nothing_from_another_address(site: Path) -> None:
    for path in site.rglob("*.html"):
        if "_downloads" in path.parts:
            continue
        text = path.read_text("utf-8")
        loads = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="([^"]*)"', text)
        loads += re.findall(r'<link[^>]*rel="(?:stylesheet|preload|icon)"[^>]*href="([^"]*)"', text)
        assert loads
        assert [one for one in loads if re.match(r"(?:https?:)?//", one)] == []
    for path in (site / "_static").rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//", path.read_text("utf-8"))
