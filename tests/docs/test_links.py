"""Links lead somewhere, on GitHub as on the site, and every mention of a document is one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.docs.commands import DOCS, name_of, pages
from tests.shared_data import REPOSITORY

LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
MENTION: Final = re.compile(r"\bdocs/[\w/-]+\.(?:md|py|html|png|yml)\b")
MENTIONING: Final = ("*.md", "*.toml", "*.yml", "Makefile", "[clost]*/**/*.py", "[l-s]*/**/*.yaml")
IMAGE_BYTES: Final = 150_000


def prose(text: str) -> str:
    """A page without its blocks of code."""
    return re.sub(r"^```.*?^```$|^ {4}[^\n]*$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    titles = re.findall(r"^#+ (.*)$", prose(page.read_text("utf-8")), re.MULTILINE)
    words = (re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles)
    return set(words)


def broken(page: Path) -> Iterator[str]:
    for target in LINK.findall(prose(page.read_text("utf-8"))):
        if re.match(r"https?://", target):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        if not path.is_file() or (anchor and anchor not in anchors(path)):
            yield target
        elif page.is_relative_to(DOCS) and not path.is_relative_to(DOCS):
            yield f"{target} is no part of the site"


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_every_mention_of_a_document_in_the_repository_is_one() -> None:
    files = [path for pattern in MENTIONING for path in REPOSITORY.glob(pattern)]
    found = {
        (path.relative_to(REPOSITORY).as_posix(), mention)
        for path in files
        for mention in MENTION.findall(path.read_text("utf-8"))
    }
    assert len(found) > 40
    assert [one for one in sorted(found) if not (REPOSITORY / one[1]).is_file()] == []


def test_every_page_is_in_the_index_and_on_the_site() -> None:
    names = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")} - {"index.md"}
    linked = set(LINK.findall((DOCS / "index.md").read_text("utf-8")))
    assert names - linked == set()
    listed = re.findall(r"^  - file: (\S+)$", (DOCS / "_toc.yml").read_text("utf-8"), re.MULTILINE)
    assert sorted(f"{name}.md" for name in listed) == sorted(names)


def test_pictures_are_small_and_shown() -> None:
    texts = "".join(page.read_text("utf-8") for page in pages())
    for path in (DOCS / "images").iterdir():
        assert path.stat().st_size < IMAGE_BYTES
        assert f"images/{path.name})" in texts
